"""The functions and combiners of the language in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.functions import BUILTIN_FUNCTIONS, Function
from neurallog_kernel.network.tensorflow import tensorflow


def combiner(name: str) -> Callable[[Any, Any], Any]:
    """AND, OR and their like."""
    tf = tensorflow()
    return {
        "multiply": tf.multiply,
        "add": tf.add,
        "subtract": tf.subtract,
        "divide": tf.math.divide_no_nan,
        "maximum": tf.maximum,
        "minimum": tf.minimum,
        "average": lambda a, b: (a + b) / 2,
        "probabilistic_sum": lambda a, b: a + b - a * b,
        "lukasiewicz_and": lambda a, b: tf.maximum(a + b - 1, 0),
        "lukasiewicz_or": lambda a, b: tf.minimum(a + b, 1),
    }[name]


def apply(function: Function, arguments: Sequence[Any]) -> Any:
    """A function of tensors: rows `[batch, n]` for rowwise functions and aggregates."""
    if BUILTIN_FUNCTIONS.get(function.name) is function:
        return _builtin(function.name)(*arguments)
    if function.tensorflow is not None:
        return function.tensorflow(*arguments)
    try:
        result = function.numpy(*arguments)
    except Exception as error:
        raise _not_differentiable(function) from error
    if isinstance(result, np.ndarray):
        raise _not_differentiable(function)
    return result


def _not_differentiable(function: Function) -> NeuralLogError:
    return NeuralLogError(
        f"the function {function.name} cannot be trained through: it is defined for NumPy only",
        hint="register it with tensorflow=..., or write it with keras.ops",
    )


def aggregate(name: str, rows: Any) -> Any:
    """An aggregation of `any`, over dense rows."""
    tf = tensorflow()
    if name.startswith("reduce_"):
        return getattr(tf, name)(rows, axis=-1)
    return _builtin(name)(rows)


def _builtin(name: str) -> Callable[..., Any]:
    tf = tensorflow()
    table: dict[str, Callable[..., Any]] = {
        "linear": tf.identity,
        "tanh": tf.tanh,
        "sigmoid": tf.sigmoid,
        "hard_sigmoid": lambda x: tf.clip_by_value(0.2 * x + 0.5, 0, 1),
        "relu": tf.nn.relu,
        "relu6": tf.nn.relu6,
        "leaky_relu": lambda x: tf.nn.leaky_relu(x, alpha=0.2),
        "elu": tf.nn.elu,
        "selu": tf.nn.selu,
        "gelu": lambda x: tf.nn.gelu(x, approximate=True),
        "silu": tf.nn.silu,
        "softplus": tf.math.softplus,
        "softsign": tf.nn.softsign,
        "exponential": tf.exp,
        "logarithm": tf.math.log,
        "square": tf.square,
        "square_root": _square_root,
        "absolute": tf.abs,
        "negative": tf.negative,
        "inverse": lambda x: tf.math.divide_no_nan(tf.ones_like(x), x),
        "step": lambda x: tf.cast(x > 0, x.dtype),
        "softmax": lambda x: tf.nn.softmax(x, axis=-1),
        "normalize": lambda x: tf.math.divide_no_nan(x, tf.reduce_sum(x, -1, keepdims=True)),
        "sum": lambda x: tf.reduce_sum(x, -1),
        "count": _count,
        "mean": lambda x: tf.math.divide_no_nan(tf.reduce_sum(x, -1), _count(x)),
        "max": lambda x: _extreme(x, tf.reduce_max, x.dtype.min),
        "min": lambda x: _extreme(x, tf.reduce_min, x.dtype.max),
    }
    return table[name]


def _square_root(x: Any) -> Any:
    """The root with a gradient of zero, not infinity, at zero: a feature that is off stays off."""
    tf = tensorflow()
    positive = x > 0
    return tf.where(positive, tf.sqrt(tf.where(positive, x, tf.ones_like(x))), tf.zeros_like(x))


def _count(x: Any) -> Any:
    tf = tensorflow()
    return tf.reduce_sum(tf.cast(tf.not_equal(x, 0), x.dtype), -1)


def _extreme(x: Any, reduce: Callable[..., Any], worst: float) -> Any:
    tf = tensorflow()
    there = tf.not_equal(x, 0)
    best = reduce(tf.where(there, x, worst * tf.ones_like(x)), -1)
    return tf.where(tf.reduce_any(there, -1), best, tf.zeros_like(best))
