"""A rule with its inputs bound, and the goals of an explanation: one value inside such a rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from neurallog_kernel.evaluate.engine import Engine
from neurallog_kernel.evaluate.rows import Rows, entity_row, look_up
from neurallog_kernel.explain.parts import Part
from neurallog_kernel.language.syntax import Variable
from neurallog_kernel.plan.exprs import Expr, is_of_rows
from neurallog_kernel.plan.layers import RuleLayer
from neurallog_kernel.plan.origins import Acted, AttributeNumbers, Origin
from neurallog_kernel.rulegraph.graph import Node

Given = Callable[[int], Part]  # explains an input at an entity


@dataclass(eq=False)
class BoundInputs:
    """The vectors given for the places of a head, and where they come from if that is known."""

    rows: Mapping[int, Rows]
    given: Mapping[int, Given] = field(default_factory=dict)

    def __post_init__(self) -> None:
        single = {place: only_entity(rows) for place, rows in self.rows.items()}
        self.entities = {p: found[0] for p, found in single.items() if found is not None}
        self.units = all(found is not None and found[1] == 1.0 for found in single.values())
        # the key that queries use, so that values are shared with them
        self.key: object = tuple(sorted(self.entities.items())) if self.units else object()

    @classmethod
    def one(cls, place: int, size: int, index: int) -> BoundInputs:
        return cls({place: entity_row(size, index)})


def only_entity(rows: Rows) -> tuple[int, float] | None:
    """The entity and weight of a row that has just one."""
    if not rows.is_sparse:
        return None
    there = np.flatnonzero(rows.values)
    if len(there) != 1:
        return None
    return int(rows.keys[there[0]]), float(rows.values[there[0]])


@dataclass(eq=False)
class BoundRule:
    """A rule layer whose inputs have values; of everything in it the `best` parts are shown."""

    layer: RuleLayer
    inputs: BoundInputs
    engine: Engine
    best: int

    @cached_property
    def numbers(self) -> frozenset[Node]:
        """The variables that are numbers: their entities are those of their owners."""
        acted = [edge.of for edge in self.layer.edges.values() if isinstance(edge.of, Acted)]
        numbers = {
            one.literal.nodes[1 - one.factor.owner]
            for one in acted
            if isinstance(one.factor, AttributeNumbers) and one.factor.owner is not None
        }
        numbers |= {node for node, value in self.layer.nodes.items() if is_of_rows(value.expr)}
        return frozenset(numbers)

    @cached_property
    def shown_variables(self) -> frozenset[Node]:
        """The variables whose entities a grounding tells: those of the body that are not the
        head's, without numbers."""
        rule = self.layer.rule
        own = {t for literal in rule.body for t in literal.terms if isinstance(t, Variable)}
        return frozenset(v for v in own - set(rule.head.terms) - self.numbers if not v.anonymous)

    def value(self, expr: Expr) -> Rows | np.ndarray:
        return self.engine.evaluate(expr, self.inputs.rows, self.inputs.key)

    def rows(self, expr: Expr) -> Rows:
        found = self.value(expr)
        assert isinstance(found, Rows)
        return found

    def at(self, expr: Expr, index: int | None) -> float:
        """A vector's entry, or a number."""
        found = self.value(expr)
        if isinstance(found, np.ndarray):
            return float(found.reshape(-1)[0])
        assert index is not None
        return float(look_up(found, np.array([index], dtype=np.int64), 1)[0])

    def entries(self, expr: Expr) -> tuple[np.ndarray, np.ndarray]:
        """Indexes and values of the entries that are not zero; a number counts as one entry."""
        found = self.value(expr)
        if isinstance(found, np.ndarray):
            indexes, values = np.zeros(1, dtype=np.int64), found.reshape(-1)[:1]
        else:
            values = found.values if found.is_sparse else found.dense()[0]
            indexes = found.keys if found.is_sparse else np.arange(found.size)
        there = np.flatnonzero(values)
        return indexes[there], values[there]

    def goal(self, origin: Origin, index: int | None) -> Goal:
        """The value of a part of the rule at an entity; a number is the same at all of them."""
        at = None if origin.expr.domain is None else index
        return Goal(self, origin, at, self.at(origin.expr, at))


@dataclass(frozen=True, eq=False, slots=True)
class Goal:
    """A value inside a rule that is to be explained, and what made it."""

    rule: BoundRule
    origin: Origin
    index: int | None
    value: float


@dataclass(frozen=True, slots=True)
class Option:
    """One way to a goal: the factors found, and the goals that are left."""

    value: float
    factors: tuple[Part, ...] = ()
    goals: tuple[Goal, ...] = ()
    names: tuple[tuple[Node, str], ...] = ()


def strongest(values: np.ndarray, limit: int) -> np.ndarray:
    """The places of the greatest absolute values, greatest first."""
    strength = np.abs(values)
    if len(strength) > 4 * limit:
        among = np.argpartition(-strength, limit)[:limit]
        return among[np.argsort(-strength[among], kind="stable")]
    return np.argsort(-strength, kind="stable")[:limit]
