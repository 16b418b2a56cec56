"""A concept for all entities at once: the closed form of 'for each entity', where there is one."""

from __future__ import annotations

from dataclasses import dataclass

from neurallog_kernel.functions import FunctionKind
from neurallog_kernel.knowledge.types import EntityType
from neurallog_kernel.plan.algebra import Algebra
from neurallog_kernel.plan.exprs import (
    Aggregate,
    Apply,
    Combine,
    Expand,
    Expr,
    Input,
    Product,
)


@dataclass(frozen=True, slots=True)
class Whole:
    """The vector over all entities. `needs_sums`: it runs over facts, so it costs more than looking
    at the few entities of a question."""

    vector: Expr
    needs_sums: bool


def whole_vector(algebra: Algebra, domain: EntityType, body: Expr) -> Whole | None:
    """The vector e -> body(one-hot e) without trying every e, or None.

    Numbers combine entry by entry. The entry of a pointwise value at e is that value for the
    1-vector. The sum of a value that is linear in the input is the transposed chain applied to
    the 1-vector: sum(x P Q) at e is the entry e of P (Q 1).
    """
    return _Whole(algebra, domain).number(body)


class _Whole:
    def __init__(self, algebra: Algebra, domain: EntityType) -> None:
        self.algebra = algebra
        self.domain = domain

    def number(self, body: Expr) -> Whole | None:
        if not body.uses_input:
            return Whole(self.algebra.expand(body, self.domain), False)
        if isinstance(body, Combine):
            left, right = self.number(body.left), self.number(body.right)
            if left is None or right is None:
                return None
            vector = self.algebra.combine(body.operation, left.vector, right.vector)
            return Whole(vector, left.needs_sums or right.needs_sums)
        if isinstance(body, Apply) and body.function.kind is FunctionKind.ELEMENTWISE:
            parts = [self.number(argument) for argument in body.arguments]
            if any(part is None for part in parts):
                return None
            vectors = [part.vector for part in parts if part]
            sums = any(part.needs_sums for part in parts if part)
            return Whole(self.algebra.apply(body.function, vectors), sums)
        if isinstance(body, Aggregate) and body.name == "sum":
            return self._sum(body.vector)
        return None

    def _sum(self, vector: Expr) -> Whole | None:
        read = self._read_at_entity(vector)
        if read is not None:
            return Whole(read, False)
        assert vector.domain is not None
        column = self._transposed(vector, self.algebra.ones(vector.domain))
        return None if column is None else Whole(column, True)

    def _read_at_entity(self, vector: Expr) -> Expr | None:
        """sum(x * v) with v pointwise in x: v for the 1-vector."""
        return self._pointwise(vector) if _is_masked(vector) else None

    def _pointwise(self, value: Expr) -> Expr | None:
        """The value with the 1-vector for the input, if each entry depends on that entry only."""
        if isinstance(value, Input):
            return self.algebra.ones(self.domain)
        if not value.uses_input:
            return value
        if isinstance(value, Combine) and value.domain is self.domain:
            left, right = self._pointwise(value.left), self._pointwise(value.right)
            if left is None or right is None:
                return None
            return self.algebra.combine(value.operation, left, right)
        if isinstance(value, Apply) and value.function.kind is FunctionKind.ELEMENTWISE:
            parts = [self._pointwise(argument) for argument in value.arguments]
            if any(part is None for part in parts):
                return None
            return self.algebra.apply(value.function, [part for part in parts if part])
        return None

    def _transposed(self, value: Expr, column: Expr) -> Expr | None:
        """The vector g with value(x) . column = x . g, if the value is linear in x."""
        if isinstance(value, Input):
            return column
        if isinstance(value, Product):
            inner = value.vector.domain
            assert inner is not None
            back = self.algebra.product(column, value.relation, not value.inverted, inner)
            return self._transposed(value.vector, back)
        if isinstance(value, Combine) and value.operation == "multiply":
            for side, other in ((value.left, value.right), (value.right, value.left)):
                if not other.uses_input and side.domain is not None:
                    return self._transposed(side, self.algebra.multiply(column, other))
        if isinstance(value, Combine) and value.operation == "add":
            if value.left.domain is None or value.right.domain is None:
                return None
            left = self._transposed(value.left, column)
            right = self._transposed(value.right, column)
            if left is None or right is None:
                return None
            return self.algebra.combine("add", left, right)
        scalar = value.scalar if isinstance(value, Expand) else None
        if isinstance(scalar, Aggregate) and scalar.name == "sum":
            total = self.algebra.expand(self.algebra.total(column), scalar.vector.domain)
            return self._transposed(scalar.vector, total)
        return None


def _is_masked(vector: Expr) -> bool:
    """Whether the value is zero wherever the input is, so that its sum is its entry at e."""
    if isinstance(vector, Combine) and vector.operation == "multiply":
        return _is_masked(vector.left) or _is_masked(vector.right)
    return isinstance(vector, Input)
