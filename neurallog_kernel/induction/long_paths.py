"""Paths of four and five literals: halves that meet in the middle, for a sample of the examples.

There are too many such bodies to count them all. A body is worth counting if it leads from X to Y
for some examples: for a sample of them, walks from both ends are joined where they meet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from neurallog_kernel.induction.bodies import Body
from neurallog_kernel.induction.columns import Columns
from neurallog_kernel.induction.findings import Found
from neurallog_kernel.induction.graph import Graph
from neurallog_kernel.induction.heads import Head

SAMPLE = 100  # examples of a head
MOST_WALKS = 20_000  # from one end of an example; a hub has more
MOST_PAIRS = 2_000_000  # that a body may reach


@dataclass(frozen=True, eq=False)
class _Half:
    """Walks from one entity: the entities of each, the last one last, and the steps as a number."""

    nodes: np.ndarray  # a row for each walk
    codes: np.ndarray


class LongPaths:
    """Finds bodies of a length for the heads of a search, and counts them."""

    def __init__(self, graph: Graph, columns: Columns, seed: int) -> None:
        self.graph, self.columns, self.seed = graph, columns, seed
        self.too_many = 0  # bodies that reach too many pairs to be counted

    @cached_property
    def _edges(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All steps of all entities: where those of each begin, the step, where it leads."""
        rows, steps, ends = [], [], []
        for number, matrix in enumerate(self.graph.between):
            rows.append(np.repeat(np.arange(self.graph.size), np.diff(matrix.indptr)))
            steps.append(np.full(matrix.nnz, number, dtype=np.int64))
            ends.append(matrix.indices.astype(np.int64))
        nothing = np.zeros(0, dtype=np.int64)
        row, step, end = (np.concatenate([nothing, *parts]) for parts in (rows, steps, ends))
        order = np.argsort(row, kind="stable")
        starts = np.searchsorted(row[order], np.arange(self.graph.size + 1))
        return starts, step[order], end[order]

    def found(self, head: Head, length: int, least: int, most: int) -> Iterator[tuple[Found, int]]:
        """Bodies with their counts and what counting one cost, the most frequent first."""
        places = tuple(self.graph.index(column) for column in head.right)
        kept = (places[0] >= 0) & (places[1] >= 0) & (places[0] != places[1])
        first, second = (place[kept] for place in places)
        train = ~head.held_right[kept]
        for steps in self._bodies(head, first[train], second[train], length, most):
            body = Body(steps)
            ways = self._ways(steps)
            if ways is None:
                self.too_many += 1
                continue
            hits = self.columns.at(body, head.signature, first, second)
            fires, right = self._fires(head, ways), int(hits[train].sum())
            if right >= least:
                held = int(hits[~train].sum())
                yield Found(body, right, max(fires - held, right), held, held), int(ways.nnz)

    def _fires(self, head: Head, ways: Any) -> int:
        rows = np.repeat(np.arange(self.graph.size), np.diff(ways.indptr))
        if not head.is_listed:
            return int((rows != ways.indices).sum())
        reached = rows.astype(np.int64) * self.graph.size + ways.indices
        listed = [
            self.graph.index(column[0]) * self.graph.size + self.graph.index(column[1])
            for column in (head.right, head.wrong)
        ]
        return int(np.isin(reached, np.concatenate(listed)).sum())

    def _ways(self, steps: tuple[int, ...]) -> Any:
        """The pairs that a body reaches, None where they are too many."""
        for upto in range(2, len(steps) + 1):
            if self.columns.ways(steps[:upto]).nnz > MOST_PAIRS:
                return None
        return self.columns.ways(steps)

    # -- halves ---------------------------------------------------------------------------------

    def _bodies(
        self, head: Head, first: np.ndarray, second: np.ndarray, length: int, most: int
    ) -> list[tuple[int, ...]]:
        """The bodies that lead from X to Y for at least two of the sampled examples."""
        generator = np.random.default_rng([self.seed, *head.signature[0].encode(), length])
        chosen = np.sort(generator.permutation(len(first))[:SAMPLE])
        seen: Counter[int] = Counter()
        for x, y in zip(first[chosen].tolist(), second[chosen].tolist(), strict=True):
            seen.update(self._between(x, y, length).tolist())
        often = sorted((-count, code) for code, count in seen.items() if count > 1)
        return [self._steps(code, length) for _, code in often[:most]]

    def _between(self, x: int, y: int, length: int) -> np.ndarray:
        """The numbers of all bodies that lead from x to y, each entity visited once."""
        front, back = self._walks(x, 2, y), self._walks(y, length - 2, x)
        order = np.argsort(back.nodes[:, -1], kind="stable")
        ends = back.nodes[order, -1]
        low = np.searchsorted(ends, front.nodes[:, -1], side="left")
        high = np.searchsorted(ends, front.nodes[:, -1], side="right")
        counts = high - low
        if counts.sum() > 20 * MOST_WALKS:
            return np.zeros(0, dtype=np.int64)
        left = np.repeat(np.arange(len(counts)), counts)
        right = order[np.repeat(low - np.cumsum(counts) + counts, counts) + np.arange(len(left))]
        apart = np.ones(len(left), dtype=bool)
        for a in range(front.nodes.shape[1] - 1):
            for b in range(back.nodes.shape[1] - 1):
                apart &= front.nodes[left, a] != back.nodes[right, b]
        steps = len(self.graph.steps)
        codes = front.codes[left] * steps ** (length - 2) + self._turned(
            back.codes[right], length - 2
        )
        return np.unique(codes[apart])

    def _walks(self, start: int, length: int, other: int) -> _Half:
        """Walks of different entities, none of them `other`; of too many, some."""
        starts, steps, ends = self._edges
        nodes, codes = np.array([[start]]), np.zeros(1, dtype=np.int64)
        for _ in range(length):
            counts = starts[nodes[:, -1] + 1] - starts[nodes[:, -1]]
            which = np.repeat(np.arange(len(counts)), counts)
            base = np.repeat(starts[nodes[:, -1]] - np.cumsum(counts) + counts, counts)
            edge = base + np.arange(len(which))
            if len(edge) > MOST_WALKS:
                some = np.linspace(0, len(edge) - 1, MOST_WALKS).astype(np.int64)
                which, edge = which[some], edge[some]
            fresh = (nodes[which] != ends[edge][:, None]).all(axis=1) & (ends[edge] != other)
            which, edge = which[fresh], edge[fresh]
            nodes = np.column_stack([nodes[which], ends[edge]])
            codes = codes[which] * len(self.graph.steps) + steps[edge]
        return _Half(nodes, codes)

    def _turned(self, codes: np.ndarray, length: int) -> np.ndarray:
        """The same walks from their end to their beginning."""
        number = len(self.graph.steps)
        turned = np.zeros_like(codes)
        for _ in range(length):
            turned = turned * number + self.graph.inverse[codes % number]
            codes = codes // number
        return turned

    def _steps(self, code: int, length: int) -> tuple[int, ...]:
        found = []
        for _ in range(length):
            code, step = divmod(code, len(self.graph.steps))
            found.append(step)
        return tuple(reversed(found))
