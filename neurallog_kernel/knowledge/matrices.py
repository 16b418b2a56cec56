"""Facts as sparse matrices and vectors, which share their arrays with the facts they come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from neurallog_kernel.language.syntax import Signature


@dataclass(frozen=True, eq=False)
class Matrix:
    """One part of a relation in CSR form, with its transpose made when first asked for.

    `weights` may be one number seen as an array (stride 0): most facts carry no weight, and ten
    million ones are eighty megabytes. For the same reason `csr`, which needs them, is not kept.
    """

    shape: tuple[int, int]
    starts: np.ndarray  # where each row starts, and the end of the last one
    columns: np.ndarray  # int32, ascending within a row
    weights: np.ndarray  # float64

    @property
    def count(self) -> int:
        return len(self.columns)

    @property
    def is_uniform(self) -> bool:
        """Whether all weights are one number that is stored once."""
        return self.weights.strides == (0,)

    @property
    def csr(self) -> sp.csr_array:
        data = np.ascontiguousarray(self.weights)
        return sp.csr_array((data, self.columns, self.starts), shape=self.shape)

    @cached_property
    def transposed(self) -> Matrix:
        marks = np.ones(self.count, np.int8) if self.is_uniform else self.weights
        turned = sp.csr_array((marks, self.columns, self.starts), shape=self.shape).T.tocsr()
        return _matrix(turned, self.weights[:1] if self.is_uniform else None)

    @cached_property
    def column_sums(self) -> np.ndarray:
        weights = None if self.is_uniform else self.weights
        sums = np.bincount(self.columns, weights=weights, minlength=self.shape[1])
        return sums * self.weights[0] if self.is_uniform and self.count else sums.astype(float)

    def entry(self, row: int, column: int) -> float:
        if row >= self.shape[0]:  # an entity that came after the matrix was built
            return 0.0
        start, end = self.starts[row], self.starts[row + 1]
        place = start + np.searchsorted(self.columns[start:end], column)
        there = place < end and self.columns[place] == column
        return float(self.weights[place]) if there else 0.0

    def diagonal(self) -> tuple[np.ndarray, np.ndarray]:
        """Indexes and weights of the entries (e, e)."""
        rows = np.repeat(np.arange(self.shape[0]), np.diff(self.starts))
        there = np.flatnonzero(rows == self.columns)
        return rows[there], self.weights[there]

    @property
    def arrays(self) -> list[np.ndarray]:
        """What it holds in memory, its transpose included if it was made."""
        own = [self.starts, self.columns, self.weights]
        return own + (self.transposed.arrays if "transposed" in self.__dict__ else [])


class Relation(Protocol):
    """The facts of a binary predicate, wherever they are. Matrices have the entities of the first
    place as rows, `inverted` ones those of the second."""

    @property
    def signature(self) -> Signature: ...

    @property
    def count(self) -> int:
        """How many facts there are."""
        ...

    def rows_of(self, indexes: np.ndarray, inverted: bool) -> tuple[Matrix, ...]:
        """Matrices whose sum has all facts of these entities; their other rows mean nothing."""
        ...

    def matrices(self, inverted: bool) -> tuple[Matrix, ...]:
        """Matrices whose sum has all facts. Those of a large table are not taken into memory: that
        is an error."""
        ...

    def column_sums(self, inverted: bool) -> Sequence[np.ndarray]:
        """Arrays whose sum has, for each entity that a vector is led to, the sum of the weights of
        its facts; an array may have fewer entries than there are entities."""
        ...

    def entry(self, row: int, column: int) -> float:
        """The weight of one fact, 0 where there is none."""
        ...

    def diagonal(self) -> tuple[np.ndarray, np.ndarray]:
        """Indexes and weights of the facts `p(e, e)`."""
        ...


@dataclass(frozen=True, eq=False)
class LoadedRelation:
    """The facts of a binary predicate in memory: the sum of its parts."""

    signature: Signature
    parts: tuple[Matrix, ...]

    @property
    def count(self) -> int:
        return sum(part.count for part in self.parts)

    def transposed_parts(self) -> tuple[Matrix, ...]:
        return tuple(part.transposed for part in self.parts)

    def matrices(self, inverted: bool) -> tuple[Matrix, ...]:
        """What a vector of one argument is multiplied by."""
        return self.transposed_parts() if inverted else self.parts

    def rows_of(self, indexes: np.ndarray, inverted: bool) -> tuple[Matrix, ...]:
        """All facts: they are there."""
        return self.transposed_parts() if inverted else self.parts

    def column_sums(self, inverted: bool) -> Sequence[np.ndarray]:
        return [part.column_sums for part in self.matrices(inverted)]

    def entry(self, row: int, column: int) -> float:
        return sum(part.entry(row, column) for part in self.parts)

    def diagonal(self) -> tuple[np.ndarray, np.ndarray]:
        """Indexes and weights of the facts `p(e, e)`."""
        found = [part.diagonal() for part in self.parts]
        if not found:
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        indexes, weights = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        order = np.argsort(indexes)  # a fact is in one part only
        return indexes[order], weights[order]

    @property
    def nbytes(self) -> int:
        return array_bytes([array for part in self.parts for array in part.arrays])


@dataclass(frozen=True, eq=False)
class FactVector:
    """The facts of a unary predicate, or an attribute's weight and value: entries at indexes."""

    signature: Signature
    indexes: np.ndarray  # int64, ascending
    weights: np.ndarray
    values: np.ndarray | None = None  # of an attribute


def matrix_of(
    rows: np.ndarray, columns: np.ndarray, weights: np.ndarray, shape: tuple[int, int], sorted: bool
) -> Matrix:
    """The matrix with these entries, no place twice; `sorted` if they are so already."""
    if sorted:
        counts = np.bincount(rows, minlength=shape[0])
        starts = np.zeros(shape[0] + 1, dtype=np.int32 if len(rows) < 2**31 else np.int64)
        np.cumsum(counts, out=starts[1:])
        return Matrix(shape, starts, columns, weights)
    uniform = weights.strides == (0,)
    marks = np.ones(len(rows), np.int8) if uniform else weights
    made = sp.csr_array(sp.coo_array((marks, (rows, columns)), shape=shape))
    return _matrix(made, weights[:1] if uniform else None)


def _matrix(made: Any, one: np.ndarray | None) -> Matrix:
    made.sort_indices()
    starts, columns = np.asarray(made.indptr), np.asarray(made.indices)
    weights = np.asarray(made.data)
    if one is not None:
        weights = np.broadcast_to(one[0] if len(one) else np.float64(1.0), len(columns))
    return Matrix(made.shape, starts, columns, weights)


def array_bytes(arrays: list[np.ndarray]) -> int:
    """The memory behind these arrays, what they share counted once."""
    owners = {}
    for array in arrays:
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        owners[id(owner)] = owner.nbytes if owner.strides != (0,) else owner.itemsize
    return sum(owners.values())
