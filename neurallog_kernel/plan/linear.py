"""Whether a value is linear in an input: then it is the sum of what each entity contributes."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TypeAlias, assert_never

from neurallog_kernel.functions import ADD, MULTIPLY, SUBTRACT, SUM
from neurallog_kernel.plan.exprs import (
    Aggregate,
    Apply,
    Attribute,
    Call,
    Combine,
    Compared,
    Expand,
    Expr,
    Facts,
    FactWeight,
    ForEach,
    Input,
    NumericFact,
    OneHot,
    Ones,
    Product,
    RuleWeight,
    Weight,
    Zero,
    walk,
)

Degrees: TypeAlias = MutableMapping[Expr, int | None]
"""What is known of nodes. 0: without the input, 1: linear, None: neither."""


def is_linear(expr: Expr, place: int, known: Degrees | None = None) -> bool:
    """Whether the value is linear in the input at `place`, with no constant beside it; what is
    found out of its parts is noted in `known`, for that place."""
    degree: Degrees = {} if known is None else known
    for node in walk(expr, known=degree):
        if node not in degree:
            degree[node] = _degree(node, place, degree)
    return degree[expr] == 1 or isinstance(expr, Zero)


def _degree(node: Expr, place: int, degree: Degrees) -> int | None:
    if isinstance(node, Input):
        return int(node.place == place)
    below = [degree[child] for child in node.operands]
    if None in below:
        return None
    if not any(below):
        return 0
    match node:
        case Product() | Call() | Expand():
            return 1
        case Aggregate():
            return 1 if node.function is SUM else None
        case Combine():
            return _combined(node, below)
        case Apply():
            return None
        case Ones() | Zero() | OneHot() | Weight() | RuleWeight() | ForEach():
            return 0
        case FactWeight() | NumericFact() | Facts() | Attribute() | Compared():
            return 0
        case _:
            assert_never(node)


def _combined(node: Combine, below: list[int | None]) -> int | None:
    if node.operation is MULTIPLY:
        return 1 if sum(d or 0 for d in below) == 1 else None
    if node.operation is ADD or node.operation is SUBTRACT:
        sides = zip(node.operands, below, strict=True)
        return 1 if all(d == 1 or isinstance(side, Zero) for side, d in sides) else None
    return None
