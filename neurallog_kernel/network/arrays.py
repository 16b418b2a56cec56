"""The few operations on arrays that a network is made of, as TensorFlow and NumPy have them.

A network is written once, with these. TensorFlow compiles them, which pays for large programs;
NumPy runs them at once, which is all that a small program needs, and starts without a wait.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from neurallog_kernel.network.numpy_arrays import NUMPY_ARRAYS
from neurallog_kernel.network.tensorflow_arrays import TENSORFLOW_ARRAYS

NUMPY, TENSORFLOW = NUMPY_ARRAYS.name, TENSORFLOW_ARRAYS.name


class Arrays(Protocol):
    """What computes: arrays of one kind, and the operations on them."""

    name: str
    compiling: int  # to compile a part takes as long as to compute it so many times without rows

    # -- making ---------------------------------------------------------------------------------

    def variable(self, values: np.ndarray, name: str) -> Any:
        """A learned variable, with `numpy()`, `assign(values)` and `shape`."""
        ...

    def stored(self, known: Any, data: Any) -> Any:
        """A variable that holds data of any length; the `known` one with new data, if there is
        one."""
        ...

    def opened(self, stored: Any) -> Any:
        """What a stored variable holds, to be cut."""
        ...

    def read(self, variable: Any) -> Any: ...
    def constant(self, data: np.ndarray, dtype: str | None = None) -> Any: ...
    def whole(self, number: int) -> Any:
        """One whole number, as an array of one entry."""
        ...

    def ones(self, number: int, dtype: Any) -> Any: ...
    def zeros(self, number: int, dtype: str) -> Any: ...
    def ones_like(self, x: Any) -> Any: ...
    def zeros_like(self, x: Any) -> Any: ...
    def numpy(self, x: Any) -> np.ndarray: ...

    # -- moving ---------------------------------------------------------------------------------

    def gather(self, x: Any, index: Any) -> Any:
        """Entries, or rows, by position."""
        ...

    def add_up(self, x: Any, index: Any, size: Any) -> Any:
        """Entries, or rows, added up at the positions they go to."""
        ...

    def reshape(self, x: Any, *shape: int) -> Any: ...
    def reshape_like(self, x: Any, like: Any) -> Any: ...
    def transpose(self, x: Any) -> Any: ...
    def broadcast(self, x: Any, *shape: Any) -> Any: ...
    def broadcast_like(self, x: Any, like: Any) -> Any: ...
    def concat(self, parts: Sequence[Any]) -> Any: ...
    def split(self, x: Any, sizes: Sequence[int]) -> Sequence[Any]: ...
    def size(self, x: Any) -> Any: ...

    # -- computing ------------------------------------------------------------------------------

    def add(self, parts: Sequence[Any]) -> Any:
        """Several arrays of one shape."""
        ...

    def clip(self, x: Any, least: Any, most: Any) -> Any: ...
    def squared_difference(self, x: Any, y: Any) -> Any: ...
    def sums(self, x: Any, along: int, keep: bool = False) -> Any: ...
    def multiply_no_nan(self, x: Any, y: Any) -> Any:
        """x times y, and 0 where y is 0, even if x is infinite."""
        ...

    def matmul(self, a: Any, b: Any, turn_a: bool = False, turn_b: bool = False) -> Any: ...
    def matvec(self, a: Any, x: Any, turned: bool = False) -> Any: ...
    def sparse(self, matrix: sp.csr_array, dtype: str) -> Any:
        """A sparse matrix, ready to be multiplied many times."""
        ...

    def sparse_times(self, matrix: Any, x: Any, turned: bool = False, values: Any = None) -> Any:
        """A matrix of `sparse` times a dense one; `values`, in the order of its rows, if they are
        not its own."""
        ...

    # -- batches --------------------------------------------------------------------------------

    def stretches(self, table: Any, batch: Any) -> tuple[Sequence[Any], Sequence[Any]]:
        """Where each feed begins in a batch, and how long it is."""
        ...

    def cut(self, data: Any, begin: Any, length: Any) -> Any: ...
    def number(self, length: Any) -> Any:
        """A length of `stretches` as a plain number."""
        ...

    def loop(self, first: Any, last: Any, start: Any, body: Callable[[Any, Any], Any]) -> Any:
        """`body(batch, so_far)` for each batch from first to last."""
        ...

    def compiled(self, function: Callable[..., Any]) -> Callable[..., np.ndarray]:
        """A function of whole numbers, to be called many times."""
        ...

    def compiled_loops(self, function: Callable[..., Any]) -> Callable[..., np.ndarray]:
        """The same of a function that is a loop, or one after the other, and nothing else."""
        ...


def arrays_of(x: Any) -> Arrays:
    """Whose array it is."""
    return NUMPY_ARRAYS if isinstance(x, np.ndarray | np.generic) else TENSORFLOW_ARRAYS


def arrays_named(name: str) -> Arrays:
    return NUMPY_ARRAYS if name == NUMPY else TENSORFLOW_ARRAYS
