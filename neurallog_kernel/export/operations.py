"""Operations of a plan on columns of tensors, with gradients that agree with ours."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from neurallog_kernel.functions import MULTIPLY, Combiner, Function
from neurallog_kernel.network import functions
from neurallog_kernel.network.tensorflow import tensorflow


def together(values: Sequence[Any]) -> list[Any]:
    """Tensors of one shape, where some are the same for every input or every entry."""
    tf = tensorflow()
    if len(values) == 1:
        return list(values)
    shape = reduce(tf.broadcast_dynamic_shape, [tf.shape(value) for value in values])
    return [tf.broadcast_to(value, shape) for value in values]


def combiner(operation: Combiner) -> Any:
    """AND, OR and their like, of tensors."""
    return _multiply if operation is MULTIPLY else functions.tensor_combiner(operation)


def _multiply(left: Any, right: Any) -> Any:
    """What is not there stays away, also from what is infinite; zeros still learn."""
    tf = tensorflow()

    @tf.custom_gradient
    def product(x: Any, y: Any) -> Any:
        def gradient(g: Any) -> tuple[Any, Any]:
            return (
                _narrowed(tf.math.multiply_no_nan(y, g), x),
                _narrowed(tf.math.multiply_no_nan(x, g), y),
            )

        gone = tf.logical_or(tf.equal(x, 0), tf.equal(y, 0))
        return tf.where(gone, tf.zeros([], x.dtype), x * y), gradient

    return product(left, right)


def _narrowed(gradient: Any, value: Any) -> Any:
    """A gradient summed over what was broadcast."""
    tf = tensorflow()
    axes, _ = tf.raw_ops.BroadcastGradientArgs(s0=tf.shape(value), s1=tf.shape(gradient))
    return tf.reshape(tf.reduce_sum(gradient, axes), tf.shape(value))


def aggregate(function: Function, vector: Any, size: int) -> Any:
    """All entries of each column as one number."""
    tf = tensorflow()
    if not size:
        return tf.reduce_sum(vector, axis=0)
    return functions.apply(function, [tf.transpose(vector)])
