"""Types whose entities are named in a database: counted there, and named here when they are met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import RLock

import numpy as np

from neurallog_kernel.errors import BoundError, TableError
from neurallog_kernel.knowledge.attached import AttachedColumn, TableReader
from neurallog_kernel.knowledge.sources import Slot
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.knowledge.types import EntityType

MOST_NAMES = 5_000_000  # entities that are named at once: a name takes some 150 bytes


class _Met:
    """The entities that were met so far, and the place of each: the first met stands first."""

    def __init__(self, symbols: np.ndarray) -> None:
        self._symbols = np.array(symbols, dtype=np.int32)
        self._places = np.full(0, -1, dtype=np.int32)  # by symbol
        self.count = 0
        self.meet(self._symbols)

    @property
    def symbols(self) -> np.ndarray:
        return self._symbols[: self.count]

    def places(self, symbols: np.ndarray) -> np.ndarray:
        """The place of each, -1 where it was not met."""
        if not len(symbols):
            return np.zeros(0, dtype=np.int32)
        top = int(symbols.max()) + 1
        if top <= len(self._places):
            return self._places[symbols]
        found = np.full(len(symbols), -1, dtype=np.int32)
        inside = symbols < len(self._places)
        found[inside] = self._places[symbols[inside]]
        return found

    def meet(self, symbols: np.ndarray, most: int | None = None) -> bool:
        """Give a place to those that have none; to none of them if there would be more than
        `most` places, and then it is False."""
        places = self.places(symbols)
        new = np.unique(symbols[places < 0])
        if not len(new):
            return True
        top, end = int(new[-1]) + 1, self.count + len(new)
        if most is not None and end > most:
            return False
        if top > len(self._places):
            grown = np.full(max(top, 2 * len(self._places)), -1, dtype=np.int32)
            grown[: len(self._places)] = self._places
            self._places = grown
        if end > len(self._symbols):
            more = np.zeros(max(end, 2 * len(self._symbols)), dtype=np.int32)
            more[: self.count] = self.symbols
            self._symbols = more
        self._symbols[self.count : end] = new
        self._places[new] = np.arange(self.count, end, dtype=np.int32)
        self.count = end
        return True


@dataclass(frozen=True, eq=False)
class AttachedType(EntityType):
    """The entities of some columns of tables, and those that the program names beside them.

    Its size is counted in the database. An entity has its place in the vectors from when it is met:
    a vector lists what was met, and `rest` stands for all others. Places are never given twice, so
    that what was computed stays right; another list of entities is another type.
    """

    columns: tuple[AttachedColumn, ...] = ()
    symbols: SymbolTable = field(default_factory=SymbolTable, repr=False)
    _lock: RLock = field(default_factory=RLock, repr=False)

    @classmethod
    def over(
        cls,
        slot: Slot,
        named: np.ndarray,
        columns: Sequence[AttachedColumn],
        symbols: SymbolTable,
    ) -> AttachedType:
        """The type of these columns and of the symbols that the program names."""
        return cls(slot, named, 0, columns=tuple(columns), symbols=symbols)

    def is_over(self, named: np.ndarray, columns: Sequence[AttachedColumn]) -> bool:
        """Whether it is the type of just these."""
        return tuple(columns) == self.columns and np.array_equal(named, self.listed)

    @cached_property
    def _met(self) -> _Met:
        return _Met(self.listed)

    def __len__(self) -> int:
        return self._size

    @cached_property
    def _size(self) -> int:
        if len(self._readers) > 1:  # no database knows the names of another
            return len(self._all_names().union(self.symbols.names(self.listed.tolist())))
        (reader,) = self._readers
        names = self.symbols.names(self.listed.tolist())
        beside = int((~reader.present(self.columns, names)).sum()) if names else 0
        return reader.distinct(self.columns) + beside

    @property
    def _readers(self) -> dict[TableReader, tuple[AttachedColumn, ...]]:
        found: dict[TableReader, list[AttachedColumn]] = {}
        for column in self.columns:
            found.setdefault(column.reader, []).append(column)
        return {reader: tuple(columns) for reader, columns in found.items()}

    def _all_names(self) -> set[str]:
        self._check_bound(sum(r.distinct(columns) for r, columns in self._readers.items()))
        return {name for r, columns in self._readers.items() for name in r.names(columns)}

    def _check_bound(self, size: int) -> None:
        if size > MOST_NAMES:
            raise BoundError(
                f"this needs the names of all {size:,} entities of {self.columns[0]}, "
                f"and at most {MOST_NAMES:,} are taken into memory",
                hint="name an entity in the question; for all of them at once there is `score`",
            )

    @property
    def is_empty(self) -> bool:
        return not len(self.listed) and not any(column.rows for column in self.columns)

    @property
    def met(self) -> int:
        """How many of its entities have a place."""
        return self._met.count

    def meet_all(self) -> None:
        """Give a place to every entity."""
        with self._lock:
            if self._met.count < len(self):
                self._meet(self.symbols.intern(sorted(self._all_names())))
                if self._met.count < len(self):
                    raise self._changed()

    def meet(self, symbols: np.ndarray) -> np.ndarray:
        """The places of entities that a table of this type names."""
        with self._lock:
            self._meet(symbols)
            return self._met.places(symbols)

    def _meet(self, symbols: np.ndarray) -> None:
        if not self._met.meet(symbols, self.__dict__.get("_size")):
            raise self._changed()

    def _changed(self) -> TableError:
        """A view can change unseen, until its names are not those that were counted."""
        tables = " or ".join(sorted({column.table for column in self.columns}))
        return TableError(
            f"{tables} has changed since it was attached: its entities are others",
            hint="attach it again, so that all answers come from the same facts",
        )

    @property
    def members(self) -> np.ndarray:
        self.meet_all()
        return self._met.symbols

    def symbols_at(self, indexes: np.ndarray) -> np.ndarray:
        if np.size(indexes) and np.max(indexes) >= self._met.count:
            self.meet_all()
        return self._met.symbols[indexes]

    @property
    def stable(self) -> int:
        return self._met.count

    @property
    def is_ordered(self) -> bool:
        return False

    def position(self, symbol: int) -> int | None:
        found = int(self.positions(np.array([symbol], dtype=np.int32))[0])
        return None if found < 0 else found

    def index_of(self, name: str, symbols: SymbolTable) -> int | None:
        symbol = symbols.find(name)
        if symbol is None:
            self.look_for([name])
            symbol = symbols.find(name)
        return None if symbol is None else self.position(symbol)

    def look_for(self, names: Sequence[str]) -> None:
        """Meet those of these names that the tables have. Others are not made symbols: a question
        about nobody leaves nothing behind."""
        new = [name for name in dict.fromkeys(names) if self.symbols.find(name) is None]
        for reader, columns in self._readers.items():
            there = reader.present(columns, new) if new else np.zeros(0, dtype=bool)
            found = [name for name, one in zip(new, there.tolist(), strict=True) if one]
            self.meet(self.symbols.intern(found))
        known = [self.symbols.find(name) for name in names]
        self.positions(np.array([one for one in known if one is not None], dtype=np.int32))

    def some(self, limit: int) -> np.ndarray:
        if self._met.count < min(limit, len(self)):
            for reader, columns in self._readers.items():
                self.meet(self.symbols.intern(reader.names(columns, limit)))
        return self._met.symbols[:limit]

    def positions(self, symbols: np.ndarray) -> np.ndarray:
        """The place of each symbol, -1 where it is not of this type: one that was not met is
        looked for in the tables."""
        with self._lock:
            places = self._met.places(symbols)
            unmet = np.unique(symbols[places < 0])
            if len(unmet) and self._met.count < len(self):
                names = self.symbols.names(unmet.tolist())
                there = np.zeros(len(unmet), dtype=bool)
                for reader, columns in self._readers.items():
                    there |= reader.present(columns, names)
                self._meet(unmet[there])
                places = self._met.places(symbols)
            return places
