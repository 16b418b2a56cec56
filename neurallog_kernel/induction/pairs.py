"""Which heads a pair of entities is an example of, for millions of pairs at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from neurallog_kernel.induction.graph import Graph, positions
from neurallog_kernel.induction.heads import Head

SMALL = 4_000  # entities up to which a table of all pairs is kept
FEW_CELLS = 1_000_000  # of a table of all pairs, which is made for any number of keys
_BITS = 24
_ODD = np.uint64(0x9E3779B97F4A7C15)  # spreads keys evenly (Knuth's multiplicative hashing)

RIGHT, RIGHT_BACK, WRONG, WRONG_BACK, HELD, HELD_BACK, HELD_WRONG, HELD_WRONG_BACK = range(8)
CODES = 8  # of each head


class PairIndex:
    """What is known of pairs of entities: a key is `first * size + second`, a code any number."""

    def __init__(self, size: int, number: int, keys: np.ndarray, codes: np.ndarray) -> None:
        self.size = size
        self.number = number  # of codes
        order = np.lexsort((codes, keys))
        keys, codes = keys[order], codes[order]
        new = np.ones(len(keys), dtype=bool)
        new[1:] = (keys[1:] != keys[:-1]) | (codes[1:] != codes[:-1])
        keys, self._codes = keys[new], codes[new]
        self._keys, starts = np.unique(keys, return_index=True)
        self._starts = np.append(starts, len(keys))
        self._table: np.ndarray | None = None
        if size <= SMALL:
            self._table = np.full(size * size, -1, dtype=np.int32)
            self._table[self._keys] = np.arange(len(self._keys))
        else:
            self._marks = np.zeros(1 << _BITS, dtype=bool)
            self._marks[_slot(self._keys)] = True

    @property
    def size_of_squares(self) -> int:
        """How many pairs of codes the known pairs have."""
        return int((np.diff(self._starts).astype(np.int64) ** 2).sum())

    def every(self) -> tuple[np.ndarray, np.ndarray]:
        """The key and the code of each entry."""
        return np.repeat(self._keys, np.diff(self._starts)), self._codes

    def find(self, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which of the keys are known pairs, and the number of each of these."""
        if self._table is not None:
            found = self._table[keys]
            there = np.flatnonzero(found >= 0)
            return there, found[there]
        there = np.flatnonzero(self._marks[_slot(keys)])
        found = positions(self._keys, keys[there])
        return there[found >= 0], found[found >= 0]

    def expand(self, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All codes of some pairs: which pair each belongs to, and the code."""
        counts = self._starts[pairs + 1] - self._starts[pairs]
        which = np.repeat(np.arange(len(pairs)), counts)
        first = np.repeat(self._starts[pairs] - np.cumsum(counts) + counts, counts)
        return which, self._codes[first + np.arange(len(which))]

    def count(self, keys: np.ndarray, groups: np.ndarray, number: int) -> np.ndarray:
        """For each code and each group, how many of the keys have the code."""
        there, pairs = self.find(keys)
        which, codes = self.expand(pairs)
        flat = codes * number + groups[there][which]
        return np.bincount(flat, minlength=self.number * number).reshape(self.number, number)


def _slot(keys: np.ndarray) -> np.ndarray:
    return (keys.astype(np.uint64) * _ODD) >> np.uint64(64 - _BITS)


def pairs_of_heads(graph: Graph, heads: Sequence[Head]) -> PairIndex:
    """The code `CODES * head + RIGHT` where the pair is an example of the head, `RIGHT_BACK` where
    the turned pair is, `WRONG` and `WRONG_BACK` for listed negatives, those with `HELD` for
    examples that are held out.

    A head whose examples are symmetric has no codes for turned pairs: each rule would be found
    twice.
    """
    keys, codes = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for number, head in enumerate(heads):
        if len(head.right) == 2:
            symmetric = False
            parts = (
                (RIGHT, head.right, ~head.held_right),
                (WRONG, head.wrong, ~head.held_wrong),
                (HELD, head.right, head.held_right),
                (HELD_WRONG, head.wrong, head.held_wrong),
            )
            for kind, columns, chosen in parts:
                first, second = (graph.index(column[chosen]) for column in columns)
                there = (first >= 0) & (second >= 0) & (first != second)
                ahead = first[there] * graph.size + second[there]
                back = second[there] * graph.size + first[there]
                if kind == RIGHT and not (head.is_listed or head.held_right.any()):
                    symmetric = np.array_equal(np.unique(ahead), np.unique(back))
                for turned, own in ((0, ahead), (1, back)):
                    if not (turned and symmetric):
                        keys.append(own)
                        codes.append(np.full(len(own), CODES * number + kind + turned))
    return PairIndex(graph.size, CODES * len(heads), np.concatenate(keys), np.concatenate(codes))


def pairs_of_steps(graph: Graph, matrices: Sequence[Any], rows: np.ndarray) -> PairIndex:
    """For each pair of entities the steps that lead from the first, one of the rows, to the second,
    by the matrices of the graph or by those between different entities."""
    keys, codes = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for number, matrix in enumerate(matrices):
        own = entry_keys(matrix if len(rows) == graph.size else matrix[rows], rows)
        keys.append(own)
        codes.append(np.full(len(own), number))
    number = len(graph.steps)
    return PairIndex(graph.size, number, np.concatenate(keys), np.concatenate(codes))


def distinct_keys(keys: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Each of some keys once, ascending, and for each of all where it stands there: without sorting
    them, where a table of all pairs is not much larger.

    >>> keys = np.array([3, 0, 3])
    >>> [part.tolist() for part in distinct_keys(keys, 2)]
    [[0, 3], [1, 0, 1]]
    """
    if size * size > 4 * len(keys) + FEW_CELLS:
        return np.unique(keys, return_inverse=True)
    there = np.zeros(size * size, dtype=bool)
    there[keys] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[keys]


def entry_keys(matrix: Any, rows: np.ndarray) -> np.ndarray:
    """The keys of the entries of a square matrix, or of these rows of one."""
    first = np.repeat(rows, np.diff(matrix.indptr)).astype(np.int64)
    return first * matrix.shape[1] + matrix.indices
