"""A real PostgreSQL server, started for these tests on the loopback interface only."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import sqlalchemy
from hypothesis import HealthCheck, given, settings

from neurallog_kernel import NeuralLogError, Session
from tests.tables.doors import AGE, LIKES, WILD, Base, answers, bases, fill


def binaries() -> Path | None:
    """Where the server's programs are: Debian keeps them off the path."""
    found = shutil.which("pg_ctl")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    places = ([Path(found).resolve().parent] if found else []) + folders
    return next((place for place in places if (place / "initdb").exists()), None)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The URL of a fresh server. It refuses to run as root, so then it is another user's."""
    programs = binaries()
    if programs is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    user = "postgres" if root else None
    with tempfile.TemporaryDirectory(prefix="nl_pg_") as folder:
        if root:
            shutil.chown(folder, user)
        port = free_port()

        def run(program: str, *words: str) -> None:
            command = [str(programs / program), *words]
            done = subprocess.run(
                command, capture_output=True, text=True, user=user, cwd=folder, timeout=600
            )
            assert done.returncode == 0, done.stdout + done.stderr

        data = f"{folder}/data"
        how = ("-E", "UTF8", "--no-locale", "--no-sync")
        run("initdb", "-D", data, "-U", "tester", "-A", "trust", *how)
        serve = f"-c listen_addresses=127.0.0.1 -p {port} -k {folder} -c fsync=off"
        run("pg_ctl", "-D", data, "-o", serve, "-l", f"{folder}/log", "-w", "start")
        try:
            yield f"postgresql://tester@127.0.0.1:{port}/postgres"
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")


def refill(address: str, base: Base) -> None:
    with psycopg.connect(address) as connection:
        connection.execute("DROP TABLE IF EXISTS likes, ages")
        fill(connection, base, "%s")


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(base=bases(WILD.filter(lambda name: "\0" not in name)))
def test_the_same_answers_as_the_program(address, base):
    refill(address, base)
    session, text = Session(), Session()
    session.load_table("SELECT * FROM likes", LIKES, weight="w", database=address)
    session.load_table("ages", AGE, database=address)
    text.add(base.text())
    assert answers(session) == pytest.approx(answers(text), rel=1e-12)


def test_connections_engines_and_types(address):
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS people")
        connection.execute(
            "CREATE TABLE people (id bigint, height numeric(5,2), born date, member boolean)"
        )
        connection.execute(
            "INSERT INTO people VALUES (1, 1.75, '1990-05-01', true), (2, NULL, NULL, false)"
        )
        engine = sqlalchemy.create_engine(address.replace("://", "+psycopg://"))
        for database in (connection, engine, address):
            session = Session()
            loaded = session.load_table("people", key="id", database=database)
            assert loaded.facts == 4 and loaded.skipped_rows == 2
            assert session.query("height(X, H)").weights == {("1", "1.75"): 1.0}
            assert session.query('born("1", X)').weights == {("1990-05-01",): 1.0}
            assert session.query('member("2", X)').weights == {("false",): 1.0}
        engine.dispose()


def test_colons_and_percent_signs_are_text(address):
    session = Session()
    query = "SELECT 'a :b %s'::text AS x WHERE 'abc' LIKE 'a%'"
    session.load_table(query, "p(x)", database=address)
    assert session.query("p(X)").weights == {("a :b %s",): 1.0}


def test_many_rows_stream(address):
    session, told = Session(), []
    query = "SELECT 'a' || n AS x, 'b' || n % 7 AS y FROM generate_series(1, 250000) AS n"
    loaded = session.load_table(query, "p(x, y)", database=address, progress=told.append)
    assert loaded.facts == 250_000
    assert [progress.rows for progress in told] == [100_000, 200_000, 250_000]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT nothing FROM nowhere", 'relation "nowhere" does not exist'),
        ("SELECT (1", "syntax error"),
        ("SELECT 1/0 AS x", "division by zero"),
    ],
)
def test_errors_of_the_server(address, query, said):
    session = Session()
    with pytest.raises(NeuralLogError, match=said) as caught:
        session.load_table(query, "p(x)", database=address)
    assert query in caught.value.message
    assert session.sources == ()


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1 AS x) AS t LIMIT 0; DROP TABLE kept; SELECT * FROM (SELECT 1 AS x",
        "SELECT 1 AS x; DROP TABLE kept",
        "WITH d AS (DELETE FROM kept RETURNING *) SELECT * FROM d",
        "SELECT 1 AS x INTO other",
    ],
)
def test_a_query_selects_and_nothing_else(address, query):
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS kept (x text)")
        connection.execute("TRUNCATE kept; INSERT INTO kept VALUES ('ann')")
        engine = sqlalchemy.create_engine(address.replace("://", "+psycopg://"))
        for database in (connection, engine, address):
            with pytest.raises(NeuralLogError):
                Session().load_table(query, "p(x)", database=database)
        engine.dispose()
        assert connection.execute("SELECT * FROM kept").fetchall() == [("ann",)]


def test_a_function_of_the_server_cannot_write(address):
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS kept (x text)")
        connection.execute(
            "CREATE FUNCTION wipe() RETURNS int LANGUAGE sql AS 'DELETE FROM kept; SELECT 1'"
        )
    with pytest.raises(NeuralLogError, match="read-only"):
        Session().load_table("SELECT wipe() AS x", "p(x)", database=address)


def test_no_server():
    session = Session()
    nowhere = f"postgresql://tester@127.0.0.1:{free_port()}/postgres"
    with pytest.raises(NeuralLogError, match=r"[Cc]onnection"):
        session.load_table("SELECT 1 AS x", "p(x)", database=nowhere)
