"""Shapes of expressions that the network treats as one: chains, sums, entries at a constant."""

from __future__ import annotations

from neurallog_kernel.functions import ADD, MULTIPLY, SUM
from neurallog_kernel.plan.exprs import Aggregate, Combine, Expr, OneHot


def operands(expr: Combine) -> list[Expr]:
    """The operands of a chain of one operation, from the left: rules are added one by one, and a
    thousand of them must not be a thousand calls deep."""
    found: list[Expr] = []
    node: Expr = expr
    while isinstance(node, Combine) and node.operation is expr.operation:
        if (node.domain is None) != (expr.domain is None):
            break
        found.append(node.right)
        node = node.left
    found.append(node)
    return found[::-1]


def entry_of(expr: Expr) -> tuple[OneHot, Expr] | None:
    """The constant and the vector of sum([e] * v), where v does not depend on the inputs."""
    if not (isinstance(expr, Aggregate) and expr.function is SUM):
        return None
    product = expr.vector
    if not (isinstance(product, Combine) and product.operation is MULTIPLY):
        return None
    for side, other in ((product.left, product.right), (product.right, product.left)):
        if isinstance(side, OneHot) and not other.uses_input:
            return side, other
    return None


def sum_terms(expr: Expr) -> list[Expr]:
    """The terms of nested sums, from the left."""
    terms: list[Expr] = []
    stack = [expr]
    while stack:
        node = stack.pop()
        if isinstance(node, Combine) and node.operation is ADD and node.domain is not None:
            stack += [node.right, node.left]
        else:
            terms.append(node)
    return terms
