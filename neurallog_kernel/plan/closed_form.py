"""A concept for all entities at once: the closed form of 'for each entity', where there is one."""

from __future__ import annotations

from dataclasses import dataclass

from neurallog_kernel.functions import ADD, MULTIPLY, SUM, FunctionKind
from neurallog_kernel.knowledge.types import EntityType
from neurallog_kernel.plan.algebra import Algebra
from neurallog_kernel.plan.exprs import (
    Aggregate,
    Apply,
    Call,
    Combine,
    Expand,
    Expr,
    Input,
    Product,
    walk,
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
        self._numbers: dict[Expr, Whole | None] = {}  # what is known of a node: it may have
        self._vectors: dict[Expr, Expr | None] = {}  # many parents, and is looked at once

    def number(self, body: Expr) -> Whole | None:
        if body not in self._numbers:
            self._numbers[body] = self._number(body)
        return self._numbers[body]

    def _number(self, body: Expr) -> Whole | None:
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
        if isinstance(body, Aggregate) and body.function is SUM:
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
        if value not in self._vectors:
            self._vectors[value] = self._at_ones(value)
        return self._vectors[value]

    def _at_ones(self, value: Expr) -> Expr | None:
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

    def _transposed(self, root: Expr, column: Expr) -> Expr | None:
        """The vector g with root(x) . column = x . g, if the root is linear in x.

        Each node passes its column on to its children, once: what reaches a node along several
        ways is added up first.
        """
        columns = {root: column}
        for node in reversed(list(walk(root))):
            own = columns.pop(node, None) if node.uses_input else None
            if own is None:
                continue
            if isinstance(node, Input):
                return own
            passed = self._passed_on(node, own)
            if passed is None:
                return None
            for child, more in passed:
                known = columns.get(child)
                columns[child] = more if known is None else self.algebra.combine(ADD, known, more)
        return None

    def _passed_on(self, node: Expr, column: Expr) -> list[tuple[Expr, Expr]] | None:
        """The columns of a node's children, where node(x) . column is the sum of theirs."""
        if isinstance(node, Product | Call):
            inner = node.vector.domain
            assert inner is not None
            return [(node.vector, self._turned(node, column, inner))]
        if isinstance(node, Combine) and node.operation is MULTIPLY:
            for side, other in ((node.left, node.right), (node.right, node.left)):
                if not other.uses_input and side.domain is not None:
                    return [(side, self.algebra.multiply(column, other))]
        if isinstance(node, Combine) and node.operation is ADD:
            sides = (node.left, node.right)
            if all(side.domain is not None and side.uses_input for side in sides):
                return [(side, column) for side in sides]
        scalar = node.scalar if isinstance(node, Expand) else None
        if isinstance(scalar, Aggregate) and scalar.function is SUM:
            total = self.algebra.expand(self.algebra.total(column), scalar.vector.domain)
            return [(scalar.vector, total)]
        return None

    def _turned(self, node: Product | Call, column: Expr, inner: EntityType) -> Expr:
        if isinstance(node, Product):
            return self.algebra.product(column, node.relation, not node.inverted, inner)
        return self.algebra.call(
            column, node.body, node.place, node.signature, inner, not node.inverted
        )


def _is_masked(vector: Expr) -> bool:
    """Whether the value is zero wherever the input is, so that its sum is its entry at e."""
    seen: set[Expr] = set()
    waiting = [vector]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Input):
            return True
        if isinstance(node, Combine) and node.operation is MULTIPLY and node not in seen:
            seen.add(node)
            waiting += node.operands
    return False
