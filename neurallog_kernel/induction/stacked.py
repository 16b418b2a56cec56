"""All steps of a graph beside each other, so that one product walks them all."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from neurallog_kernel.induction.graph import Graph
from neurallog_kernel.induction.pairs import PairIndex, entry_keys, pairs_of_steps

FEW_CELLS = 1_000_000  # steps times entities, up to which all second steps are one product
FEW_RETURNS = 2_000_000  # ways there and back, likewise


class Stacked:
    """Column `g * size + y` of `matrix` is the end y of the step inverse[g].

    With `rows` only what paths of a length from these entities need.
    """

    def __init__(self, graph: Graph, rows: np.ndarray | None = None, length: int = 1) -> None:
        self.graph = graph
        self._rows = rows
        near = None if rows is None else _near(graph, rows, length - 1)
        parts = [_only(graph.between[int(step)], near) for step in graph.inverse]
        empty = sp.csr_array((graph.size, 0), dtype=np.float32)
        self.matrix = sp.csr_array(sp.hstack(parts, format="csr")) if parts else empty
        self.matrix.sort_indices()
        self._back: dict[int, Any] = {}

    @cached_property
    def together(self) -> list[np.ndarray]:
        """Second steps that are walked at once: of a small graph all, for their products are small
        and many; of a large one each by itself."""
        steps = np.arange(len(self.graph.steps))
        few = len(steps) * self.graph.size <= FEW_CELLS
        if few and self._pairs.size_of_squares <= FEW_RETURNS:
            return [steps]
        return [steps[number : number + 1] for number in steps]

    @cached_property
    def _starts(self) -> np.ndarray:
        """The entities of which steps to given others are asked for."""
        if self._rows is None:
            return np.arange(self.graph.size)
        return _near(self.graph, self._rows, 1)

    @cached_property
    def _pairs(self) -> PairIndex:
        return pairs_of_steps(self.graph, self.graph.between, self._starts)

    def from_last(self, first: int) -> Any:
        """Only the steps whose inverse is `first` or comes after it."""
        return _columns_from(self.matrix, first * self.graph.size)

    def two_steps(self, begin: Any, seconds: np.ndarray, rows: np.ndarray) -> Any:
        """The walks that go on by each of the second steps to another entity than they began at: a
        row for each second step and each row of `begin`."""
        size, number = self.graph.size, len(rows)
        if len(seconds) == 1:
            found = sp.csr_array(begin @ self.graph.between[seconds[0]])
            row, end = np.repeat(np.arange(number), np.diff(found.indptr)), found.indices
            place = row
        else:
            found = sp.csr_array(begin @ self._ahead)
            place = np.repeat(np.arange(number), np.diff(found.indptr))
            second, end = np.divmod(found.indices, np.int32(size))
            row = second * number + place
        apart = rows[place] != end
        shape = (len(seconds) * number, size)
        return sp.csr_array((found.data[apart], (row[apart], end[apart])), shape=shape)

    @cached_property
    def _ahead(self) -> Any:
        """The column `s * size + y` is the end y of the step s."""
        return sp.csr_array(sp.hstack(self.graph.between, format="csr"))

    # -- walks that come back -------------------------------------------------------------------

    def there_and_back(self, seconds: np.ndarray, first: int) -> Any:
        """For each second step and each entity y (a row), at the column of g and y, for g from
        `first` on: the ways y -> b by the second step and b -> y by inverse[g]."""
        whole = self._every_back if len(seconds) > 1 else self._shifted(int(seconds[0]))
        return _columns_from(whole, first * self.graph.size)

    @cached_property
    def _every_back(self) -> Any:
        return sp.vstack([self._shifted(s) for s in range(len(self.graph.steps))], format="csr")

    def _shifted(self, second: int) -> Any:
        """As many ways as there are entities b to which both `second` and g lead from y."""
        if second not in self._back:
            size, starts = self.graph.size, self._starts
            keys = entry_keys(self.graph.between[second][starts], starts)
            there, found = self._pairs.find(keys)
            which, steps = self._pairs.expand(found)
            rows = keys[there][which] // size
            data = np.ones(len(rows), dtype=np.float32)
            shape = (size, size * len(self.graph.steps))
            self._back[second] = sp.csr_array((data, (rows, steps * size + rows)), shape=shape)
        return self._back[second]

    def steps_back(self, begin: Any, seconds: np.ndarray, rows: np.ndarray, first: int) -> Any:
        """For each entry (x, y) of `begin` from which the second step leads back to x, the columns
        of all steps from x to y: a row for each second step and each x."""
        size, number = self.graph.size, len(rows)
        keys = entry_keys(begin, rows)
        there, found = self._pairs.find(keys)
        which, steps = self._pairs.expand(found)  # the pair, and the turned second step
        place = np.full(len(self.graph.steps), -1)
        place[self.graph.inverse[seconds]] = np.arange(len(seconds))
        own = place[steps] >= 0
        which, second = which[own], place[steps[own]]
        again, lasts = self._pairs.expand(found[which])
        last = self.graph.inverse[lasts]
        kept = last >= first
        entry = there[which][again][kept]
        row = np.repeat(np.arange(number), np.diff(begin.indptr))[entry]
        columns = last[kept] * size + keys[entry] % size
        data = np.ones(len(columns), dtype=np.float32)
        shape = (len(seconds) * number, size * len(self.graph.steps))
        return sp.csr_array((data, (second[again][kept] * number + row, columns)), shape=shape)


def _columns_from(matrix: Any, first: int) -> Any:
    """A matrix without its entries in the columns before one."""
    if first == 0:
        return matrix
    kept = matrix.indices >= first
    upto = np.concatenate([[0], np.cumsum(kept)])[matrix.indptr]
    return sp.csr_array((matrix.data[kept], matrix.indices[kept], upto), shape=matrix.shape)


def _near(graph: Graph, rows: np.ndarray, steps: int) -> np.ndarray:
    """The entities that so many steps, or fewer, reach from some."""
    mark = np.zeros(graph.size, dtype=np.float32)
    mark[rows] = 1.0
    for _ in range(steps):
        mark = ((mark > 0) | (graph.after(mark) > 0)).astype(np.float32)
    return np.flatnonzero(mark)


def _only(matrix: Any, rows: np.ndarray | None) -> Any:
    """A matrix with some of its rows, and the others empty."""
    if rows is None or len(rows) == matrix.shape[0]:
        return matrix
    some = matrix[rows]
    counts = np.zeros(matrix.shape[0] + 1, dtype=some.indptr.dtype)
    counts[rows + 1] = np.diff(some.indptr)
    return sp.csr_array((some.data, some.indices, np.cumsum(counts)), shape=matrix.shape)
