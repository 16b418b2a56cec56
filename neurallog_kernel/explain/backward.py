"""The derivative of one number of a plan by its inputs, facts and rule weights: reverse mode."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from graphlib import TopologicalSorter
from typing import assert_never

import numpy as np

from neurallog_kernel.evaluate.engine import Engine
from neurallog_kernel.evaluate.rows import Rows, entity_row, from_dense
from neurallog_kernel.explain import derivatives
from neurallog_kernel.functions import ADD, FunctionKind
from neurallog_kernel.knowledge.matrices import Matrix
from neurallog_kernel.knowledge.references import FactForm
from neurallog_kernel.language.syntax import Rule, Signature
from neurallog_kernel.plan import exprs
from neurallog_kernel.plan.exprs import Expr, everything, walk


@dataclass
class Slopes:
    """Derivatives by everything that a number rests on.

    Facts are named by the indexes of their entities; a fact that is not there is not listed.
    """

    inputs: dict[int, np.ndarray] = field(default_factory=dict)
    facts: dict[Signature, dict[tuple[int, ...], float]] = field(default_factory=dict)
    rules: dict[Rule, float] = field(default_factory=dict)

    def fact(self, signature: Signature, key: tuple[int, ...], slope: float) -> None:
        table = self.facts.setdefault(signature, {})
        table[key] = table.get(key, 0.0) + slope


def slopes_of(
    engine: Engine,
    expr: Expr,
    index: int | None,
    bindings: Mapping[int, Rows],
    *,
    inputs_only: bool = False,
) -> Slopes:
    """The derivatives of an expression's entry at `index` (None: of a number)."""
    found = Slopes()
    seed = np.zeros(1 if expr.domain is None else engine.storage.size(expr.domain))
    seed[0 if index is None else index] = 1.0
    calls = _Calls()
    _Backward(engine, bindings, found, inputs_only, calls).run(expr, seed)
    if not inputs_only:
        calls.run(engine, found)
    return found


class Adjoints:
    """The derivative of some entries, weighed by `seeds`, by the expressions below them; each is
    worked out when it is asked for, with those above it and no others.

    What is inside a call or "for each entity" has an input of its own and is not among them. Values
    are shared with other questions of the same `key`.
    """

    def __init__(
        self,
        engine: Engine,
        seeds: Mapping[Expr, np.ndarray],
        bindings: Mapping[int, Rows],
        key: object = None,
    ) -> None:
        self.seeds = seeds
        self.back = _Backward(engine, bindings, Slopes(), True, _Calls(), key=key)
        self.found: dict[Expr, np.ndarray | None] = {}
        self.given: dict[Expr, dict[Expr, np.ndarray]] = {}  # what a node gives to its operands

    @cached_property
    def above(self) -> dict[Expr, dict[Expr, None]]:
        """What is computed from each expression."""
        found: dict[Expr, dict[Expr, None]] = {}
        for node in dict.fromkeys(node for root in self.seeds for node in walk(root)):
            for operand in node.operands:
                found.setdefault(operand, {})[node] = None
        return found

    @np.errstate(all="ignore")  # slopes may be infinite, or none
    def get(self, expr: Expr) -> np.ndarray | None:
        """None where nothing asked for depends on the expression."""
        waiting = [expr]
        while waiting:
            node = waiting[-1]
            missing = [one for one in self.above.get(node, ()) if one not in self.found]
            if missing and node not in self.found:
                waiting += missing
                continue
            if node not in self.found:
                self.found[node] = self._added(node)
            waiting.pop()
        return self.found[expr]

    def _added(self, node: Expr) -> np.ndarray | None:
        above = [(one, self._given(one)) for one in self.above.get(node, ())]
        parts = [given[node] for _, given in above if node in given]
        if node in self.seeds:
            parts.append(self.seeds[node])
        if len(parts) == 1 and any(parts[0] is self.found[one] for one, _ in above):
            return parts[0]  # a sum passes on what it has: it need not be looked at again
        adjoint = sum(parts[1:], parts[0]) if parts else None
        return adjoint if adjoint is not None and adjoint.any() else None

    def _given(self, node: Expr) -> dict[Expr, np.ndarray]:
        adjoint = self.found[node]
        if adjoint is None or isinstance(node, exprs.ForEach):
            return {}
        if node not in self.given:
            self.given[node] = self.back.given(node, adjoint)
        return self.given[node]


