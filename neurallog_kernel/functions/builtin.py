"""The built-in functions, each in plain NumPy with the formula that `functions` shows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from neurallog_kernel.functions.function import Array, Function, FunctionKind

_SELU_ALPHA = 1.6732632423543772
_SELU_SCALE = 1.0507009873554805


def _sigmoid(x: Array) -> Array:
    # exp of a non-positive number never overflows, whichever sign x has
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1.0, small) / (1.0 + small)


def _softplus(x: Array) -> Array:
    return np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))


def _inverse(x: Array) -> Array:
    return np.divide(1.0, x, out=np.zeros_like(x, dtype=float), where=x != 0)


def _elu(x: Array) -> Array:
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0.0)))


def _selu(x: Array) -> Array:
    return _SELU_SCALE * np.where(x > 0, x, _SELU_ALPHA * np.expm1(np.minimum(x, 0.0)))


def _square_root(x: Array) -> Array:
    with np.errstate(invalid="ignore"):
        return np.sqrt(x)


def _logarithm(x: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(x)


def _exponential(x: Array) -> Array:
    with np.errstate(over="ignore"):
        return np.exp(x)


def _gelu(x: Array) -> Array:
    return 0.5 * x * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (x + 0.044715 * x**3)))


def _softmax(rows: Array) -> Array:
    if rows.shape[-1] == 0:
        return rows
    shifted = np.exp(rows - rows.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


def _normalize(rows: Array) -> Array:
    total = rows.sum(axis=-1, keepdims=True)
    return np.divide(rows, total, out=np.zeros_like(rows, dtype=float), where=total != 0)


def _sum(rows: Array) -> Array:
    return rows.sum(axis=-1)


def _count(rows: Array) -> Array:
    return (rows != 0).sum(axis=-1).astype(float)


def _mean(rows: Array) -> Array:
    total, number = _sum(rows), _count(rows)
    return np.divide(total, number, out=np.zeros_like(total), where=number != 0)


def _extreme(reduce: Callable[..., Array], start: float) -> Callable[[Array], Array]:
    def aggregate(rows: Array) -> Array:
        there = rows != 0
        best = reduce(rows, axis=-1, initial=start, where=there)
        return np.where(there.any(axis=-1), best, 0.0)

    return aggregate


def _table() -> dict[str, Function]:
    elementwise = [
        ("linear", lambda x: x, "x"),
        ("tanh", np.tanh, "tanh x"),
        ("sigmoid", _sigmoid, "1 / (1 + e^-x)"),
        ("hard_sigmoid", lambda x: np.clip(0.2 * x + 0.5, 0.0, 1.0), "clip(0.2x + 0.5, 0, 1)"),
        ("relu", lambda x: np.maximum(x, 0.0), "max(x, 0)"),
        ("relu6", lambda x: np.clip(x, 0.0, 6.0), "min(max(x, 0), 6)"),
        ("leaky_relu", lambda x: np.where(x > 0, x, 0.2 * x), "x if x > 0 else 0.2x"),
        ("elu", _elu, "x if x > 0 else e^x - 1"),
        ("selu", _selu, "1.0507 (x if x > 0 else 1.6733 (e^x - 1))"),
        ("gelu", _gelu, "0.5x (1 + tanh(0.7979 (x + 0.0447 x^3)))"),
        ("silu", lambda x: x * _sigmoid(x), "x / (1 + e^-x)"),
        ("softplus", _softplus, "log(1 + e^x)"),
        ("softsign", lambda x: x / (1.0 + np.abs(x)), "x / (1 + |x|)"),
        ("exponential", _exponential, "e^x"),
        ("logarithm", _logarithm, "log x"),
        ("square", np.square, "x^2"),
        ("square_root", _square_root, "sqrt(x)"),
        ("absolute", np.abs, "|x|"),
        ("negative", np.negative, "-x"),
        ("inverse", _inverse, "1/x, and 0 for 0"),
        ("step", lambda x: (x > 0).astype(float), "1 if x > 0 else 0"),
    ]
    rowwise = [
        ("softmax", _softmax, "e^x / sum of e^x over the row"),
        ("normalize", _normalize, "x / sum of the row, and 0 where that is 0"),
    ]
    aggregates = [
        ("sum", _sum, "sum of the entries"),
        ("count", _count, "number of non-zero entries"),
        ("mean", _mean, "mean of the non-zero entries, 0 if there are none"),
        ("max", _extreme(np.max, -np.inf), "largest non-zero entry, 0 if there are none"),
        ("min", _extreme(np.min, np.inf), "smallest non-zero entry, 0 if there are none"),
    ]
    kinds = [
        (FunctionKind.ELEMENTWISE, elementwise),
        (FunctionKind.ROWWISE, rowwise),
        (FunctionKind.AGGREGATE, aggregates),
    ]
    return {
        name: Function(name, kind, function, formula)
        for kind, rows in kinds
        for name, function, formula in rows
    }


BUILTIN_FUNCTIONS: dict[str, Function] = _table()
