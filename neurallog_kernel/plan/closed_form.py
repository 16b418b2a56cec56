"""A concept for all entities at once: the closed form of 'for each entity', where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from neurallog_kernel.functions import ADD, MULTIPLY, SUM, FunctionKind
from neurallog_kernel.knowledge.references import TypeRef
from neurallog_kernel.plan import exprs
from neurallog_kernel.plan.algebra import Algebra
from neurallog_kernel.plan.exprs import Expr, walk


@dataclass(frozen=True, slots=True)
class Whole:
    """The vector over all entities. `needs_sums`: it runs over facts, so it costs more than looking
    at the few entities of a question."""

    vector: Expr
    needs_sums: bool


def whole_vector(algebra: Algebra, domain: TypeRef, body: Expr) -> Whole | None:
    """The vector e -> body(one-hot e) without trying every e, or None.

    Numbers combine entry by entry. The entry of a pointwise value at e is that value for the
    1-vector. The sum of a value that is linear in the input is the transposed chain applied to
    the 1-vector: sum(x P Q) at e is the entry e of P (Q 1).
    """
    return _Whole(algebra, domain).number(body)


class _Whole:
    def __init__(self, algebra: Algebra, domain: TypeRef) -> None:
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
        match body:
            case exprs.Combine():
                return self._together(body, body.operands)
            case exprs.Apply() if body.function.kind is FunctionKind.ELEMENTWISE:
                return self._together(body, body.operands)
            case exprs.Aggregate() if body.function is SUM:
                return self._sum(body.vector)
            case _:
                return None  # every other kind is a vector, or takes one as a whole

    def _together(self, body: exprs.Combine | exprs.Apply, parts: Sequence[Expr]) -> Whole | None:
        """A number made of numbers, each of which has a closed form."""
        found = [whole for part in parts if (whole := self.number(part)) is not None]
        if len(found) < len(parts):
            return None
        vector = self._again(body, [whole.vector for whole in found])
        return Whole(vector, any(whole.needs_sums for whole in found))

    def _again(self, node: exprs.Combine | exprs.Apply, parts: Sequence[Expr]) -> Expr:
        """The same operation of other values."""
        if isinstance(node, exprs.Apply):
            return self.algebra.apply(node.function, parts)
        return self.algebra.combine(node.operation, *parts)

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
        if not value.uses_input:
            return value
        match value:
            case exprs.Input():
                return self.algebra.ones(self.domain)
            case exprs.Combine() if value.domain == self.domain:
                return self._entry_by_entry(value)
            case exprs.Apply() if value.function.kind is FunctionKind.ELEMENTWISE:
                return self._entry_by_entry(value)
            case _:
                return None  # an entry may depend on others

    def _entry_by_entry(self, value: exprs.Combine | exprs.Apply) -> Expr | None:
        parts = [part for one in value.operands if (part := self._pointwise(one)) is not None]
        return self._again(value, parts) if len(parts) == len(value.operands) else None

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
            if isinstance(node, exprs.Input):
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
        match node:
            case exprs.Product() | exprs.Call():
                return [(node.vector, self._turned(node, column))]
            case exprs.Combine() if node.operation is MULTIPLY:
                return self._to_factor(node, column)
            case exprs.Combine() if node.operation is ADD:
                sides = (node.left, node.right)
                both = all(side.domain is not None and side.uses_input for side in sides)
                return [(side, column) for side in sides] if both else None
            case exprs.Expand(scalar=exprs.Aggregate() as total) if total.function is SUM:
                sums = self.algebra.expand(self.algebra.total(column), total.vector.domain)
                return [(total.vector, sums)]
            case _:
                return None  # not linear, as far as this looks

    def _to_factor(self, node: exprs.Combine, column: Expr) -> list[tuple[Expr, Expr]] | None:
        """Of a product, the one factor that the input reaches."""
        for side, other in ((node.left, node.right), (node.right, node.left)):
            if not other.uses_input and side.domain is not None:
                return [(side, self.algebra.multiply(column, other))]
        return None

    def _turned(self, node: exprs.Product | exprs.Call, column: Expr) -> Expr:
        """Back through a relation or a call."""
        inner = node.vector.domain
        assert inner is not None
        if isinstance(node, exprs.Product):
            return self.algebra.product(column, node.scan, not node.inverted, inner)
        return self.algebra.call(
            column, node.body, node.place, node.signature, inner, not node.inverted
        )


def _is_masked(vector: Expr) -> bool:
    """Whether the value is zero wherever the input is, so that its sum is its entry at e."""
    seen: set[Expr] = set()
    waiting = [vector]
    while waiting:
        node = waiting.pop()
        if isinstance(node, exprs.Input):
            return True
        if isinstance(node, exprs.Combine) and node.operation is MULTIPLY and node not in seen:
            seen.add(node)
            waiting += node.operands
    return False
