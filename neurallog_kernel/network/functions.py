"""The functions and combiners of the language in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.functions import Combiner, Function, FunctionKind
from neurallog_kernel.functions.shapes import check_shape
from neurallog_kernel.network import autodiff
from neurallog_kernel.network.autodiff import Tensor
from neurallog_kernel.network.tensorflow import tensorflow


def combiner(operation: Combiner) -> Callable[[Tensor, Tensor], Tensor]:
    """AND, OR and their like."""
    if operation.arithmetic:
        return operation.numpy
    function = tensor_combiner(operation)
    return lambda a, b: autodiff.apply(function, [a, b], autodiff.wider(a.shape, b.shape))


def tensor_combiner(operation: Combiner) -> Callable[[Any, Any], Any]:
    """The same of TensorFlow's own tensors."""
    return operation.tensorflow(tensorflow())


def elementwise(function: Function, argument: Tensor) -> Tensor:
    """A function of each entry, with its derivative where we have one."""
    gradient = None if function.gradient is None else function.gradient(tensorflow())
    return autodiff.apply(lambda x: apply(function, [x]), [argument], argument.shape, gradient)


def apply(function: Function, arguments: Sequence[Any]) -> Any:
    """A function of tensors: rows `[batch, n]` for rowwise functions and aggregates."""
    if function.with_tensorflow is not None:
        return function.with_tensorflow(tensorflow())(*arguments)
    if function.tensorflow is not None:
        # a Keras layer computes in its own precision, which need not be that of training
        result = tensorflow().convert_to_tensor(function.tensorflow(*arguments))
        if result.shape.rank is not None and all(a.shape.rank is not None for a in arguments):
            shapes = [argument.shape.as_list() for argument in arguments]
            check_shape(function.name, function.kind, shapes, result.shape.as_list())
        return tensorflow().cast(result, arguments[0].dtype)
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
    """A function of whole rows, one result per row; a Keras model's variables are trained too."""
    variables = [] if function.model is None else function.model.trainable_variables
    tf = tensorflow()

    def of_batch(*x: Any) -> Any:
        # functions see one row after the other, as everyone but our tensors writes them
        result = apply(function, [tf.transpose(v) for v in _as_wide(x)])
        return tf.transpose(result) if function.kind is FunctionKind.ROWWISE else result

    return autodiff.apply(of_batch, rows, shape, variables=variables)


def of_entries(function: Function, values: Sequence[Tensor], shape: str) -> Tensor:
    """A function of several values, entry by entry."""
    return autodiff.apply(lambda *x: apply(function, _as_wide(x)), values, shape)


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
        return of_entries(function, numbers, shape)
    variables = [] if function.model is None else function.model.trainable_variables
    return autodiff.apply(
        lambda *x: tf.reshape(apply(function, [v[:, None] for v in x]), [-1]),
        numbers,
        shape,
        variables=variables,
    )


def aggregate(function: Function, rows: Tensor, shape: str) -> Tensor:
    """An aggregate of dense rows."""
    tf = tensorflow()
    return autodiff.apply(lambda x: apply(function, [tf.transpose(x)]), [rows], shape)
