"""Connections to databases whose tables are facts, and which of them an address needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from neurallog_kernel.addresses import scheme_of, without_password
from neurallog_kernel.engines.dialects import Dialect
from neurallog_kernel.engines.duckdb_connection import DuckDBConnection
from neurallog_kernel.engines.spark_connection import SparkConnection
from neurallog_kernel.errors import TableError, did_you_mean


class Connection(Protocol):
    """An open database. Texts are made by `engines/`, with every name quoted; values are given as
    Arrow tables beside them, which the text calls by their names."""

    @property
    def address(self) -> str:
        """Where it leads, without any password."""
        ...

    @property
    def dialect(self) -> Dialect:
        """How it writes SQL."""
        ...

    def rows(self, text: str, given: Mapping[str, Any] | None = None) -> Any:
        """The result of a SELECT, as an Arrow table."""
        ...

    def columns(self, table: str) -> dict[str, str]:
        """The columns of a table with their types; an error that names a near one if it is gone."""
        ...

    def origin(self, table: str) -> str:
        """What stands for a table after FROM."""
        ...

    def state(self, table: str, origin: str) -> object:
        """Something that is another once the table has changed, as far as can be seen."""
        ...


Opener = Callable[[str, str | None], Connection]
OPENERS: dict[str, Opener] = {
    "duckdb": DuckDBConnection.open,
    "spark": SparkConnection.open,
    "sc": SparkConnection.open,
}
"""What opens an address, by its scheme."""


def open_connection(target: Any, memory: str | None = None) -> Connection:
    """Open an address such as `duckdb:facts.duckdb`, or take an open connection of DuckDB."""
    if isinstance(target, Path):
        target = f"duckdb:{target}"
    if isinstance(target, str):
        scheme = scheme_of(target)
        if scheme not in OPENERS:
            near = did_you_mean(scheme, OPENERS) if scheme else ""
            raise TableError(
                f"{without_password(target)}: there is no engine for this address",
                hint=near or _examples(OPENERS),
            )
        return OPENERS[scheme](target, memory)
    if type(target).__name__ == "DuckDBPyConnection":
        return DuckDBConnection.of(target, memory)
    if type(target).__name__ == "SparkSession":
        return SparkConnection("an open Spark session", target)
    raise TableError(f"a {type(target).__name__} is not a database", hint=_examples(OPENERS))


def _examples(schemes: Sequence[str] | Mapping[str, Any]) -> str:
    if list(schemes) == ["duckdb"]:
        return "write it as duckdb:facts.duckdb"
    return f"write it as duckdb:facts.duckdb; the engines are: {', '.join(schemes)}"
