"""Exact counts of closed paths of three steps in a small graph, by words of bits.

For two entities the bodies that lead from one to the other are one row of bits. So the bodies that
begin with a step from x to a are, for all ends y at once, those that lead on from a: their rows are
put together by OR. Counting is adding up bits: of the rows of all pairs for the sizes of bodies, of
the rows of the examples of each head for what they get right.

As in `walks`, all variables stand for different entities. Whether a path b2, b3 leads from a to y
past another entity than x is known beforehand: it is the only other one where the path leads to y
in one way only, and by x.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from neurallog_kernel.induction.bit_sums import BITS, EVEN, WORD, bit_sums, filled_up, packed
from neurallog_kernel.induction.graph import Graph
from neurallog_kernel.induction.pairs import PairIndex
from neurallog_kernel.induction.stacked import Stacked
from neurallog_kernel.induction.walks import WalkCounts

MOST_BITS = 1 << 28  # a bit for each pair of entities and pair of steps: 32 MB
MOST_WALKS = 50_000_000  # of two steps: a second
WORDS_OF_A_WALK = 7  # words that are added up in the time in which `walks` follows one walk
AT_ONCE = 1 << 18  # words that are added up at once: they stay in the cache of a processor


@dataclass(frozen=True, eq=False)
class _Ways:
    """How to go on from one entity a by two steps, where a path may not lead by some entity.

    `rows[y]` has bit `g * number + b2` where b2 leads to some b and from there inverse[g] to y.
    The entries from `starts[x]` on are words in which some paths lead by x only: their places, by
    column and row, and the bits that are left without x.
    """

    rows: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    columns: np.ndarray
    left: np.ndarray


class BitWalks:
    """Counts the bodies of three steps, a block for each first step."""

    def __init__(self, graph: Graph, pairs: PairIndex, all: Stacked) -> None:
        self.graph, self.pairs, self.all = graph, pairs, all
        self.number = len(graph.steps)
        self.words = -(-self.number * self.number // BITS)
        self.height = -(-graph.size // EVEN) * EVEN  # rows of each x, empty ones at the end

    @property
    def is_possible(self) -> bool:
        """Whether the graph is small enough."""
        bits = self.number**2 * self.graph.size**2
        return bits <= MOST_BITS and self._two_steps <= MOST_WALKS

    @property
    def _two_steps(self) -> float:
        once = self.graph.after(np.ones(self.graph.size))
        return float(self.graph.after(once).sum())

    @cached_property
    def cost(self) -> int:
        """Of all blocks together, in walks."""
        return sum(map(self._cost, range(self.number))) + int(self._two_steps) // 4

    def _cost(self, first: int) -> int:
        starts = np.diff(self.graph.between[first].indptr) > 0
        rows = int(starts.sum()) * self.height + len(self._known[0])
        return rows * (self.words - self._word(first)) // WORDS_OF_A_WALK

    def _word(self, first: int) -> int:
        """The first word of the bodies whose last step is turned `first` or one after it."""
        return first * self.number // BITS

    # -- ways to go on --------------------------------------------------------------------------

    @cached_property
    def _ways(self) -> list[_Ways]:
        return list(self._each_way())

    def _each_way(self) -> Iterator[_Ways]:
        graph, number, size = self.graph, self.number, self.graph.size
        base = size + 1  # no two entities are connected in more ways by two steps of one kind
        whole = sp.csr_array(sp.vstack(graph.between, format="csr"))
        ahead = sp.csr_array(
            (base * (whole.indices.astype(np.int64) + 1) + 1, whole.indices, whole.indptr),
            shape=whole.shape,
        )
        onto = self.all.matrix.astype(np.int64)
        bits = np.zeros((size, self.words * BITS), dtype=bool)
        for one in range(size):
            found = sp.csr_array(ahead[one::size] @ onto)
            second = np.repeat(np.arange(number), np.diff(found.indptr))
            last, end = np.divmod(found.indices, size)
            apart = end != one
            end, bit = end[apart], (last * number + second)[apart]
            by, ways = np.divmod(found.data[apart], base)
            bits[:] = False
            bits[end, bit] = True
            rows = packed(bits)
            single = ways == 1
            yield _Ways(rows, *self._without(rows, by[single] - 1, end[single], bit[single]))

    def _without(
        self, rows: np.ndarray, by: np.ndarray, end: np.ndarray, bit: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        """Word for word, by the entity that is left out, what is left of the rows."""
        size, words = self.graph.size, self.words
        key = (by * words + bit // BITS) * size + end
        order = np.argsort(key, kind="stable")
        key = key[order]
        first = np.flatnonzero(np.append(True, key[1:] != key[:-1])[: len(key)])
        masks = WORD.type(1) << (bit[order] % BITS).astype(WORD)
        gone = np.bitwise_or.reduceat(masks, first) if len(first) else masks
        place, end = np.divmod(key[first], size)
        by, column = np.divmod(place, words)
        starts = np.searchsorted(by, np.arange(size + 1))
        return starts, end, column, rows[end, column] & ~gone

    # -- blocks ---------------------------------------------------------------------------------

    def length_three(self, first: int) -> Iterator[WalkCounts]:
        """Bodies (first, b2, b3)."""
        begin = self.graph.between[first]
        starts = np.flatnonzero(np.diff(begin.indptr))
        if not len(starts):
            return
        rows = self._reached(first, starts)
        sizes, counts = self._sizes(rows), self._counts(rows, starts)
        own = slice(
            first * self.number - self._word(first) * BITS,
            self.number**2 - self._word(first) * BITS,
        )
        yield self._block(first, sizes[own], counts[:, own])

    def _reached(self, first: int, starts: np.ndarray) -> np.ndarray:
        """For each x, from which the first step leads on, and each y the bodies from x to y."""
        begin, word = self.graph.between[first], self._word(first)
        found = np.zeros((len(starts), self.height, self.words - word), dtype=WORD)
        for place, x in enumerate(starts.tolist()):
            own = found[place, : self.graph.size]
            for a in begin.indices[begin.indptr[x] : begin.indptr[x + 1]].tolist():
                ways = self._ways[a]
                start, upto = ways.starts[x], ways.starts[x + 1]
                start += np.searchsorted(ways.columns[start:upto], word)
                end, column = ways.ends[start:upto], ways.columns[start:upto] - word
                before = own[end, column]
                own |= ways.rows[:, word:]
                own[end, column] = before | ways.left[start:upto]
            own[x] = 0
        return found

    def _sizes(self, rows: np.ndarray) -> np.ndarray:
        """For each body how many pairs it reaches."""
        most = max(1, AT_ONCE // rows[0].size)
        total = np.zeros(rows.shape[2] * BITS, dtype=np.int64)
        for start in range(0, len(rows), most):
            some = rows[start : start + most]
            number = len(some) * self.height
            total += bit_sums(some.reshape(number, -1), np.array([number]))[0]
        return total

    @cached_property
    def _known(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The pairs that have a code, by the codes: first and second entity, and the code."""
        keys, codes = self.pairs.every()
        order = np.argsort(codes, kind="stable")
        return *np.divmod(keys[order], self.graph.size), codes[order]

    def _counts(self, rows: np.ndarray, starts: np.ndarray) -> np.ndarray:
        """For each code and body how many of the pairs with the code the body reaches."""
        place = np.full(self.graph.size, -1)
        place[starts] = np.arange(len(starts))
        first, second, codes = self._known
        used = place[first] >= 0
        row = place[first[used]] * self.height + second[used]
        known, sizes = np.unique(codes[used], return_counts=True)
        kind = np.uint16 if sizes.max(initial=0) < 1 << 16 else np.int64
        found = np.zeros((self.pairs.number, rows.shape[2] * BITS), dtype=kind)
        flat = rows.reshape(-1, rows.shape[2])
        upto = np.append(0, np.cumsum(sizes))
        for start, end in _in_parts(sizes, max(1, AT_ONCE // rows.shape[2])):
            places, full = filled_up(sizes[start:end], -1, EVEN)
            own = np.append(row[upto[start] : upto[end]], int(starts[0]))  # at last one of x to x
            found[known[start:end]] = bit_sums(flat[own[places]], full)
        return found

    def _block(self, first: int, sizes: np.ndarray, counts: np.ndarray) -> WalkCounts:
        """Of two bodies that are each other turned, one has no counts."""
        number, inverse = self.number, self.graph.inverse
        last, second = np.divmod(np.arange(len(sizes)), number)
        last = last + first
        alike = last == first
        twice = np.flatnonzero(alike & (second > inverse[second]))
        sizes[twice] = 0
        counts[:, twice] = 0
        alike &= second == inverse[second]
        begins = np.column_stack([np.full(len(sizes), first), second])
        return WalkCounts(begins, last, sizes, counts, alike, self._cost(first))


def _in_parts(sizes: np.ndarray, most: int) -> Iterator[tuple[int, int]]:
    """From which group to which, so that they have about so many rows."""
    upto = np.append(0, np.cumsum(sizes))
    start = 0
    while start < len(sizes):
        end = max(start + 1, int(np.searchsorted(upto, upto[start] + most, side="right")) - 1)
        yield start, end
        start = end
