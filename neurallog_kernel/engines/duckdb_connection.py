"""A connection to DuckDB: a file that is only read, files that DuckDB reads, or an open one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from glob import glob
from pathlib import Path
from threading import RLock
from typing import Any

from neurallog_kernel.addresses import without_password
from neurallog_kernel.engines.dialects import DUCKDB, Dialect
from neurallog_kernel.engines.duckdb_statements import SETTINGS, DuckDBStatements, plainly
from neurallog_kernel.engines.names import own_name
from neurallog_kernel.errors import TableError, did_you_mean
from neurallog_kernel.packages import needed
from neurallog_kernel.paths import path_of

READERS = {
    ".parquet": "read_parquet",
    ".pq": "read_parquet",
    ".csv": "read_csv",
    ".tsv": "read_csv",
    ".jsonl": "read_json",
    ".ndjson": "read_json",
}
"""The functions of DuckDB that read files, by the end of their names."""

_IN_MEMORY = ("", ":memory:")
_LOOKED_AT = 100_000  # rows of a table that are read again to see whether they are the same


@dataclass(eq=False)
class DuckDBConnection:
    """DuckDB in this process: a file that is only read, or none, for tables in files."""

    address: str
    database: Any = field(repr=False)  # of the package duckdb
    path: Path | None = field(default=None, repr=False)
    dialect: Dialect = DUCKDB
    statements: DuckDBStatements = field(init=False, repr=False)
    _lock: RLock = field(default_factory=RLock, repr=False)

    def __post_init__(self) -> None:
        self.statements = DuckDBStatements(self.database, self.address)

    @classmethod
    def open(cls, address: str, memory: str | None) -> DuckDBConnection:
        """Open `duckdb:FILE`, or `duckdb:` for tables in Parquet and CSV files."""
        name = address.partition(":")[2]
        duckdb = needed("duckdb", "connect", "tables")
        needed("pyarrow", "connect", "tables")
        path = None if name in _IN_MEMORY else path_of(name).absolute()
        if path is not None and not path.is_file():
            shown = without_password(name)
            raise TableError(f"{shown}: No such file", hint="the address is duckdb: and a file")
        database = duckdb.connect(":memory:", config=SETTINGS)
        found = cls(f"duckdb:{name}", database, path)  # of a file, which has no password
        found.statements.run("SET enable_progress_bar = false")  # else a widget in every notebook
        found.statements.spill_aside()
        found.statements.limit_memory(memory)
        if path is not None:
            found.attach_file(read_only=True)
        return found

    @classmethod
    def of(cls, database: Any, memory: str | None) -> DuckDBConnection:
        """A connection that the user has opened; it sees what its other cursors see."""
        needed("pyarrow", "connect", "tables")
        found = cls("duckdb:(an open connection)", database.cursor())
        if memory is not None:
            raise TableError(
                "an open connection has its memory limit already",
                hint="set it there: connection.execute(\"SET memory_limit = '2GB'\")",
            )
        return found

    def attach_file(self, read_only: bool) -> None:
        """Have the file as the catalog `facts`; whoever writes to it attaches it anew meanwhile."""
        assert self.path is not None
        how = " (READ_ONLY)" if read_only else ""
        self.statements.run(f"ATTACH {DUCKDB.text_literal(str(self.path))} AS facts{how}")
        self.statements.run("USE facts")

    def rows(self, text: str, given: Mapping[str, Any] | None = None) -> Any:
        with self._lock:
            for name, table in (given or {}).items():
                self.statements.register(name, table)
            try:
                return self.statements.table(text)
            finally:
                for name in given or {}:
                    self.statements.unregister(name)

    def create(self, table: str, rows: Any, replace: bool) -> int:
        """Write a new table, whole or not at all: how many rows. A file that is otherwise only read
        is opened for writing as long as that takes."""
        if table in self.tables() and not replace:
            raise TableError(
                f"{self.address}: the table {table} exists already",
                hint="choose another name, or say replace=True",
            )
        with self._lock, self._writing():
            given = own_name("rows")
            self.statements.register(given, rows)
            try:
                how = "CREATE OR REPLACE TABLE" if replace else "CREATE TABLE"
                self.statements.run(f"{how} {DUCKDB.quoted(table)} AS SELECT * FROM {given}")
            finally:
                self.statements.unregister(given)
        return int(rows.num_rows)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        if self.path is None:
            yield
            return
        self._attach_again(read_only=False)
        try:
            yield
        finally:
            self._attach_again(read_only=True)

    def _attach_again(self, read_only: bool) -> None:
        self.statements.run("USE memory")
        try:
            self.statements.run("DETACH facts")
        except TableError:
            # on a full disk DuckDB lets go of the file all the same; what it has committed is in
            # the log beside it, which is read with the file
            if ("facts",) in self.statements.rows("SELECT database_name FROM duckdb_databases()"):
                self.statements.run("USE facts")
                raise
        self.attach_file(read_only)

    def columns(self, table: str) -> dict[str, str]:
        try:
            found = self.rows(f"DESCRIBE SELECT * FROM {self.origin(table)}")
        except TableError:
            known = self.tables() if Path(table).suffix.lower() not in READERS else []
            if table in known or not known:
                raise
            raise TableError(
                f"{self.address} has no table {table}",
                hint=did_you_mean(table, known) or f"there are: {', '.join(known[:20])}",
            ) from None
        pairs = found.to_pydict()
        return dict(zip(pairs["column_name"], pairs["column_type"], strict=True))

    def tables(self) -> list[str]:
        """The tables and views there are."""
        text = (
            "SELECT table_name AS name FROM duckdb_tables() WHERE NOT internal UNION "
            "SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY name"
        )
        return self.rows(text)["name"].to_pylist()

    def origin(self, table: str) -> str:
        if table not in self.tables():
            suffix = Path(table).suffix.lower()
            if suffix in READERS:
                return f"{READERS[suffix]}({DUCKDB.text_literal(table)})"
            if "." in table:
                return ".".join(map(DUCKDB.quoted, table.split(".")))
        return DUCKDB.quoted(table)

    def state(self, table: str, origin: str) -> object:
        if origin.startswith("read_"):  # a name is quoted
            files = sorted(glob(table)) or [table]
            with plainly(table):
                return tuple((one, *_stamp(Path(one))) for one in files)
        try:
            described = self.rows(f"DESCRIBE SELECT * FROM {origin}").to_pydict()
        except TableError as error:
            if _is_unknown(error):
                return None  # it is gone
            raise
        columns = str([*zip(described["column_name"], described["column_type"], strict=True)])
        if not self._is_table(origin):
            return columns  # what a view shows is not looked at
        count = self.rows(f"SELECT count(*) AS n FROM {origin}")["n"][0].as_py()
        # another cursor of this process can change rows where they are; a file is only read
        if self.path is not None or count > _LOOKED_AT:
            return columns, count
        return columns, str(self.rows(f"SELECT bit_xor(hash(t)) AS h FROM {origin} t").to_pylist())

    def _is_table(self, origin: str) -> bool:
        """Whether its rows have numbers: those of a view have none."""
        try:
            self.rows(f"SELECT rowid FROM {origin} LIMIT 0")
        except TableError as error:
            if _is_unknown(error):
                return False
            raise
        return True


def _is_unknown(error: TableError) -> bool:
    """Whether DuckDB does not know a table or a column."""
    duckdb = needed("duckdb", "DuckDB", "tables")
    return isinstance(error.__cause__, duckdb.CatalogException | duckdb.BinderException)


def _stamp(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_mtime_ns, found.st_size
