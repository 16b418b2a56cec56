"""The arrays that the batches of a network are fed, as a few tensors that each batch cuts from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from neurallog_kernel.network.arrays import Arrays
from neurallog_kernel.network.deferred import BatchStep
from neurallog_kernel.network.rowsets import Batches, Fed, Feed, Frame, assemble


class Feeding:
    """The feeds of a network's frames, cut by batch.

    All feeds of a kind lie one after the other in one variable, so that the compiled loop sees a
    new order of the rows without a new trace. Feeds that are equal are there once.
    """

    def __init__(self, frames: Sequence[Frame], dtype: str, arrays: Arrays) -> None:
        self.frames = list(frames)
        self.dtype = dtype
        self.arrays = arrays
        self._constants: dict[int, tuple[Any, Any]] = {}
        self._whole = {
            feed: self._tensor(assemble(feed, {frame: Batches.single(frame.rows)}).data)
            for frame in self.frames
            if not frame.sliced
            for feed in frame.feeds
        }
        self._sliced = [frame for frame in self.frames if frame.sliced]
        self._places: dict[Feed, int] = {}  # where a feed starts is in this column of the table
        self._kept: list[Feed] = []
        self._kinds: list[str] = []
        self._data: dict[str, Any] = {}
        self._starts: Any = None
        known: dict[tuple, list[int]] = {}
        for frame in self._sliced:
            for feed in frame.feeds:
                alike = known.setdefault(_outline(feed), [])
                place = next((p for p in alike if _equal(self._kept[p], feed)), len(self._kept))
                self._places[feed] = place
                if place == len(self._kept):
                    self._kept.append(feed)
                    alike.append(place)

    def set_batches(self, batches: Mapping[Frame, Batches]) -> None:
        """Put the rows of every sliced frame into the order of these batches."""
        batches = dict(batches)
        for frame in self.frames:
            if frame.parent is not None and frame.of is not None:
                batches[frame] = batches[frame.parent].distinct(frame.of, frame.rows)
        starts: list[np.ndarray] = []
        stored: dict[str, list[np.ndarray]] = {}
        lengths: dict[str, int] = {}
        self._kinds = []
        for number, feed in enumerate(self._kept):
            fed = assemble(feed, batches)
            kind = _kind(fed, number)
            self._kinds.append(kind)
            starts.append(fed.starts + lengths.get(kind, 0))
            stored.setdefault(kind, []).append(fed.data)
            lengths[kind] = lengths.get(kind, 0) + len(fed.data)
        starts += [batches[frame].starts for frame in self._sliced]
        for kind, parts in stored.items():
            joined = parts[0] if len(parts) == 1 else np.concatenate(parts)
            self._put(kind, self._tensor(joined))
        self._put("starts", self._tensor(np.stack(starts, axis=1)[:, :, None]))

    def _put(self, name: str, data: Any) -> None:
        self._data[name] = self.arrays.stored(self._data.get(name), data)

    def _tensor(self, data: np.ndarray) -> Any:
        if data.dtype.kind == "f":
            return self.arrays.constant(data, self.dtype)
        return self.arrays.constant(data.astype(np.int32))

    def rows(self, frame: Frame, batch: Any) -> Any:
        """How many rows of a frame are in a batch."""
        column = len(self._kept) + self._sliced.index(frame)
        return self.arrays.number(self.arrays.stretches(self._data["starts"], batch)[1][column])

    def step(self, batch: Any) -> BatchStep:
        """The feeds of one batch: where each starts and ends is read at once for them all."""
        arrays = self.arrays
        begins, lengths = arrays.stretches(self._data["starts"], batch)
        sources: dict[str, Any] = {}

        def cut(feed: Feed) -> Any:
            place = self._places[feed]
            kind = self._kinds[place]
            if kind not in sources:
                sources[kind] = arrays.opened(self._data[kind])
            return feeds.once(
                place, lambda: arrays.cut(sources[kind], begins[place], lengths[place])
            )

        feeds = _Feeds(self._whole, cut)
        sizes: dict[Frame, Any] = {frame: frame.rows for frame in self.frames}
        for number, frame in enumerate(self._sliced, len(self._kept)):
            sizes[frame] = arrays.number(lengths[number])
        return BatchStep(feeds, sizes, self.dtype, arrays, self._constants)


class _Feeds(dict):
    """The feeds of one step, each cut when it is first asked for."""

    def __init__(self, whole: Mapping[Feed, Any], cut: Callable[[Feed], Any]) -> None:
        super().__init__(whole)
        self._cut = cut
        self._made: dict[int, Any] = {}

    def __missing__(self, feed: Feed) -> Any:
        self[feed] = self._cut(feed)
        return self[feed]

    def once(self, place: int, make: Callable[[], Any]) -> Any:
        if place not in self._made:
            self._made[place] = make()
        return self._made[place]


def _kind(fed: Fed, number: int) -> str:
    """Feeds of one kind share a variable; those of whole rows have their own."""
    if fed.data.ndim > 1:
        return f"rows {number}"
    return "numbers" if fed.data.dtype.kind == "f" else "places"


def _outline(feed: Feed) -> tuple:
    """What equal feeds have in common, found at a glance."""
    size, some = None, None
    if feed.data is not None:
        size = (feed.data.dtype.kind, feed.data.shape)
        some = feed.data[:: max(1, len(feed.data) // 16)].tobytes()
    return (id(feed.frame), id(feed.into), feed.base is None, size, some)


def _equal(one: Feed, other: Feed) -> bool:
    same_base = one.base is other.base
    if one.base is not None and other.base is not None:
        same_base = one.base.frame is other.base.frame and _same(
            one.base.pointers, other.base.pointers
        )
    return same_base and _same(one.pointers, other.pointers) and _same(one.data, other.data)


def _same(one: np.ndarray | None, other: np.ndarray | None) -> bool:
    if one is None or other is None:
        return one is other
    return one is other or np.array_equal(one, other)
