"""Where true answers stand among all entities, for a whole batch of questions at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neurallog_kernel.evaluate.rows import Rows, look_up
from neurallog_kernel.learning.choices.ties import EXPECTED


@dataclass(frozen=True)
class Standing:
    """For each answer how many entities stand above it, and how many others beside it."""

    higher: np.ndarray
    equal: np.ndarray

    def ranks(self, ties: str) -> np.ndarray:
        """1 is best; `ties` says where an answer stands among equals."""
        extra = {
            "optimistic": 0,
            "pessimistic": self.equal,
            "average": self.equal // 2,
            EXPECTED: self.equal / 2,
        }[ties]
        return 1.0 + self.higher + extra

    @staticmethod
    def of(parts: Sequence[Standing]) -> Standing:
        """Those of several batches."""
        nothing = np.zeros(0, dtype=np.int64)
        return Standing(
            np.concatenate([nothing, *(part.higher for part in parts)]),
            np.concatenate([nothing, *(part.equal for part in parts)]),
        )

    def reciprocals(self, ties: str) -> np.ndarray:
        """1 / rank; "expected" is the mean over every order of the equals."""
        if ties != EXPECTED:
            return 1.0 / self.ranks(ties)
        last = int((self.higher + self.equal).max(initial=0)) + 1
        sums = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, last + 1))])
        return (sums[self.higher + self.equal + 1] - sums[self.higher]) / (self.equal + 1)

    def within(self, ties: str, top: int) -> np.ndarray:
        """Whether each answer is among the first `top`, or how likely that is."""
        if ties != EXPECTED:
            return (self.ranks(ties) <= top).astype(float)
        return np.clip((top - self.higher) / (self.equal + 1), 0.0, 1.0)

    def without(self, others: Standing) -> Standing:
        """When some entities are left out."""
        return Standing(self.higher - others.higher, self.equal - others.equal)


def standing(values: Rows, batch: int, rows: np.ndarray, answers: np.ndarray) -> Standing:
    """Where each answer stands in its row of the batch."""
    one_for_all = values.batch == 1 and batch > 1
    at = np.zeros_like(rows) if one_for_all else rows
    own = look_up(values, at * values.size + answers, values.batch)
    above, beside = _counted(values.rows(), values.values, at, own)
    unlisted = values.size - np.bincount(values.rows(), minlength=values.batch)[at]
    rest = values.rest[at]
    above = above + np.where(rest > own, unlisted, 0)
    beside = beside + np.where(rest == own, unlisted, 0)
    return Standing(above, beside - 1)


def standing_among(
    values: Rows,
    batch: int,
    rows: np.ndarray,
    answers: np.ndarray,
    known_rows: np.ndarray,
    known: np.ndarray,
) -> Standing:
    """The same among the known entities of its row, the answer itself not counted."""
    one_for_all = values.batch == 1 and batch > 1
    size = values.size
    place = (lambda row: np.zeros_like(row)) if one_for_all else (lambda row: row)
    own = look_up(values, place(rows) * size + answers, values.batch)
    theirs = look_up(values, place(known_rows) * size + known, values.batch)
    above, beside = _counted(known_rows, theirs, rows, own)
    itself = np.isin(rows * size + answers, known_rows * size + known)
    return Standing(above, beside - itself)


def _counted(
    rows: np.ndarray, values: np.ndarray, at: np.ndarray, own: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """For each `own` in row `at`: how many values of that row are larger, and how many equal."""
    levels, which = np.unique(np.concatenate([values, own]), return_inverse=True)
    number = len(levels)
    listed = np.sort(rows * number + which[: len(values)])
    wanted = at * number + which[len(values) :]
    first = np.searchsorted(listed, wanted, side="left")
    after = np.searchsorted(listed, wanted, side="right")
    ends = np.searchsorted(listed, (at + 1) * number, side="left")
    return ends - after, after - first
