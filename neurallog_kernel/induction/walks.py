"""Exact counts of closed paths: sparse products that count every body, for all heads at once.

A path from X to Y of the steps b1, b2, b3 is the body `b1(X, A), b2(A, B), b3(B, Y)`. All its
variables stand for different entities: otherwise `h(X, Y) :- h(X, A), h(B, A), h(B, Y)` would hold
for every fact with A = Y and B = X, and a fact would prove itself.

A path read backwards is the same body with X and Y exchanged. Only one of the two is walked; heads
are looked up in both directions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from neurallog_kernel.induction.graph import Graph
from neurallog_kernel.induction.pairs import PairIndex, entry_keys, pairs_of_steps

CHUNK = 2_000_000  # walks of one product, which bounds its memory
WIDE = 4  # columns for each walk, from which on a product is made narrower


@dataclass(frozen=True, eq=False)
class WalkCounts:
    """The counts of the bodies that begin alike and end in `inverse[g]` for each g of `lasts`.

    `sizes[g]` pairs are reached; `counts[code, g]` of these have a code of the pair table.
    `own_reverse[g]`: the body is the same when X and Y are exchanged.
    """

    begin: tuple[int, ...]
    lasts: np.ndarray
    sizes: np.ndarray
    counts: np.ndarray
    own_reverse: np.ndarray
    walks: int


class Walks:
    """Counts bodies of up to three steps from some first entities (all, or a sample)."""

    def __init__(self, graph: Graph, pairs: PairIndex, rows: np.ndarray | None = None) -> None:
        self.graph, self.pairs = graph, pairs
        self.rows = np.arange(graph.size) if rows is None else np.sort(rows)
        self.all = Stacked(graph)

    def cost(self, length: int) -> np.ndarray:
        """For each entity how many walks begin there at most, found from the degrees alone."""
        count = np.ones(self.graph.size)
        for _ in range(length):
            count = self.all.after(count)
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
                last = inverse[step : step + 1]
                yield WalkCounts((), last, np.array([len(keys)]), counts, alike, len(keys))

    def length_two(self, first: int) -> Iterator[WalkCounts]:
        """Bodies (first, b2)."""
        begin = self.graph.between[first][self.rows]
        onto = self.all.from_last(first)
        yield self._sum((first,), self._products(begin, onto))

    def length_three(self, first: int, wanted: Callable[[int], bool]) -> Iterator[WalkCounts]:
        """Bodies (first, b2, b3), a block for each b2."""
        graph = self.graph
        begin = graph.between[first][self.rows]
        onto = self.all.from_last(first)
        for second in range(len(graph.steps)):
            if wanted(second):
                middle = _off(begin @ graph.between[second], self.rows)
                if middle.nnz:
                    yield self._sum(
                        (first, second), self._three(first, second, begin, middle, onto)
                    )

    # -- products -------------------------------------------------------------------------------

    def _products(self, begin: Any, onto: Any) -> Iterator[tuple[np.ndarray, np.ndarray, int]]:
        for some, walks in self._chunks(begin, np.diff(onto.indptr)):
            product = _narrow(begin[some], onto, walks)
            yield (*self._reached(product, self.rows[some]), walks)

    def _three(
        self, first: int, second: int, begin: Any, middle: Any, onto: Any
    ) -> Iterator[tuple[np.ndarray, np.ndarray, int]]:
        """Walks x, a, b, y. `middle` has b != x already. Walks with a = y are taken away: from
        each (x, y) of the first step the ways from y to some b and back to y, but not by b = x."""
        graph = self.graph
        back = self.all.there_and_back(second)  # for each y and g: ways y -> b -> y
        onto = sp.vstack([onto, -_shifted(back, graph.size, first)], format="csr")
        both: Any = sp.hstack([middle, begin], format="csr")
        turned = begin.multiply(graph.between[graph.inverse[second]][self.rows])
        returns = self.all.steps_of(turned, self.rows, first) if turned.nnz else None
        for some, walks in self._chunks(both, np.diff(onto.indptr)):
            product = both[some] @ onto
            if returns is not None:
                product = product + returns[some]
            yield (*self._reached(product, self.rows[some]), walks)

    def _chunks(self, begin: Any, degrees: np.ndarray) -> Iterator[tuple[slice, int]]:
        """Rows whose walks together are about a chunk; a row with more is a chunk of its own."""
        per_entry = np.concatenate([[0], np.cumsum(degrees[begin.indices], dtype=np.int64)])
        upto = per_entry[begin.indptr]  # walks of the rows before each row
        start, last = 0, len(upto) - 1
        while start < last:
            end = int(np.searchsorted(upto, upto[start] + CHUNK, side="right")) - 1
            end = min(max(end, start + 1), last)
            if upto[end] > upto[start]:
                yield slice(start, end), int(upto[end] - upto[start])
            start = end

    def _reached(self, product: Any, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Key of the pair and last step of every entry that is a proof."""
        size = self.graph.size
        first = np.repeat(rows, np.diff(product.indptr)).astype(np.int64)
        last, second = np.divmod(product.indices.astype(np.int64), size)
        there = (product.data > 0.5) & (first != second)
        return (first * size + second)[there], last[there]

    # -- counts ---------------------------------------------------------------------------------

    def _sum(
        self, begin: tuple[int, ...], parts: Iterator[tuple[np.ndarray, np.ndarray, int]]
    ) -> WalkCounts:
        number = len(self.graph.steps)
        sizes = np.zeros(number, dtype=np.int64)
        counts = np.zeros((self.pairs.number, number), dtype=np.int64)
        walks = 0
        for keys, lasts, some in parts:
            sizes += np.bincount(lasts, minlength=number)
            counts += self.pairs.count(keys, lasts, number)
            walks += some
        first = begin[0]
        inverse = self.graph.inverse
        used = np.arange(number) >= first
        alike = np.arange(number) == first
        if len(begin) == 2:
            second = begin[1]
            used &= ~alike | (second <= inverse[second])
            alike &= second == inverse[second]
        lasts = np.flatnonzero(used & (sizes > 0))
        return WalkCounts(begin, lasts, sizes[lasts], counts[:, lasts], alike[lasts], walks)


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


