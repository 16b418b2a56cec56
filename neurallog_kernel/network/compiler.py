"""Plan to network: what no learnable reaches is folded, the rest becomes values of a batch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import assert_never

import numpy as np

from neurallog_kernel.errors import BoundError
from neurallog_kernel.evaluate.engine import Engine
from neurallog_kernel.evaluate.rows import Rows, look_up, one_hot
from neurallog_kernel.functions import ADD, MULTIPLY, FunctionKind
from neurallog_kernel.knowledge.references import FactForm
from neurallog_kernel.network import applying, arithmetic, autodiff, deferred
from neurallog_kernel.network.autodiff import FLAT, ONE, ROW, Tensor, reshaped, take
from neurallog_kernel.network.deferred import DeferredNumber, DeferredVector
from neurallog_kernel.network.dense_vectors import dense
from neurallog_kernel.network.equal_rows import chosen_rows, equal_rows
from neurallog_kernel.network.learned import Learned
from neurallog_kernel.network.learned_values import entry_number, learned_leaf
from neurallog_kernel.network.matchers import entry_of, operands
from neurallog_kernel.network.parameters import LearnedPredicates, Parameter
from neurallog_kernel.network.relation_product import product, times_vectors
from neurallog_kernel.network.rowsets import Frame, Scope
from neurallog_kernel.network.rule_sums import LinearSums
from neurallog_kernel.plan import exprs
from neurallog_kernel.plan.algebra import Algebra
from neurallog_kernel.plan.exprs import Expr, walk

DeferredValue = DeferredNumber | DeferredVector
MOST_CELLS = 25_000_000  # of the matrix of a call: 100 megabytes


@dataclass
class Compiler:
    """Turns expressions into values; `trained` says which functions have variables of their own."""

    parameters: LearnedPredicates
    engine: Engine
    algebra: Algebra
    _made: dict[tuple, DeferredValue] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.storage = self.engine.storage
        self.learned = Learned(self.parameters)
        self.everywhere = Scope(Frame(1, sliced=False), {})  # what no row tells apart
        self.frames: list[Frame] = [self.everywhere.frame]
        self.linear = LinearSums(self)
        self._scopes: list[Scope] = []  # of calls: values are known by the ids of their arrays

    def size(self, expr: Expr) -> int:
        """How many entries a vector has."""
        assert expr.domain is not None
        return self.storage.size(expr.domain)

    def index(self, constant: exprs.OneHot) -> int | None:
        """Where a constant stands in its type."""
        assert constant.domain is not None
        return self.storage.index(constant.domain, constant.name)

    def learns(self, expr: Expr) -> bool:
        """Whether a learned weight reaches the expression."""
        return self.learned.reaches(expr)

    def parameter(self, expr: Expr) -> Parameter | None:
        """The parameter an expression reads, if it does."""
        return self.learned.parameter(expr)

    def frame(self, rows: int, sliced: bool) -> Frame:
        made = Frame(rows, sliced)
        self.frames.append(made)
        return made

    # -- values ---------------------------------------------------------------------------------

    def distinct(self, expr: Expr, scope: Scope) -> Scope:
        """The scope of the rows that differ for the expression, or the same one if most do."""
        folded = (self.fold(part, scope) for part in self.learned.folded_parts(expr))
        classes = equal_rows(folded, scope.frame.rows)
        if classes is None:
            return scope
        frame = Frame(classes.count, scope.frame.sliced, parent=scope.frame, of=classes.of)
        self.frames.append(frame)
        columns = {place: column[classes.first] for place, column in scope.columns.items()}
        return Scope(frame, columns, scope, classes.first)

    def value(self, expr: Expr, scope: Scope) -> DeferredValue:
        """The value of an expression, made once for each scope; what depends on no row is made
        in the scope that all share, so that no target's rows are in it."""
        if not expr.uses_input:
            scope = self.everywhere
        key = (expr, scope.key())
        found = self._made.get(key)
        if found is None:
            found = self._fold(expr, scope) if not self.learns(expr) else self._make(expr, scope)
            self._made[key] = found
        return found

    def vector(self, expr: Expr, scope: Scope) -> DeferredVector:
        found = self.value(expr, scope)
        return (
            found
            if isinstance(found, DeferredVector)
            else arithmetic.as_vector(found, self.size(expr))
        )

    def number(self, expr: Expr, scope: Scope) -> DeferredNumber:
        found = self.value(expr, scope)
        assert isinstance(found, DeferredNumber)
        return found

    def fold(self, expr: Expr, scope: Scope) -> Rows | np.ndarray:
        """The numbers of an expression that nothing learned reaches, for all rows."""
        if scope.parent is not None and scope.chosen is not None:
            return chosen_rows(self.fold(expr, scope.parent), scope.chosen)
        bindings = {
            place: one_hot(self._input_size(expr, place), columns)
            for place, columns in scope.columns.items()
        }
        return self.engine.evaluate(expr, bindings, key=scope.key())

    def _input_size(self, expr: Expr, place: int) -> int:
        for node in walk(expr):
            if isinstance(node, exprs.Input) and node.place == place:
                return self.size(node)
        return 1

    def _fold(self, expr: Expr, scope: Scope) -> DeferredValue:
        frame = scope.frame if expr.uses_input else None
        found = self.fold(expr, scope)
        if isinstance(found, Rows):
            return deferred.constant_vector(found, frame)
        return deferred.constant_number(found, frame)

    def _make(self, expr: Expr, scope: Scope) -> DeferredValue:
        match expr:
            case exprs.Combine():
                return self._combine(expr, scope)
            case exprs.Product():
                return product(
                    self.vector(expr.vector, scope),
                    self.storage.relation(expr.scan),
                    expr.inverted,
                    self.size(expr),
                    self.parameter(expr),
                )
            case exprs.Aggregate():
                return self._aggregate(expr, scope)
            case exprs.Apply():
                return self._apply(expr, scope)
            case exprs.Expand():
                return arithmetic.as_vector(self.value(expr.scalar, scope), self.size(expr))
            case exprs.ForEach():
                return self._for_each(expr)
            case exprs.Call():
                return self._call(expr, scope)
            case (
                exprs.FactWeight()
                | exprs.NumericFact()
                | exprs.Facts()
                | exprs.Attribute()
                | exprs.RuleWeight()
            ):
                parameter = self.parameter(expr)
                assert parameter is not None
                return learned_leaf(expr, parameter, self.storage)
            case (
                exprs.Input()
                | exprs.Ones()
                | exprs.Zero()
                | exprs.OneHot()
                | exprs.Weight()
                | exprs.Compared()
            ):
                raise AssertionError(f"{expr} is not learned")
            case _:
                assert_never(expr)

    # -- combining ------------------------------------------------------------------------------

    def _combine(self, expr: exprs.Combine, scope: Scope) -> DeferredValue:
        if expr.domain is None:
            return arithmetic.combine_all_numbers(
                expr.operation, [self.number(part, scope) for part in operands(expr)]
            )
        if expr.operation is ADD:
            return self.linear.sum(expr, scope)
        if expr.operation is MULTIPLY:
            at_entity = self._multiply_at_entity(expr, scope)
            if at_entity is not None:
                return at_entity
        return arithmetic.combine(
            expr.operation,
            self._sized(expr.left, expr, scope),
            self._sized(expr.right, expr, scope),
        )

    def _sized(self, side: Expr, whole: Expr, scope: Scope) -> DeferredVector:
        return arithmetic.as_vector(self.value(side, scope), self.size(whole))

    def _multiply_at_entity(self, expr: exprs.Combine, scope: Scope) -> DeferredVector | None:
        """A one-hot input times a learned concept: only its value at that entity is needed."""
        for side, other in ((expr.left, expr.right), (expr.right, expr.left)):
            if self.learns(side) or not side.uses_input or side.domain is None:
                continue
            if other.uses_input or not self.learns(other) or other.domain is None:
                continue
            place = self._only_entity(side, scope)
            if place is None:
                continue
            factor = self.vector(side, scope)
            number = self.at(other, scope.frame, scope.columns[place])
            vector = arithmetic.as_vector(number, self.size(expr))
            return arithmetic.combine(MULTIPLY, factor, vector)
        return None

    def _only_entity(self, side: Expr, scope: Scope) -> int | None:
        """The input whose entity is the only one where the folded value is not zero."""
        if isinstance(side, exprs.Input):
            return side.place
        found = self.fold(side, scope)
        if not isinstance(found, Rows) or not found.is_sparse or found.batch != scope.frame.rows:
            return None
        for place, columns in scope.columns.items():
            inside = columns.max(initial=0) < found.size  # it may be an entity of another type
            if inside and np.array_equal(found.columns(), columns[found.rows()]):
                return place
        return None

    # -- a learned vector at one entity a row ---------------------------------------------------

    def at(self, expr: Expr, frame: Frame, columns: np.ndarray) -> DeferredNumber:
        """The entry of a vector at each row's entity, without the rest of it where possible."""
        if not self.learns(expr):
            found = self.fold(expr, self.everywhere)
            if isinstance(found, np.ndarray):
                return deferred.constant_number(found, None)
            return deferred.constant_number(look_up(found, columns, 1), frame)
        if expr.domain is None:
            return self.number(expr, self.everywhere)
        if isinstance(expr, exprs.Combine):
            parts = [self.at(part, frame, columns) for part in operands(expr)]
            return arithmetic.combine_all_numbers(expr.operation, parts)
        if _is_elementwise(expr):
            assert isinstance(expr, exprs.Apply)
            parts = [self.at(argument, frame, columns) for argument in expr.arguments]
            return applying.apply_numbers(expr.function, parts)
        if isinstance(expr, exprs.ForEach):
            return self.number(expr.body, self.scope(frame, columns))
        if isinstance(expr, exprs.Expand):
            return self.number(expr.scalar, self.everywhere)
        if isinstance(expr, exprs.Facts) and expr.scan.form is FactForm.VECTOR:
            return self._facts_at(expr, frame, columns)
        vector = dense(self.vector(expr, self.everywhere))
        feed = frame.feed(data=columns.astype(np.int64), pointers=None)
        size = vector.size
        return DeferredNumber(
            frame, lambda step: take(reshaped(step.get(vector), FLAT), step.feeds[feed], size)
        )

    def scope(self, frame: Frame, columns: np.ndarray) -> Scope:
        """The scope in which input 0 is the entity given for each row; one object for each pair."""
        key = ("scope", id(frame), id(columns))
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = Scope(frame, {0: columns})  # type: ignore[assignment]
        return found  # type: ignore[return-value]

    def _facts_at(self, expr: exprs.Facts, frame: Frame, columns: np.ndarray) -> DeferredNumber:
        facts, parameter = self.storage.vector(expr.scan), self.parameter(expr)
        assert parameter is not None
        places = np.searchsorted(facts.indexes, columns)
        places[places == len(facts.indexes)] = 0
        there = facts.indexes[places] == columns
        index = frame.feed(data=places.astype(np.int64), pointers=None)
        variable, size = parameter.variable, parameter.size

        def entries(step: deferred.BatchStep) -> Tensor:
            return take(step.leaf(variable), step.feeds[index], size)

        if there.all():
            return DeferredNumber(frame, entries)
        mask = frame.feed(data=there.astype(np.float64), pointers=None)
        return DeferredNumber(frame, lambda step: entries(step) * step.fed(mask))

    # -- functions ------------------------------------------------------------------------------

    def _apply(self, expr: exprs.Apply, scope: Scope) -> DeferredValue:
        arguments = [self.value(argument, scope) for argument in expr.arguments]
        return applying.apply(expr.function, arguments)

    def _aggregate(self, expr: exprs.Aggregate, scope: Scope) -> DeferredNumber:
        entry = self._entry(expr)
        if entry is not None:
            return entry
        return applying.aggregate(expr.function, self.vector(expr.vector, scope))

    def _entry(self, expr: exprs.Aggregate) -> DeferredNumber | None:
        """sum([e] * v): the entry of a learned vector at a constant."""
        found = entry_of(expr)
        if found is None:
            return None
        constant, vector = found
        index = self.index(constant)
        if index is None:
            return deferred.constant_number(np.zeros(1), None)
        key = ("entry", expr)
        known = self.linear.entry(expr)
        if key not in self._made and known is not None:
            self._made[key] = entry_number(*known)
        elif key not in self._made:
            frame = self.frame(1, sliced=False)
            number = self.at(vector, frame, np.array([index]))
            self._made[key] = _for_all(number)
        made = self._made[key]
        assert isinstance(made, DeferredNumber)
        return made

    def _for_each(self, expr: exprs.ForEach) -> DeferredVector:
        """A concept at every entity: in closed form, or by trying every entity."""
        if expr.whole is not None:
            return self.vector(expr.whole, self.everywhere)
        size = self.size(expr)
        frame = self.frame(size, sliced=False)
        number = self.number(expr.body, self.scope(frame, np.arange(size)))
        return DeferredVector(
            None, size, lambda step: reshaped(autodiff.spread(step.get(number), size), ROW)
        )

    def _call(self, expr: exprs.Call, scope: Scope) -> DeferredVector:
        """The vector times the matrix of the call, which is computed once for all callers."""
        vector, matrix = self.vector(expr.vector, scope), self._matrix(expr)
        return times_vectors(vector, matrix, expr.inverted, self.size(expr))

    def _matrix(self, expr: exprs.Call) -> DeferredVector:
        """What a call makes of each entity: a row for each of them."""
        key = ("call", expr.body)
        if key not in self._made:
            given, result = expr.vector, expr
            rows, columns = map(self.size, (result, given) if expr.inverted else (given, result))
            if rows * columns > MOST_CELLS:
                name = f"{expr.signature[0]}/{expr.signature[1]}"
                raise BoundError(
                    f"the rules below {name} call each other too often to be trained over "
                    f"{rows:,} times {columns:,} entities",
                    hint="set a smaller recursion_depth, or call fewer predicates that call "
                    "each other",
                )
            frame = self.frame(rows, sliced=False)
            scope = Scope(frame, {expr.place: np.arange(rows)})
            self._scopes.append(scope)
            self._made[key] = dense(self.vector(expr.body, scope))
        made = self._made[key]
        assert isinstance(made, DeferredVector)
        return made


def _for_all(number: DeferredNumber) -> DeferredNumber:
    """A number of the one row of a frame, as a number for all rows."""
    return DeferredNumber(None, lambda step: reshaped(step.get(number), ONE))


def _is_elementwise(expr: Expr) -> bool:
    return isinstance(expr, exprs.Apply) and expr.function.kind is FunctionKind.ELEMENTWISE
