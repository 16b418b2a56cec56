"""Making expressions: the operations of the language in terms of nodes, simplified on the way."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from neurallog_kernel.functions import (
    MULTIPLY,
    SUBTRACT,
    SUM,
    Combiner,
    Function,
    FunctionKind,
    Negation,
)
from neurallog_kernel.knowledge.references import Scan, TypeRef
from neurallog_kernel.language.printer import format_number
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.plan import exprs
from neurallog_kernel.plan.exprs import Expr, Interner


class Algebra:
    """The node makers of one session. Zeros and ones disappear where that changes no number."""

    def __init__(self) -> None:
        self.interner = Interner()

    def input(self, place: int, domain: TypeRef) -> Expr:
        return self.interner.make(exprs.Input, domain, place)

    def ones(self, domain: TypeRef | None) -> Expr:
        """The 1-vector of a type; of a scalar variable, the number 1."""
        if domain is None:
            return self.weight(1.0, "1")
        return self.interner.make(exprs.Ones, domain)

    def zero(self, domain: TypeRef | None) -> Expr:
        return self.interner.make(exprs.Zero, domain)

    def one_hot(self, domain: TypeRef, name: str) -> Expr:
        return self.interner.make(exprs.OneHot, domain, name)

    def weight(self, value: float, label: str) -> Expr:
        return self.interner.make(exprs.Weight, None, float(value), label)

    def combine(self, operation: Combiner, left: Expr, right: Expr) -> Expr:
        domain = left.domain if left.domain is not None else right.domain
        first, second = _everywhere(left), _everywhere(right)
        if operation.zero_annihilates and (first == 0.0 or second == 0.0):
            return self.zero(domain)
        if first is not None and first == operation.left_identity and _fills(right, domain):
            return right
        if second is not None and second == operation.right_identity and _fills(left, domain):
            return left
        return self.interner.make(exprs.Combine, domain, operation, left, right)

    def combine_all(self, operation: Combiner, parts: Sequence[Expr]) -> Expr:
        """The parts in order, pairwise from the left."""
        return reduce(lambda left, right: self.combine(operation, left, right), parts)

    def multiply(self, *parts: Expr) -> Expr:
        return self.combine_all(MULTIPLY, parts)

    def expand(self, value: Expr, domain: TypeRef | None) -> Expr:
        """A number as a vector over the type; a vector stays as it is."""
        if value.domain is not None or domain is None:
            return value
        if isinstance(value, exprs.Zero):
            return self.zero(domain)
        if isinstance(value, exprs.Weight) and value.value == 1.0:
            return self.ones(domain)
        return self.interner.make(exprs.Expand, domain, value)

    def product(self, vector: Expr, scan: Scan, inverted: bool, domain: TypeRef) -> Expr:
        if isinstance(vector, exprs.Zero):
            return self.zero(domain)
        return self.interner.make(exprs.Product, domain, vector, scan, inverted)

    def call(
        self,
        vector: Expr,
        body: Expr,
        place: int,
        signature: Signature,
        domain: TypeRef,
        inverted: bool = False,
    ) -> Expr:
        if isinstance(vector, exprs.Zero) or isinstance(body, exprs.Zero):
            return self.zero(domain)
        return self.interner.make(exprs.Call, domain, vector, body, place, signature, inverted)

    def aggregate(self, function: Function, value: Expr) -> Expr:
        """One number from a vector; of a number the sum (and mean and so on) is itself."""
        if value.domain is None:
            own = function.of_number
            return value if own is None else self.weight(own, format_number(own))
        if isinstance(value, exprs.Zero):
            return self.zero(None)
        return self.interner.make(exprs.Aggregate, None, function, value)

    def total(self, value: Expr) -> Expr:
        return self.aggregate(SUM, value)

    def apply(self, function: Function, arguments: Sequence[Expr]) -> Expr:
        """A function of values; rowwise ones take a number for a row of one entry."""
        domain = next((a.domain for a in arguments if a.domain is not None), None)
        if function.kind is FunctionKind.AGGREGATE:
            return self._apply_aggregate(function, arguments, domain)
        return self.interner.make(exprs.Apply, domain, function, tuple(arguments))

    def _apply_aggregate(
        self, function: Function, arguments: Sequence[Expr], domain: TypeRef | None
    ) -> Expr:
        if domain is None and function.inputs == 1:
            return self.aggregate(function, arguments[0])
        return self.interner.make(exprs.Apply, None, function, tuple(arguments))

    def complement(self, negation: Negation, total: Expr, value: Expr) -> Expr:
        """`not`: what is missing from the total (or, if so set, the negative)."""
        whole = total if negation.of_total else self.zero(None)
        return self.combine(SUBTRACT, self.expand(whole, value.domain), value)


def _everywhere(value: Expr) -> float | None:
    """0 or 1, if the value is that at every entity."""
    if isinstance(value, exprs.Zero):
        return 0.0
    is_one = isinstance(value, exprs.Ones) or (
        isinstance(value, exprs.Weight) and value.value == 1.0
    )
    return 1.0 if is_one else None


def _fills(value: Expr, domain: TypeRef | None) -> bool:
    """Whether a value has the shape of the result: a number beside a vector has not."""
    return (value.domain is None) == (domain is None)
