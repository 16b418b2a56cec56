"""Sums of rules that are each a constant times a learned number: one sparse product for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import mul
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from neurallog_kernel.evaluate.rows import Rows
from neurallog_kernel.functions import MULTIPLY
from neurallog_kernel.knowledge.references import FactForm
from neurallog_kernel.network.arithmetic import add_all, as_vector, combine_all_numbers
from neurallog_kernel.network.autodiff import FLAT, ONE, Tensor, add_up, joined, take
from neurallog_kernel.network.deferred import (
    BatchStep,
    DeferredNumber,
    DeferredVector,
    Make,
    constant_number,
    everywhere,
    number_at,
    pointers_of,
    row_feed,
)
from neurallog_kernel.network.matchers import entry_of, sum_terms
from neurallog_kernel.network.parameters import Parameter
from neurallog_kernel.network.row_operations import times_numbers
from neurallog_kernel.network.rowsets import Frame, Scope
from neurallog_kernel.network.sparsity import SparsityPattern, places_among, spread, union
from neurallog_kernel.plan.exprs import Combine, Expr, Facts, RuleWeight

if TYPE_CHECKING:
    from neurallog_kernel.network.compiler import Compiler


# A matrix may be so many times as large as the list of its entries other than 0, and still take
# less time: a listed entry is looked up, and its gradient added up, one by one.
MATRIX = 8

Coefficients: TypeAlias = list[tuple[np.ndarray, np.ndarray]]  # of each term: places, values


@dataclass(frozen=True)
class Scaled:
    """A term of a sum: a folded batch of rows times learned numbers."""

    numbers: tuple[Expr, ...]
    rows: Rows


class LinearSums:
    """Finds and builds such sums: the values are a matrix of coefficients times the numbers."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler

    def sum(self, expr: Combine, scope: Scope) -> DeferredVector:
        """The scaled constants as one product, plus the other terms one by one."""
        terms = sum_terms(expr)
        size = self.compiler.size(expr)
        if scope.frame is self.compiler.everywhere.frame:
            return self._one_by_one(None, terms, scope, size)
        scaled: list[Scaled] = []
        others: list[Expr] = []
        for term in terms:
            found = self._scaled(term, scope)
            if found is None:
                others.append(term)
            else:
                scaled.append(found)
        if len(scaled) < 2:
            return self._one_by_one(None, terms, scope, size)
        return self._one_by_one(self._product(scaled, scope.frame, size), others, scope, size)

    def _one_by_one(
        self, start: DeferredVector | None, terms: Sequence[Expr], scope: Scope, size: int
    ) -> DeferredVector:
        vectors = [as_vector(self.compiler.value(term, scope), size) for term in terms]
        if start is not None:
            vectors.insert(0, start)
        return add_all(vectors)

    def _scaled(self, term: Expr, scope: Scope) -> Scaled | None:
        compiler = self.compiler
        numbers: list[Expr] = []
        constants: list[Expr] = []
        stack = [term]
        while stack:
            factor = stack.pop()
            if not compiler.learns(factor):
                constants.append(factor)
            elif factor.domain is None and not factor.uses_input:
                numbers.append(factor)
            elif isinstance(factor, Combine) and factor.operation is MULTIPLY:
                stack += [factor.left, factor.right]
            else:
                return None
        if not constants:
            return None
        product = compiler.algebra.multiply(*constants)
        rows = compiler.fold(compiler.algebra.expand(product, term.domain), scope)
        if not isinstance(rows, Rows):
            return None
        return Scaled(tuple(numbers), spread(rows, scope.frame))

    def _product(self, scaled: Sequence[Scaled], frame: Frame, size: int) -> DeferredVector:
        numbers = self._numbers([term.numbers for term in scaled])
        rest = self._rest(scaled, frame, numbers)
        keys = union([term.rows.keys for term in scaled])
        if not len(keys):
            return everywhere(rest, size)
        pattern = SparsityPattern.of_keys(frame, size, keys)
        coefficients = _coefficients(scaled, keys)
        listed = sum(len(places) for places, _ in coefficients)
        if len(keys) * len(scaled) <= MATRIX * listed:
            sums = self._by_matrix(coefficients, numbers, pattern)
        else:
            sums = self._by_entry(coefficients, numbers, pattern)
        if rest is None:
            return DeferredVector(frame, size, sums, pattern, rest)
        rest_at = number_at(rest, pattern)
        return DeferredVector(frame, size, lambda step: sums(step) + rest_at(step), pattern, rest)

    def _by_matrix(
        self, coefficients: Coefficients, numbers: Make, pattern: SparsityPattern
    ) -> Make:
        """Most terms are at most entries: each entry has a row of coefficients."""
        shape = (len(coefficients), len(pattern))  # term by term: NumPy takes half as long with it
        matrix = np.zeros(shape, dtype=self.compiler.parameters.dtype)
        for own, (places, weights) in zip(matrix, coefficients, strict=True):
            own[places] = weights
        feed = pattern.frame.feed(data=matrix.T, pointers=pattern.pointers)
        return lambda step: times_numbers(step.feeds[feed], numbers(step))

    def _by_entry(
        self, coefficients: Coefficients, numbers: Make, pattern: SparsityPattern
    ) -> Make:
        """Few terms are at an entry: each listed with its place, multiplied and added up there."""
        frame, terms = pattern.frame, len(coefficients)
        listed = np.concatenate([places for places, _ in coefficients])
        values = np.concatenate([weights for _, weights in coefficients])
        term_of = np.repeat(np.arange(terms), [len(places) for places, _ in coefficients])
        order = np.argsort(listed, kind="stable")
        places, which, weights = listed[order], term_of[order], values[order]
        rows = pattern.rows[places]
        pointers = pointers_of(rows, frame)
        target = frame.feed(data=places - pattern.pointers[rows], pointers=pointers, base=pattern)
        term_feed = frame.feed(data=which, pointers=pointers)
        weight_feed = frame.feed(data=weights, pointers=pointers)
        counter = row_feed(pattern)

        def make(step: BatchStep) -> Tensor:
            learned = take(numbers(step), step.feeds[term_feed], terms)
            parts = learned * step.fed(weight_feed)
            return add_up(parts, step.feeds[target], step.size(counter))

        return make

    def _rest(self, scaled: Sequence[Scaled], frame: Frame, numbers: Make) -> DeferredNumber | None:
        """What is everywhere: the learned numbers times each term's constant elsewhere."""
        active = np.array([i for i, term in enumerate(scaled) if term.rows.rest.any()], dtype=int)
        if not len(active):
            return None
        matrix = np.column_stack([scaled[i].rows.rest for i in active])
        constant = bool(len(matrix)) and bool((matrix == matrix[0]).all())
        if constant and len(active) == 1:
            return self._times(scaled[active[0]].numbers, float(matrix[0, 0]))

        def chosen(step: BatchStep) -> Tensor:
            if len(active) == len(scaled):
                return numbers(step)
            return take(numbers(step), step.constant(active), len(scaled))

        if constant:
            same = matrix[:1]
            return DeferredNumber(
                None, lambda step: times_numbers(step.constant(same), chosen(step), ONE)
            )
        feed = frame.feed(data=matrix, pointers=None)
        return DeferredNumber(frame, lambda step: times_numbers(step.feeds[feed], chosen(step)))

    def _times(self, numbers: Sequence[Expr], factor: float) -> DeferredNumber:
        """One constant times learned numbers, as a bias is."""
        constant = constant_number(np.array([factor]), None)
        found = [self.compiler.number(one, self.compiler.everywhere) for one in numbers]
        return combine_all_numbers(MULTIPLY, [constant, *found])

    # -- the learned numbers --------------------------------------------------------------------

    def _numbers(self, products: Sequence[tuple[Expr, ...]]) -> Make:
        """All of them as one tensor; entries of one parameter are gathered at once."""
        factors = max((len(product) for product in products), default=0)
        columns = [
            self._column([p[i] if i < len(p) else None for p in products]) for i in range(factors)
        ]
        number = len(products)
        key = object()

        def make(step: BatchStep) -> Tensor:
            if key not in step.made:
                found = [column(step) for column in columns]
                ones = Tensor(step.arrays.ones(number, step.dtype), FLAT)
                step.made[key] = reduce(mul, found) if found else ones
            return step.made[key]

        return make

    def _column(self, numbers: Sequence[Expr | None]) -> Make:
        groups: dict[Parameter, list[tuple[int, int]]] = {}
        singles: list[tuple[int, DeferredNumber]] = []
        for place, expr in enumerate(numbers):
            if expr is None:
                continue
            entry = self.entry(expr)
            if entry is None:
                number = self.compiler.number(expr, self.compiler.everywhere)
                singles.append((place, number))
            else:
                groups.setdefault(entry[0], []).append((place, entry[1]))
        ones = [place for place, expr in enumerate(numbers) if expr is None]
        order = [p for group in groups.values() for p, _ in group] + [p for p, _ in singles] + ones
        places = {
            parameter: np.array([at for _, at in group]) for parameter, group in groups.items()
        }
        back = np.argsort(np.array(order, dtype=int))
        sorted_already = np.array_equal(back, np.arange(len(back)))

        def make(step: BatchStep) -> Tensor:
            parts = [
                take(step.leaf(parameter.variable), step.constant(at), parameter.size)
                for parameter, at in places.items()
            ]
            parts += [step.get(number) for _, number in singles]
            if ones:
                parts.append(Tensor(step.arrays.ones(len(ones), step.dtype), FLAT))
            together = joined(parts)
            return together if sorted_already else take(together, step.constant(back), len(back))

        return make

    def entry(self, expr: Expr) -> tuple[Parameter, int] | None:
        """The parameter and place of sum([e] * facts), or of the weight of a rule."""
        if isinstance(expr, RuleWeight):
            parameter = self.compiler.parameter(expr)
            return None if parameter is None else (parameter, parameter.place(expr.rule))
        found = entry_of(expr)
        if found is None:
            return None
        constant, vector = found
        parameter = self.compiler.parameter(vector)
        index = self.compiler.index(constant)
        if parameter is None or index is None:
            return None
        if not isinstance(vector, Facts) or vector.scan.form is not FactForm.VECTOR:
            return None
        indexes = self.compiler.storage.vector(vector.scan).indexes
        place = int(np.searchsorted(indexes, index))
        return (parameter, place) if place < len(indexes) and indexes[place] == index else None


def _coefficients(scaled: Sequence[Scaled], keys: np.ndarray) -> Coefficients:
    """For each term its entries: their places among the keys, their differences to the term's value
    elsewhere."""
    parts = [term.rows for term in scaled]
    places = places_among(keys, [rows.keys for rows in parts])
    return [(at, _differences(rows)) for at, rows in zip(places, parts, strict=True)]


def _differences(rows: Rows) -> np.ndarray:
    return rows.values - rows.rest[rows.rows()] if rows.rest.any() else rows.values
