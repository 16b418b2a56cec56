"""One evaluation of a plan: each node computed once, children first."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

import numpy as np

from neurallog_kernel.evaluate import functions
from neurallog_kernel.evaluate.engine import Bindings, EngineValue
from neurallog_kernel.evaluate.lookups import Lookups
from neurallog_kernel.evaluate.row_joins import joined, joined_sides
from neurallog_kernel.evaluate.rows import (
    Numbers,
    Rows,
    add_up,
    combine,
    constant,
    entity_row,
    product,
    sparse,
)
from neurallog_kernel.functions import ADD, MULTIPLY
from neurallog_kernel.knowledge.references import FactForm, Scan
from neurallog_kernel.observing import MATRICES, nodes
from neurallog_kernel.plan import exprs
from neurallog_kernel.plan.exprs import Expr

if TYPE_CHECKING:
    from neurallog_kernel.evaluate.executor import Executor


class Evaluation:
    """One evaluation with fixed inputs; `memo` holds what is known for them."""

    def __init__(
        self, executor: Executor, bindings: Bindings, memo: dict[Expr, EngineValue]
    ) -> None:
        self.executor = executor
        self.storage = executor.storage
        self.known = executor.known
        self.lookups = Lookups(executor)
        self.size = executor.size
        self.bindings = bindings
        self.memo = memo

    @np.errstate(all="ignore")  # an infinite weight is an answer, not a remark of NumPy's
    def value(self, root: Expr) -> EngineValue:
        """Children first, with a stack of our own: plans can be deeper than Python's."""
        memo = self.memo
        stack = [root]
        while stack:
            node = stack[-1]
            if node not in memo and not self._is_kept(node):
                missing = [c for c in self._needs(node) if c not in memo and not self._is_kept(c)]
                if missing:
                    stack.extend(reversed(missing))
                    continue
                self._keep(node, self.compute(node))
            stack.pop()
        return memo[root]

    def _is_kept(self, node: Expr) -> bool:
        """Whether a constant's value is known; it is put with the others."""
        if node.uses_input:
            return False
        found = self.known.constants.get(node)
        if found is None:
            return False
        self.memo[node] = found
        return True

    def _keep(self, node: Expr, value: EngineValue) -> None:
        self.memo[node] = value
        if not node.uses_input:
            self.known.constants[node] = value

    def _needs(self, node: Expr) -> tuple[Expr, ...]:
        """The children to compute first."""
        if isinstance(node, exprs.Combine):
            if node.left in self.memo and node.right in self.memo:
                return ()
            if node.operation is MULTIPLY:
                return self._factors(node)
            if node.operation is ADD and node.domain is not None:
                return self._summands(node)
        return node.operands

    def _factors(self, node: exprs.Combine) -> tuple[Expr, ...]:
        """A concept beside a sparse value is not computed whole, nor are all rows of facts that
        have an entity beside those that have another."""
        apart = [side for side in joined_sides(node) if side not in self.memo]
        if apart:
            return tuple(s.vector if s in apart else s for s in node.operands)  # type: ignore[attr-defined]
        for side, other in ((node.left, node.right), (node.right, node.left)):
            if (
                self.lookups.is_possible(other)
                and other not in self.memo
                and not self._is_kept(other)
            ):
                return (side,)
        return node.operands

    def _summands(self, node: exprs.Combine) -> tuple[Expr, ...]:
        """Of terms that end with the same relation, what they multiply it by."""
        terms = self._terms(node)
        together = {term for group in self.joint(terms) for term in group}
        return tuple(term.vector if term in together else term for term in terms)  # type: ignore[attr-defined]

    # -- one node -------------------------------------------------------------------------------

    def compute(self, node: Expr) -> EngineValue:
        observer = self.executor.observer
        if observer is None:
            return self._compute(node)
        with observer.nodes((node,)) as noted:
            return noted(self._compute(node))

    def _compute(self, node: Expr) -> EngineValue:
        match node:
            case exprs.Combine():
                return self._combine(node)
            case exprs.Product():
                return self._product(node, self.rows(node.vector))
            case exprs.Aggregate():
                return functions.aggregate(node.function, self.rows(node.vector))
            case exprs.Apply():
                return functions.apply(node.function, [self.memo[a] for a in node.arguments])
            case exprs.Expand():
                return constant(self.size(node), self._numbers(node.scalar))
            case exprs.ForEach():
                return self._whole(node)
            case exprs.Call():
                return self.known.calls.value(self.executor, node, self.rows(node.vector))
            case exprs.Input():
                return self.bindings[node.place]
            case exprs.Weight() | exprs.RuleWeight():
                return np.array([node.value])
            case exprs.FactWeight():
                return np.array([self.storage.number(node.scan)[0]])
            case exprs.NumericFact():
                return self._numeric(node)
            case exprs.Zero():
                return (
                    np.zeros(1) if node.domain is None else constant(self.size(node), np.zeros(1))
                )
            case exprs.Ones():
                return constant(self.size(node), np.ones(1))
            case exprs.OneHot():
                return self._one_hot(node)
            case exprs.Facts():
                return self._facts(node)
            case exprs.Attribute():
                return self._attribute(node)
            case exprs.Compared():
                return self._compared(node)
            case _:
                assert_never(node)

    def _product(self, node: exprs.Product, rows: Rows) -> Rows:
        observer = self.executor.observer
        relation = self.storage.relation(node.scan)
        if observer is not None:
            with observer.stage(MATRICES):
                parts = relation.rows_of(rows.columns(), node.inverted)
            observer.multiplied(rows, parts)
        return product(rows, relation, node.inverted, self.size(node))

    def _one_hot(self, node: exprs.OneHot) -> Rows:
        assert node.domain is not None
        index = self.storage.index(node.domain, node.name)
        if index is None:
            return constant(self.size(node), np.zeros(1))
        return entity_row(self.size(node), index)

    # -- facts ----------------------------------------------------------------------------------

    def _facts(self, node: exprs.Facts) -> Rows:
        if node.scan.form is FactForm.VECTOR:
            facts = self.storage.vector(node.scan)
            self.noted(len(facts.indexes))
            return sparse(1, self.size(node), facts.indexes, facts.weights)
        relation = self.storage.relation(node.scan)
        self.noted(relation.count)
        return sparse(1, self.size(node), *relation.diagonal())

    def _attribute(self, node: exprs.Attribute) -> Rows:
        facts = self.storage.vector(node.scan)
        assert facts.values is not None
        self.noted(len(facts.indexes))
        values = node.combiner(facts.weights, facts.values)
        indexes = facts.indexes
        if node.number is not None:
            equal = facts.values == node.number
            indexes, values = indexes[equal], values[equal]
        return sparse(1, self.size(node), indexes, values)

    def _compared(self, node: exprs.Compared) -> Rows:
        facts = self.storage.vector(node.scan)
        assert facts.values is not None
        self.noted(len(facts.indexes))
        fits = node.comparison(facts.values, node.number)
        return sparse(1, self.size(node), facts.indexes[fits > 0], fits[fits > 0])

    def _numeric(self, node: exprs.NumericFact) -> Numbers:
        weight, numbers = self.storage.number(node.scan)
        value = node.value_of(numbers)
        return np.array([0.0 if value is None else float(node.combiner(weight, value))])

    def noted(self, facts: int) -> None:
        if self.executor.observer is not None:
            self.executor.observer.read(facts)

    # -- sums -----------------------------------------------------------------------------------

    def _terms(self, node: exprs.Combine) -> list[Expr]:
        """What a long sum adds up: the rules of a predicate come as a chain of pairs."""
        terms: list[Expr] = []
        while node.operation is ADD and node.domain is not None:
            terms.append(node.right)
            left = node.left
            if not isinstance(left, exprs.Combine) or left in self.memo or self._is_kept(left):
                return [left, *reversed(terms)]
            node = left
        return [node, *reversed(terms)]

    def joint(self, terms: list[Expr]) -> list[list[exprs.Product]]:
        """Terms that end with the same relation: x R + y R is (x + y) R, one product for them all.

        Rules often end alike; those of a thousand rules are as many products as there are
        relations at their ends.
        """
        groups: dict[tuple[Scan, bool], list[exprs.Product]] = {}
        for term in terms:
            if isinstance(term, exprs.Product) and term.uses_input and term not in self.memo:
                groups.setdefault((term.scan, term.inverted), []).append(term)
        return [group for group in groups.values() if len(group) > 1]

    def _sum(self, terms: list[Expr]) -> Rows | None:
        """A long sum at once, if all its terms are sparse and of one shape."""
        together: list[EngineValue] = []
        for group in self.joint(terms):
            added = _added([self.memo[term.vector] for term in group])
            if added is not None and np.isfinite(added.values).all():
                with nodes(self.executor.observer, group) as noted:
                    together.append(noted(self._product(group[0], added)))
            else:
                self.keep_each(group)
        return _added([*together, *(self.memo[term] for term in terms if term in self.memo)])

    def keep_each(self, terms: list[exprs.Product]) -> None:
        for term in terms:
            self._keep(term, self.compute(term))

    def _combine(self, node: exprs.Combine) -> EngineValue:
        if node.left in self.memo and node.right in self.memo:
            return self._combined(node)
        if node.operation is ADD and node.domain is not None and node.left not in self.memo:
            terms = self._terms(node)
            total = self._sum(terms)
            if total is not None:
                return total
            for group in self.joint(terms):
                self.keep_each(group)
            for inner in self._inner(node, terms[0]):
                self._keep(inner, self._combine(inner))
        if node.operation is MULTIPLY:
            found = joined(self, node)
            if found is not None:
                return found
            for side, other in ((node.left, node.right), (node.right, node.left)):
                if side in self.memo and other not in self.memo:
                    return self._multiply_lazily(self.memo[side], other)
        return self._combined(node)

    def _combined(self, node: exprs.Combine) -> EngineValue:
        """Both values are there."""
        left, right = self.memo[node.left], self.memo[node.right]
        if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
            return node.operation.numpy(left, right)
        size = self.size(node)
        left = constant(size, left) if isinstance(left, np.ndarray) else left
        right = constant(size, right) if isinstance(right, np.ndarray) else right
        return combine(node.operation, left, right)

    def _inner(self, node: exprs.Combine, first: Expr) -> list[exprs.Combine]:
        """The sums on the way from the first term to the node, shortest first."""
        found: list[exprs.Combine] = []
        left = node.left
        while left is not first and isinstance(left, exprs.Combine):
            found.append(left)
            left = left.left
        return found[::-1]

    # -- concepts -------------------------------------------------------------------------------

    def _multiply_lazily(self, value: EngineValue, lazy: Expr) -> EngineValue:
        """A sparse value times a vector that is looked up only where the value is not zero."""
        size = self.size(lazy)
        if isinstance(value, np.ndarray):
            value = constant(size, value)
        columns, where = np.unique(value.columns(), return_inverse=True)
        if not value.is_sparse or len(columns) * 4 > size:
            return combine(MULTIPLY, value, self.lookups.everywhere(lazy))
        products = value.values * self.lookups.at(lazy, columns)[where.reshape(-1)]
        return sparse(value.batch, size, value.keys, products)

    def _whole(self, node: exprs.ForEach) -> EngineValue:
        if node.whole is not None:
            return self.lookups.everywhere(node.whole)
        size = self.size(node)
        values = self.lookups.at(node, np.arange(size))
        there = np.flatnonzero(values)
        return sparse(1, size, there, values[there])

    # -- access ---------------------------------------------------------------------------------

    def rows(self, node: Expr) -> Rows:
        found = self.memo[node]
        return found if isinstance(found, Rows) else constant(self.size(node), found)

    def _numbers(self, node: Expr) -> Numbers:
        found = self.memo[node]
        assert isinstance(found, np.ndarray)
        return found


def _added(values: list[EngineValue]) -> Rows | None:
    """The sum of sparse rows of one shape; None if they are something else."""
    rows = [value for value in values if isinstance(value, Rows) and value.is_sparse]
    alike = len(rows) == len(values) and len({value.batch for value in rows}) == 1
    return add_up(rows) if alike else None
