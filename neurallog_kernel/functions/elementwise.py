"""The built-in functions of one entry, each with all its forms in one place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from neurallog_kernel.functions.function import Array, Function, FunctionKind

_SELU_ALPHA = 1.6732632423543772
_SELU_SCALE = 1.0507009873554805


def _made(
    name: str,
    formula: str,
    numpy: Callable[[Array], Array],
    slope: Callable[[Array], Array],
    tensorflow: Callable[[Any], Callable[[Any], Any]],
    sql: str,
    gradient: Callable[[Any], Callable[[Any, Any, Any], Any]] | None = None,
) -> Function:
    """All forms are asked for here: one that is missing is seen when the module is read."""
    return Function(
        name,
        FunctionKind.ELEMENTWISE,
        numpy,
        formula,
        derivative=slope,
        with_tensorflow=tensorflow,
        gradient=gradient,
        sql=sql,
    )


# -- formulas with a case of their own ------------------------------------------------------------


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


def _exponential(x: Array) -> Array:
    with np.errstate(over="ignore"):
        return np.exp(x)


def _gelu(x: Array) -> Array:
    return 0.5 * x * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (x + 0.044715 * x**3)))


def _gelu_slope(x: Array) -> Array:
    root = np.sqrt(2.0 / np.pi)
    t = np.tanh(root * (x + 0.044715 * x**3))
    return 0.5 * (1 + t) + 0.5 * x * (1 - t**2) * root * (1 + 3 * 0.044715 * x**2)


def _where_positive(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """0 where the function has no value, as 1/0 is 0: a feature that is off stays off."""

    def total(x: Array) -> Array:
        positive = x > 0
        return np.where(positive, function(np.where(positive, x, 1.0)), 0.0)

    return total


def _where_positive_tensors(which: str) -> Callable[[Any], Callable[[Any], Any]]:
    """The same of tensors, with a gradient of 0, not infinity, where it has no value."""

    def with_tensorflow(tf: Any) -> Callable[[Any], Any]:
        function = getattr(tf.math, which)

        def total(x: Any) -> Any:
            positive = x > 0
            safe = tf.where(positive, x, tf.ones_like(x))
            return tf.where(positive, function(safe), tf.zeros_like(x))

        return total

    return with_tensorflow


def _inside(low: float, high: float, slope: float = 1.0) -> Callable[[Array], Array]:
    return lambda x: np.where((x >= low) & (x <= high), slope, 0.0)


# -- the table ------------------------------------------------------------------------------------

LINEAR = _made(
    "linear",
    "x",
    lambda x: x,
    np.ones_like,
    lambda tf: tf.identity,
    "{x}",
    lambda tf: lambda x, y, g: g,
)

ELEMENTWISE: tuple[Function, ...] = (
    LINEAR,
    _made(
        "tanh",
        "tanh x",
        np.tanh,
        lambda x: 1.0 - np.tanh(x) ** 2,
        lambda tf: tf.tanh,
        "tanh({x})",
        lambda tf: lambda x, y, g: tf.raw_ops.TanhGrad(y=y, dy=g),
    ),
    _made(
        "sigmoid",
        "1 / (1 + e^-x)",
        _sigmoid,
        lambda x: _sigmoid(x) * (1.0 - _sigmoid(x)),
        lambda tf: tf.sigmoid,
        "1e0 / (1e0 + exp(-{x}))",
        lambda tf: lambda x, y, g: tf.raw_ops.SigmoidGrad(y=y, dy=g),
    ),
    _made(
        "hard_sigmoid",
        "clip(0.2x + 0.5, 0, 1)",
        lambda x: np.clip(0.2 * x + 0.5, 0.0, 1.0),
        _inside(-2.5, 2.5, 0.2),
        lambda tf: lambda x: tf.clip_by_value(0.2 * x + 0.5, 0, 1),
        "least(greatest(0.2e0 * {x} + 0.5e0, 0e0), 1e0)",
    ),
    _made(
        "relu",
        "max(x, 0)",
        lambda x: np.maximum(x, 0.0),
        lambda x: np.where(x > 0, 1.0, 0.0),
        lambda tf: tf.nn.relu,
        "greatest({x}, 0e0)",
        lambda tf: lambda x, y, g: tf.raw_ops.ReluGrad(gradients=g, features=x),
    ),
    _made(
        "relu6",
        "min(max(x, 0), 6)",
        lambda x: np.clip(x, 0.0, 6.0),
        lambda x: np.where((x > 0) & (x < 6), 1.0, 0.0),
        lambda tf: tf.nn.relu6,
        "least(greatest({x}, 0e0), 6e0)",
    ),
    _made(
        "leaky_relu",
        "x if x > 0 else 0.2x",
        lambda x: np.where(x > 0, x, 0.2 * x),
        lambda x: np.where(x > 0, 1.0, 0.2),
        lambda tf: lambda x: tf.nn.leaky_relu(x, alpha=0.2),
        "CASE WHEN {x} > 0 THEN {x} ELSE 0.2e0 * {x} END",
    ),
    _made(
        "elu",
        "x if x > 0 else e^x - 1",
        _elu,
        lambda x: np.where(x > 0, 1.0, np.exp(np.minimum(x, 0.0))),
        lambda tf: tf.nn.elu,
        "CASE WHEN {x} > 0 THEN {x} ELSE exp({x}) - 1e0 END",
    ),
    _made(
        "selu",
        "1.0507 (x if x > 0 else 1.6733 (e^x - 1))",
        _selu,
        lambda x: _SELU_SCALE * np.where(x >= 0, 1.0, _SELU_ALPHA * np.exp(np.minimum(x, 0.0))),
        lambda tf: tf.nn.selu,
        f"{_SELU_SCALE}e0 * "
        f"CASE WHEN {{x}} > 0 THEN {{x}} ELSE {_SELU_ALPHA}e0 * (exp({{x}}) - 1e0) END",
    ),
    _made(
        "gelu",
        "0.5x (1 + tanh(0.7979 (x + 0.0447 x^3)))",
        _gelu,
        _gelu_slope,
        lambda tf: lambda x: tf.nn.gelu(x, approximate=True),
        "0.5e0 * {x} * (1e0 + tanh(sqrt(2e0 / pi()) * ({x} + 0.044715e0 * {x} * {x} * {x})))",
    ),
    _made(
        "silu",
        "x / (1 + e^-x)",
        lambda x: x * _sigmoid(x),
        lambda x: _sigmoid(x) * (1.0 + x * (1.0 - _sigmoid(x))),
        lambda tf: tf.nn.silu,
        "{x} / (1e0 + exp(-{x}))",
    ),
    _made(
        "softplus",
        "log(1 + e^x)",
        _softplus,
        _sigmoid,
        lambda tf: tf.math.softplus,
        "greatest({x}, 0e0) + ln(1e0 + exp(-abs({x})))",
        lambda tf: lambda x, y, g: tf.raw_ops.SoftplusGrad(gradients=g, features=x),
    ),
    _made(
        "softsign",
        "x / (1 + |x|)",
        lambda x: x / (1.0 + np.abs(x)),
        lambda x: 1.0 / (1.0 + np.abs(x)) ** 2,
        lambda tf: tf.nn.softsign,
        "{x} / (1e0 + abs({x}))",
    ),
    _made(
        "exponential",
        "e^x",
        _exponential,
        _exponential,
        lambda tf: tf.exp,
        "exp({x})",
        lambda tf: lambda x, y, g: g * y,
    ),
    _made(
        "logarithm",
        "log x if x > 0 else 0",
        _where_positive(np.log),
        _where_positive(lambda x: 1.0 / x),
        _where_positive_tensors("log"),
        "CASE WHEN {x} > 0 THEN ln({x}) ELSE 0e0 END",
    ),
    _made(
        "square",
        "x^2",
        np.square,
        lambda x: 2.0 * x,
        lambda tf: tf.square,
        "{x} * {x}",
        lambda tf: lambda x, y, g: 2 * g * x,
    ),
    _made(
        "square_root",
        "sqrt(x) if x > 0 else 0",
        _where_positive(np.sqrt),
        _where_positive(lambda x: 0.5 / np.sqrt(x)),
        _where_positive_tensors("sqrt"),
        "CASE WHEN {x} > 0 THEN sqrt({x}) ELSE 0e0 END",
        lambda tf: lambda x, y, g: tf.math.divide_no_nan(0.5 * g, y),
    ),
    _made("absolute", "|x|", np.abs, np.sign, lambda tf: tf.abs, "abs({x})"),
    _made(
        "negative",
        "-x",
        np.negative,
        lambda x: -np.ones_like(x),
        lambda tf: tf.negative,
        "-{x}",
        lambda tf: lambda x, y, g: -g,
    ),
    _made(
        "inverse",
        "1/x, and 0 for 0",
        _inverse,
        lambda x: -(_inverse(x) ** 2),
        lambda tf: lambda x: tf.math.divide_no_nan(tf.ones_like(x), x),
        "coalesce(1e0 / nullif({x}, 0e0), 0e0)",
        lambda tf: lambda x, y, g: -g * y * y,
    ),
    _made(
        "step",
        "1 if x > 0 else 0",
        lambda x: (x > 0).astype(float),
        np.zeros_like,
        lambda tf: lambda x: tf.cast(x > 0, x.dtype),
        "CASE WHEN {x} > 0 THEN 1e0 ELSE 0e0 END",
    ),
)
