"""The attached tables of a saved model: found again by their names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from neurallog_kernel.addresses import scheme_of, without_password
from neurallog_kernel.engines.catalog import attached_table
from neurallog_kernel.engines.connections import open_connection
from neurallog_kernel.engines.reading import SqlReader
from neurallog_kernel.errors import CheckpointError, NeuralLogError
from neurallog_kernel.knowledge.sources import SourceContents
from neurallog_kernel.tables.pattern import ArgumentColumn, Pattern


class Readers:
    """The databases of a saved model, each opened once; all tables come from `connect` if it is
    given."""

    def __init__(self, path: str | Path, connect: Any) -> None:
        self.path = path
        self.connect = connect
        self.last: SqlReader | None = None
        self._open: dict[str, SqlReader] = {}

    def tables(self, source: Mapping[str, Any]) -> SourceContents:
        """The source of an attached table."""
        (saved,) = source["attached"]
        places = tuple(
            ArgumentColumn(column, "number" if number else "entity")
            for column, number in zip(saved["columns"], saved["numeric"], strict=True)
        )
        self._stays_here(saved["address"])
        try:
            self.last = self._reader(saved["address"])
            return SourceContents.of_table(
                attached_table(
                    self.last,
                    saved["table"],
                    Pattern(saved["predicate"], places),
                    saved["weight"],
                    duplicates=saved["duplicates"],
                    source=source["name"],
                )
            )
        except NeuralLogError as error:
            raise CheckpointError(
                f"{self.path}: the table {saved['table']} of {saved['address']} cannot be "
                f"attached: {error.message}",
                hint='say where it is now, as in Session.open(..., connect="duckdb:facts.duckdb")',
            ) from error

    def _stays_here(self, address: str) -> None:
        """A file from somebody else must not make this machine call another one."""
        if self.connect is None and scheme_of(address) != "duckdb":
            raise CheckpointError(
                f"{self.path}: its tables are at {without_password(address)}, and a saved model "
                "does not connect to other machines by itself",
                hint=f'if you trust it: Session.open(..., connect="{without_password(address)}")',
            )

    def _reader(self, address: str) -> SqlReader:
        key = "" if self.connect is not None else address
        if key not in self._open:
            target = address if self.connect is None else self.connect
            self._open[key] = SqlReader(open_connection(target))
        return self._open[key]
