"""The operations of a network in NumPy: each is done when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from neurallog_kernel.heap import keep_freed_memory
from neurallog_kernel.threads import one_thread


class ArrayVariable:
    """A learned array, or a number of an optimiser. Another value is another array: who has read
    the last one keeps it as it was."""

    __slots__ = ("name", "value")

    def __init__(self, value: np.ndarray, name: str) -> None:
        self.value = value
        self.name = name

    @property
    def path(self) -> str:
        return self.name

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape

    @property
    def dtype(self) -> np.dtype:
        return self.value.dtype

    def numpy(self) -> np.ndarray:
        return self.value

    def assign(self, value: Any) -> None:
        self.value = np.array(value, dtype=self.value.dtype).reshape(self.value.shape)

    def __float__(self) -> float:
        return float(self.value)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.value, dtype=dtype, copy=copy)


@dataclass(frozen=True, eq=False)
class SparseMatrix:
    """A sparse matrix by its rows and by its columns."""

    by_row: sp.csr_array
    by_column: sp.csr_array  # turned round
    order: np.ndarray  # of the values, as the columns have them

    @classmethod
    def of(cls, matrix: sp.csr_array, dtype: str) -> SparseMatrix:
        numbered = sp.csr_array(
            (np.arange(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape
        )
        order = sp.csr_array(numbered.T).data
        own = sp.csr_array(matrix, dtype=dtype)
        return cls(own, sp.csr_array(own.T), order)

    def times(self, x: np.ndarray, turned: bool, values: np.ndarray | None) -> np.ndarray:
        matrix = self.by_column if turned else self.by_row
        if values is not None:
            data = values.take(self.order) if turned else values
            matrix = sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
        return matrix @ x


class NumpyArrays:
    """`Arrays` of NumPy."""

    name = "numpy"
    compiling = 0

    def variable(self, values: np.ndarray, name: str) -> ArrayVariable:
        return ArrayVariable(values, name)

    def stored(self, known: Any, data: Any) -> Any:
        return data

    def opened(self, stored: np.ndarray) -> np.ndarray:
        return stored

    def read(self, variable: ArrayVariable) -> np.ndarray:
        return variable.value

    def constant(self, data: Any, dtype: str | None = None) -> np.ndarray:
        return np.asarray(data, dtype=dtype)

    def whole(self, number: int) -> np.ndarray:
        return np.array([number])

    def ones(self, number: int, dtype: str) -> np.ndarray:
        return np.ones(number, dtype)

    def zeros(self, number: int, dtype: str) -> np.ndarray:
        return np.zeros(number, dtype)

    def ones_like(self, x: np.ndarray) -> np.ndarray:
        return np.ones_like(x)

    def zeros_like(self, x: Any) -> np.ndarray:
        return np.zeros(x.shape, x.dtype)

    def numpy(self, x: np.ndarray) -> np.ndarray:
        return x

    # -- moving ---------------------------------------------------------------------------------

    def gather(self, x: np.ndarray, index: np.ndarray) -> np.ndarray:
        return x.take(index, axis=0)

    def add_up(self, x: np.ndarray, index: np.ndarray, size: int) -> np.ndarray:
        if x.ndim == 1:
            return np.bincount(index, x, size).astype(x.dtype)
        columns = x.shape[1]
        places = (index.astype(np.int64)[:, None] * columns + np.arange(columns)).reshape(-1)
        sums = np.bincount(places, x.reshape(-1), size * columns)
        return sums.astype(x.dtype).reshape(size, columns)

    def reshape(self, x: np.ndarray, *shape: int) -> np.ndarray:
        if x.size == 0 and -1 in shape:  # NumPy does not find out how many nothing is
            known = [size for size in shape if size != -1]
            left = x.shape[-1] if known and x.ndim > 1 and x.shape[0] == known[0] else 0
            shape = tuple(left if size == -1 else size for size in shape)
        return x.reshape(shape)

    def reshape_like(self, x: np.ndarray, like: np.ndarray) -> np.ndarray:
        return x.reshape(like.shape)

    def transpose(self, x: np.ndarray) -> np.ndarray:
        return x.T

    def broadcast(self, x: np.ndarray, *shape: int) -> np.ndarray:
        return np.broadcast_to(x, shape)

    def broadcast_like(self, x: np.ndarray, like: np.ndarray) -> np.ndarray:
        return np.broadcast_to(x, like.shape)

    def concat(self, parts: Sequence[np.ndarray]) -> np.ndarray:
        return np.concatenate(parts)

    def split(self, x: np.ndarray, sizes: Sequence[int]) -> Sequence[np.ndarray]:
        return np.split(x, np.cumsum(sizes)[:-1])

    def size(self, x: np.ndarray) -> int:
        return x.size

    # -- computing ------------------------------------------------------------------------------

    def add(self, parts: Sequence[np.ndarray]) -> np.ndarray:
        found = parts[0] + parts[1]
        for part in parts[2:]:
            found = found + part
        return found

    def clip(self, x: np.ndarray, least: np.ndarray, most: np.ndarray) -> np.ndarray:
        return np.clip(x, least, most)

    def squared_difference(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.square(x - y)

    def sums(self, x: np.ndarray, along: int, keep: bool = False) -> np.ndarray:
        return x.sum(axis=along, keepdims=keep)

    def multiply_no_nan(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.where(y == 0, x.dtype.type(0), x * y)

    def matmul(
        self, a: np.ndarray, b: np.ndarray, turn_a: bool = False, turn_b: bool = False
    ) -> np.ndarray:
        return (a.T if turn_a else a) @ (b.T if turn_b else b)

    def matvec(self, a: np.ndarray, x: np.ndarray, turned: bool = False) -> np.ndarray:
        return (a.T if turned else a) @ x

    def sparse(self, matrix: sp.csr_array, dtype: str) -> SparseMatrix:
        return SparseMatrix.of(matrix, dtype)

    def sparse_times(
        self,
        matrix: SparseMatrix,
        x: np.ndarray,
        turned: bool = False,
        values: np.ndarray | None = None,
    ) -> np.ndarray:
        return matrix.times(x, turned, values)

    # -- batches --------------------------------------------------------------------------------

    def stretches(self, table: np.ndarray, batch: int) -> tuple[Sequence[int], Sequence[int]]:
        begin = table[batch, :, 0]
        return begin.tolist(), (table[batch + 1, :, 0] - begin).tolist()

    def cut(self, data: np.ndarray, begin: int, length: int) -> np.ndarray:
        return data[begin : begin + length]

    def number(self, length: int) -> int:
        return length

    def loop(self, first: int, last: int, start: Any, body: Callable[[Any, Any], Any]) -> Any:
        for batch in range(first, last):
            start = body(batch, start)
        return start

    def compiled(self, function: Callable[..., Any]) -> Callable[..., np.ndarray]:
        keep_freed_memory()

        def run(*numbers: int) -> np.ndarray:
            with one_thread(), np.errstate(all="ignore"):
                return function(*numbers)

        return run

    compiled_loops = compiled


NUMPY_ARRAYS = NumpyArrays()
