"""Values that depend on learned weights: numbers and vectors of a batch, and operations on them.

A value is described before any tensor exists: which rows it has, where its entries are, and how to
make its tensor in a step. Operations put the index arrays they need into the feeds of the frame.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from neurallog_kernel.evaluate.rows import Rows, look_up
from neurallog_kernel.network.frames import Feed, Frame, Pattern, relative, spread
from neurallog_kernel.network.ops import (
    DENSE,
    FLAT,
    ONE,
    ROW,
    Leaf,
    Tensor,
    across,
    add_up,
    beside,
    reshaped,
    take,
)
from neurallog_kernel.network.tensorflow import tensorflow

Make = Callable[["Step"], Tensor]


@dataclass
class Step:
    """One step of training or prediction: the feeds of the batch and what was made from them."""

    feeds: dict[Feed, Any]
    batch: dict[Frame, Any]  # the number of rows
    dtype: str
    made: dict[Any, Any] = field(default_factory=dict)

    def get(self, value: Number | Vector) -> Tensor:
        """The value's tensor, made once a step."""
        if value not in self.made:
            self.made[value] = value.make(self)
        return self.made[value]

    def fed(self, feed: Feed) -> Tensor:
        """A feed of numbers, as a constant."""
        return Tensor(self.feeds[feed], FLAT)

    def size(self, feed: Feed) -> Any:
        """How many entries a feed has in this batch."""
        key = ("size", feed)
        if key not in self.made:
            self.made[key] = tensorflow().size(self.feeds[feed])
        return self.made[key]

    def constant(self, array: np.ndarray) -> Any:
        """An array as a tensor outside the graph: a graph would store every copy of it."""
        tf = tensorflow()
        with tf.init_scope():
            return tf.constant(array, dtype=self.dtype if array.dtype.kind == "f" else None)

    def leaf(self, variable: Any) -> Tensor:
        """A learned variable, read once a step."""
        key = ("leaf", id(variable))
        if key not in self.made:
            self.made[key] = Leaf(variable, tensorflow().identity(variable), FLAT)
        return self.made[key]


@dataclass(eq=False)
class Number:
    """One number a row (`frame`), or one for all of them (`frame` None)."""

    frame: Frame | None
    make: Make
    const: np.ndarray | None = None


@dataclass(eq=False)
class Vector:
    """A vector a row, or one for all rows.

    With a `pattern` the tensor holds its entries, and `rest` is the value elsewhere (None: 0).
    Without one it is dense; `flat` vectors have no entries at all, only `rest`.
    """

    frame: Frame | None
    size: int
    make: Make
    pattern: Pattern | None = None
    rest: Number | None = None
    flat: bool = False
    const: Rows | None = None

    @property
    def is_dense(self) -> bool:
        return self.pattern is None and not self.flat

    @property
    def is_sparse(self) -> bool:
        """Whether what is not listed is zero."""
        return self.pattern is not None and self.rest is None


# -- constants ------------------------------------------------------------------------------------


def constant_number(values: np.ndarray, frame: Frame | None) -> Number:
    if frame is None or len(values) == 1:
        return Number(None, lambda step: Tensor(step.constant(values), ONE), values)
    feed = frame.feed(data=values.astype(np.float64), pointers=None)
    return Number(frame, lambda step: step.fed(feed), values)


def constant_vector(rows: Rows, frame: Frame | None) -> Vector:
    """Folded rows; one row that is the same for all stays one."""
    if frame is None or (rows.batch == 1 and frame.rows != 1):
        return _constant_for_all(rows)
    rows = spread(rows, frame)
    rest = constant_number(rows.rest, frame) if rows.rest.any() else None
    pattern = Pattern.of_keys(frame, rows.size, rows.keys)
    return Vector(frame, rows.size, _folded, pattern, rest, const=rows)


def _constant_for_all(rows: Rows) -> Vector:
    rest = constant_number(rows.rest, None) if rows.rest.any() else None
    if not len(rows.keys):
        return Vector(None, rows.size, no_entries, None, rest, flat=True, const=rows)
    written = np.ascontiguousarray(rows.dense().T)
    return Vector(None, rows.size, lambda step: Tensor(step.constant(written), ROW), const=rows)


def _folded(step: Step) -> Tensor:
    raise AssertionError("folded entries are fed where they are used")


def no_entries(step: Step) -> Tensor:
    raise AssertionError("a flat vector has no entries")


# -- feeds of a pattern ---------------------------------------------------------------------------


def item_feed(pattern: Pattern, data: np.ndarray | None, base: Pattern | None = None) -> Feed:
    return pattern.frame.feed(data=data, pointers=pattern.pointers, base=base)


