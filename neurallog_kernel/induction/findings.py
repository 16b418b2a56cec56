"""The best bodies so far, for each head: a bounded list that any order of counting fills alike.

Among many long paths some are right by chance, and there are far more long ones than short ones. So
each length has its share of a list, and the rest goes to the best of any length.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from neurallog_kernel.induction.bodies import Body, fewest_right, smoothed
from neurallog_kernel.induction.graph import Graph
from neurallog_kernel.induction.heads import Head
from neurallog_kernel.induction.options import EXACT
from neurallog_kernel.induction.pairs import (
    CODES,
    HELD,
    HELD_WRONG,
    RIGHT,
    RIGHT_BACK,
    WRONG,
)
from neurallog_kernel.induction.walks import WalkCounts

_ROOM = 50_000  # paths that are collected before the lists are cut
_NONE = -1  # a step that a shorter path has not
_HEAD, _COUNT, _FIRES, _STEPS = 0, 1, 2, 5  # columns of the collected paths


@dataclass(frozen=True)
class Found:
    """A body with its counts."""

    body: Body
    right: int
    fires: int
    held_right: int = 0  # of the examples that are held out
    held_fires: int = 0
    against: bool = False  # a reason why the head does not hold

    @property
    def all_right(self) -> int:
        return self.right + self.held_right

    @property
    def all_fires(self) -> int:
        return self.fires + self.held_fires

    @property
    def confidence(self) -> float:
        return float(smoothed(self.right, self.fires))

    @property
    def key(self) -> tuple:
        """Best first: what is most often right, or for a reason against the head, wrong."""
        often = smoothed(self.fires - self.right, self.fires) if self.against else self.confidence
        return (-float(often), self.body.key)


@dataclass(frozen=True)
class Family:
    """The bodies of one rule with a weight for each entity, and its counts as a whole."""

    whole: Found
    members: tuple[Found, ...]
    cost: int  # walks
    left_out: int = 0  # entities that are met often enough, and have no weight


class BestBodies:
    """The best bodies of every head, and how many were counted."""

    def __init__(self, graph: Graph, heads: Sequence[Head], least: int, most: int) -> None:
        self.graph, self.heads = graph, heads
        self.least, self.most = least, most
        self.counted = 0  # bodies that reach some pair
        self._parts: list[np.ndarray] = []  # rows of paths
        self._size = 0
        self._others: list[list[Found]] = [[] for _ in heads]  # bodies that are more than a path
        self.families: list[list[Family]] = [[] for _ in heads]
        self._share = most // EXACT  # of a list that each length can have
        # by head and length, the confidence below which a path changes nothing
        self._floor = np.zeros((len(heads), EXACT + 1))
        self._listed = np.array([head.is_listed for head in heads], dtype=bool)
        self._late = np.array([head.held_right.sum() for head in heads], dtype=np.int64)
        self._itself = np.array([_itself(graph, head) for head in heads], dtype=np.int64)

    def add(self, head: int, found: Iterable[Found]) -> None:
        """Bodies of any kind."""
        every = [*self._others[head], *(one for one in found if one.right > 0 or one.against)]
        sides = ([one for one in every if one.against is side] for side in (False, True))
        self._others[head] = [
            one for side in sides for one in sorted(side, key=self._order)[: self.most]
        ]

    def _order(self, found: Found) -> tuple:
        return (found.against, found.right < self.least, *found.key)

    def add_block(self, block: WalkCounts) -> None:
        """All paths of a block for all heads."""
        self.counted += int((2 - block.own_reverse)[block.sizes > 0].sum())
        floor = self._floor[:, block.length]
        fires = block.sizes - self._late[:, None]  # at least, where no negatives are listed
        fewest = np.where(self._listed[:, None], 0, fewest_right(floor[:, None], fires))
        fewest = np.maximum(fewest, np.where(floor > 0, self.least, 1)[:, None])
        for turned in (False, True):
            back = RIGHT_BACK if turned else RIGHT
            right, wrong, held, held_wrong = (
                block.counts[back + kind :: CODES] for kind in (RIGHT, WRONG, HELD, HELD_WRONG)
            )
            heads, places = np.nonzero(right >= fewest)
            if turned:
                once = ~block.own_reverse[places]
                heads, places = heads[once], places[once]
            own, bad, late, late_bad = (
                part[heads, places].astype(np.int64) for part in (right, wrong, held, held_wrong)
            )
            fires = np.where(self._listed[heads], own + bad, block.sizes[places] - late)
            there = np.flatnonzero(smoothed(own, fires) >= floor[heads])
            if len(there):
                counts = [count[there] for count in (own, fires, late, late + late_bad)]
                self._add(heads[there], places[there], block, turned, counts)

    def _add(
        self,
        heads: np.ndarray,
        places: np.ndarray,
        block: WalkCounts,
        turned: bool,
        counts: Sequence[np.ndarray],
    ) -> None:
        rows = np.full((len(heads), _STEPS + EXACT), _NONE, dtype=np.int32)
        rows[:, _HEAD] = heads
        rows[:, _COUNT:_STEPS] = np.column_stack(counts)
        begins, last, end = block.begins[places], block.lasts[places], _STEPS + block.length
        if turned:
            rows[:, _STEPS] = last
            rows[:, _STEPS + 1 : end] = self.graph.inverse[begins[:, ::-1]]
        else:
            rows[:, _STEPS : end - 1] = begins
            rows[:, end - 1] = self.graph.inverse[last]
        if block.length == 1:
            rows = rows[rows[:, _STEPS] != self._itself[heads]]
        self._parts.append(rows)
        self._size += len(rows)
        if self._size > _ROOM + 2 * self.most * len(self.heads):
            self._cut()

    def _cut(self) -> np.ndarray:
        """The collected paths, head by head and best first, so many as are kept."""
        empty = np.zeros((0, _STEPS + EXACT), dtype=np.int32)
        rows = np.concatenate([empty, *self._parts])
        rows = rows[self._order_of(rows)]
        length = (rows[:, _STEPS:] != _NONE).sum(axis=1)
        of_length = _places(rows[:, _HEAD] * (EXACT + 1) + length)
        free = of_length >= self._share  # not by the share of its length
        kept = np.empty(len(rows), dtype=bool)
        first = np.lexsort((np.arange(len(rows)), free, rows[:, _HEAD]))
        kept[first] = _places(rows[first, _HEAD]) < self.most
        self._raise_floors(rows, length, kept, free)
        self._parts, self._size = [rows[kept]], int(kept.sum())
        return self._parts[0]

    def _order_of(self, rows: np.ndarray) -> np.ndarray:
        steps = rows[:, _STEPS:].astype(np.int64) + 1
        base = len(self.graph.steps) + 1
        spelled = (steps != 0).sum(axis=1)  # short ones first, then step by step
        for place in range(EXACT):
            spelled = spelled * base + steps[:, place]
        confidence = smoothed(rows[:, _COUNT], rows[:, _FIRES])
        few = rows[:, _COUNT] < self.least
        return np.lexsort((spelled, -confidence, 2 * rows[:, _HEAD] + few))

    def _raise_floors(
        self, rows: np.ndarray, length: np.ndarray, kept: np.ndarray, free: np.ndarray
    ) -> None:
        """Where a list is full, a path must be better than the last of its length, or than the last
        that is there by no share."""
        confidence = np.where(
            rows[:, _COUNT] < self.least, 0.0, smoothed(rows[:, _COUNT], rows[:, _FIRES])
        )
        last_free = np.full(len(self.heads), np.inf)
        np.minimum.at(last_free, rows[kept & free, _HEAD], confidence[kept & free])
        last = np.full(self._floor.shape, np.inf)
        np.minimum.at(last, (rows[kept, _HEAD], length[kept]), confidence[kept])
        number = np.zeros(self._floor.shape, dtype=np.int64)
        np.add.at(number, (rows[kept, _HEAD], length[kept]), 1)
        full = (number >= self._share) & (number.sum(axis=1) >= self.most)[:, None]
        floor = np.minimum(last, last_free[:, None])
        self._floor = np.where(full & np.isfinite(floor), floor, 0.0)

    def best(self, head: int, most: int | None = None) -> list[Found]:
        """The best bodies of a head, best first."""
        return [one for one in self._all(head, most) if one.against or one.right >= self.least]

    def nearest(self, head: int, most: int) -> list[Found]:
        """The best bodies whose support is too small."""
        few = [one for one in self._all(head, None) if one.right < self.least]
        return [one for one in few if not one.against][:most]

    def _all(self, head: int, most: int | None) -> list[Found]:
        rows = self._parts[0] if len(self._parts) == 1 else self._cut()
        start, end = np.searchsorted(rows[:, _HEAD], [head, head + 1])
        paths = [
            Found(Body(tuple(step for step in row[_STEPS:] if step != _NONE)), *row[1:_STEPS])
            for row in rows[start:end][:most].tolist()
        ]
        both = [*paths, *self._others[head]] if self._others[head] else paths
        return sorted(both, key=self._order)[:most] if self._others[head] else both


def _places(groups: np.ndarray) -> np.ndarray:
    """The place of each entry among those of its group.

    >>> _places(np.array([7, 2, 7, 7, 2])).tolist()
    [0, 0, 1, 2, 1]
    """
    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], groups[order], side="left")
    places = np.empty(len(groups), dtype=np.int64)
    places[order] = np.arange(len(groups)) - starts
    return places


def _itself(graph: Graph, head: Head) -> int:
    """The step that only says the head again, -1 where there is none."""
    for number, step in enumerate(graph.steps):
        if step.signature == head.signature and not step.inverse:
            return number
    return _NONE
