"""The functions and combiners of the language on tensors, and the way back through them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from neurallog_kernel.functions import Combiner, Function, FunctionKind
from neurallog_kernel.functions.shapes import check_shape
from neurallog_kernel.network import autodiff
from neurallog_kernel.network.arrays import NUMPY, arrays_of
from neurallog_kernel.network.autodiff import Tensor
from neurallog_kernel.network.tensorflow import tensorflow


def combiner(operation: Combiner) -> Callable[[Tensor, Tensor], Tensor]:
    """AND, OR and their like."""
    if operation.arithmetic:
        return operation.numpy

    def combined(a: Tensor, b: Tensor) -> Tensor:
        shape = autodiff.wider(a.shape, b.shape)
        if a.arrays.name == NUMPY:
            return autodiff.with_slopes(operation.numpy, operation.slopes, [a, b], shape)
        return autodiff.apply(tensor_combiner(operation), [a, b], shape)

    return combined


def tensor_combiner(operation: Combiner) -> Callable[[Any, Any], Any]:
    """The same of TensorFlow's own tensors."""
    return operation.tensorflow(tensorflow())


def elementwise(function: Function, argument: Tensor) -> Tensor:
    """A function of each entry, with its derivative where we have one."""
    if argument.arrays.name == NUMPY:
        return of_entries(function, [argument], argument.shape)
    gradient = None if function.gradient is None else function.gradient(tensorflow())
    return autodiff.apply(lambda x: apply(function, [x]), [argument], argument.shape, gradient)


def apply(function: Function, arguments: Sequence[Any]) -> Any:
    """A function of tensors: rows `[batch, n]` for rowwise functions and aggregates."""
    if isinstance(arguments[0], np.ndarray):
        return function.numpy(*arguments).astype(arguments[0].dtype, copy=False)
    if function.with_tensorflow is not None:
        return function.with_tensorflow(tensorflow())(*arguments)
    assert function.tensorflow is not None  # one that is registered has this form
    # a Keras layer computes in its own precision, which need not be that of training
    result = tensorflow().convert_to_tensor(function.tensorflow(*arguments))
    if result.shape.rank is not None and all(a.shape.rank is not None for a in arguments):
        shapes = [argument.shape.as_list() for argument in arguments]
        check_shape(function.name, function.kind, shapes, result.shape.as_list())
    return tensorflow().cast(result, arguments[0].dtype)


def of_rows(function: Function, rows: Sequence[Tensor], shape: str) -> Tensor:
    """A function of whole rows, one result per row; a Keras model's variables are trained too."""
    arrays, turned = rows[0].arrays, function.kind is FunctionKind.ROWWISE
    variables = [] if function.model is None else function.model.trainable_variables

    def of_batch(*x: Any) -> Any:
        # functions see one row after the other, as everyone but our tensors writes them
        result = apply(function, [arrays.transpose(v) for v in _as_wide(x)])
        return arrays.transpose(result) if turned else result

    if arrays.name != NUMPY:
        return autodiff.apply(of_batch, rows, shape, variables=variables)

    def back(x: Any, _: Any, g: Any) -> Any:
        assert function.derivative is not None
        return function.derivative(x.T, g.T if turned else g).T.astype(x.dtype)

    return autodiff.apply(of_batch, rows, shape, back)


def of_entries(function: Function, values: Sequence[Tensor], shape: str) -> Tensor:
    """A function of several values, entry by entry."""
    if values[0].arrays.name != NUMPY:
        return autodiff.apply(lambda *x: apply(function, _as_wide(x)), values, shape)
    slopes = function.derivative
    assert slopes is not None

    def of_each(*x: Any) -> Sequence[Any]:
        return slopes(*_as_wide(x)) if function.inputs > 1 else [slopes(*x)]

    return autodiff.with_slopes(lambda *x: function.numpy(*_as_wide(x)), of_each, values, shape)


def _as_wide(tensors: Sequence[Any]) -> list[Any]:
    """Tensors for all rows and for each row, brought to one width."""
    if len(tensors) < 2:
        return list(tensors)
    whole = sum(tensors[1:], tensors[0])
    return [arrays_of(whole).broadcast_like(tensor, whole) for tensor in tensors]


def of_numbers(function: Function, numbers: Sequence[Tensor], shape: str) -> Tensor:
    """A function of numbers: of rows with one entry if it takes whole rows."""
    if function.kind is FunctionKind.ELEMENTWISE:
        return of_entries(function, numbers, shape)
    arrays = numbers[0].arrays
    variables = [] if function.model is None else function.model.trainable_variables

    def of_rows_of_one(*x: Any) -> Any:
        return arrays.reshape(apply(function, [v[:, None] for v in x]), -1)

    if arrays.name != NUMPY:
        return autodiff.apply(of_rows_of_one, numbers, shape, variables=variables)

    def back(x: Any, _: Any, g: Any) -> Any:
        assert function.derivative is not None
        adjoint = g[:, None] if function.kind is FunctionKind.ROWWISE else g
        return function.derivative(x[:, None], adjoint)[:, 0].astype(x.dtype)

    return autodiff.apply(of_rows_of_one, numbers, shape, back)


def aggregate(function: Function, rows: Tensor, shape: str) -> Tensor:
    """An aggregate of dense rows."""
    return of_rows(function, [rows], shape)
