"""Values that depend on learned weights: numbers and vectors of a batch, and operations on them.

A value is described before any tensor exists: which rows it has, where its entries are, and how to
make its tensor in a step. Operations put the index arrays they need into the feeds of the frame.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from neurallog_kernel.evaluate.rows import Rows, look_up
from neurallog_kernel.network.arrays import Arrays
from neurallog_kernel.network.autodiff import (
    FLAT,
    ONE,
    ROW,
    Leaf,
    Tensor,
    add_up,
    reshaped,
    take,
)
from neurallog_kernel.network.equal_entities import Classes, numbered
from neurallog_kernel.network.rowsets import Feed, Frame
from neurallog_kernel.network.sparsity import SparsityPattern, relative, spread

Make = Callable[["BatchStep"], Tensor]


@dataclass
class BatchStep:
    """One step of training or prediction: the feeds of the batch and what was made from them."""

    feeds: dict[Feed, Any]
    batch: dict[Frame, Any]  # the number of rows
    dtype: str
    arrays: Arrays
    constants: dict[int, tuple[Any, Any]]  # the same in every step, each with what it is made of
    made: dict[Any, Any] = field(default_factory=dict)

    def get(self, value: DeferredNumber | DeferredVector) -> Tensor:
        """The value's tensor, made once a step."""
        if value not in self.made:
            self.made[value] = value.make(self)
        return self.made[value]

    def reduced(
        self, operation: Callable[[Tensor, Tensor], Tensor], parts: Sequence[Tensor]
    ) -> Tensor:
        """Tensors combined from the left. Sums that begin with the same parts share them: a
        recursive predicate adds up its other rules at every depth."""
        found = parts[0]
        for part in parts[1:]:
            key = (operation, found, part)
            if key not in self.made:
                self.made[key] = operation(found, part)
            found = self.made[key]
        return found

    def fed(self, feed: Feed) -> Tensor:
        """A feed of numbers, as a constant."""
        return Tensor(self.feeds[feed], FLAT)

    def size(self, feed: Feed) -> Any:
        """How many entries a feed has in this batch."""
        key = ("size", feed)
        if key not in self.made:
            self.made[key] = self.arrays.size(self.feeds[feed])
        return self.made[key]

    def constant(self, array: np.ndarray) -> Any:
        """An array that is the same in every batch."""
        dtype = self.dtype if array.dtype.kind == "f" else None
        return self._kept(array, lambda: self.arrays.constant(array, dtype))

    def matrix(self, matrix: sp.csr_array) -> Any:
        """A sparse matrix that is the same in every batch."""
        return self._kept(matrix, lambda: self.arrays.sparse(matrix, self.dtype))

    def _kept(self, source: Any, make: Callable[[], Any]) -> Any:
        found = self.constants.get(id(source))
        if found is None:  # while its source is held, nothing else has the same id
            found = self.constants[id(source)] = (make(), source)
        return found[0]

    def leaf(self, variable: Any) -> Tensor:
        """A learned variable, read once a step."""
        key = ("leaf", id(variable))
        if key not in self.made:
            self.made[key] = Leaf(variable, self.arrays.read(variable), FLAT)
        return self.made[key]


@dataclass(eq=False)
class DeferredNumber:
    """One number a row (`frame`), or one for all of them (`frame` None)."""

    frame: Frame | None
    make: Make
    const: np.ndarray | None = None


@dataclass(eq=False)
class DeferredVector:
    """A vector a row, or one for all rows.

    With a `pattern` the tensor holds its entries, and `rest` is the value elsewhere (None: 0).
    Without one it is dense, with an entry for each entity or for each of the `classes`; `flat`
    vectors have no entries at all, only `rest`.
    """

    frame: Frame | None
    size: int
    make: Make
    pattern: SparsityPattern | None = None
    rest: DeferredNumber | None = None
    flat: bool = False
    const: Rows | None = None
    classes: Classes | None = None
    written: DeferredVector | None = (
        None  # itself with every entry written out, once that was asked for
    )
    divided: list[DeferredVector] = field(default_factory=list)  # itself in further classes

    @property
    def is_dense(self) -> bool:
        return self.pattern is None and not self.flat

    @property
    def is_sparse(self) -> bool:
        """Whether what is not listed is zero."""
        return self.pattern is not None and self.rest is None


# -- constants ------------------------------------------------------------------------------------


def constant_number(values: np.ndarray, frame: Frame | None) -> DeferredNumber:
    if len(values) > 1 and (values == values[0]).all():  # what no row tells apart is one number
        values = values[:1]
    if frame is None or len(values) == 1:
        return DeferredNumber(None, lambda step: Tensor(step.constant(values), ONE), values)
    feed = frame.feed(data=values.astype(np.float64), pointers=None)
    return DeferredNumber(frame, lambda step: step.fed(feed), values)


def constant_vector(rows: Rows, frame: Frame | None) -> DeferredVector:
    """Folded rows; one row that is the same for all stays one."""
    if frame is None or (rows.batch == 1 and frame.rows != 1):
        return _constant_for_all(rows)
    rows = spread(rows, frame)
    rest = constant_number(rows.rest, frame) if rows.rest.any() else None
    if not len(rows.keys):
        return everywhere(rest, rows.size)
    pattern = SparsityPattern.of_keys(frame, rows.size, rows.keys)
    return DeferredVector(frame, rows.size, _folded, pattern, rest, const=rows)


def everywhere(number: DeferredNumber | None, size: int) -> DeferredVector:
    """The vector that has a number everywhere, or 0."""
    frame = None if number is None else number.frame
    return DeferredVector(frame, size, no_entries, None, number, flat=True)


