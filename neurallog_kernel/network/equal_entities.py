"""Entities that a dense value cannot tell apart: one entry is kept for each class of them.

Papers with the same author all get the same value through `author`; every function of it, and every
product with it, needs computing once for the author and not for each of the papers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

WORTH_IT = 0.75  # classes an entity up to which moving entries about costs less than it saves


@dataclass(frozen=True, eq=False)
class Classes:
    """The class of each entity, numbered by first appearance: equal divisions have equal arrays."""

    of: np.ndarray
    count: int

    @cached_property
    def members(self) -> np.ndarray:
        """How many entities are in each class."""
        return np.bincount(self.of, minlength=self.count)

    @cached_property
    def first(self) -> np.ndarray:
        """An entity of each class."""
        return np.unique(self.of, return_index=True)[1]

    def same(self, other: Classes | None) -> bool:
        return self is other or (other is not None and np.array_equal(self.of, other.of))


def numbered(labels: np.ndarray) -> Classes | None:
    """Classes of equal labels; None if there are hardly fewer of them than entities."""
    found, first, of = np.unique(labels, return_index=True, return_inverse=True)
    if len(found) > WORTH_IT * len(labels):
        return None
    place = np.empty(len(found), dtype=np.int64)
    place[np.argsort(first)] = np.arange(len(found))
    return Classes(place[of.reshape(-1)], len(found))


def joint(parts: Sequence[Classes | None]) -> Classes | None:
    """Entities that are together in every one of the divisions; None if one divides them all."""
    if any(part is None for part in parts):
        return None
    return reduce(_both, parts)


def _both(left: Classes | None, right: Classes | None) -> Classes | None:
    if left is None or right is None or left.same(right):
        return left and right
    return numbered(left.of * right.count + right.of)


def equal_columns(matrix: sp.csr_array) -> Classes | None:
    """Columns with the same entries."""
    by_column = sp.csc_array(matrix)
    by_column.sort_indices()
    starts = [int(start) for start in by_column.indptr]
    seen: dict[tuple[bytes, bytes], int] = {}
    labels = [
        seen.setdefault(
            (by_column.indices[a:b].tobytes(), by_column.data[a:b].tobytes()), len(seen)
        )
        for a, b in pairwise(starts)
    ]
    return numbered(np.array(labels, dtype=np.int64))


def summed_rows(matrix: sp.csr_array, classes: Classes) -> sp.csr_array:
    """One row for each class: the sum of the rows of its members."""
    ones = np.ones(len(classes.of))
    sums = sp.csr_array(
        (ones, (classes.of, np.arange(len(classes.of)))), shape=(classes.count, len(classes.of))
    )
    return sp.csr_array(sums @ matrix)
