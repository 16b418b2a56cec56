"""What a search for rules is told: heads, limits, bias, budget."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from numbers import Integral
from typing import Any

from neurallog_kernel.arguments import a_text, is_number, shown, some_texts
from neurallog_kernel.errors import ParameterError

EXACT = 3  # literals of the paths of which every one is counted
LONGEST = 5  # longer ones than EXACT are found by a sample of the examples
WALKS_PER_SECOND = 4_000_000
"""How much work one second of budget stands for. Work and not the clock ends a search, so that a
slow machine finds the same rules as a quick one."""
HEADS_PER_SECOND = 100  # what it takes to judge and to show the rules of one
FEWEST_HEADS = 100
RELATIONS_PER_SECOND = 1_000  # what it takes to fetch the facts of one
FEWEST_RELATIONS = 1_000
PAIRS_PER_SECOND = 3_000_000  # for which bodies hold: what it takes to compare them
FEWEST_PAIRS = 100_000
FITTED_PER_SECOND = 60_000  # of these pairs, what it takes to fit weights on them
MOST = 10**9  # rows, candidates or examples that an option may speak of
LONG = 1e6  # seconds of a budget beyond which nothing is counted


@dataclass(frozen=True)
class LearnOptions:
    """The limits of a search for rules.

    `heads` and `bodies` name predicates as in `"advisedby/2"` (the arity may be left out); no heads
    means every predicate with facts or examples, no bodies every predicate with facts. `constants`
    names the predicates whose arguments may be constants in a rule; `each` those whose entities get
    a weight each, as in `mexican(X) :- reviewed(A, X), mexican_by_reviewed(A).` A metarule such as
    `P(X, Y) :- Q(X, Z), R(Z, Y).` allows only rules of its form.

    >>> LearnOptions(heads=("advisedby/2",), budget=5).work
    20000000
    >>> LearnOptions(length=9)
    Traceback (most recent call last):
    ...
    neurallog_kernel.errors.ParameterError: length must be from 1 to 5, not 9
    """

    heads: tuple[str, ...] = ()
    length: int = 3  # literals of a path
    bodies: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()
    each: tuple[str, ...] = ()
    metarules: tuple[str, ...] = ()
    min_support: int = 2  # examples that a rule must get right
    budget: float = 10.0  # seconds
    held_out: float = 0.2  # the part of the examples that only judges
    seed: int = 0
    kept: int = 300  # candidates of a head that are fitted
    shown: int = 25  # rows of a head in the table
    set: str | None = None  # of the examples; by default the one that training learns from

    def __post_init__(self) -> None:
        _whole("length", self.length, 1, LONGEST)
        for name in ("min_support", "kept", "shown"):
            _whole(name, getattr(self, name), 1, MOST)
        _whole("seed", self.seed, 0)
        _number("budget", self.budget, 0.0, math.inf)
        _number("held_out", self.held_out, 0.0, 0.9)
        for name in ("heads", "bodies", "constants", "each", "metarules"):
            some_texts(name, getattr(self, name))
        if self.set is not None:
            a_text("set", self.set)

    @property
    def work(self) -> int:
        """Walks that the budget pays for."""
        return int(min(self.budget, LONG) * WALKS_PER_SECOND)

    @property
    def most_heads(self) -> int:
        """Heads that the budget pays for, where none is named."""
        return FEWEST_HEADS + int(min(self.budget, LONG) * HEADS_PER_SECOND)

    @property
    def most_relations(self) -> int:
        """Relations of bodies that the budget pays for."""
        return FEWEST_RELATIONS + int(min(self.budget, LONG) * RELATIONS_PER_SECOND)

    def describe(self) -> dict[str, Any]:
        """The options that differ from the defaults, and the seed."""
        return {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.name == "seed" or getattr(self, field.name) != field.default
        }


def pairs_within(seconds: float, heads: int) -> int:
    """Pairs of each of so many heads that there is time to compare bodies by."""
    return max(FEWEST_PAIRS, int(min(seconds, LONG) * PAIRS_PER_SECOND / max(1, heads)))


def fitted_within(seconds: float) -> int:
    """Pairs for which bodies hold that there is time to fit weights on, of all heads."""
    return max(FEWEST_PAIRS, int(min(seconds, LONG) * FITTED_PER_SECOND))


def _whole(name: str, value: Any, least: int, most: float = math.inf) -> None:
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or not least <= int(value) <= most:
        span = f"from {least} to {most:,}" if most < math.inf else f"at least {least}"
        raise ParameterError(f"{name} must be {span}, not {shown(value)}")


def _number(name: str, value: Any, least: float, most: float) -> None:
    if not is_number(value) or not least <= value <= most:  # NaN is neither
        raise ParameterError(
            f"{name} must be a number "
            + (f"from {least:g} to {most:g}" if most < math.inf else f"of at least {least:g}")
            + f", not {shown(value)}"
        )
