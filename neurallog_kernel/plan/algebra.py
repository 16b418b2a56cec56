"""Making expressions: the operations of the language in terms of nodes, simplified on the way."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from neurallog_kernel.functions import Function, FunctionKind
from neurallog_kernel.knowledge.relations import Relation
from neurallog_kernel.knowledge.types import EntityType
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.plan.exprs import (
    Aggregate,
    Apply,
    Call,
    Combine,
    Expand,
    Expr,
    Input,
    Interner,
    OneHot,
    Ones,
    Product,
    Weight,
    Zero,
)


class Algebra:
    """The node makers of one session. Zeros and ones disappear where that changes no number."""

    def __init__(self) -> None:
        self.interner = Interner()

    def input(self, place: int, domain: EntityType) -> Expr:
        return self.interner.make(Input, domain, place)

    def ones(self, domain: EntityType | None) -> Expr:
        """The 1-vector of a type; of a scalar variable, the number 1."""
        if domain is None:
            return self.weight(1.0, "1")
        return self.interner.make(Ones, domain)

    def zero(self, domain: EntityType | None) -> Expr:
        return self.interner.make(Zero, domain)

    def one_hot(self, domain: EntityType, index: int, name: str) -> Expr:
        return self.interner.make(OneHot, domain, index, name)

    def weight(self, value: float, label: str) -> Expr:
        return self.interner.make(Weight, None, float(value), label)

    def combine(self, operation: str, left: Expr, right: Expr) -> Expr:
        domain = left.domain if left.domain is not None else right.domain
        if operation == "multiply":
            if isinstance(left, Zero) or isinstance(right, Zero):
                return self.zero(domain)
            if _is_one(left) and (left.domain is None or right.domain is not None):
                return right
            if _is_one(right) and (right.domain is None or left.domain is not None):
                return left
        if operation == "add":
            if isinstance(left, Zero) and right.domain is domain:
                return right
            if isinstance(right, Zero) and left.domain is domain:
                return left
        if operation == "subtract" and isinstance(right, Zero) and left.domain is domain:
            return left
        return self.interner.make(Combine, domain, operation, left, right)

    def combine_all(self, operation: str, parts: Sequence[Expr]) -> Expr:
        """The parts in order, pairwise from the left."""
        return reduce(lambda left, right: self.combine(operation, left, right), parts)

    def multiply(self, *parts: Expr) -> Expr:
        return self.combine_all("multiply", parts)

    def expand(self, value: Expr, domain: EntityType | None) -> Expr:
        """A number as a vector over the type; a vector stays as it is."""
        if value.domain is not None or domain is None:
            return value
        if isinstance(value, Zero):
            return self.zero(domain)
        if isinstance(value, Weight) and value.value == 1.0:
            return self.ones(domain)
        return self.interner.make(Expand, domain, value)

    def product(self, vector: Expr, relation: Relation, inverted: bool, domain: EntityType) -> Expr:
        if isinstance(vector, Zero) or not relation.count:
            return self.zero(domain)
        return self.interner.make(Product, domain, vector, relation, inverted)

    def call(
        self,
        vector: Expr,
        body: Expr,
        place: int,
        signature: Signature,
        domain: EntityType,
        inverted: bool = False,
    ) -> Expr:
        if isinstance(vector, Zero) or isinstance(body, Zero):
            return self.zero(domain)
        return self.interner.make(Call, domain, vector, body, place, signature, inverted)

    def aggregate(self, name: str, value: Expr) -> Expr:
        """One number from a vector; of a number the sum (and mean and so on) is itself."""
        if value.domain is None:
            return self.weight(1.0, "1") if name == "count" else value
        if isinstance(value, Zero):
            return self.zero(None)
        return self.interner.make(Aggregate, None, name, value)

    def total(self, value: Expr) -> Expr:
        return self.aggregate("sum", value)

    def apply(self, function: Function, arguments: Sequence[Expr]) -> Expr:
        """A function of values; rowwise ones take a number for a row of one entry."""
        domain = next((a.domain for a in arguments if a.domain is not None), None)
        if function.kind is FunctionKind.AGGREGATE:
            return self._apply_aggregate(function, arguments, domain)
        return self.interner.make(Apply, domain, function, tuple(arguments))

    def _apply_aggregate(
        self, function: Function, arguments: Sequence[Expr], domain: EntityType | None
    ) -> Expr:
        if domain is None and function.inputs == 1:
            return self.aggregate(function.name, arguments[0])
        return self.interner.make(Apply, None, function, tuple(arguments))

    def complement(self, name: str, total: Expr, value: Expr) -> Expr:
        """`not`: what is missing from the total (or, if so set, the negative)."""
        if name == "negative":
            return self.combine("subtract", self.zero(value.domain), value)
        return self.combine("subtract", self.expand(total, value.domain), value)


def _is_one(value: Expr) -> bool:
    return isinstance(value, Ones) or (isinstance(value, Weight) and value.value == 1.0)
