"""The operations of a network in TensorFlow: parts of a graph, with no more than each takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from neurallog_kernel.network.tensorflow import compiled_loops, tensorflow


@cache
def whole(*numbers: int) -> Any:
    """Small whole numbers, such as a shape: a graph then has each of them once."""
    tf = tensorflow()
    with tf.init_scope():
        return tf.constant(numbers, dtype=tf.int32)


@cache
def axis(number: int) -> Any:
    tf = tensorflow()
    with tf.init_scope():
        return tf.constant(number, dtype=tf.int32)


class TensorFlowArrays:
    """`Arrays` of TensorFlow."""

    name = "tensorflow"
    compiling = 1_000

    def variable(self, values: np.ndarray, name: str) -> Any:
        return tensorflow().Variable(values, trainable=True, name=name)

    def stored(self, known: Any, data: Any) -> Any:
        if known is not None:
            known.assign(data)
            return known
        tf = tensorflow()
        shape = tf.TensorShape([None, *data.shape[1:]])
        return tf.Variable(data, trainable=False, shape=shape)

    def opened(self, stored: Any) -> Any:
        return tensorflow().convert_to_tensor(stored)

    def read(self, variable: Any) -> Any:
        return tensorflow().identity(variable)

    def constant(self, data: Any, dtype: str | None = None) -> Any:
        """Outside the graph: a graph would store every copy of it."""
        tf = tensorflow()
        with tf.init_scope():
            return tf.constant(data, dtype=dtype)

    def whole(self, number: int) -> Any:
        return whole(number)

    def ones(self, number: int, dtype: str) -> Any:
        return tensorflow().ones([number], dtype)

    def zeros(self, number: int, dtype: str) -> Any:
        return tensorflow().zeros([number], dtype)

    def ones_like(self, x: Any) -> Any:
        return tensorflow().ones_like(x)

    def zeros_like(self, x: Any) -> Any:
        return tensorflow().zeros_like(x)

    def numpy(self, x: Any) -> np.ndarray:
        return x.numpy()

    # -- moving ---------------------------------------------------------------------------------

    def gather(self, x: Any, index: Any) -> Any:
        return tensorflow().raw_ops.GatherV2(params=x, indices=index, axis=axis(0))

    def add_up(self, x: Any, index: Any, size: Any) -> Any:
        number = axis(size) if isinstance(size, int) else size
        return tensorflow().raw_ops.UnsortedSegmentSum(
            data=x, segment_ids=index, num_segments=number
        )

    def reshape(self, x: Any, *shape: int) -> Any:
        return tensorflow().reshape(x, whole(*shape))

    def reshape_like(self, x: Any, like: Any) -> Any:
        tf = tensorflow()
        return tf.reshape(x, tf.shape(like))

    def transpose(self, x: Any) -> Any:
        return tensorflow().transpose(x)

    def broadcast(self, x: Any, *shape: Any) -> Any:
        return tensorflow().broadcast_to(x, list(shape))

    def broadcast_like(self, x: Any, like: Any) -> Any:
        tf = tensorflow()
        return tf.broadcast_to(x, tf.shape(like))

    def concat(self, parts: Sequence[Any]) -> Any:
        return tensorflow().concat(parts, axis(0))

    def split(self, x: Any, sizes: Sequence[int]) -> Sequence[Any]:
        return tensorflow().split(x, whole(*sizes))

    def size(self, x: Any) -> Any:
        return tensorflow().size(x)

    # -- computing ------------------------------------------------------------------------------

    def add(self, parts: Sequence[Any]) -> Any:
        return tensorflow().add_n(parts)

    def clip(self, x: Any, least: Any, most: Any) -> Any:
        return tensorflow().clip_by_value(x, least, most)

    def squared_difference(self, x: Any, y: Any) -> Any:
        return tensorflow().math.squared_difference(x, y)

    def sums(self, x: Any, along: int, keep: bool = False) -> Any:
        return tensorflow().raw_ops.Sum(input=x, axis=axis(along), keep_dims=keep)

    def multiply_no_nan(self, x: Any, y: Any) -> Any:
        return tensorflow().raw_ops.MulNoNan(x=x, y=y)

    def matmul(self, a: Any, b: Any, turn_a: bool = False, turn_b: bool = False) -> Any:
        return tensorflow().matmul(a, b, transpose_a=turn_a, transpose_b=turn_b)

    def matvec(self, a: Any, x: Any, turned: bool = False) -> Any:
        return tensorflow().linalg.matvec(a, x, transpose_a=turned)

    def sparse(self, matrix: sp.csr_array, dtype: str) -> tuple[Any, Any, Any]:
        rows = np.repeat(np.arange(len(matrix.indptr) - 1), np.diff(matrix.indptr))
        cells = np.column_stack([rows, matrix.indices]).astype(np.int64)
        shape = np.array(matrix.shape, dtype=np.int64)
        return self.constant(cells), self.constant(matrix.data, dtype), self.constant(shape)

    def sparse_times(self, matrix: Any, x: Any, turned: bool = False, values: Any = None) -> Any:
        cells, own, shape = matrix
        return tensorflow().raw_ops.SparseTensorDenseMatMul(
            a_indices=cells,
            a_values=own if values is None else values,
            a_shape=shape,
            b=x,
            adjoint_a=turned,
            adjoint_b=False,
        )

    # -- batches --------------------------------------------------------------------------------

    def stretches(self, table: Any, batch: Any) -> tuple[Sequence[Any], Sequence[Any]]:
        tf = tensorflow()
        begin, end = self.gather(table, batch), self.gather(table, batch + 1)
        return tf.unstack(begin), tf.unstack(end - begin)

    def cut(self, data: Any, begin: Any, length: Any) -> Any:
        tf = tensorflow()
        if len(data.shape) == 1:
            return tf.slice(data, begin, length)
        return tf.slice(data, tf.pad(begin, [[0, 1]]), tf.concat([length, [data.shape[1]]], 0))

    def number(self, length: Any) -> Any:
        return length[0]

    def loop(self, first: Any, last: Any, start: Any, body: Callable[[Any, Any], Any]) -> Any:
        return tensorflow().while_loop(
            lambda batch, _: batch < last,
            lambda batch, found: (batch + 1, body(batch, found)),
            [first, start],
            parallel_iterations=1,
        )[1]

    def compiled(self, function: Callable[..., Any]) -> Callable[..., np.ndarray]:
        made = tensorflow().function(function, autograph=False)
        return _of_numbers(made)

    def compiled_loops(self, function: Callable[..., Any]) -> Callable[..., np.ndarray]:
        return _of_numbers(compiled_loops(function))


def _of_numbers(function: Callable[..., Any]) -> Callable[..., np.ndarray]:
    return lambda *numbers: function(*map(tensorflow().constant, numbers)).numpy()


TENSORFLOW_ARRAYS = TensorFlowArrays()
