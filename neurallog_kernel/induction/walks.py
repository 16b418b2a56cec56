"""Exact counts of closed paths: sparse products that count every body, for all heads at once.

A path from X to Y of the steps b1, b2, b3 is the body `b1(X, A), b2(A, B), b3(B, Y)`. All its
variables stand for different entities: otherwise `h(X, Y) :- h(X, A), h(B, A), h(B, Y)` would hold
for every fact with A = Y and B = X, and a fact would prove itself.

A path read backwards is the same body with X and Y exchanged. Only one of the two is walked; heads
are looked up in both directions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from neurallog_kernel.induction.graph import Graph
from neurallog_kernel.induction.pairs import PairIndex, entry_keys
from neurallog_kernel.induction.stacked import Stacked

CHUNK = 500_000  # walks of one product, which bounds its memory
CELLS = 4_000_000  # of a table of counts
WIDE = 4  # columns for each walk, from which on a product is made narrower
_Reached: TypeAlias = tuple[np.ndarray, np.ndarray, int]  # keys of pairs, last steps, walks


@dataclass(frozen=True, eq=False)
class WalkCounts:
    """The counts of some bodies: body k begins with the steps `begins[k]` and ends in
    `inverse[lasts[k]]`.

    `sizes[k]` pairs are reached; `counts[code, k]` of these have a code of the pair table.
    `own_reverse[k]`: the body is the same when X and Y are exchanged.
    """

    begins: np.ndarray
    lasts: np.ndarray
    sizes: np.ndarray
    counts: np.ndarray
    own_reverse: np.ndarray
    walks: int

    @property
    def length(self) -> int:
        return self.begins.shape[1] + 1


class Walks:
    """Counts bodies of up to three steps from some first entities (all, or a sample)."""

    def __init__(self, graph: Graph, pairs: PairIndex, all: Stacked, rows: np.ndarray) -> None:
        self.graph, self.pairs, self.all, self.rows = graph, pairs, all, rows

    @staticmethod
    def of(graph: Graph, pairs: PairIndex) -> Walks:
        """Of all entities."""
        return Walks(graph, pairs, Stacked(graph), np.arange(graph.size))

    def among(self, rows: np.ndarray, length: int) -> Walks:
        """Those that begin at some entities; what no path of the length reaches is left out."""
        rows = np.sort(rows)
        return Walks(self.graph, self.pairs, Stacked(self.graph, rows, length), rows)

    def cost(self, length: int) -> np.ndarray:
        """For each entity how many walks begin there at most, found from the degrees alone."""
        count = np.ones(self.graph.size)
        for _ in range(length):
            count = self.graph.after(count)
        return count

    def length_one(self) -> Iterator[WalkCounts]:
        """Bodies of one literal."""
        inverse = self.graph.inverse
        for step in range(len(self.graph.steps)):
            if step <= inverse[step]:
                matrix = self.graph.between[step][self.rows]
                keys = entry_keys(matrix, self.rows)
                counts = self.pairs.count(keys, np.zeros(len(keys), dtype=np.int64), 1)
                alike = np.array([step == inverse[step]])
                begins, last = np.zeros((1, 0), dtype=np.int64), inverse[step : step + 1]
                size = np.array([len(keys)])
                yield WalkCounts(begins, last, size, counts, alike, len(keys))

    def length_two(self, first: int) -> Iterator[WalkCounts]:
        """Bodies (first, b2)."""
        begin = self.graph.between[first][self.rows]
        onto = self.all.from_last(first)
        yield self._sum(np.array([[first]]), self._products(begin, onto))

    def length_three(self, first: int) -> Iterator[WalkCounts]:
        """Bodies (first, b2, b3), a block for each b2 or for some."""
        begin = self.graph.between[first][self.rows]
        if begin.nnz:
            onto = self.all.from_last(first)
            for seconds in self.all.together:
                yield from self._three(first, seconds, begin, onto)

    # -- products -------------------------------------------------------------------------------

    def _products(self, begin: Any, onto: Any) -> Iterator[_Reached]:
        for some, walks in _chunks(_walks_before(begin, onto)):
            product = _narrow(begin[some], onto, walks)
            yield (*self._reached(product, self.rows[some]), walks)

    def _three(
        self, first: int, seconds: np.ndarray, begin: Any, onto: Any
    ) -> Iterator[WalkCounts]:
        """Walks x, a, b, y; a row for each second step and each x. The walks x, a, b have b != x.
        Walks with a = y are taken away: from each (x, y) of the first step the ways from y to some
        b and back to y, but not by b = x."""
        rows = len(self.rows)
        middle = self.all.two_steps(begin, seconds, self.rows)
        left: Any = sp.hstack([middle, _diagonally(begin, len(seconds))], format="csr")
        onto = sp.vstack([onto, -self.all.there_and_back(seconds, first)], format="csr")
        again = self.all.steps_back(begin, seconds, self.rows, first)
        before = _walks_before(left, onto)
        for start, end in self._some_seconds(np.diff(before[::rows])):
            own = slice(start * rows, end * rows)
            begins = np.column_stack([np.full(end - start, first), seconds[start:end]])
            upto = before[own.start : own.stop + 1]
            if upto[-1] > upto[0]:
                parts = self._three_parts(left[own], onto, again[own], upto)
                yield self._sum(begins, parts)

    def _three_parts(
        self, left: Any, onto: Any, again: Any, before: np.ndarray
    ) -> Iterator[_Reached]:
        rows, number = len(self.rows), len(self.graph.steps)
        for some, walks in _chunks(before):
            product = left[some] @ onto
            if again.nnz:
                product = product + again[some]
            second, place = np.divmod(np.arange(some.start, some.stop), rows)
            keys, lasts = self._reached(product, self.rows[place], second * number)
            yield keys, lasts, walks

    def _some_seconds(self, walks: np.ndarray) -> Iterator[tuple[int, int]]:
        """From which second step to which, so that the walks are about a chunk and the tables of
        their counts are not large."""
        most = max(1, CELLS // (self.pairs.number * len(self.graph.steps)))
        start = 0
        while start < len(walks):
            upto = np.cumsum(walks[start : start + most])
            end = start + max(1, int(np.searchsorted(upto, CHUNK, side="right")))
            yield start, end
            start = end

    def _reached(
        self, product: Any, rows: np.ndarray, groups: np.ndarray | int = 0
    ) -> tuple[np.ndarray, np.ndarray]:
        """Key of the pair and last step of every entry that is a proof; `groups` is added to the
        steps of each row."""
        size = self.graph.size
        there = np.flatnonzero(product.data > 0.5)
        row = np.repeat(np.arange(len(rows), dtype=np.int32), np.diff(product.indptr))[there]
        last, second = np.divmod(product.indices[there], np.int32(size))
        first = rows[row]
        apart = first != second
        if not isinstance(groups, int):
            last = last + groups[row]
        return (first * size + second)[apart], last[apart]

    # -- counts ---------------------------------------------------------------------------------

    def _sum(self, begins: np.ndarray, parts: Iterator[_Reached]) -> WalkCounts:
        """The counts of the bodies with these beginnings; those that a turned body stands for are
        left out."""
        number = len(self.graph.steps)
        groups = len(begins) * number
        sizes = np.zeros(groups, dtype=np.int64)
        counts = np.zeros((self.pairs.number, groups), dtype=np.int64)
        walks = 0
        for keys, own, some in parts:
            sizes += np.bincount(own, minlength=groups)
            counts += self.pairs.count(keys, own, groups)
            walks += some
        inverse = self.graph.inverse
        which, lasts = np.divmod(np.arange(groups), number)
        first = begins[which, 0]
        used, alike = lasts >= first, lasts == first
        if begins.shape[1] == 2:
            second = begins[which, 1]
            used &= ~alike | (second <= inverse[second])
            alike &= second == inverse[second]
        kept = np.flatnonzero(used & (sizes > 0))
        own = begins[which[kept]]
        return WalkCounts(own, lasts[kept], sizes[kept], counts[:, kept], alike[kept], walks)


def _walks_before(begin: Any, onto: Any) -> np.ndarray:
    """How many walks a product sums up in the rows before each row, and in all."""
    degrees = np.diff(onto.indptr)
    per_entry = np.concatenate([[0], np.cumsum(degrees[begin.indices], dtype=np.int64)])
    return per_entry[begin.indptr]


def _chunks(before: np.ndarray) -> Iterator[tuple[slice, int]]:
    """Rows whose walks together are about a chunk; a row with more is a chunk of its own."""
    start, last = 0, len(before) - 1
    while start < last:
        end = int(np.searchsorted(before, before[start] + CHUNK, side="right")) - 1
        end = min(max(end, start + 1), last)
        if before[end] > before[start]:
            yield slice(start, end), int(before[end] - before[start])
        start = end


def _narrow(begin: Any, onto: Any, walks: int) -> Any:
    """The product of two matrices, the second of which has far more columns than the product has
    entries: a product pays for each column."""
    if onto.shape[1] < WIDE * walks:
        return begin @ onto
    used, where = np.unique(begin.indices, return_inverse=True)
    some = onto[used]
    columns, places = np.unique(some.indices, return_inverse=True)
    left = sp.csr_array((begin.data, where, begin.indptr), shape=(begin.shape[0], len(used)))
    right = sp.csr_array((some.data, places, some.indptr), shape=(len(used), len(columns)))
    found: Any = left @ right
    shape = (begin.shape[0], onto.shape[1])
    return sp.csr_array((found.data, columns[found.indices], found.indptr), shape=shape)


def _diagonally(matrix: Any, number: int) -> Any:
    """A matrix again and again, each beside and below the one before."""
    size, many = matrix.shape[1], np.arange(number)[:, None]
    indices = (matrix.indices + size * many).ravel()
    upto = np.append(0, (matrix.indptr[1:] + matrix.nnz * many).ravel())
    shape = (number * matrix.shape[0], number * size)
    return sp.csr_array((np.tile(matrix.data, number), indices, upto), shape=shape)
