"""Where the rows of a batch have entries: patterns of columns, and keys of rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neurallog_kernel.evaluate.rows import Rows
from neurallog_kernel.knowledge.symbols import distinct
from neurallog_kernel.network.rowsets import Frame

TABLE = 8  # cells for each key that is looked up, until which a table of them all is worth it


@dataclass(eq=False)
class SparsityPattern:
    """Where a batch of rows has entries: for each row its columns, ascending."""

    frame: Frame
    size: int
    pointers: np.ndarray  # where each row starts, and the end
    columns: np.ndarray

    @classmethod
    def of_keys(cls, frame: Frame, size: int, keys: np.ndarray) -> SparsityPattern:
        counts = np.bincount(keys // size, minlength=frame.rows) if size else np.zeros(frame.rows)
        pointers = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return cls(frame, size, pointers, (keys % size if size else keys).astype(np.int64))

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def keys(self) -> np.ndarray:
        return self.rows * self.size + self.columns

    @property
    def rows(self) -> np.ndarray:
        return np.repeat(np.arange(self.frame.rows, dtype=np.int64), np.diff(self.pointers))

    @property
    def counts(self) -> np.ndarray:
        return np.diff(self.pointers)


def spread(rows: Rows, frame: Frame) -> Rows:
    """A batch of one row as one row for each of the frame."""
    if rows.batch == frame.rows:
        return rows
    starts = np.arange(frame.rows, dtype=np.int64) * rows.size
    keys = (starts[:, None] + rows.keys[None, :]).reshape(-1)
    values = np.tile(rows.values, frame.rows)
    return Rows(frame.rows, rows.size, keys, values, np.repeat(rows.rest, frame.rows))


def relative(pattern: SparsityPattern, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where each key stands in its row of the pattern, and whether it stands there at all."""
    own = pattern.keys
    found = np.searchsorted(own, keys)
    found[found == len(own)] = 0
    there = own[found] == keys if len(own) else np.zeros(len(keys), dtype=bool)
    rows = keys // pattern.size if pattern.size else keys
    return np.where(there, found - pattern.pointers[rows], 0), there


def union(patterns: Sequence[np.ndarray]) -> np.ndarray:
    """All keys of several ascending arrays."""
    parts = [keys for keys in patterns if len(keys)]
    if not parts:
        return np.zeros(0, dtype=np.int64)
    return parts[0] if len(parts) == 1 else distinct(np.concatenate(parts))


def places_among(keys: np.ndarray, parts: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Where each key of the parts stands among all of them, which are ascending.

    >>> [places.tolist() for places in places_among(np.array([2, 3, 7]), [np.array([7, 2])])]
    [[2, 0]]
    """
    if not len(keys) or keys[-1] > TABLE * sum(map(len, parts)):
        return [np.searchsorted(keys, part) for part in parts]
    table = np.zeros(int(keys[-1]) + 1, dtype=np.int32)  # looked up at once, instead of searched
    table[keys] = np.arange(len(keys), dtype=np.int32)
    return [table[part] for part in parts]
