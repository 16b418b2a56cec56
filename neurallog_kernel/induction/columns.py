"""Where a body holds: for pairs of entities, and for an example without its own fact's help."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from neurallog_kernel.induction.bodies import (
    AT_LEAST,
    Body,
    Concept,
    Condition,
    Cut,
    Each,
    EntityEnd,
)
from neurallog_kernel.induction.graph import Graph
from neurallog_kernel.induction.pairs import PairIndex, pairs_of_steps
from neurallog_kernel.language.syntax import Signature

AT_ONCE = 200_000  # entities times paths
_KEPT = 64  # beginnings of paths whose products are kept


class Columns:
    """Evaluates bodies as the engine does: variables may stand for one entity.

    `rows` are the first entities that are looked at; the result has a row for each.
    """

    def __init__(self, graph: Graph, rows: np.ndarray | None = None) -> None:
        self.graph = graph
        self.rows = np.arange(graph.size) if rows is None else rows
        self._every = rows is None
        self._kept: OrderedDict[tuple[int, ...], Any] = OrderedDict()
        self._diagonals: dict[tuple[int, ...], np.ndarray] = {}
        self._marks: dict[Condition, np.ndarray] = {}

    def has_row(self, entities: np.ndarray) -> np.ndarray:
        """For each entity whether it is one of the rows."""
        return np.ones(len(entities), bool) if self._every else np.isin(entities, self.rows)

    # -- all pairs ------------------------------------------------------------------------------

    def ways(self, steps: tuple[int, ...]) -> Any:
        """The number of walks from each row to each entity."""
        if len(steps) == 1:
            matrix = self.graph.matrices[steps[0]]
            return matrix if self._every else matrix[self.rows]
        if steps not in self._kept:
            self._kept[steps] = self.ways(steps[:-1]) @ self.graph.matrices[steps[-1]]
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return self._kept[steps]

    def holds(self, body: Body) -> Any:
        """A 1 for each pair for which the body holds."""
        x, y = self.mark(body.on_x)[self.rows], self.mark(body.on_y)
        if not body.steps:
            return sp.csr_array(np.outer(x, y).astype(np.float32))
        found = sp.csr_array(self.ways(body.steps))
        kept = found.data > 0
        if body.on_x or body.on_y:
            kept &= np.repeat(x, np.diff(found.indptr)) & y[found.indices]
        upto = np.concatenate([[0], np.cumsum(kept)])
        ones = np.ones(int(upto[-1]), dtype=np.float32)
        return sp.csr_array((ones, found.indices[kept], upto[found.indptr]), shape=found.shape)

    def mark(self, conditions: Sequence[Condition]) -> np.ndarray:
        """The entities for which all of some conditions hold."""
        found = np.ones(self.graph.size, dtype=bool)
        for condition in conditions:
            if condition not in self._marks:
                self._marks[condition] = self._marked(condition)
            found = found & self._marks[condition]
        return found

    def _marked(self, condition: Condition) -> np.ndarray:
        vector = ends(self.graph, condition)
        for step in reversed(condition.steps):
            vector = self.graph.matrices[step] @ vector.astype(np.float32) > 0
        return vector

    def together(self, paths: Sequence[tuple[int, ...]]) -> Iterator[tuple[np.ndarray, Any]]:
        """The ways of many paths: which of them, and a matrix with a row for each of these and each
        of the rows. Small products are made at once: what a product costs is mostly the call."""
        lengths = np.array([len(path) for path in paths])
        most = max(1, AT_ONCE // max(1, self.graph.size))
        for length in np.unique(lengths):
            own = np.flatnonzero(lengths == length)
            for start in range(0, len(own), most):
                some = own[start : start + most]
                if len(some) == 1:
                    yield some, self.ways(paths[some[0]])
                else:
                    yield some, self._at_once([paths[n] for n in some])

    def _at_once(self, paths: Sequence[tuple[int, ...]]) -> Any:
        matrices = self.graph.matrices
        first = [matrices[path[0]] for path in paths]
        found: Any = _below([one if self._every else one[self.rows] for one in first])
        number = found.shape[0] // len(paths)
        for place in range(1, len(paths[0])):
            size = self.graph.size
            block = np.repeat(np.arange(len(paths)) * size, np.diff(found.indptr[::number]))
            shape = (found.shape[0], len(paths) * size)
            apart = sp.csr_array((found.data, found.indices + block, found.indptr), shape=shape)
            found = sp.csr_array(apart @ _below([matrices[path[place]] for path in paths]))
        return found

    # -- examples -------------------------------------------------------------------------------

    def uses(self, body: Body, own: Signature) -> bool:
        """Whether a step of the body walks the facts of a predicate."""
        return any(self.graph.steps[step].signature == own for step in body.steps)

    def at(
        self,
        body: Body,
        own: Signature,
        first: np.ndarray,
        second: np.ndarray,
        ways: np.ndarray | None = None,
    ) -> np.ndarray:
        """For some pairs whether the body holds, without walks that use the fact of `own` about
        this very pair. The columns hold entities; the first ones must be rows. As in the counts,
        no path leads from an entity to itself. `ways` are all walks of each pair, where they are
        known already."""
        marked = self.mark(body.on_x)[first] & self.mark(body.on_y)[second]
        if not body.steps or not marked.any():
            return marked
        if ways is None:
            ways = entries(self.ways(body.steps), np.searchsorted(self.rows, first), second)
        if self.uses(body, own):
            ways = ways - self._through_itself(body.steps, own, first, second)
        return marked & (ways > 0.5) & (first != second)

    def _through_itself(
        self, steps: tuple[int, ...], own: Signature, first: np.ndarray, second: np.ndarray
    ) -> np.ndarray:
        """How many of the walks use the fact own(x, y): all walks less those that avoid it."""
        graph = self.graph
        ahead = {s for s in steps if graph.steps[s].signature == own and not graph.steps[s].inverse}
        back = {s for s in steps if graph.steps[s].signature == own and graph.steps[s].inverse}
        there = entries(graph.matrices[_step(graph, own)], first, second) if ahead | back else None
        return _through(self, steps, ahead, back, first, second, there)

    def steps_between(self, keys: np.ndarray) -> Any:
        """For each pair, `first * size + second`, a 1 for each step that leads from the first, one
        of the rows, to the second."""
        there, found = self._between.find(keys)
        which, steps = self._between.expand(found)
        data = np.ones(len(steps), dtype=np.float32)
        shape = (len(keys), len(self.graph.steps))
        return sp.csr_array((data, (there[which], steps)), shape=shape)

    @cached_property
    def _between(self) -> PairIndex:
        return pairs_of_steps(self.graph, self.graph.matrices, self.rows)

    def diagonal(self, steps: tuple[int, ...]) -> np.ndarray:
        """The walks from each entity to itself."""
        if steps not in self._diagonals:
            graph = self.graph
            if len(steps) == 1:
                found = graph.matrices[steps[0]].diagonal()
            else:
                whole = graph.matrices[steps[0]]
                for step in steps[1:-1]:
                    whole = whole @ graph.matrices[step]
                back = graph.matrices[int(graph.inverse[steps[-1]])]
                found = np.asarray(whole.multiply(back).sum(axis=1)).ravel()
            self._diagonals[steps] = found
        return self._diagonals[steps]


def _through(
    columns: Columns,
    steps: tuple[int, ...],
    ahead: set[int],
    back: set[int],
    first: np.ndarray,
    second: np.ndarray,
    there: np.ndarray | None,
) -> np.ndarray:
    """Walks x -> y that use the edge from x to y (`ahead`) or its inverse (`back`) somewhere.

    Follows the first use: before it the walk avoids the edge, after it anything goes. So for each
    place of the path: avoiding walks from x to where the edge begins, times all walks from its end.
    """
    assert there is not None
    avoiding = {"x": np.ones(len(first)), "y": np.zeros(len(first))}  # walks to x and y that avoid
    total = np.zeros(len(first))
    for place, step in enumerate(steps):
        rest = steps[place + 1 :]
        if step in ahead:  # from x to y, then the rest from y to y
            after = columns.diagonal(rest)[second] if rest else 1.0
            total += avoiding["x"] * after * there
        if step in back:  # from y to x, then the rest from x to y
            after = _between(columns, rest, first, second) if rest else 0.0
            total += avoiding["y"] * after * there
        upto = steps[: place + 1]
        if place < len(steps) - 1:
            avoiding = _avoiding(columns, upto, ahead, back, first, second, there)
    return total


def _avoiding(
    columns: Columns,
    steps: tuple[int, ...],
    ahead: set[int],
    back: set[int],
    first: np.ndarray,
    second: np.ndarray,
    there: np.ndarray,
) -> dict[str, np.ndarray]:
    """Walks from x to x, and from x to y, that avoid the edge: all less those that use it."""
    to_x = columns.diagonal(steps)[first].astype(float)
    to_y = _between(columns, steps, first, second).astype(float)
    before = {"x": np.ones(len(first)), "y": np.zeros(len(first))}
    for place, step in enumerate(steps):
        rest = steps[place + 1 :]
        if step in ahead:
            to_y -= before["x"] * there * (columns.diagonal(rest)[second] if rest else 1.0)
            to_x -= before["x"] * there * (_between(columns, rest, second, first) if rest else 0.0)
        if step in back:
            to_x -= before["y"] * there * (columns.diagonal(rest)[first] if rest else 1.0)
            to_y -= before["y"] * there * (_between(columns, rest, first, second) if rest else 0.0)
        if place < len(steps) - 1:
            upto = steps[: place + 1]
            before = _avoiding(columns, upto, ahead, back, first, second, there)
    return {"x": to_x, "y": to_y}


def _between(
    columns: Columns, steps: tuple[int, ...], first: np.ndarray, second: np.ndarray
) -> np.ndarray:
    """The walks of some steps between given pairs."""
    matrices = columns.graph.matrices
    if len(steps) == 1:
        return entries(matrices[steps[0]], first, second)
    used, where = np.unique(first, return_inverse=True)
    product = matrices[steps[0]][used]
    for step in steps[1:]:
        product = product @ matrices[step]
    return entries(product, where, second)


def reached(graph: Graph, steps: tuple[int, ...], entities: np.ndarray) -> Any:
    """A row for each of some entities, with a 1 where the steps lead."""
    found = graph.matrices[steps[0]][entities]
    for step in steps[1:]:
        found = found @ graph.matrices[step]
    found = sp.csr_array(found)
    found.data[:] = 1.0
    return found


def entries(matrix: Any, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """The values at some places of a sparse matrix."""
    if not len(rows):
        return np.zeros(0)
    return np.asarray(sp.csr_array(matrix)[rows, columns]).ravel()


def ends(graph: Graph, condition: Condition) -> np.ndarray:
    """The entities where the steps of a condition may end."""
    found = np.zeros(graph.size, dtype=bool)
    match condition.end:
        case None:
            found[:] = True
        case EntityEnd(index) | Each(index):
            found[index] = True
        case Concept(signature):
            found[graph.concepts[signature]] = True
        case Cut(signature, side, value):
            indexes, values = graph.attributes[signature]
            found[indexes[values >= value if side == AT_LEAST else values <= value]] = True
    return found


def _below(matrices: Sequence[Any]) -> Any:
    """Matrices of one shape below each other."""
    filled = np.cumsum([0, *(matrix.nnz for matrix in matrices)])
    parts = [matrix.indptr[1:] + start for matrix, start in zip(matrices, filled, strict=False)]
    data, indices = (
        np.concatenate(column)
        for column in zip(*((one.data, one.indices) for one in matrices), strict=True)
    )
    rows, width = matrices[0].shape
    upto = np.concatenate([[0], *parts])
    return sp.csr_array((data, indices, upto), shape=(len(matrices) * rows, width))


def _step(graph: Graph, own: Signature) -> int:
    return next(n for n, s in enumerate(graph.steps) if s.signature == own and not s.inverse)
