"""Rows that are computed together, cut into batches, and the arrays that each batch is fed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from neurallog_kernel.network.sparsity import SparsityPattern


@dataclass(eq=False)
class Frame:
    """A list of rows. A sliced one is cut into batches; another is computed whole in every step.

    A frame with a `parent` holds the distinct ones of the parent's rows: `of` says for each of
    these which it is here. A batch of it has what the parent's batch needs, once.
    """

    rows: int
    sliced: bool
    feeds: list[Feed] = field(default_factory=list)
    parent: Frame | None = None
    of: np.ndarray | None = None

    def feed(self, **content) -> Feed:
        made = Feed(self, **content)
        self.feeds.append(made)
        return made


@dataclass(eq=False)
class Scope:
    """A frame with the entity that each input has in each row: inputs are one-hot.

    In a scope of distinct rows, `chosen` are the rows of the `parent` that stand for them.
    """

    frame: Frame
    columns: Mapping[int, np.ndarray]
    parent: Scope | None = None
    chosen: np.ndarray | None = None

    def key(self) -> tuple:
        return (id(self.frame), tuple((p, id(c)) for p, c in sorted(self.columns.items())))


@dataclass(eq=False)
class Feed:
    """An array with a stretch for each row of a frame.

    `data` None stands for the number of the row itself, in the batch of the frame or of the frame
    `into` of its distinct rows. With `base`, the data are positions relative to the start of the
    same row of that pattern; in a batch they become positions in it.
    """

    frame: Frame
    data: np.ndarray | None
    pointers: np.ndarray | None  # None: one entry a row
    base: SparsityPattern | None = None
    into: Frame | None = None


@dataclass(frozen=True, eq=False)
class Batches:
    """The rows of a frame in the order of the batches, and where each batch starts."""

    order: np.ndarray
    starts: np.ndarray  # one more than there are batches
    places: np.ndarray | None = None  # of distinct rows: where each of the parent's order is here

    @classmethod
    def single(cls, rows: int) -> Batches:
        return cls(np.arange(rows), np.array([0, rows]))

    def distinct(self, of: np.ndarray, rows: int) -> Batches:
        """The distinct rows of each batch."""
        batch = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        found, places = np.unique(batch * rows + of[self.order], return_inverse=True)
        starts = np.searchsorted(found, np.arange(len(self.starts)) * rows)
        return Batches(found % rows, starts, places.reshape(-1))

    @cached_property
    def in_order(self) -> bool:
        """Whether the rows stand as they do in the frame."""
        return bool((self.order == np.arange(len(self.order))).all())

    @property
    def first_of_row(self) -> np.ndarray:
        """For each place in the order, the place where its batch starts."""
        return np.repeat(self.starts[:-1], np.diff(self.starts))


@dataclass(frozen=True, eq=False)
class Fed:
    """A feed's array for all batches in a row, and where each batch starts in it."""

    data: np.ndarray
    starts: np.ndarray


def assemble(feed: Feed, batches: Mapping[Frame, Batches]) -> Fed:
    """A feed's data in the order of the batches."""
    own = batches[feed.frame]
    if feed.into is not None:
        return Fed(_places_in(batches[feed.into]).astype(np.int32), own.starts)
    if feed.pointers is None:
        assert feed.data is not None
        return Fed(_narrow(feed.data[own.order]), own.starts)
    counts = np.diff(feed.pointers)[own.order]
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    starts = np.concatenate([[0], ends])[own.starts]
    if feed.data is None:
        places = np.arange(len(own.order)) - own.first_of_row
        return Fed(np.repeat(places, counts).astype(np.int32), starts)
    data = feed.data
    if not (own.in_order and len(own.order) == feed.frame.rows):
        before = ends - counts
        where = np.repeat(feed.pointers[:-1][own.order] - before, counts) + np.arange(total)
        data = data[where]
    if feed.base is not None:
        first = _base_starts(feed.base, batches[feed.base.frame])
        if feed.base.frame is not feed.frame:
            first = first[batches[feed.base.frame].places]
        data = data + np.repeat(first, counts)
    return Fed(_narrow(data), starts)


def _places_in(distinct: Batches) -> np.ndarray:
    """Within the batch of distinct rows, the place of each row of the parent's order."""
    assert distinct.places is not None
    return distinct.places - distinct.first_of_row[distinct.places]


def _base_starts(base: SparsityPattern, batches: Batches) -> np.ndarray:
    """Where each row of the pattern starts within its batch."""
    counts = base.counts[batches.order]
    starts = np.concatenate([[0], np.cumsum(counts)])
    return starts[:-1] - starts[batches.first_of_row]


def _narrow(data: np.ndarray) -> np.ndarray:
    return data.astype(np.int32) if data.dtype == np.int64 else data
