"""Databases of a session: tables that are facts and stay where they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

from neurallog_kernel.engines.catalog import attached_table
from neurallog_kernel.engines.connections import open_connection
from neurallog_kernel.engines.reading import SqlReader
from neurallog_kernel.errors import NeuralLogError, Notice, TableError
from neurallog_kernel.knowledge.attached import AttachedTable
from neurallog_kernel.knowledge.changes import Change
from neurallog_kernel.knowledge.sources import SourceContents
from neurallog_kernel.knowledge.update import with_source
from neurallog_kernel.session.edits import with_program
from neurallog_kernel.state import LiveState, State, in_turn
from neurallog_kernel.tables.mapping import read_attach_maps


class SessionDatabases(LiveState):
    """The part of a session that attaches tables."""

    @in_turn
    def connect(self, address: Any, memory: str | None = None) -> str:
        """Open the database whose tables `attach` makes facts; what is attached already stays.

        The address is `duckdb:facts.duckdb`, or `duckdb:` alone for tables in Parquet and CSV
        files; `spark://host:7077` or `sc://host` for Spark; or an open connection of DuckDB, or a
        SparkSession. A file is only read. `memory` bounds what DuckDB
        takes, as in `"2GB"`; beyond that it uses the disk. Returns the address as it may be shown.
        """
        connection = open_connection(address, memory)
        self._reader = SqlReader(connection)
        return connection.address

    @in_turn
    def attach(
        self,
        table: str | Path,
        pattern: str,
        *,
        weight: str | float | None = None,
        unique: bool = False,
        duplicates: str | None = None,
        source: str | None = None,
    ) -> Change:
        """Make the rows of a table facts of a predicate, without loading them.

        >>> import duckdb
        >>> from neurallog_kernel import Session
        >>> database = duckdb.connect()
        >>> _ = database.execute("CREATE TABLE ratings (who TEXT, what TEXT, stars DOUBLE)")
        >>> _ = database.execute("INSERT INTO ratings VALUES ('ann', 'jazz', 0.9)")
        >>> s = Session()
        >>> s.connect(database)
        'duckdb:(an open connection)'
        >>> print(s.attach("ratings", "rated(who, what)", weight="stars", unique=True))
        rated/2: +1 attached fact
        >>> s.query("rated(ann, X)").weights
        {('jazz',): 0.9}

        `table` is a table or a view of the database, or the path of a Parquet, CSV or JSON lines
        file. The pattern names a predicate and the column of each argument; a column of fractions
        in the last place of two makes an attribute, `: number` and `: entity` say it otherwise.
        `weight` is a column, or one number; a column named `weight` is used automatically.

        Two rows with the same arguments need your word: `unique=True` says that there are none,
        `duplicates="sum"` or `"max"` that they are one fact with the sum or the largest of their
        weights. A fact that the program states as well counts as the program states it. Rows with a
        missing value are left out. The source is called like the predicate (`rated/2`) if it has no
        other name: attaching again replaces it, `remove` and `undo` take it back.
        """
        state, change = self._attached(
            self._state, self._reader, str(table), pattern, weight, unique, duplicates, source
        )
        self._adopt(state)
        return change

    @in_turn
    def attach_tables(self, path: str | Path) -> list[Change]:
        """Attach every table that a map file names with `table = ...`: all of them, or none. A
        section may name its database with `connect = ...`."""
        changes: list[Change] = []
        state, reader = self._state, self._reader
        opened: dict[str, SqlReader] = {}
        for one in read_attach_maps(path).values():
            if one.connect is not None:
                if one.connect not in opened:
                    opened[one.connect] = SqlReader(open_connection(one.connect, one.memory))
                reader = opened[one.connect]
            state, change = self._attached(
                state, reader, one.table, one.pattern, one.weight, False, one.duplicates, None
            )
            changes.append(change)
        self._reader = reader
        self._adopt(state)
        return changes

    def _attached(
        self,
        state: State,
        reader: SqlReader | None,
        table: str,
        pattern: str,
        weight: str | float | None,
        unique: bool,
        duplicates: str | None,
        source: str | None,
    ) -> tuple[State, Change]:
        started = perf_counter()
        if reader is None:
            raise TableError(
                "no database is connected",
                hint='connect first, as in connect("duckdb:facts.duckdb")',
            )
        known = state.program.without_evidence_of(source or "")
        found = attached_table(reader, table, pattern, weight, unique, duplicates, source, known)
        contents = SourceContents.of_table(found)
        old = state.program.sources.get(found.source)
        try:
            program = with_source(state.program, contents, self._symbols, self.strict)
        except NeuralLogError as error:
            named = error.span.source if error.span else ""
            raise error.with_text(state.texts.get(named, "")) from None
        state, change = with_program(
            state, program, found.source, old, contents, self._symbols, started
        )
        return state, replace(change, notices=(*_left_out(found), *change.notices))

    @property
    def attached(self) -> Mapping[str, AttachedTable]:
        """The predicates whose facts are in tables."""
        found = self._program.attached.items()
        return {f"{name}/{arity}": table for (name, arity), table in found}

    @property
    def connection(self) -> str | None:
        """The address of the database that `attach` looks into, without any password."""
        return None if self._reader is None else self._reader.address


def _left_out(table: AttachedTable) -> tuple[Notice, ...]:
    if not table.skipped:
        return ()
    rows, are = ("row", "is") if table.skipped == 1 else ("rows", "are")
    return (
        Notice(
            "rows_left_out",
            f"{table.skipped:,} {rows} of {table.table} without a value {are} left out",
            hint="a fact needs a value for every argument, and its weight",
        ),
    )