class _Calls:
    """What reaches the matrices of calls, added up over all callers before it goes on below.

    A matrix is a number for each entity of its input and of its result. The calls of a body are
    those of the predicates that it opens, so callers come before the called.
    """

    def __init__(self) -> None:
        self.waiting: dict[Expr, tuple[exprs.Call, dict[int, np.ndarray]]] = {}

    def add(self, node: exprs.Call, vector: np.ndarray, adjoint: np.ndarray) -> None:
        given, result = (adjoint, vector) if node.inverted else (vector, adjoint)
        _, rows = self.waiting.setdefault(node.body, (node, {}))
        for entity in np.flatnonzero(given).tolist():
            more = given[entity] * result
            rows[entity] = rows[entity] + more if entity in rows else more

    def run(self, engine: Engine, slopes: Slopes) -> None:
        order = _callers_first(self.waiting)
        for body in order:
            if body not in self.waiting:
                continue
            node, rows = self.waiting.pop(body)
            given = node if node.inverted else node.vector
            assert given.domain is not None
            for entity, seed in rows.items():
                bound = {node.place: entity_row(engine.storage.size(given.domain), entity)}
                below = _Backward(engine, bound, slopes, False, self, inner=True)
                below.run(body, seed)


def _callers_first(roots: Iterable[Expr]) -> list[Expr]:
    """The bodies of all calls below some bodies, each before those that it calls."""
    called: dict[Expr, list[Expr]] = {}
    waiting = list(roots)
    while waiting:
        body = waiting.pop()
        if body not in called:
            called[body] = [
                node.body for node in everything([body]) if isinstance(node, exprs.Call)
            ]
            waiting += called[body]
    return list(TopologicalSorter(called).static_order())[::-1]


