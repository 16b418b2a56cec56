"""The network computes what queries compute, on generated programs with learned predicates.

`NEURALLOG_FUZZ=3000` tries that many programs, from `NEURALLOG_SEED` on.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pytest

from neurallog_kernel import Session
from neurallog_kernel.language.syntax import Signature
from tests.learning.helpers import compiled, executor_predictions, full_target, start
from tests.programs import BINARY, PLAIN, UNARY, Drawn, ProgramText, program
from tests.reference import Reference

PROGRAMS = int(os.environ.get("NEURALLOG_FUZZ", "0")) or 60
FIRST = int(os.environ.get("NEURALLOG_SEED", "0"))
AT_ONCE = 20  # programs of one test


def _parts(first: int, last: int) -> list[range]:
    return [range(start, start + AT_ONCE) for start in range(first, last, AT_ONCE)]


LEARNED = [*BINARY, *UNARY, *PLAIN, "e_1", "none_1", "none_2", "f", "k", "t", "m", "y", "new"]


def with_learned(seed: int) -> tuple[ProgramText, list[str]]:
    """A program, and directives that make some of its predicates learned."""
    choices = Drawn(seed)
    text = program(choices)
    names = [*LEARNED, *(["age", "size"] if text.fixed else [])]
    chosen = [name for name in names if choices.chance(35)] or [choices.pick(names)]
    return text, [f"learn({name})." for name in chosen]


def targets(session: Session) -> list[tuple[Signature, int | None]]:
    """Every predicate with rules, in every direction."""
    found: list[tuple[Signature, int | None]] = []
    for signature in dict.fromkeys(view.rule.head.signature for view in session.rules()):
        outputs: list[int | None] = list(range(signature[1])) if signature[1] > 1 else [None]
        found += [(signature, output) for output in outputs]
    return found


def delicate(session: Session) -> bool:
    """Whether the reference meets values that rounding may change altogether."""
    reference = Reference(session.program())
    for (name, arity), output in targets(session):
        places = [reference.members((name, arity), place) for place in range(arity)]
        if not all(places):
            continue
        terms = [f"Q{p}" if arity < 3 or p == output else places[p][0] for p in range(arity)]
        reference.query(f"{name}({', '.join(terms)})" if terms else name)
    return reference.delicate


def differences(session: Session) -> list[str]:
    found = []
    for signature, output in targets(session):
        target = full_target(session, signature, output)
        if target is None:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # overflow, on both sides
            expected = executor_predictions(session, target)
        network = compiled(session, [target], batch_size=3)
        computed = network.predictions()
        small = np.abs(expected) < 1e30  # beyond, sums of either sign are all rounding
        if not np.allclose(computed[small], expected[small], rtol=1e-6, atol=1e-6):
            where = np.argwhere(~np.isclose(computed, expected, rtol=1e-6, atol=1e-6))
            row, column = where[0]
            found.append(
                f"{signature} towards {output}: at row {row}, output {column} the network has "
                f"{computed[row, column]}, the executor {expected[row, column]}"
            )
        if np.abs(expected).max(initial=0) < 1e6:
            by_hand = (expected**2).mean(axis=1)
            batches = [by_hand[i : i + 3].sum() for i in range(0, len(by_hand), 3)]
            losses = network.batch_losses()[:, 0]
            if not np.allclose(losses, batches, rtol=1e-6, atol=1e-6):
                found.append(f"{signature} towards {output}: losses {losses}, by hand {batches}")
    return found


def no_differences(seeds: Iterable[int], differences: Callable[[Session], list[str]]) -> None:
    """No generated program with learned weights has differences, but for delicate ones."""
    wrong = []
    for seed in seeds:
        text, learned = with_learned(seed)
        session = Session()
        session.add("\n".join([str(text), *learned]), source="program")
        start(session, seed)
        try:
            found = differences(session)
        except Exception as error:
            raise AssertionError(f"seed {seed}:\n{text}\n{learned}") from error
        if found and not delicate(session):
            wrong.append("\n".join([f"seed {seed}", *found, str(text), *learned]))
    assert not wrong, "\n\n".join(wrong)


SEEN = [1383]  # what has no fact is zero, even beside infinity


@pytest.mark.parametrize("seeds", [*_parts(FIRST, FIRST + PROGRAMS), SEEN], ids=lambda s: s[0])
def test_the_network_computes_what_queries_compute(seeds: Sequence[int], eager: None) -> None:
    no_differences(seeds, differences)
