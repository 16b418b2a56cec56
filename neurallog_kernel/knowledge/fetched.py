"""Relations whose facts are in a database: the facts of an entity are fetched when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import RLock

import numpy as np

from neurallog_kernel.errors import TableError
from neurallog_kernel.knowledge.attached import AttachedTable, Duplicates, TableFacts
from neurallog_kernel.knowledge.attached_types import AttachedType
from neurallog_kernel.knowledge.blocks import Block, row_keys
from neurallog_kernel.knowledge.matrices import LoadedRelation, Matrix, matrix_of
from neurallog_kernel.knowledge.types import EntityType
from neurallog_kernel.language.syntax import Signature

PARTS = 8  # fetched one after the other, before they are put together
MOST_KEPT = 10_000_000  # facts of one relation that are kept for the next question


@dataclass(frozen=True, eq=False)
class FetchedEntries:
    """Facts by the indexes of their entities."""

    columns: tuple[np.ndarray, ...]  # of each entity place
    weights: np.ndarray


def entries_of(
    table: AttachedTable, facts: TableFacts, kinds: Sequence[EntityType]
) -> FetchedEntries:
    """Facts of a table with the indexes of their entities, each of which has one from now on."""
    columns = []
    for (codes, names), kind in zip(facts.names.values(), kinds, strict=True):
        assert isinstance(kind, AttachedType)
        places = kind.meet(kind.symbols.intern(names)) if len(names) else np.zeros(0, np.int32)
        columns.append(places[codes].astype(np.int64))
    return FetchedEntries(tuple(columns), facts.weights)


def check_unique(
    table: AttachedTable, columns: Sequence[np.ndarray], kinds: Sequence[EntityType]
) -> None:
    """Refuse facts that are there twice against the user's word, and owners of several numbers."""
    one_number = any(table.numeric)  # rows that are equal but for it are two facts of one owner
    if not (table.duplicates is Duplicates.UNIQUE or one_number) or not len(columns[0]):
        return
    order = np.lexsort(tuple(columns)[::-1])
    same = np.ones(len(order) - 1, dtype=bool)
    for column in columns:
        same &= column[order][1:] == column[order][:-1]
    if not same.any():
        return
    row = int(order[np.flatnonzero(same)[0]])
    names = []
    for column, kind in zip(columns, kinds, strict=True):
        assert isinstance(kind, AttachedType)
        names.append(kind.symbols.name(kind.symbol_at(int(column[row]))))
    if one_number:
        raise TableError(
            f"{table.table} has several numbers of {names[0]}, and an attribute has one",
            hint="if they are names, write `: entity` after the column",
        )
    raise TableError(
        f"{table.table} has {table.signature[0]}({', '.join(names)}) more than once, "
        "and unique=True says that no fact is there twice",
        hint='attach it with duplicates="sum" or duplicates="max"',
    )


def fetched_block(table: AttachedTable, kinds: Sequence[EntityType]) -> Block:
    """All facts of a table as a block, sorted by key, for those who need them all."""
    facts = table.reader.facts(table, {})
    found = entries_of(table, facts, kinds)
    symbols = [k.symbols_at(c) for k, c in zip(kinds, found.columns, strict=True)]
    check_unique(table, found.columns, kinds)
    order = np.argsort(row_keys(symbols, len(facts)), kind="stable")
    return Block(
        table.signature,
        table.source,
        table.numeric,
        tuple(column[order] for column in symbols),
        tuple(column[order] for column in facts.numbers.values()),
        found.weights[order],
        np.zeros(len(facts), dtype=np.int32),
    )


