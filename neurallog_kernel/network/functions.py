"""The functions and combiners of the language in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.functions import BUILTIN_FUNCTIONS, Function, FunctionKind
from neurallog_kernel.network import ops
from neurallog_kernel.network.ops import Tensor
from neurallog_kernel.network.tensorflow import tensorflow


def combiner(name: str) -> Callable[[Tensor, Tensor], Tensor]:
    """AND, OR and their like."""
    if name == "multiply":
        return lambda a, b: a * b
    if name == "add":
        return lambda a, b: a + b
    if name == "subtract":
        return lambda a, b: a - b
    if name == "probabilistic_sum":
        return lambda a, b: a + b - a * b
    if name == "average":
        return lambda a, b: (a + b).scaled(0.5)
    function = tensor_combiner(name)
    return lambda a, b: ops.apply(function, [a, b], ops.wider(a.shape, b.shape))


def tensor_combiner(name: str) -> Callable[[Any, Any], Any]:
    """The same of TensorFlow's own tensors."""
    tf = tensorflow()
    return {
        "multiply": tf.multiply,
        "add": tf.add,
        "subtract": tf.subtract,
        "probabilistic_sum": lambda a, b: a + b - a * b,
        "average": lambda a, b: (a + b) / 2,
        "divide": tf.math.divide_no_nan,
        "maximum": tf.maximum,
        "minimum": tf.minimum,
        "lukasiewicz_and": lambda a, b: tf.maximum(a + b - 1, 0),
        "lukasiewicz_or": lambda a, b: tf.minimum(a + b, 1),
    }[name]


def elementwise(function: Function, argument: Tensor) -> Tensor:
    """A function of each entry, with its derivative where we have one."""
    builtin = BUILTIN_FUNCTIONS.get(function.name) is function
    derivative = _derivatives().get(function.name) if builtin else None
    return ops.apply(lambda x: apply(function, [x]), [argument], argument.shape, derivative)


def _derivatives() -> dict[str, Callable[[Any, Any, Any], Any]]:
    """How the common functions send a gradient g back, from the argument x and the result y."""
    tf = tensorflow()
    return {
        "linear": lambda x, y, g: g,
        "tanh": lambda x, y, g: tf.raw_ops.TanhGrad(y=y, dy=g),
        "sigmoid": lambda x, y, g: tf.raw_ops.SigmoidGrad(y=y, dy=g),
        "relu": lambda x, y, g: tf.raw_ops.ReluGrad(gradients=g, features=x),
        "exponential": lambda x, y, g: g * y,
        "square": lambda x, y, g: 2 * g * x,
        "negative": lambda x, y, g: -g,
        "softplus": lambda x, y, g: tf.raw_ops.SoftplusGrad(gradients=g, features=x),
        "inverse": lambda x, y, g: -g * y * y,
        "square_root": lambda x, y, g: tf.math.divide_no_nan(0.5 * g, y),
    }


def apply(function: Function, arguments: Sequence[Any]) -> Any:
    """A function of tensors: rows `[batch, n]` for rowwise functions and aggregates."""
    if BUILTIN_FUNCTIONS.get(function.name) is function:
        return _builtin(function.name)(*arguments)
    if function.tensorflow is not None:
        # a Keras layer computes in its own precision, which need not be that of training
        return tensorflow().cast(function.tensorflow(*arguments), arguments[0].dtype)
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


def of_rows(function: Function, rows: Sequence[Tensor], shape: str) -> Tensor:
    """A function of whole rows, one result a row; a Keras model's variables are trained too."""
    variables = [] if function.model is None else function.model.trainable_variables
    tf = tensorflow()

    def of_batch(*x: Any) -> Any:
        # functions see one row after the other, as everyone but our tensors writes them
        result = apply(function, [tf.transpose(v) for v in _as_wide(x)])
        return tf.transpose(result) if function.kind is FunctionKind.ROWWISE else result

    return ops.apply(of_batch, rows, shape, variables=variables)


def _as_wide(tensors: Sequence[Any]) -> list[Any]:
    """Tensors for all rows and for each row, brought to one width."""
    tf = tensorflow()
    if len(tensors) < 2:
        return list(tensors)
    shape = tf.shape(sum(tensors[1:], tensors[0]))
    return [tf.broadcast_to(tensor, shape) for tensor in tensors]


def of_numbers(function: Function, numbers: Sequence[Tensor], shape: str) -> Tensor:
    """A function of numbers: of rows with one entry if it takes whole rows."""
    tf = tensorflow()
    if function.kind is FunctionKind.ELEMENTWISE:
        return ops.apply(lambda *x: apply(function, x), numbers, shape)
    variables = [] if function.model is None else function.model.trainable_variables
    return ops.apply(
        lambda *x: tf.reshape(apply(function, [v[:, None] for v in x]), [-1]),
        numbers,
        shape,
        variables=variables,
    )


def aggregate(name: str, rows: Tensor, shape: str) -> Tensor:
    """An aggregation of `any`, over dense rows."""
    tf = tensorflow()
    return ops.apply(lambda x: aggregate_rows(name, tf.transpose(x)), [rows], shape)


def aggregate_rows(name: str, rows: Any) -> Any:
    """An aggregation of `any`, over TensorFlow's own tensors [batch, n]."""
    if name.startswith("reduce_"):
        return getattr(tensorflow(), name)(rows, axis=-1)
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
