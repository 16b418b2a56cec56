"""SQL: DuckDB over files, SQLite, and any other database through SQLAlchemy."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from neurallog_kernel.addresses import scheme_of, without_password
from neurallog_kernel.errors import TableError
from neurallog_kernel.packages import needed
from neurallog_kernel.paths import path_of
from neurallog_kernel.stoppable import Stoppable
from neurallog_kernel.tables.columns import Batch, OpenTable, values_of
from neurallog_kernel.tables.mapping import TableMap
from neurallog_kernel.tables.readers.arrow import arrow_batches

BATCH = 100_000
_QUERY = re.compile(r"\s*(?:select|with|from|values)\s", re.IGNORECASE)
_LITE = (".sqlite", ".sqlite3", ".db", ".db3")


def is_query(text: str) -> bool:
    """Whether a text is a query, not the path of a file."""
    return _QUERY.match(text) is not None


def query(text: str, mapping: TableMap) -> OpenTable:
    """The rows of a query (or of a whole table, by its name).

    `database` is a URL such as `postgresql://host/name` or `sqlite:///file`, the path of a SQLite
    or DuckDB file, an open connection, or nothing: then DuckDB reads the files that are named.
    """
    database = mapping.database
    text = text.strip().rstrip("; \n\t")
    if not is_query(text):
        text = "SELECT * FROM " + ".".join(_quoted(part) for part in text.split("."))
    if isinstance(database, Path):
        database = str(database)
    if database is None:
        return _duck(text, None)
    if isinstance(database, str):
        return _by_address(text, database)
    if hasattr(database, "dialect") and hasattr(database, "connect"):
        return _alchemy(text, database)
    if hasattr(database, "cursor"):
        if _is_duckdb(database):
            _check_parsed(text, _shown(text))
        elif not _is_sqlite(database, "Connection"):
            _check_alone(text, _shown(text))
        return _of_cursor(text, lambda: closing(database.cursor()), _shown(text))
    raise TableError(
        f"a {type(database).__name__} is not a database",
        hint="give a URL, the path of a SQLite or DuckDB file, or an open connection",
    )


# A text must be one statement, and that a SELECT. DuckDB says what it has parsed; SQLite takes one
# statement only; for others a text with a semicolon inside is refused, whatever is around it. Every
# database then has to take the text as a subquery before it runs it: nothing that writes is one.


def _check_parsed(text: str, name: str) -> None:
    """Refuse what DuckDB's parser does not find to be one SELECT."""
    duckdb = needed("duckdb", "SQL over files", "tables")
    with _plain(name):
        found = duckdb.extract_statements(text)
    if len(found) != 1 or found[0].type != duckdb.StatementType.SELECT:
        raise _not_one(name)


def _check_alone(text: str, name: str) -> None:
    """Refuse what may be several statements."""
    if ";" in text:
        raise _not_one(name, "; a semicolon inside a text is written chr(59) or char(59)")


def _not_one(name: str, more: str = "") -> TableError:
    return TableError(f"{name}: not one SELECT", hint=f"a table is what one SELECT gives{more}")


def _as_subquery(text: str) -> str:
    """A query for the columns only, which is an error where the text is no SELECT."""
    return f"SELECT * FROM ({text}\n) AS t LIMIT 0"  # the text may end in a comment


def _quoted(name: str) -> str:
    return '"' + name.strip('"').replace('"', '""') + '"'


def _shown(text: str) -> str:
    flat = " ".join(text.split())
    return f"the query {flat[:60]}{'...' if len(flat) > 60 else ''}"


def _by_address(text: str, address: str) -> OpenTable:
    scheme, separator, rest = address.partition("://")
    if separator and scheme not in ("sqlite", "duckdb"):
        return _alchemy(text, address)
    path = path_of(rest.removeprefix("/") if separator else address)
    if not path.exists():
        shown = path if separator else without_password(address)
        kind = scheme_of(address)
        hint = f"if it is an address: {kind}://host/name" if kind and not separator else ""
        raise TableError(f"{shown}: No such file or directory", hint=hint)
    if scheme == "duckdb" or (not separator and path.suffix.lower() not in _LITE):
        return _duck(text, path)
    return _of_cursor(text, lambda: _lite(path), f"{path}: {_shown(text)}")


@contextmanager
def _lite(path: Path) -> Iterator[Any]:
    """A cursor on a SQLite file that is never written."""
    import sqlite3  # Python in a browser has none, and needs it for nothing else

    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        yield connection.cursor()


def sqlite_file(path: Path, mapping: TableMap) -> OpenTable:
    """The one table of a SQLite file."""
    if not path.exists():
        raise TableError(f"{path}: No such file or directory")
    with _lite(path) as cursor, _plain(str(path)):
        listed = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
        tables = [row[0] for row in cursor.execute(listed)]
    if len(tables) != 1:
        raise TableError(
            f"{path} has {len(tables)} tables",
            hint=f'load_table("SELECT ...", ..., database={str(path)!r}) says which; '
            f"there are: {', '.join(tables)}",
        )
    return _of_cursor(f"SELECT * FROM {_quoted(tables[0])}", lambda: _lite(path), str(path))