class _Backward:
    """One pass back through a graph, from the node asked for to its leaves."""

    def __init__(
        self,
        engine: Engine,
        bindings: Mapping[int, Rows],
        slopes: Slopes,
        inputs_only: bool,
        calls: _Calls,
        inner: bool = False,
        key: object = None,
    ) -> None:
        self.engine = engine
        self.bindings = bindings
        self.key = object() if key is None else key
        self.slopes = slopes
        self.inputs_only = inputs_only
        self.calls = calls
        self.inner = inner  # below "for each entity": the input is not the question's
        self.adjoints: dict[Expr, np.ndarray] = {}

    @np.errstate(all="ignore")  # slopes may be infinite, or none
    def run(self, root: Expr, seed: np.ndarray) -> None:
        self.adjoints[root] = seed
        for node in reversed(list(walk(root))):
            adjoint = self.adjoints.pop(node, None)
            if adjoint is None or not adjoint.any():
                continue
            if self.inputs_only and not node.uses_input:
                continue
            self.node(node, adjoint)

    def given(self, node: Expr, adjoint: np.ndarray) -> dict[Expr, np.ndarray]:
        """What the operands of one node get from it."""
        self.adjoints = {}
        self.node(node, adjoint)
        return self.adjoints

    def value(self, expr: Expr) -> np.ndarray:
        """All entries, or one number, as an array of one dimension."""
        found = self.engine.evaluate(expr, self.bindings, self.key)
        return found.reshape(-1)[:1] if isinstance(found, np.ndarray) else found.dense()[0]

    def pass_on(self, expr: Expr, adjoint: np.ndarray) -> None:
        """Add what a child gets; a number that stood for every entry gets their sum."""
        if expr.domain is None and adjoint.shape != (1,):
            adjoint = np.array([adjoint.sum()])
        kept = self.adjoints.get(expr)
        self.adjoints[expr] = adjoint if kept is None else kept + adjoint

    def node(self, node: Expr, adjoint: np.ndarray) -> None:
        match node:
            case exprs.Combine() if node.operation is ADD:  # its slopes are 1, whatever it adds
                self.pass_on(node.left, adjoint)
                self.pass_on(node.right, adjoint)
            case exprs.Combine():
                left, right = node.operation.slopes(self.value(node.left), self.value(node.right))
                self.pass_on(node.left, adjoint * left)
                self.pass_on(node.right, adjoint * right)
            case exprs.Product():
                self.product(node, adjoint)
            case exprs.Apply():
                self.apply(node, adjoint)
            case exprs.Aggregate():
                rows = [self.value(node.vector)]
                self.pass_on(node.vector, derivatives.row(node.function, rows, 0, adjoint))
            case exprs.Expand():
                self.pass_on(node.scalar, np.array([adjoint.sum()]))
            case exprs.ForEach():
                self.for_each(node, adjoint)
            case exprs.Call():
                self.call(node, adjoint)
            case exprs.Input():
                self.input(node, adjoint)
            case (
                exprs.FactWeight()
                | exprs.NumericFact()
                | exprs.Facts()
                | exprs.Attribute()
                | exprs.RuleWeight()
            ):
                self.leaf(node, adjoint)
            case exprs.Ones() | exprs.Zero() | exprs.OneHot() | exprs.Weight() | exprs.Compared():
                pass
            case _:
                assert_never(node)

    def input(self, node: exprs.Input, adjoint: np.ndarray) -> None:
        if not self.inner:
            kept = self.slopes.inputs.get(node.place)
            self.slopes.inputs[node.place] = adjoint if kept is None else kept + adjoint

    def apply(self, node: exprs.Apply, adjoint: np.ndarray) -> None:
        arguments = [self.value(argument) for argument in node.arguments]
        if node.function.kind is FunctionKind.ELEMENTWISE:
            backs = derivatives.elementwise(node.function, arguments)
            for argument, back in zip(node.arguments, backs, strict=True):
                self.pass_on(argument, adjoint * back)
            return
        size = max(len(a) for a in arguments)
        rows = [np.broadcast_to(a, (size,)).astype(float) for a in arguments]
        for place, argument in enumerate(node.arguments):
            self.pass_on(argument, derivatives.row(node.function, rows, place, adjoint))

    def product(self, node: exprs.Product, adjoint: np.ndarray) -> None:
        vector = self.value(node.vector)
        relation = self.engine.storage.relation(node.scan)
        reached = np.flatnonzero(adjoint)
        backward = relation.rows_of(reached, not node.inverted)
        self.pass_on(node.vector, _times(adjoint, reached, backward, len(vector)))
        if self.inputs_only or node.scan.of is not None:  # from rows to entities: nobody's weights
            return
        there = np.flatnonzero(vector)
        for part in relation.rows_of(there, node.inverted):
            rows, columns, _ = _entries(part, there)
            slopes = vector[rows] * adjoint[columns]
            for i in np.flatnonzero(slopes).tolist():
                key = (int(rows[i]), int(columns[i]))
                key = key[::-1] if node.inverted else key
                self.slopes.fact(node.scan.signature, key, float(slopes[i]))

    def call(self, node: exprs.Call, adjoint: np.ndarray) -> None:
        """Back through a call is the call turned round."""
        given = exprs.Input(node.domain, 0)
        turned = exprs.Call(
            node.vector.domain, given, node.body, node.place, node.signature, not node.inverted
        )
        found = self.engine.evaluate(turned, {0: from_dense(adjoint[None, :])})
        assert isinstance(found, Rows)
        self.pass_on(node.vector, found.dense()[0])
        if not self.inputs_only:
            self.calls.add(node, self.value(node.vector), adjoint)

    def for_each(self, node: exprs.ForEach, adjoint: np.ndarray) -> None:
        if node.whole is not None:
            below = _Backward(self.engine, {}, self.slopes, self.inputs_only, self.calls, True)
            below.run(node.whole, adjoint)
            return
        for entity in np.flatnonzero(adjoint).tolist():
            bound = {0: entity_row(len(adjoint), entity)}
            below = _Backward(self.engine, bound, self.slopes, self.inputs_only, self.calls, True)
            below.run(node.body, adjoint[entity : entity + 1])

    def leaf(
        self,
        node: exprs.Learnable,
        adjoint: np.ndarray,
    ) -> None:
        if self.inputs_only:
            return
        match node:
            case exprs.RuleWeight():
                kept = self.slopes.rules.get(node.rule, 0.0)
                self.slopes.rules[node.rule] = kept + float(adjoint[0])
            case exprs.FactWeight():
                self.slopes.fact(node.scan.signature, (), float(adjoint[0]))
            case exprs.NumericFact():
                self.numeric(node, float(adjoint[0]))
            case exprs.Facts():
                self.facts(node, adjoint)
            case exprs.Attribute():
                self.attribute(node, adjoint)
            case _:
                assert_never(node)

    def numeric(self, node: exprs.NumericFact, adjoint: float) -> None:
        weight, numbers = self.engine.storage.number(node.scan)
        value = node.value_of(numbers)
        if value is not None:
            by_weight, _ = node.combiner.slopes(np.array([weight]), np.array([value]))
            self.slopes.fact(node.scan.signature, (), adjoint * float(by_weight[0]))

    def facts(self, node: exprs.Facts, adjoint: np.ndarray) -> None:
        signature, storage = node.scan.signature, self.engine.storage
        if node.scan.of is not None:  # which rows agree: nobody's weights
            return
        if node.scan.form is FactForm.VECTOR and signature[1] > 2:
            columns = storage.rows(signature).columns
            for row in np.flatnonzero(adjoint).tolist():
                key = tuple(int(column[row]) for column in columns)
                self.slopes.fact(signature, key, float(adjoint[row]))
        elif node.scan.form is FactForm.VECTOR:
            indexes = storage.vector(node.scan).indexes
            for index in indexes[adjoint[indexes] != 0].tolist():
                self.slopes.fact(signature, (index,), float(adjoint[index]))
        else:
            for index in storage.relation(node.scan).diagonal()[0].tolist():
                self.slopes.fact(signature, (index, index), float(adjoint[index]))

    def attribute(self, node: exprs.Attribute, adjoint: np.ndarray) -> None:
        facts = self.engine.storage.vector(node.scan)
        assert facts.values is not None
        by_weight, _ = node.combiner.slopes(facts.weights, facts.values)
        for i, index in enumerate(facts.indexes.tolist()):
            if adjoint[index] and (node.number is None or facts.values[i] == node.number):
                slope = float(adjoint[index] * by_weight[i])
                self.slopes.fact(node.scan.signature, (index,), slope)


def _times(vector: np.ndarray, there: np.ndarray, parts: Sequence[Matrix], size: int) -> np.ndarray:
    """A vector, which has entries `there`, times the sum of some matrices."""
    result = np.zeros(size)
    for part in parts:
        rows, columns, weights = _entries(part, there)
        np.add.at(result, columns, vector[rows] * weights)
    return result


def _entries(part: Matrix, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row, column and weight of the entries in some rows of a matrix."""
    chosen = chosen[chosen < part.shape[0]]
    first = part.starts[chosen]
    lengths = part.starts[chosen + 1] - first
    rows = np.repeat(chosen, lengths)
    ends = np.cumsum(lengths)
    at = np.repeat(first - (ends - lengths), lengths) + np.arange(ends[-1] if len(ends) else 0)
    return rows, part.columns[at], part.weights[at]
