"""Whether a value is linear in an input: then it is the sum of what each entity contributes."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TypeAlias, assert_never

from neurallog_kernel.functions import ADD, MULTIPLY, SUBTRACT, SUM
from neurallog_kernel.plan import exprs
from neurallog_kernel.plan.exprs import Expr, walk

Degrees: TypeAlias = MutableMapping[Expr, int | None]
"""What is known of nodes. 0: without the input, 1: linear, None: neither."""


def is_linear(expr: Expr, place: int, known: Degrees | None = None) -> bool:
    """Whether the value is linear in the input at `place`, with no constant beside it; what is
    found out of its parts is noted in `known`, for that place."""
    degree: Degrees = {} if known is None else known
    for node in walk(expr, known=degree):
        if node not in degree:
            degree[node] = _degree(node, place, degree)
    return degree[expr] == 1 or isinstance(expr, exprs.Zero)


def _degree(node: Expr, place: int, degree: Degrees) -> int | None:
    if isinstance(node, exprs.Input):
        return int(node.place == place)
    below = [degree[child] for child in node.operands]
    if None in below:
        return None
    if not any(below):
        return 0
    match node:
        case exprs.Product() | exprs.Call() | exprs.Expand():
            return 1
        case exprs.Aggregate():
            return 1 if node.function is SUM else None
        case exprs.Combine():
            return _combined(node, below)
        case exprs.Apply():
            return None
        case (
            exprs.Ones()
            | exprs.Zero()
            | exprs.OneHot()
            | exprs.Weight()
            | exprs.RuleWeight()
            | exprs.ForEach()
        ):
            return 0
        case (
            exprs.FactWeight()
            | exprs.NumericFact()
            | exprs.Facts()
            | exprs.Attribute()
            | exprs.Compared()
        ):
            return 0
        case _:
            assert_never(node)


def _combined(node: exprs.Combine, below: list[int | None]) -> int | None:
    if node.operation is MULTIPLY:
        return 1 if sum(d or 0 for d in below) == 1 else None
    if node.operation is ADD or node.operation is SUBTRACT:
        sides = zip(node.operands, below, strict=True)
        return 1 if all(d == 1 or _is_nothing(side) for side, d in sides) else None
    return None


def _is_nothing(expr: Expr) -> bool:
    """Whether a value is 0, also where a rule that gives nothing keeps its learned weight."""
    if isinstance(expr, exprs.Combine) and expr.operation is MULTIPLY:
        return any(map(_is_nothing, expr.operands))
    return isinstance(expr, exprs.Zero)
