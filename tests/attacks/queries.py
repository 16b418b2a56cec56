"""Line 18: queries that do more than select, and maps that name more than files."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from neurallog_kernel import Session
from tests.attacks.corpus import Attack

TEXTS = {  # %s is a file that must not come to be
    "two statements": "SELECT 1 AS x; SELECT 2 AS x",
    "a table is dropped": "SELECT 1 AS x; DROP TABLE person",
    "a table is dropped, behind brackets": "SELECT 1 AS x) AS t LIMIT 0; DROP TABLE person; "
    "SELECT * FROM (SELECT 1 AS x",
    "a table is dropped, behind a comment": "SELECT 1 AS x -- ;\n; DROP TABLE person",
    "a table is dropped, behind quotes": "SELECT E'\\'' AS x; DROP TABLE person; --'",
    "a table is dropped, behind dollars": "SELECT $$;$$ AS x; DROP TABLE person",
    "rows are deleted in a WITH": "WITH d AS (DELETE FROM person RETURNING *) SELECT * FROM d",
    "rows are deleted after a WITH": "WITH d AS (SELECT 1) DELETE FROM person",
    "rows are inserted": "WITH d AS (SELECT 1) INSERT INTO person SELECT 'eve'",
    "a file is written": "SELECT 1 AS x; COPY (SELECT 1) TO '%s'",
    "a file is written in a WITH": "WITH d AS (COPY (SELECT 1) TO '%s') SELECT * FROM d",
    "a file is written from a FROM": "FROM (WITH d AS (COPY (SELECT 1) TO '%s') SELECT * FROM d)",
    "a database is made": "SELECT 1 AS x; ATTACH '%s' AS other",
    "an extension is installed": "SELECT 1 AS x; INSTALL httpfs; LOAD httpfs",
    "a setting is changed": "SELECT 1 AS x; SET autoinstall_known_extensions = true",
    "a table is made": "SELECT 'a' AS x INTO other",
    "nothing": "SELECT ",
    "only a comment": "SELECT -- ",
}
ELSEWHERE = {  # they name what only an extension of DuckDB reads
    "a file of the web": "SELECT * FROM 'https://127.0.0.1:9/x.csv'",
    "a bucket": "SELECT * FROM 's3://bucket/x.parquet'",
    "a server": "SELECT * FROM postgres_scan('host=127.0.0.1', 'public', 't')",
    "a spreadsheet": "SELECT * FROM read_xlsx('x.xlsx')",
    "a variable": "SELECT * FROM folder",
}


def attacks() -> Iterator[Attack]:
    for name, text in TEXTS.items():
        for door, run in DOORS.items():
            yield Attack(18, f"{name} ({door})", partial(_unharmed, run, text))
    for name, text in ELSEWHERE.items():
        yield Attack(18, f"{name} (files)", partial(_unharmed, _files, text))
    for name, text in MAPS.items():
        for door in ("load_tables", "command line"):
            yield Attack(18, f"a map with {name} ({door})", partial(_map, text, door))


def _unharmed(run: Callable[[str, Path], None], text: str, folder: Path) -> None:
    """Run a query; whatever comes of it, the person is still there and no file is new."""
    with sqlite3.connect(folder / "people.db") as connection:
        connection.execute("CREATE TABLE person (name TEXT)")
        connection.execute("INSERT INTO person VALUES ('ann')")
    connection.close()
    there = folder / "written"
    try:
        run(text.replace("%s", str(there)), folder)
    finally:
        assert not there.exists(), "a file was written"
        with sqlite3.connect(folder / "people.db") as connection:
            found = connection.execute("SELECT * FROM person").fetchall()
        connection.close()
        assert found == [("ann",)], found


def _files(text: str, folder: Path) -> None:
    Session().load_table(text, "p(x)")


def _sqlite(text: str, folder: Path) -> None:
    Session().load_table(text, "p(x)", database=str(folder / "people.db"))


def _connection(text: str, folder: Path) -> None:
    connection = sqlite3.connect(folder / "people.db")
    try:
        Session().load_table(text, "p(x)", database=connection)
    finally:
        connection.commit()
        connection.close()


def _alchemy(text: str, folder: Path) -> None:
    address = f"sqlite+pysqlite:///{folder / 'people.db'}"
    Session().load_table(text, "p(x)", database=address)


def _duck_connection(text: str, folder: Path) -> None:
    import duckdb

    with duckdb.connect(":memory:") as connection:
        connection.execute("CREATE TABLE person AS SELECT 'ann' AS name")
        try:
            Session().load_table(text, "p(x)", database=connection)
        finally:
            assert connection.execute("SELECT * FROM person").fetchall() == [("ann",)]
            assert not connection.execute("FROM duckdb_databases() WHERE NOT internal").fetchall()[
                1:
            ]


DOORS = {
    "files": _files,
    "SQLite": _sqlite,
    "a connection": _connection,
    "SQLAlchemy": _alchemy,
    "a connection of DuckDB": _duck_connection,
}

MAPS = {
    "a query for a file": '[p]\nfile = "SELECT 1 AS x"\npattern = "p(x)"',
    "a query in small letters": '[p]\nfile = "select 1 as x"\npattern = "p(x)"',
    "a query after spaces": '[p]\nfile = "  from range(3)"\npattern = "p(x)"',
    "a query and a database": '[p]\nfile = "SELECT name FROM person"\ndatabase = "people.db"',
    "a table and a database": '[p]\nfile = "person"\ndatabase = "sqlite:///people.db"',
    "an address of the web": '[p]\nfile = "https://127.0.0.1:9/x.csv"\npattern = "p(x)"',
    "a server": '[p]\nfile = "t"\ndatabase = "postgresql://127.0.0.1:9/x"',
}


def _map(text: str, door: str, folder: Path) -> None:
    import contextlib
    import io

    from neurallog_kernel import NeuralLogError
    from neurallog_kernel.cli.main import main

    with sqlite3.connect(folder / "people.db") as connection:
        connection.execute("CREATE TABLE person (name TEXT)")
        connection.execute("INSERT INTO person VALUES ('ann')")
    connection.close()
    Path("map.toml").write_text(text, encoding="utf-8")
    if door == "load_tables":
        Session().load_tables("map.toml")
        return
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        code = main(["run", "--map", "map.toml"])
    if code:
        raise NeuralLogError(said.getvalue().strip())
