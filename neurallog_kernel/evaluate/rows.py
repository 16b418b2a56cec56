"""Batches of row vectors: sparse entries, plus for each row one constant everywhere else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from neurallog_kernel.functions import ADD, MULTIPLY
from neurallog_kernel.knowledge.matrices import Matrix, Relation
from neurallog_kernel.knowledge.symbols import distinct

# Measured: adding up in an array of all keys costs 5 ns a place, sorting the keys 45 ns a key.
SPACE_A_KEY = 8
PATHS_AT_ONCE = 4_000_000  # bounds the memory of one product
Numbers = np.ndarray  # one number per row: shape [batch]


@dataclass(frozen=True, slots=True)
class Rows:
    """`batch` rows over `size` entities. Entry (row, column) has the key row * size + column.

    `keys` are ascending; an entry that is not among them has the value `rest[row]`. A batch of one
    row stands for every row where it meets a larger batch.
    """

    batch: int
    size: int
    keys: np.ndarray  # int64
    values: np.ndarray  # float64
    rest: Numbers

    @property
    def is_sparse(self) -> bool:
        """Whether everything that is not listed is zero."""
        return self.rest is _ZERO or not self.rest.any()

    @property
    def is_full(self) -> bool:
        return len(self.keys) == self.batch * self.size

    def columns(self) -> np.ndarray:
        return self.keys if self.batch == 1 else self.keys % self.size

    def rows(self) -> np.ndarray:
        if self.batch == 1:
            return np.zeros(len(self.keys), dtype=np.int64)
        return self.keys // self.size

    def dense(self) -> np.ndarray:
        """All entries as [batch, size]."""
        full = np.repeat(self.rest, self.size)
        full[self.keys] = self.values
        return full.reshape(self.batch, self.size)

    @property
    def nbytes(self) -> int:
        return self.keys.nbytes + self.values.nbytes + self.rest.nbytes


def rows_of(batch: int, size: int, keys: np.ndarray, values: np.ndarray, rest: Numbers) -> Rows:
    """Rows whose `rest` counts only if there is an entry that is not listed: a function may make
    infinity of a zero that is not there."""
    if len(keys) == batch * size:
        rest = np.zeros(batch)
    return Rows(batch, size, keys, values, rest)


def sparse(batch: int, size: int, keys: np.ndarray, values: np.ndarray) -> Rows:
    return Rows(batch, size, keys, values, _ZERO if batch == 1 else np.zeros(batch))


def constant(size: int, rest: Numbers) -> Rows:
    """The same number at every entity of a row."""
    return Rows(len(rest), size, _NO_KEYS, _NO_VALUES, rest)


def entity_row(size: int, column: int) -> Rows:
    """One row with a 1 at one entity: the input of most questions."""
    return Rows(1, size, np.array([column]), _ONE, _ZERO)


def one_hot(size: int, columns: np.ndarray) -> Rows:
    """One row for each of the columns."""
    keys = np.arange(len(columns), dtype=np.int64) * size + columns
    return sparse(len(columns), size, keys, np.ones(len(columns)))


def from_dense(rows: np.ndarray) -> Rows:
    batch, size = rows.shape
    flat = rows.reshape(-1)
    keys = np.flatnonzero(flat)
    return sparse(batch, size, keys, flat[keys])


_NO_KEYS = np.zeros(0, dtype=np.int64)
_NO_VALUES = np.zeros(0)
_ZERO = np.zeros(1)  # the rest of one sparse row: to be recognised without looking at it
_ZERO.flags.writeable = False
_ONE = np.ones(1)
_ONE.flags.writeable = False


# -- entry by entry -------------------------------------------------------------------------------


def combine(operation: Callable, left: Rows, right: Rows) -> Rows:
    """Two batches entry by entry."""
    batch = max(left.batch, right.batch)
    if operation is MULTIPLY and _is_one(right):
        return left
    if operation is MULTIPLY and (left.is_sparse or right.is_sparse):
        return _multiply(batch, left, right)
    if operation is ADD and left.batch == right.batch and left.is_sparse and right.is_sparse:
        return add_up((left, right))
    keys = _union(_spread_keys(left, batch), _spread_keys(right, batch))
    values = operation(look_up(left, keys, batch), look_up(right, keys, batch))
    return rows_of(batch, left.size, keys, values, _spread(operation(left.rest, right.rest), batch))


def combine_several(operation: Callable, parts: Sequence[Rows]) -> Rows:
    """Any number of batches entry by entry, at the entries that one of them lists."""
    batch, size = max(part.batch for part in parts), parts[0].size
    keys = distinct(np.concatenate([_spread_keys(part, batch) for part in parts]))
    values = operation(*(look_up(part, keys, batch) for part in parts))
    rest = _spread(operation(*(part.rest for part in parts)), batch)
    return rows_of(batch, size, keys, values, rest)


def _is_one(rows: Rows) -> bool:
    """Whether it is the 1-vector written out, as facts without weights are kept."""
    values = rows.values
    if values.strides != (0,) or not len(values) or rows.batch != 1:
        return False
    return rows.is_full and values[0] == 1.0


def _multiply(batch: int, left: Rows, right: Rows) -> Rows:
    """A product that is zero wherever a sparse factor lists nothing."""
    if not left.is_sparse or (right.is_sparse and _weight(right, batch) < _weight(left, batch)):
        left, right = right, left
    keys = _spread_keys(left, batch)
    values = _spread_values(left, batch) * look_up(right, keys, batch)
    there = values != 0
    if not there.all():
        keys, values = keys[there], values[there]
    return sparse(batch, left.size, keys, values)


def _weight(rows: Rows, batch: int) -> int:
    return len(rows.keys) * (batch // max(rows.batch, 1))  # a batch may have no row


def _spread(numbers: Numbers, batch: int) -> Numbers:
    return numbers if len(numbers) == batch else np.repeat(numbers, batch)


def _spread_keys(rows: Rows, batch: int) -> np.ndarray:
    if rows.batch == batch:
        return rows.keys
    starts = np.arange(batch, dtype=np.int64) * rows.size
    return (starts[:, None] + rows.keys[None, :]).reshape(-1)


def _spread_values(rows: Rows, batch: int) -> np.ndarray:
    return rows.values if rows.batch == batch else np.tile(rows.values, batch)


def _union(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    if left is right or not len(right):
        return left
    return right if not len(left) else distinct(np.concatenate([left, right]))


def look_up(rows: Rows, keys: np.ndarray, batch: int) -> np.ndarray:
    """The values at these keys of a batch of `batch` rows."""
    if rows.keys is keys:
        return rows.values
    wanted = keys % rows.size if rows.batch < batch else keys
    if rows.is_full:
        return rows.values[wanted]
    if not len(rows.keys):
        return _rest_at(rows, keys)
    found = rows.keys.searchsorted(wanted)
    found[found == len(rows.keys)] = 0
    rest = rows.rest[0] if len(rows.rest) == 1 else rows.rest[keys // rows.size]
    return np.where(rows.keys[found] == wanted, rows.values[found], rest)


def _rest_at(rows: Rows, keys: np.ndarray) -> np.ndarray:
    if len(rows.rest) == 1:
        return np.full(keys.shape, rows.rest[0])
    return rows.rest[keys // rows.size]


def elementwise(function: Callable, rows: Rows) -> Rows:
    """A function of each entry; it may turn the zeros that are not listed into something."""
    return rows_of(rows.batch, rows.size, rows.keys, function(rows.values), function(rows.rest))


def add_up(parts: Sequence[Rows]) -> Rows:
    """The sum of sparse batches of one shape."""
    batch, size = parts[0].batch, parts[0].size
    listed = [(part.keys, part.values) for part in parts if len(part.keys)]
    if len(listed) < 2:
        return sparse(batch, size, *(listed[0] if listed else (_NO_KEYS, _NO_VALUES)))
    return sparse(batch, size, *_gather(*_concatenated(listed), batch * size))


# -- a whole row ----------------------------------------------------------------------------------


def total(rows: Rows) -> Numbers:
    """The sum of each row."""
    listed = row_sums(rows, rows.values)
    if rows.is_sparse:
        return listed
    missing = rows.size - row_counts(rows)
    return listed + np.multiply(rows.rest, missing, out=np.zeros(rows.batch), where=missing > 0)


def row_sums(rows: Rows, values: np.ndarray) -> Numbers:
    if rows.batch == 1:
        return np.array([values.sum()])
    if not len(values):  # of nothing np.bincount makes integers
        return np.zeros(rows.batch)
    return np.bincount(_places(rows.rows()), weights=values, minlength=rows.batch)


def row_counts(rows: Rows) -> np.ndarray:
    """How many entries each row lists."""
    if rows.batch == 1:
        return np.array([len(rows.keys)])
    return np.bincount(_places(rows.rows()), minlength=rows.batch)


# -- times a matrix -------------------------------------------------------------------------------


def product(rows: Rows, relation: Relation, inverted: bool, size: int) -> Rows:
    """The rows times a relation; the result is over `size` entities."""
    is_sparse = rows.is_sparse
    if not is_sparse and not np.isfinite(rows.rest).all():  # infinity less infinity is not zero
        rows = _all_listed(rows)
        is_sparse = rows.is_sparse
    values = rows.values
    if not is_sparse:  # x = (x - rest) + rest, and rest times a matrix is its column sums
        values = values - _rest_at(rows, rows.keys)
    parts = relation.rows_of(rows.columns(), inverted) if len(rows.keys) else ()
    found = [_times(rows, values, part, size) for part in parts]
    if not is_sparse:
        found += [_rest_times(rows, sums, size) for sums in relation.column_sums(inverted)]
    found = [(keys, more) for keys, more in found if len(keys)]
    if not found:
        return sparse(rows.batch, size, _NO_KEYS, _NO_VALUES)
    if len(found) == 1:
        return sparse(rows.batch, size, *found[0])
    return sparse(rows.batch, size, *_gather(*_concatenated(found), rows.batch * size))


def _all_listed(rows: Rows) -> Rows:
    keys = np.arange(rows.batch * rows.size, dtype=np.int64)
    return rows_of(rows.batch, rows.size, keys, rows.dense().reshape(-1), rows.rest)


def _times(
    rows: Rows, values: np.ndarray, part: Matrix, size: int
) -> tuple[np.ndarray, np.ndarray]:
    """The listed entries times one matrix, as ascending keys and values."""
    columns, starts = rows.columns(), rows.rows() * size if rows.batch > 1 else None
    if part.shape[0] < rows.size:  # entities that came after the matrix was built
        inside = columns < part.shape[0]
        columns, values = columns[inside], values[inside]
        starts = None if starts is None else starts[inside]
    first = part.starts[columns]
    lengths = part.starts[columns + 1] - first
    if len(columns) == 1:  # one row of the matrix: it is stored as it is wanted
        here = slice(int(first[0]), int(first[0] + lengths[0]))
        keys = part.columns[here].astype(np.int64)
        return keys if starts is None else keys + starts[0], part.weights[here] * values[0]
    ends = lengths.cumsum()
    if not len(ends) or not ends[-1]:
        return _NO_KEYS, _NO_VALUES
    space = rows.batch * size
    if ends[-1] <= PATHS_AT_ONCE:
        return _gather(*_paths(first, lengths, ends, values, starts, part), space)
    cuts = np.searchsorted(ends, np.arange(PATHS_AT_ONCE, ends[-1], PATHS_AT_ONCE), side="right")
    found = []
    for a, b in pairwise(sorted({0, *cuts.tolist(), len(ends)})):
        offsets = None if starts is None else starts[a:b]
        here = np.cumsum(lengths[a:b])
        paths = _paths(first[a:b], lengths[a:b], here, values[a:b], offsets, part)
        found.append(_gather(*paths, space))
    return _gather(*_concatenated(found), space)


def _concatenated(found: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    keys, values = zip(*found, strict=True)
    return np.concatenate(keys), np.concatenate(values)


def _paths(
    first: np.ndarray,
    lengths: np.ndarray,
    ends: np.ndarray,
    values: np.ndarray,
    starts: np.ndarray | None,
    part: Matrix,
) -> tuple[np.ndarray, np.ndarray]:
    """Key and value of every path: each entry with each fact of its row of the matrix; `ends` is
    where the paths of each entry end."""
    at = (first - (ends - lengths)).repeat(lengths) + np.arange(ends[-1])
    keys = part.columns[at].astype(np.int64)
    if starts is not None:
        keys += starts.repeat(lengths)
    along = values.repeat(lengths)
    if part.is_uniform:
        return keys, along if part.weights[0] == 1.0 else along * part.weights[0]
    return keys, along * part.weights[at]


def _rest_times(rows: Rows, sums: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    columns = np.flatnonzero(sums)
    active = np.flatnonzero(rows.rest)
    keys = (active[:, None] * size + columns[None, :]).reshape(-1).astype(np.int64)
    values = (rows.rest[active][:, None] * sums[columns][None, :]).reshape(-1)
    return keys, values


def _places(keys: np.ndarray) -> np.ndarray:
    """Keys as NumPy counts them: in a browser, places have 32 bits."""
    return keys.astype(np.intp, copy=False)


def _gather(keys: np.ndarray, values: np.ndarray, space: int) -> tuple[np.ndarray, np.ndarray]:
    """Equal keys added up, ascending."""
    if space <= SPACE_A_KEY * len(keys):
        sums = np.bincount(_places(keys), weights=values, minlength=space)
        there = np.flatnonzero(sums != 0)
        return there, sums[there]
    order = keys.argsort()
    keys, values = keys[order], values[order]
    is_first = np.empty(len(keys), dtype=bool)
    is_first[:1] = True
    np.not_equal(keys[1:], keys[:-1], out=is_first[1:])
    first = is_first.nonzero()[0]
    return keys[first], np.add.reduceat(values, first)
