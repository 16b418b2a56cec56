"""Gradients out of a training step and into it, whatever computes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from neurallog_kernel.learning.gradient_step import Updates
from neurallog_kernel.network.arrays import NUMPY
from neurallog_kernel.network.tensorflow import tensorflow


def gradients_of(updates: Updates) -> Callable[[int], tuple[list[np.ndarray], np.ndarray]]:
    """From the number of a batch to the gradient of each variable and the summed losses."""
    arrays = updates.network.arrays

    def in_one(batch: Any) -> Any:
        gradients, sums = updates.gradients(batch)
        return arrays.concat([*gradients, sums])

    made = arrays.compiled(in_one)
    ends = np.cumsum([int(variable.shape[0]) for variable in updates.variables])

    def parts(batch: int) -> tuple[list[np.ndarray], np.ndarray]:
        *gradients, sums = np.split(made(batch), ends)
        return gradients, sums

    return parts


def stepping(updates: Updates) -> Callable[[Sequence[np.ndarray]], None]:
    """One step of the optimiser with given gradients."""
    dtype = updates.network.dtype
    if updates.network.arrays.name == NUMPY:
        return lambda gradients: updates.apply([part.astype(dtype) for part in gradients])
    tf = tensorflow()
    kinds = [tf.TensorSpec(variable.shape, dtype) for variable in updates.variables]
    made = tf.function(
        lambda *given: updates.apply(list(given)), autograph=False, input_signature=kinds
    )
    return lambda gradients: made(*(tf.constant(part.astype(dtype)) for part in gradients))