class FetchedRelation:
    """The facts of a binary predicate in a table, and those that the program states beside it: of
    a fact that is in both, what the program states counts."""

    def __init__(
        self, table: AttachedTable, stated: LoadedRelation, kinds: tuple[EntityType, EntityType]
    ) -> None:
        self.table = table
        self.stated = stated
        self.kinds = kinds
        self._sides = (_Side(self, 0), _Side(self, 1))
        self._entries: dict[tuple[int, int], float] = {}

    @property
    def signature(self) -> Signature:
        return self.table.signature

    @property
    def count(self) -> int:
        """How many facts there are; those of a table that count once (sum, max) as its rows."""
        return self.table.count - len(self._overwritten.weights) + self.stated.count

    @property
    def reached(self) -> int:
        """How many facts of the table were fetched and are kept, by either argument."""
        return len(np.unique(np.concatenate([side.keys() for side in self._sides])))

    def rows_of(self, indexes: np.ndarray, inverted: bool) -> tuple[Matrix, ...]:
        return (*self._sides[inverted].rows_of(indexes), *self.stated.matrices(inverted))

    def matrices(self, inverted: bool) -> tuple[Matrix, ...]:
        side = self._sides[inverted]
        return (*side.everything(), *self.stated.matrices(inverted))

    def column_sums(self, inverted: bool) -> Sequence[np.ndarray]:
        place = 0 if inverted else 1
        return [self._table_sums(place), *self.stated.column_sums(inverted)]

    def _table_sums(self, place: int) -> np.ndarray:
        if place not in self._sums:
            facts = self.table.reader.sums(self.table, place)
            kind = self.kinds[place]
            found = entries_of(self.table, facts, [kind])
            over = self._overwritten
            assert isinstance(kind, AttachedType)
            sums = np.zeros(kind.met)
            np.add.at(sums, found.columns[0], found.weights)
            np.subtract.at(sums, over.columns[place], over.weights)
            self._sums[place] = sums
        return self._sums[place]

    @cached_property
    def _sums(self) -> dict[int, np.ndarray]:
        return {}

    def entry(self, row: int, column: int) -> float:
        if self._is_stated(np.array([row]), np.array([column]))[0]:
            return self.stated.entry(row, column)
        for index, other, side in ((row, column, self._sides[0]), (column, row, self._sides[1])):
            if side.knows(index):
                return sum(part.entry(index, other) for part in side.rows_of(np.array([index])))
        if (row, column) not in self._entries:
            self._entries[row, column] = self._fetched_entry(row, column)
        return self._entries[row, column]

    def _fetched_entry(self, row: int, column: int) -> float:
        keys = [[self._name(place, index)] for place, index in enumerate((row, column))]
        return float(self.table.reader.rows(self.table, keys).weights.sum())

    def _name(self, place: int, index: int) -> str:
        kind = self.kinds[place]
        assert isinstance(kind, AttachedType)
        return kind.symbols.name(kind.symbol_at(index))

    def diagonal(self) -> tuple[np.ndarray, np.ndarray]:
        facts = self.table.reader.diagonal(self.table)
        found = self.without_stated(entries_of(self.table, facts, self.kinds))
        own = found.columns[0] == found.columns[1]  # two types of one name are two entities
        indexes, weights = self.stated.diagonal()
        indexes = np.concatenate([found.columns[0][own], indexes])
        order = np.argsort(indexes)
        return indexes[order], np.concatenate([found.weights[own], weights])[order]

    # -- what the program states ----------------------------------------------------------------

    def without_stated(self, found: FetchedEntries) -> FetchedEntries:
        """The facts of the table that the program does not state otherwise."""
        there = self._is_stated(*found.columns)
        if not there.any():
            return found
        columns = tuple(column[~there] for column in found.columns)
        return FetchedEntries(columns, found.weights[~there])

    def _is_stated(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        keys = (rows.astype(np.int64) << 32) | columns.astype(np.int64)
        return (
            np.isin(keys, self._stated_keys)
            if len(self._stated_keys)
            else np.zeros(len(keys), bool)
        )

    @cached_property
    def _stated_keys(self) -> np.ndarray:
        found = [np.zeros(0, dtype=np.int64)]
        for part in self.stated.parts:
            rows = np.repeat(np.arange(part.shape[0]), np.diff(part.starts))
            found.append((rows.astype(np.int64) << 32) | part.columns.astype(np.int64))
        return np.concatenate(found)

    @cached_property
    def _overwritten(self) -> FetchedEntries:
        """The facts of the table that the program states otherwise."""
        keys = self._stated_keys
        if not len(keys):
            nothing = np.zeros(0, dtype=np.int64)
            return FetchedEntries((nothing, nothing), np.zeros(0))
        symbols = [
            k.symbols_at(i)
            for k, i in zip(self.kinds, (keys >> 32, keys & 0xFFFFFFFF), strict=True)
        ]
        assert isinstance(self.kinds[0], AttachedType)
        table = self.kinds[0].symbols
        names = [table.names(column.tolist()) for column in symbols]
        return entries_of(self.table, self.table.reader.rows(self.table, names), self.kinds)


_NOTHING: tuple[np.ndarray, tuple[Matrix, ...]] = (np.zeros(0, dtype=bool), ())


class _Side:
    """The facts of a relation by one of its arguments: those of the entities asked for so far."""

    def __init__(self, relation: FetchedRelation, place: int) -> None:
        self.relation = relation
        self.place = place
        self.kind = relation.kinds[place]
        # who was asked for, and the parts with their facts: both change at once, so that what an
        # interrupt cuts off is fetched again, and nothing is there twice
        self._fetched = _NOTHING
        self._lock = RLock()

    @property
    def count(self) -> int:
        return sum(part.count for part in self._fetched[1])

    def keys(self) -> np.ndarray:
        """One number for each fact that is there, the same on both sides."""
        found = [np.zeros(0, dtype=np.int64)]
        for part in self._fetched[1]:
            rows = np.repeat(np.arange(part.shape[0], dtype=np.int64), np.diff(part.starts))
            pair = (rows, part.columns.astype(np.int64))
            first, second = pair if self.place == 0 else pair[::-1]
            found.append((first << 32) | second)
        return np.concatenate(found)

    def knows(self, index: int) -> bool:
        known = self._fetched[0]
        return index < len(known) and bool(known[index])

    def rows_of(self, indexes: np.ndarray) -> list[Matrix]:
        """Parts with all facts of these entities."""
        wanted = np.unique(indexes)
        with self._lock:
            missing = self._missing(wanted)
            if len(missing) and self.count > MOST_KEPT:
                self._fetched = _NOTHING
                missing = wanted
            if len(missing):
                self._fetch(missing)
            return list(self._fetched[1])

    def everything(self) -> list[Matrix]:
        with self._lock:
            if not (len(self._fetched[0]) == len(self.kind) and self._fetched[0].all()):
                facts = self.relation.table.reader.facts(self.relation.table, {})
                self._fetched = np.ones(len(self.kind), dtype=bool), self._with((), facts)
            return list(self._fetched[1])

    def _missing(self, wanted: np.ndarray) -> np.ndarray:
        inside = wanted < len(self._fetched[0])
        known = np.zeros(len(wanted), dtype=bool)
        known[inside] = self._fetched[0][wanted[inside]]
        return wanted[~known]

    def _fetch(self, indexes: np.ndarray) -> None:
        assert isinstance(self.kind, AttachedType)
        names = self.kind.symbols.names(self.kind.symbols_at(indexes).tolist())
        facts = self.relation.table.reader.facts(self.relation.table, {self.place: names})
        before, parts = self._fetched
        known = np.zeros(max(len(before), int(indexes.max()) + 1), dtype=bool)
        known[: len(before)] = before
        known[indexes] = True
        self._fetched = known, self._with(parts, facts)

    def _with(self, parts: tuple[Matrix, ...], facts: TableFacts) -> tuple[Matrix, ...]:
        """The parts, and one with these facts."""
        relation = self.relation
        found = entries_of(relation.table, facts, relation.kinds)
        check_unique(relation.table, found.columns, relation.kinds)
        found = relation.without_stated(found)
        first, second = found.columns if self.place == 0 else found.columns[::-1]
        if not len(first):
            return parts
        shape = int(first.max()) + 1, int(second.max()) + 1
        made = matrix_of(first, second.astype(np.int32), found.weights, shape, sorted=False)
        parts = (*parts, made)
        return parts if len(parts) <= PARTS else (_together(parts),)


def _together(parts: Sequence[Matrix]) -> Matrix:
    """Parts with the facts of different entities as one."""
    rows = np.concatenate([np.repeat(np.arange(p.shape[0]), np.diff(p.starts)) for p in parts])
    columns = np.concatenate([part.columns for part in parts])
    weights = np.concatenate([part.weights for part in parts])
    shape = max(p.shape[0] for p in parts), max(p.shape[1] for p in parts)
    return matrix_of(rows, columns, weights, shape, sorted=False)