def _off(matrix: Any, rows: np.ndarray) -> Any:
    """Existence of each entry, without those that come back to the entity they began at."""
    matrix = sp.csr_array(matrix)
    first = np.repeat(rows, np.diff(matrix.indptr))
    matrix.data[first == matrix.indices] = 0
    matrix.eliminate_zeros()
    return matrix


def _shifted(back: Any, size: int, first: int) -> Any:
    """Entries (y, g) at the column of g and y, for g from `first` on."""
    rows = np.repeat(np.arange(back.shape[0]), np.diff(back.indptr)).astype(np.int64)
    kept = back.indices >= first
    columns = back.indices[kept].astype(np.int64) * size + rows[kept]
    shape = (back.shape[0], back.shape[1] * size)
    return sp.csr_array((back.data[kept], (rows[kept], columns)), shape=shape)


class Stacked:
    """All steps beside each other: column `g * size + y` is the end y of the step inverse[g]."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        parts = [graph.between[int(step)] for step in graph.inverse]
        empty = sp.csr_array((graph.size, 0), dtype=np.float32)
        self.matrix = sp.csr_array(sp.hstack(parts, format="csr")) if parts else empty
        self.matrix.sort_indices()
        self._back: dict[int, Any] = {}

    @cached_property
    def pairs(self) -> PairIndex:
        return pairs_of_steps(self.graph, self.graph.between)

    def after(self, count: np.ndarray) -> np.ndarray:
        """For each entity the sum of `count` over all that a step leads to."""
        columns = self.matrix.indices % max(self.graph.size, 1)
        sums = np.concatenate([[0.0], np.cumsum(count[columns])])
        return sums[self.matrix.indptr[1:]] - sums[self.matrix.indptr[:-1]]

    def from_last(self, first: int) -> Any:
        """Only the steps whose inverse is `first` or comes after it."""
        if first == 0:
            return self.matrix
        kept = self.matrix.indices >= first * self.graph.size
        upto = np.concatenate([[0], np.cumsum(kept)])
        return sp.csr_array(
            (self.matrix.data[kept], self.matrix.indices[kept], upto[self.matrix.indptr]),
            shape=self.matrix.shape,
        )

    def there_and_back(self, second: int) -> Any:
        """For each entity y and each g the ways y -> b by `second` and b -> y by inverse[g]: as
        many as entities b to which both `second` and g lead from y."""
        if second not in self._back:
            keys = entry_keys(self.graph.between[second], np.arange(self.graph.size))
            there, found = self.pairs.find(keys)
            which, steps = self.pairs.expand(found)
            rows = keys[there][which] // self.graph.size
            shape = (self.graph.size, len(self.graph.steps))
            data = np.ones(len(rows), dtype=np.float32)
            self._back[second] = sp.csr_array((data, (rows, steps)), shape=shape)
        return self._back[second]

    def steps_of(self, turned: Any, rows: np.ndarray, first: int) -> Any:
        """For each entry (x, y) the columns of all steps from x to y."""
        size = self.graph.size
        keys = entry_keys(turned, rows)
        there, found = self.pairs.find(keys)
        which, steps = self.pairs.expand(found)
        row = np.repeat(np.arange(len(rows)), np.diff(turned.indptr))[there][which]
        last = self.graph.inverse[steps]
        kept = last >= first
        columns = (last * size + keys[there][which] % size)[kept]
        data = np.ones(len(columns), dtype=np.float32)
        shape = (len(rows), size * len(self.graph.steps))
        return sp.csr_array((data, (row[kept], columns)), shape=shape)
