"""What a table gives: the facts of one predicate, or its examples in one set, as columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neurallog_kernel.language.syntax import Signature


@dataclass(frozen=True, eq=False)
class ReadFacts:
    """Facts of one predicate, or examples of one predicate in one set; none twice."""

    signature: Signature
    numeric: tuple[bool, ...]
    places: tuple[np.ndarray, ...]  # int32 symbols, or float64
    weights: np.ndarray
    lines: np.ndarray
    set: str | None = None
    example: bool = False
    groups: np.ndarray | None = None  # the id of the mega example that each row belongs to

    def __len__(self) -> int:
        return len(self.weights)

    def chosen(self, rows: np.ndarray, name: str | None) -> ReadFacts:
        return ReadFacts(
            self.signature,
            self.numeric,
            tuple(place[rows] for place in self.places),
            self.weights[rows],
            self.lines[rows],
            name,
            self.example,
            None if self.groups is None else self.groups[rows],
        )


_SET_NAMES = {"valid": "validation", "val": "validation", "dev": "validation"}


def set_name(text: str) -> str:
    """The usual names of the second set are one."""
    return _SET_NAMES.get(text.strip().lower(), text.strip())
