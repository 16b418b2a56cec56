"""Whether a value is linear in an input: then it is the sum of what each entity contributes."""

from __future__ import annotations

from neurallog_kernel.plan.exprs import (
    Aggregate,
    Call,
    Combine,
    Expand,
    Expr,
    Input,
    Product,
    Zero,
    walk,
)


def is_linear(expr: Expr, place: int) -> bool:
    """Whether the value is linear in the input at `place`, with no constant beside it."""
    degree: dict[Expr, int | None] = {}  # 0: without the input, 1: linear, None: neither
    for node in walk(expr):
        degree[node] = _degree(node, place, degree)
    return degree[expr] == 1 or isinstance(expr, Zero)


def _degree(node: Expr, place: int, degree: dict[Expr, int | None]) -> int | None:
    if isinstance(node, Input):
        return int(node.place == place)
    below = [degree[child] for child in node.children]
    if not any(below) and None not in below:
        return 0
    if None in below:
        return None
    if isinstance(node, Product | Call | Expand):
        return 1
    if isinstance(node, Aggregate) and node.name == "sum":
        return 1
    if isinstance(node, Combine) and node.operation == "multiply":
        return 1 if sum(d or 0 for d in below) == 1 else None
    if isinstance(node, Combine) and node.operation in ("add", "subtract"):
        linear = all(
            d == 1 or isinstance(c, Zero) for c, d in zip(node.children, below, strict=True)
        )
        return 1 if linear else None
    return None