def _constant_for_all(rows: Rows) -> DeferredVector:
    rest = constant_number(rows.rest, None) if rows.rest.any() else None
    if not len(rows.keys):
        return DeferredVector(None, rows.size, no_entries, None, rest, flat=True, const=rows)
    written = np.ascontiguousarray(rows.dense().T)
    classes = numbered(written[:, 0])
    if classes is not None:
        written = written[classes.first]
    return DeferredVector(
        None,
        rows.size,
        lambda step: Tensor(step.constant(written), ROW),
        const=rows,
        classes=classes,
    )


def _folded(step: BatchStep) -> Tensor:
    raise AssertionError("folded entries are fed where they are used")


def no_entries(step: BatchStep) -> Tensor:
    raise AssertionError("a flat vector has no entries")


# -- feeds of a pattern ---------------------------------------------------------------------------


def item_feed(
    pattern: SparsityPattern, data: np.ndarray | None, base: SparsityPattern | None = None
) -> Feed:
    return pattern.frame.feed(data=data, pointers=pattern.pointers, base=base)


def row_feed(pattern: SparsityPattern) -> Feed:
    """The row, within the batch, of each entry."""
    return _cached(pattern, "row", lambda: item_feed(pattern, None))


def column_feed(pattern: SparsityPattern) -> Feed:
    return _cached(pattern, "column", lambda: item_feed(pattern, pattern.columns))


def place_feed(frame: Frame, distinct: Frame) -> Feed | None:
    """Where each row of a frame is among its distinct rows; None if these are the frame itself."""
    if distinct is frame:
        return None
    assert distinct.parent is frame
    for feed in frame.feeds:
        if feed.into is distinct:
            return feed
    return frame.feed(data=None, pointers=None, into=distinct)


def row_index(pattern: SparsityPattern, frame: Frame) -> Callable[[BatchStep], Any]:
    """The row of each entry, in the batch of the pattern's frame or of its distinct rows."""
    rows, places = row_feed(pattern), place_feed(pattern.frame, frame)
    if places is None:
        return lambda step: step.feeds[rows]
    key = ("rows", pattern, frame)

    def index(step: BatchStep) -> Any:
        if key not in step.made:
            step.made[key] = step.arrays.gather(step.feeds[places], step.feeds[rows])
        return step.made[key]

    return index


def moved(number: DeferredNumber, frame: Frame) -> DeferredNumber:
    """A number of each distinct row as one of each row."""
    if number.frame is None or number.frame is frame:
        return number
    own, places = number.frame, place_feed(frame, number.frame)
    assert places is not None
    return DeferredNumber(
        frame, lambda step: take(step.get(number), step.feeds[places], step.batch[own])
    )


def _cached(pattern: SparsityPattern, name: str, make: Callable[[], Feed]) -> Feed:
    table = pattern.__dict__.setdefault("_feeds", {})
    if name not in table:
        table[name] = make()
    return table[name]


# -- looking up -----------------------------------------------------------------------------------


def number_at(number: DeferredNumber, pattern: SparsityPattern) -> Make:
    """A number of each row at each of its entries; one for all rows stays one."""
    if number.frame is None:
        return lambda step: step.get(number)
    frame = number.frame
    rows = row_index(pattern, frame)
    return lambda step: take(step.get(number), rows(step), step.batch[frame])


def entries_at(vector: DeferredVector, pattern: SparsityPattern) -> Make:
    """The values of a vector at the entries of a pattern."""
    if vector.const is not None:
        numbers = look_up(vector.const, keys_for(vector, pattern), vector.const.batch)
        feed = item_feed(pattern, np.ascontiguousarray(numbers))
        return lambda step: step.fed(feed)
    if vector.flat:
        if vector.rest is None:
            return lambda step: Tensor(step.arrays.zeros(1, step.dtype), ONE)
        return number_at(vector.rest, pattern)
    if vector.pattern is pattern:
        return lambda step: step.get(vector)
    if vector.pattern is not None:
        return _entries_of_pattern(vector, vector.pattern, pattern)
    return _entries_of_dense(vector, pattern)


def _entries_of_dense(vector: DeferredVector, pattern: SparsityPattern) -> Make:
    columns, size = column_feed(pattern), vector.size
    if vector.classes is not None:
        size = vector.classes.count
        columns = item_feed(pattern, vector.classes.of[pattern.columns])
    if vector.frame is None:
        return lambda step: take(reshaped(step.get(vector), FLAT), step.feeds[columns], size)
    frame = vector.frame
    rows = row_index(pattern, frame)

    def make(step: BatchStep) -> Tensor:
        where = step.feeds[columns] * step.batch[frame] + rows(step)
        return take(reshaped(step.get(vector), FLAT), where, step.batch[frame] * size)

    return make


def keys_for(vector: DeferredVector, pattern: SparsityPattern) -> np.ndarray:
    """The keys, among the rows of a vector, of the entries of a pattern."""
    if vector.frame is None or (vector.const is not None and vector.const.batch == 1):
        return pattern.columns
    if vector.frame is pattern.frame:
        return pattern.keys
    assert vector.frame.of is not None
    return vector.frame.of[pattern.rows] * pattern.size + pattern.columns


def _entries_of_pattern(
    vector: DeferredVector, own: SparsityPattern, pattern: SparsityPattern
) -> Make:
    places, there = relative(own, keys_for(vector, pattern))
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

    def make(step: BatchStep) -> Tensor:
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
