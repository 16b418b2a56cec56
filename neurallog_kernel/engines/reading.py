"""Reading attached tables with SQL: the facts of some entities, names, counts and sums."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from neurallog_kernel.engines.connections import Connection
from neurallog_kernel.engines.names import own_name
from neurallog_kernel.engines.table_text import TableText
from neurallog_kernel.errors import BoundError, TableError
from neurallog_kernel.knowledge.attached import (
    AttachedColumn,
    AttachedTable,
    Duplicates,
    TableFacts,
)
from neurallog_kernel.tables.columns import NumberColumn, Texts
from neurallog_kernel.tables.readers.arrow import arrow_values

MOST_FACTS = 10_000_000  # facts that are read at once: some 100 bytes each, with their names
WHOLE = re.compile(r"U?(TINY|SMALL|BIG)?INT(EGER)?")


@dataclass(eq=False)
class SqlReader:
    """Reads the tables of one connection. What it counts is kept: an attached table that changes is
    an error, not another count."""

    connection: Connection
    _counts: dict[tuple[AttachedColumn, ...], int] = field(default_factory=dict, repr=False)
    _asked: str = field(default_factory=lambda: own_name("asked"), repr=False)  # a table of names

    @property
    def address(self) -> str:
        return self.connection.address

    @property
    def text(self) -> TableText:
        """How its database writes."""
        return TableText(self.connection.dialect)

    def check(self, table: AttachedTable | AttachedColumn) -> None:
        """Refuse a table that is not what it was when it was attached."""
        if self.connection.state(table.table, table.origin) != table.state:
            raise TableError(
                f"{table.table} has changed since it was attached as facts of {table.predicate}",
                hint="attach it again, so that all answers come from the same facts",
            )

    # -- facts ----------------------------------------------------------------------------------

    def facts(self, table: AttachedTable, given: Mapping[int, Sequence[str]]) -> TableFacts:
        same = {p: self.text.same(table.column(p), f"{self._asked}_{p}.name") for p in given}
        joins = [f"SEMI JOIN {self._asked}_{place} ON {on}" for place, on in same.items()]
        asked = {f"{self._asked}_{place}": _names(names) for place, names in given.items()}
        found = self._facts(table, " ".join(joins), asked)
        for place, names in given.items():
            found = _only(found, place, names)
        return found

    def rows(self, table: AttachedTable, keys: Sequence[Sequence[str]]) -> TableFacts:
        places = list(table.entity_columns)
        same = (self.text.same(table.column(p), f"{self._asked}.p{p}") for p in places)
        asked = {self._asked: _names_table({f"p{p}": k for p, k in zip(places, keys, strict=True)})}
        found = self._facts(table, f"SEMI JOIN {self._asked} ON {' AND '.join(same)}", asked)
        wanted = set(zip(*keys, strict=True))
        named = [[names[c] for c in codes.tolist()] for codes, names in found.names.values()]
        there = [key in wanted for key in zip(*named, strict=True)]
        return _chosen(found, np.array(there, dtype=bool))

    def diagonal(self, table: AttachedTable) -> TableFacts:
        return self._facts(table, "", {}, [self.text.same_entity(*map(table.column, (0, 1)))])

    def _facts(
        self,
        table: AttachedTable,
        joins: str,
        asked: Mapping[str, Any],
        where: Sequence[str] = (),
    ) -> TableFacts:
        self.check(table)
        columns = ", ".join(
            f"{self.text.value(table, p)} AS p{p}" for p in range(len(table.columns))
        )
        keys, weight = self.text.listed(table.columns), self.text.weight(table)
        grouped = ""
        if table.duplicates is not Duplicates.UNIQUE:
            weight, grouped = f"{table.duplicates}({weight})", f" GROUP BY {keys}"
        text = (
            f"SELECT {columns}, {weight} AS w FROM {table.origin} t {joins}"
            f"{self.text.where(table.needs, *where)}{grouped} LIMIT {MOST_FACTS + 1}"
        )
        found = self.connection.rows(text, asked)
        if found.num_rows > MOST_FACTS:
            raise BoundError(
                f"this question needs more than {MOST_FACTS:,} of the {table.count:,} facts of "
                f"{table.signature[0]}/{table.signature[1]} in {table.table}",
                hint="ask about fewer entities at once; `score` is for all entities. Learned "
                "facts and drawn negatives need the whole table in memory",
            )
        return _table_facts(table, found)

    def sums(self, table: AttachedTable, place: int) -> TableFacts:
        self.check(table)
        column, weight = self.text.raw(table.column(place)), self.text.weight(table)
        origin = f"{table.origin} t{self.text.where(table.needs)}"
        if table.duplicates is Duplicates.MAX:
            keys = self.text.listed(table.columns)
            inner = f"SELECT {column} AS k, max({weight}) AS w FROM {origin} GROUP BY {keys}, 1"
            text = f"SELECT k AS p, sum(w) AS w FROM ({inner}) GROUP BY 1"
        else:
            text = f"SELECT {column} AS p, sum({weight}) AS w FROM {origin} GROUP BY 1"
        found = self.connection.rows(f"{text} LIMIT {MOST_FACTS + 1}")
        if found.num_rows > MOST_FACTS:
            raise BoundError(
                f"this question adds up facts of over {MOST_FACTS:,} entities of {table.table}",
                hint="ask about fewer entities at once; for all entities there is `score`",
            )
        names = {place: _named(found["p"], table.column(place))}
        return TableFacts(names, {}, found["w"].to_numpy().astype(np.float64))

    # -- names ----------------------------------------------------------------------------------

    def distinct(self, columns: Sequence[AttachedColumn]) -> int:
        key = tuple(columns)
        if key not in self._counts:
            self._counts[key] = self._distinct(key)
        return self._counts[key]

    def _distinct(self, columns: tuple[AttachedColumn, ...]) -> int:
        for column in columns:
            self.check(column)
        kinds = {column.kind for column in columns}
        plain = all(WHOLE.fullmatch(kind) for kind in kinds) or len(kinds) == 1
        if not plain and not all(k == "VARCHAR" or WHOLE.fullmatch(k) for k in kinds):
            return len(self.names(columns))  # 7 and 7.0 are one name: only Python can tell
        value = self.text.raw if plain else self.text.text
        parts = " UNION ALL ".join(self.text.selected(c, value(c)) for c in columns)
        found = self.connection.rows(f"SELECT count(DISTINCT k) AS n FROM ({parts})")
        return int(found["n"][0].as_py())

    def present(self, columns: Sequence[AttachedColumn], names: Sequence[str]) -> np.ndarray:
        there: set[str] = set()
        for column in columns:
            self.check(column)
            text = (
                f"SELECT DISTINCT {self.text.raw(column)} AS k FROM {column.origin} t "
                f"SEMI JOIN {self._asked} ON {self.text.same(column, f'{self._asked}.name')}"
                f"{self.text.where(column.needs)}"
            )
            found = self.connection.rows(text, {self._asked: _names(names)})
            there.update(_named(found["k"], column)[1])
        return np.array([name in there for name in names], dtype=bool)

    def names(self, columns: Sequence[AttachedColumn], limit: int | None = None) -> Sequence[str]:
        found: set[str] = set()
        for column in columns:
            self.check(column)
            text = f"SELECT DISTINCT k FROM ({self.text.selected(column, self.text.raw(column))}) d"
            rows = self.connection.rows(f"{text} LIMIT {limit or MOST_FACTS}")
            found.update(_named(rows["k"], column)[1])
        return sorted(found)

    def place_of(self, table: AttachedTable, key: Sequence[str]) -> str:
        places = list(table.entity_columns)
        given = _names_table({f"p{p}": [k] for p, k in zip(places, key, strict=True)})
        asked = self._asked
        same = " AND ".join(self.text.same(table.column(p), f"{asked}.p{p}") for p in places)
        named = ", ".join(f"{table.columns[p]} {k}" for p, k in zip(places, key, strict=True))
        if not self.connection.dialect.row_numbers:
            return f"{table.table} ({named})"
        try:
            text = f"SELECT t.rowid AS r FROM {table.origin} t SEMI JOIN {asked} ON {same} LIMIT 2"
            rows = self.connection.rows(text, {asked: given})["r"].to_pylist()
        except TableError:  # a view or a file has no numbers of rows
            return f"{table.table} ({named})"
        if not rows:
            return ""
        numbers = " and ".join(str(row + 1) for row in sorted(rows))
        return f"{table.table} row{'s'[: len(rows) > 1]} {numbers}"


# -- Arrow ----------------------------------------------------------------------------------------


def _names(names: Sequence[str]) -> Any:
    return _names_table({"name": names})


def _names_table(columns: Mapping[str, Sequence[str]]) -> Any:
    import pyarrow as pa

    made = {
        name: pa.array([v.encode("utf-8", "replace").decode() for v in values], pa.string())
        for name, values in columns.items()
    }
    return pa.table(made)


def _named(values: Any, column: AttachedColumn) -> tuple[np.ndarray, Sequence[str]]:
    """Codes and names of a column, as a table that is loaded has them."""
    try:
        found = arrow_values(values)
    except ValueError as error:
        raise TableError(f"{column.table}, column {column.column}: {error}") from None
    texts = found.texts() if isinstance(found, NumberColumn) else found
    assert isinstance(texts, Texts)
    return texts.codes, texts.names


def _table_facts(table: AttachedTable, found: Any) -> TableFacts:
    names = {p: _named(found[f"p{p}"], table.column(p)) for p in table.entity_columns}
    numbers = {
        p: found[f"p{p}"].to_numpy().astype(np.float64)
        for p, number in enumerate(table.numeric)
        if number
    }
    return TableFacts(names, numbers, found["w"].to_numpy().astype(np.float64))


def _only(facts: TableFacts, place: int, names: Sequence[str]) -> TableFacts:
    """The facts whose name at a place is one of these: a name such as 07 is not the number 7."""
    codes, known = facts.names[place]
    wanted = set(names)
    good = np.array([name in wanted for name in known], dtype=bool)
    return facts if good.all() else _chosen(facts, good[codes])


def _chosen(facts: TableFacts, there: np.ndarray) -> TableFacts:
    if there.all():
        return facts
    names = {p: (codes[there], known) for p, (codes, known) in facts.names.items()}
    numbers = {p: column[there] for p, column in facts.numbers.items()}
    return TableFacts(names, numbers, facts.weights[there])
