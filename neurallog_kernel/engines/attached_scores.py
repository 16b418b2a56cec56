"""DuckDB with attached tables: scores where the facts are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from neurallog_kernel.engines.attached_facts import AttachedFacts
from neurallog_kernel.engines.duckdb import DuckDBEngine
from neurallog_kernel.engines.duckdb_connection import DuckDBConnection, plainly


@dataclass
class AttachedEngine(AttachedFacts[DuckDBConnection], DuckDBEngine):
    """Scores in DuckDB, where a session is connected to it."""

    @property
    def address(self) -> str:
        return self.connection.address

    @property
    def database(self) -> Any:
        if self._database is None:
            self._database = self.connection.database.cursor()
            if self.connection.path is not None:
                self._database.execute("USE facts")
            self._database.execute("SET preserve_insertion_order = false")
        return self._database

    def _view(self, label: str, text: str) -> str:
        view = self._free(label)
        with plainly(self.address):
            self.database.execute(f"CREATE TEMP VIEW {view} AS {text}")
        return view

    def _first(self, text: str) -> Sequence[Any]:
        with plainly(self.address):
            return self.database.execute(text).fetchall()[0]

    def create(self, table: str, text: str, replace: bool) -> int:
        with plainly(self.address):
            rows = self.database.sql(text).to_arrow_table()
        self._forget()
        return self.connection.create(table, rows, replace)

    def _forget(self) -> None:
        """Let go of the database: a file that is in use cannot be written."""
        self.database.close()
        self._database = None
        for kept in (self._tables, self._names, self._digests, self._functions, self._keys):
            kept.clear()
