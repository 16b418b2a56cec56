"""DuckDB with attached tables: scores where the facts are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from neurallog_kernel.engines.attached_facts import AttachedFacts
from neurallog_kernel.engines.duckdb import DuckDBEngine
from neurallog_kernel.engines.duckdb_connection import DuckDBConnection
from neurallog_kernel.engines.duckdb_statements import DuckDBStatements


@dataclass
class AttachedEngine(AttachedFacts[DuckDBConnection], DuckDBEngine):
    """Scores in DuckDB, where a session is connected to it."""

    _taken: frozenset[str] = field(default=frozenset(), repr=False, kw_only=True)

    @property
    def address(self) -> str:
        return self.connection.address

    @property
    def statements(self) -> DuckDBStatements:
        if self._opened is None:
            cursor = self.connection.statements.wait(self.connection.database.cursor)
            made = DuckDBStatements(cursor, self.address)
            if self.connection.path is not None:
                made.run("USE facts")
            made.run("SET preserve_insertion_order = false")
            self._opened = made
        return self._opened

    def _free(self, wanted: str) -> str:
        """A name that no table has: a view of a table of its own name would read itself."""
        self._taken = self._taken or frozenset(name.lower() for name in self.connection.tables())
        while super()._free(wanted).strip('"').lower() in self._taken:
            wanted += "'"
        return super()._free(wanted)

    def _view(self, label: str, text: str) -> str:
        view = self._free(label)
        self.statements.run(f"CREATE TEMP VIEW {view} AS {text}")
        return view

    def _first(self, text: str) -> Sequence[Any]:
        return self.statements.rows(text)[0]

    def create(self, table: str, text: str, replace: bool) -> int:
        rows = self.statements.table(text)
        self._forget()
        return self.connection.create(table, rows, replace)

    def _forget(self) -> None:
        """Let go of the database: a file that is in use cannot be written."""
        self.statements.wait(self.statements.database.close)
        self._opened = None
        for kept in (self._tables, self._names, self._digests, self._functions, self._keys):
            kept.clear()
