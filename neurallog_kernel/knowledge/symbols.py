"""One number for every entity name of a session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from neurallog_kernel.knowledge.interning import numbers_of
from neurallog_kernel.language.facts import Names

_SPARSE = 64  # with fewer symbols than one in so many numbers, sorting is cheaper than marking


class SymbolTable:
    """Names to numbers and back; numbers are given in order of appearance and never change.

    >>> table = SymbolTable()
    >>> table.intern(["b", "a", "b"]).tolist()
    [0, 1, 0]
    >>> table.name(1), table.find("c")
    ('a', None)
    """

    def __init__(self) -> None:
        self._names: list[str] = []
        self._ids = _Ids(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def name(self, symbol: int) -> str:
        return self._names[symbol]

    def names(self, symbols: Iterable[int]) -> list[str]:
        return list(map(self._names.__getitem__, symbols))

    def find(self, name: str) -> int | None:
        return self._ids.get(name)

    def beginning_with(self, prefix: str) -> list[tuple[int, str]]:
        """Numbers and names of all that begin so."""
        return [(i, name) for i, name in enumerate(self._names) if name.startswith(prefix)]

    def intern(self, names: Sequence[str]) -> np.ndarray:
        """The numbers of many names at once."""
        return numbers_of(names, self._ids)

    def intern_all(self, columns: Sequence[Sequence[str]]) -> list[np.ndarray]:
        """The numbers of each column's names, as if one column was interned after the other."""
        if len(columns) < 2 or not all(isinstance(column, Names) for column in columns):
            return [self.intern(column) for column in columns]
        together = self.intern(Names.joined([c for c in columns if isinstance(c, Names)]))
        return np.split(together, np.cumsum(list(map(len, columns)))[:-1])


def distinct(numbers: np.ndarray) -> np.ndarray:
    """Whole numbers from 0 on without repetition, ascending.

    Those of a dense table are marked, others sorted. NumPy's `unique` hashes, and takes a hundred
    times as long as either for millions of them.

    >>> distinct(np.array([3, 1, 3, 0])).tolist()
    [0, 1, 3]
    """
    if not len(numbers):
        return numbers
    top = int(numbers.max()) + 1
    if len(numbers) * _SPARSE < top:
        ordered = np.sort(numbers)
        return ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])]
    marks = np.zeros(top, dtype=bool)
    marks[numbers] = True
    return np.flatnonzero(marks).astype(numbers.dtype)


class _Ids(dict[str, int]):
    """Gives a name its number when it is first looked up: one pass over millions of names."""

    def __init__(self, names: list[str]) -> None:
        super().__init__()
        self._names = names

    def __missing__(self, name: str) -> int:
        number = len(self._names)
        self._names.append(name)  # first: an interrupt in between must not free the number
        self[name] = number
        return number
