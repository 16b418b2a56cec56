"""Bodies of rules in the miner's numbers, and as clauses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import TypeAlias

import numpy as np

from neurallog_kernel.induction.graph import Graph
from neurallog_kernel.language.syntax import Constant, Literal, Number, Rule, Signature, Variable

_BEFORE = 5.0  # pairs for which a body is taken to hold wrongly, beside those that are counted
AT_LEAST, AT_MOST = "at_least", "at_most"


@dataclass(frozen=True, order=True)
class EntityEnd:
    """The end of a condition: this entity and no other."""

    index: int


@dataclass(frozen=True, order=True)
class Concept:
    """The end of a condition: an entity of the concept."""

    signature: Signature


@dataclass(frozen=True, order=True)
class Cut:
    """The end of a condition: an entity whose attribute is at least, or at most, a number."""

    signature: Signature
    side: str
    value: float


@dataclass(frozen=True, order=True)
class Each:
    """The end of a condition: this entity, one of many that each have a weight in one rule."""

    index: int


End: TypeAlias = EntityEnd | Concept | Cut | Each


@dataclass(frozen=True)
class Condition:
    """What must hold of one entity: steps lead from it to such an end, or (None) somewhere.

    With no steps the end is about the entity itself: with an `EntityEnd`, it is that one.
    """

    steps: tuple[int, ...]
    end: End | None = None

    @property
    def length(self) -> int:
        return len(self.steps) + (not isinstance(self.end, EntityEnd) and self.end is not None)

    @property
    def key(self) -> tuple:
        """Something to put conditions in order by."""
        return (len(self.steps), self.steps, type(self.end).__name__, repr(self.end))


@dataclass(frozen=True)
class Body:
    """A closed path from X to Y (for a concept: none), and conditions on X and on Y."""

    steps: tuple[int, ...] = ()
    on_x: tuple[Condition, ...] = ()
    on_y: tuple[Condition, ...] = ()

    @property
    def length(self) -> int:
        return len(self.steps) + sum(condition.length for condition in (*self.on_x, *self.on_y))

    @property
    def each(self) -> tuple[int, tuple[int, ...]] | None:
        """What all bodies of one rule with a weight for each entity share: the place of the
        argument, and the steps from it. None of any other body."""
        if not (self.on_x or self.on_y):  # most bodies
            return None
        for place, conditions in enumerate((self.on_x, self.on_y)):
            for condition in conditions:
                if isinstance(condition.end, Each):
                    return place, condition.steps
        return None

    def turned(self, graph: Graph) -> Body:
        """The same body with X and Y exchanged."""
        back = tuple(int(graph.inverse[step]) for step in reversed(self.steps))
        return Body(back, self.on_y, self.on_x)

    @property
    def key(self) -> tuple:
        sides = tuple(tuple(c.key for c in side) for side in (self.on_x, self.on_y))
        return (self.length, self.steps, sides)


@dataclass
class _Names:
    """Variables that no literal has yet."""

    letters: Iterator[int] = field(default_factory=lambda: count())

    def new(self) -> str:
        number = next(self.letters)
        return "ABCDEFGHIJKLMNOPQRSTUVW"[number % 23] + (str(number // 23) if number > 22 else "")


def rule_of(graph: Graph, head: Signature, body: Body) -> Rule:
    """The clause that a body makes with a head."""
    names = _Names()
    terms = [_head_term(graph, "X", body.on_x), _head_term(graph, "Y", body.on_y)][: head[1]]
    literals = list(_path(graph, body.steps, "X", "Y", names))
    for name, conditions in (("X", body.on_x), ("Y", body.on_y)):
        for condition in conditions:
            if not _is_constant(condition):
                literals += _condition(graph, name, condition, names, head)
    return Rule(Literal(head[0], tuple(terms)), tuple(literals))


def _is_constant(condition: Condition) -> bool:
    return not condition.steps and isinstance(condition.end, EntityEnd)


def _head_term(graph: Graph, name: str, conditions: tuple[Condition, ...]) -> Variable | Constant:
    for condition in conditions:
        if _is_constant(condition):
            assert isinstance(condition.end, EntityEnd)
            return Constant(graph.name(condition.end.index))
    return Variable(name)


def _path(
    graph: Graph, steps: tuple[int, ...], start: str, end: str, names: _Names
) -> Iterator[Literal]:
    for place, step in enumerate(steps):
        following = end if place == len(steps) - 1 else names.new()
        yield graph.steps[step].literal(Variable(start), Variable(following))
        start = following


def _condition(
    graph: Graph, start: str, condition: Condition, names: _Names, head: Signature
) -> Iterator[Literal]:
    for place, step in enumerate(condition.steps):
        if place == len(condition.steps) - 1 and isinstance(condition.end, EntityEnd):
            end = Constant(graph.name(condition.end.index))
            yield graph.steps[step].literal(Variable(start), end)
            return
        following = names.new()
        yield graph.steps[step].literal(Variable(start), Variable(following))
        start = following
    match condition.end:
        case Concept((name, _)):
            yield Literal(name, (Variable(start),))
        case Cut((name, _), side, value):
            number = Variable(names.new())
            yield Literal(name, (Variable(start), number))
            yield Literal(side, (number, Number(value)))
        case Each():
            own = "_".join(graph.steps[step].signature[0] for step in condition.steps)
            yield Literal(f"{head[0]}_by_{own}", (Variable(start),))


def end_of(body: Body) -> int:
    """The entity of a body that is one of many in a rule with a weight for each."""
    ends = (condition.end for condition in (*body.on_x, *body.on_y))
    return next(end.index for end in ends if isinstance(end, Each))


def smoothed(right: np.ndarray | float, fires: np.ndarray | float) -> np.ndarray:
    """A confidence that few facts cannot make high."""
    return np.asarray(right) / (np.asarray(fires) + _BEFORE)


def fewest_right(confidence: np.ndarray, fires: np.ndarray) -> np.ndarray:
    """What a body must get right at least for such a smoothed confidence: so much or a trifle more.

    >>> fewest_right(np.array([0.0, 0.5]), np.array([7, 7])).round(3).tolist()
    [0.0, 6.0]
    """
    return (1.0 - 1e-9) * confidence * (fires + _BEFORE)