@contextmanager
def _plain(name: str) -> Iterator[None]:
    """Errors of a database as ours."""
    try:
        yield
    except TableError:
        raise
    except Exception as error:
        kinds = {kind.__name__ for kind in type(error).__mro__}
        ours = kinds & {"Error", "DatabaseError", "SQLAlchemyError", "OSError"}
        if not ours and not _is_sqlite(error, "Warning"):
            raise
        text = str(getattr(error, "orig", None) or error).strip()
        raise TableError(f"{name}: {text.splitlines()[0]}", hint=_rest(text)) from error


def _rest(text: str) -> str:
    lines = [line for line in text.splitlines()[1:4] if line.strip()]
    return "\n".join(lines)


# -- DB-API ---------------------------------------------------------------------------------------


def _of_cursor(text: str, cursor: Any, name: str) -> OpenTable:
    with _plain(name), cursor() as own:
        own.execute(_as_subquery(text))
        columns = tuple(str(column[0]) for column in own.description)

    def batches(wanted: Sequence[int]) -> Iterator[Batch]:
        with _plain(name), cursor() as own:
            wait = Stoppable(own.interrupt) if _is_duckdb(own) else _at_once
            wait(lambda: own.execute(text))
            yield from _rows(iter(lambda: wait(lambda: own.fetchmany(BATCH)), []), wanted)

    return OpenTable(name, columns, batches)


def _is_sqlite(one: Any, kind: str) -> bool:
    """Whether it is of a class of sqlite3, which then has been imported."""
    module = sys.modules.get("sqlite3")
    return module is not None and isinstance(one, getattr(module, kind))


def _is_duckdb(database: Any) -> bool:
    return type(database).__module__.lstrip("_").partition(".")[0] == "duckdb"


def _at_once(work: Callable[[], Any]) -> Any:
    return work()


def _rows(parts: Iterator[Sequence[Any]], wanted: Sequence[int]) -> Iterator[Batch]:
    number = 1
    for part in parts:
        columns = list(zip(*part, strict=True))
        yield Batch(tuple(values_of(columns[column]) for column in wanted), number)
        number += len(part)


# -- SQLAlchemy -----------------------------------------------------------------------------------


def _alchemy(text: str, database: Any) -> OpenTable:
    sa = needed("sqlalchemy", "a database by its URL", "tables")
    name = _shown(text)
    _check_alone(text, name)
    engine = database
    if isinstance(database, str):
        address = re.sub(r"^postgres(?:ql)?://", "postgresql+psycopg://", database)
        with _plain(name):
            try:
                engine = sa.create_engine(address, poolclass=sa.pool.NullPool)
            except ModuleNotFoundError as error:
                needed(error.name or "psycopg", "this database", "tables")
                raise

    @contextmanager
    def executed(statement: str) -> Iterator[Any]:
        with _plain(name), engine.connect() as connection:
            streaming = connection.execution_options(stream_results=True)
            if engine.dialect.name == "postgresql":
                streaming = streaming.execution_options(postgresql_readonly=True)
            plain = sa.text(statement.replace(":", r"\:"))  # a query has no parameters
            with closing(streaming.execute(plain)) as result:
                yield result

    with executed(_as_subquery(text)) as result:
        columns = tuple(result.keys())

    def batches(wanted: Sequence[int]) -> Iterator[Batch]:
        with executed(text) as result:
            yield from _rows(result.partitions(BATCH), wanted)

    return OpenTable(name, columns, batches)


# -- DuckDB ---------------------------------------------------------------------------------------


_ALONE = {
    "python_enable_replacements": "false",  # a query names no variables of some Python frame
    "autoinstall_known_extensions": "false",  # nothing is fetched or loaded because of its text
    "autoload_known_extensions": "false",
}


def _duck(text: str, path: Path | None) -> OpenTable:
    duckdb = needed("duckdb", "SQL over files", "tables")
    needed("pyarrow", "SQL over files", "tables")
    name = _shown(text) if path is None else f"{path}: {_shown(text)}"
    _check_parsed(text, name)
    with _plain(name):
        place = str(path) if path else ":memory:"
        connection = duckdb.connect(place, read_only=path is not None, config=_ALONE)
        columns = tuple(connection.sql(_as_subquery(text)).columns)

    def batches(wanted: Sequence[int]) -> Iterator[Batch]:
        names = [columns[column] for column in wanted]
        with _plain(name):
            wait = Stoppable(connection.interrupt)
            reader = wait(lambda: connection.sql(text).to_arrow_reader(1 << 20))
            parts = iter(lambda: wait(lambda: next(reader, None)), None)
            yield from arrow_batches((part.select(wanted) for part in parts), names, name)

    return OpenTable(name, columns, batches, typed=True)