def row_feed(pattern: Pattern) -> Feed:
    """The row, within the batch, of each entry."""
    return _cached(pattern, "row", lambda: item_feed(pattern, None))


def column_feed(pattern: Pattern) -> Feed:
    return _cached(pattern, "column", lambda: item_feed(pattern, pattern.columns))


def _cached(pattern: Pattern, name: str, make: Callable[[], Feed]) -> Feed:
    table = pattern.__dict__.setdefault("_feeds", {})
    if name not in table:
        table[name] = make()
    return table[name]


# -- looking up -----------------------------------------------------------------------------------


def number_at(number: Number, pattern: Pattern) -> Make:
    """A number of each row at each of its entries; one for all rows stays one."""
    if number.frame is None:
        return lambda step: step.get(number)
    rows, frame = row_feed(pattern), pattern.frame
    return lambda step: take(step.get(number), step.feeds[rows], step.batch[frame])


def entries_at(vector: Vector, pattern: Pattern) -> Make:
    """The values of a vector at the entries of a pattern."""
    if vector.const is not None:
        numbers = look_up(vector.const, keys_for(vector.const, pattern), vector.const.batch)
        feed = item_feed(pattern, np.ascontiguousarray(numbers))
        return lambda step: step.fed(feed)
    if vector.flat:
        if vector.rest is None:
            return lambda step: Tensor(tensorflow().zeros([1], step.dtype), ONE)
        return number_at(vector.rest, pattern)
    if vector.pattern is pattern:
        return lambda step: step.get(vector)
    if vector.pattern is not None:
        return _entries_of_pattern(vector, vector.pattern, pattern)
    return _entries_of_dense(vector, pattern)


def _entries_of_dense(vector: Vector, pattern: Pattern) -> Make:
    columns, size = column_feed(pattern), vector.size
    if vector.frame is None:
        return lambda step: take(reshaped(step.get(vector), FLAT), step.feeds[columns], size)
    rows, frame = row_feed(pattern), pattern.frame

    def make(step: Step) -> Tensor:
        where = step.feeds[columns] * step.batch[frame] + step.feeds[rows]
        return take(reshaped(step.get(vector), FLAT), where, step.batch[frame] * size)

    return make


def keys_for(rows: Rows, pattern: Pattern) -> np.ndarray:
    return pattern.columns if rows.batch == 1 else pattern.keys


def _entries_of_pattern(vector: Vector, own: Pattern, pattern: Pattern) -> Make:
    places, there = relative(own, pattern.keys)
    counter = row_feed(own)
    if there.all():
        index = item_feed(pattern, places, own)
        return lambda step: take(step.get(vector), step.feeds[index], step.size(counter))
    if not len(own):
        return number_at(vector.rest or constant_number(np.zeros(1), None), pattern)
    # only the entries that are there are moved; each knows where it stands in the new pattern
    rows = pattern.rows[there]
    pointers = pointers_of(rows, pattern.frame)
    source = pattern.frame.feed(data=places[there], pointers=pointers, base=own)
    within = np.arange(len(pattern)) - pattern.pointers[pattern.rows]
    target = pattern.frame.feed(data=within[there], pointers=pointers, base=pattern)
    size = row_feed(pattern)
    rest = None if vector.rest is None else number_at(vector.rest, pattern)
    missing = None if rest is None else item_feed(pattern, (~there).astype(np.float64))

    def make(step: Step) -> Tensor:
        moved = take(step.get(vector), step.feeds[source], step.size(counter))
        known = add_up(moved, step.feeds[target], step.size(size))
        if rest is None or missing is None:
            return known
        return known + step.fed(missing) * rest(step)

    return make


def pointers_of(rows: np.ndarray, frame: Frame) -> np.ndarray:
    """Where each row starts in a list of items that is sorted by row."""
    counts = np.bincount(rows, minlength=frame.rows)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def dense(vector: Vector) -> Vector:
    """The vector with every entry written out."""
    if vector.is_dense:
        return vector
    size, rest = vector.size, vector.rest
    if vector.flat:
        number = rest or constant_number(np.zeros(1), None)
        return Vector(number.frame, size, lambda step: across(step.get(number), size))
    pattern = vector.pattern
    assert pattern is not None
    rows, columns = row_feed(pattern), column_feed(pattern)
    rest_at = None if rest is None else number_at(rest, pattern)
    listed = entries_at(vector, pattern)

    def scatter(step: Step) -> Tensor:
        values = listed(step) if rest_at is None else listed(step) - rest_at(step)
        where = step.feeds[columns] * step.batch[pattern.frame] + step.feeds[rows]
        flat = add_up(values, where, step.batch[pattern.frame] * size)
        result = reshaped(flat, DENSE, size)
        return result if rest is None else result + beside(step.get(rest))

    return Vector(pattern.frame, size, scatter)
