"""Hostile names, addresses and tables that go away: a clear error, and nothing is executed."""

import duckdb
import pytest

from neurallog_kernel import NeuralLogError, Session

HOSTILE = [
    't"; DROP TABLE t; --',
    "t'; DROP TABLE t; --",
    "t) ; DELETE FROM t; --",
    '"t" UNION SELECT * FROM u',
    "read_csv('/etc/passwd')",
]


@pytest.fixture
def database():
    made = duckdb.connect()
    made.execute("CREATE TABLE t AS SELECT 'a' AS x, 'b' AS y, 1.0 AS w")
    return made


@pytest.fixture
def session(database):
    session = Session()
    session.connect(database)
    return session


def rows(database) -> int:
    return database.execute("SELECT count(*) FROM t").fetchone()[0]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_that_is_no_table_runs_nothing(session, database, name):
    with pytest.raises(NeuralLogError):
        session.attach(name, "p(x, y)", unique=True)
    with pytest.raises(NeuralLogError):
        session.attach("t", "p(x, y)", weight=name, unique=True)
    assert rows(database) == 1
    assert session.sources == ()


@pytest.mark.parametrize("name", HOSTILE)
def test_a_table_a_column_and_an_entity_may_have_any_name(session, database, name):
    quoted = '"' + name.replace('"', '""') + '"'
    database.execute(f"CREATE TABLE {quoted} ({quoted} TEXT, y TEXT)")
    database.execute(f"INSERT INTO {quoted} VALUES (?, ?)", [name, name])
    session.attach(name, f"p({quoted}, y)", unique=True)
    assert session.query("p(X, Y)").weights == {(name, name): 1}
    assert rows(database) == 1


@pytest.mark.parametrize(
    "address",
    [
        "spark://ann:hunter2@host.invalid",
        "sc://host.invalid/;token=hunter2",
        "postgres://u:hun@hunter2@host.invalid/db",
        "duckdb:missing.duckdb?password=hunter2",
        "mysql://hunter2@host.invalid",
    ],
)
def test_a_password_is_never_shown(address):
    scheme = address.partition(":")[0]
    known = scheme not in ("spark", "sc")  # whether the engine is here or not is not asked
    with pytest.raises(NeuralLogError) as caught:
        Session().connect(address if known else address.replace(scheme, f"{scheme}x", 1))
    assert "hunter2" not in str(caught.value) + caught.value.hint


def test_an_engine_that_goes_away(tmp_path):
    path = tmp_path / "facts.duckdb"
    with duckdb.connect(str(path)) as made:
        made.execute("CREATE TABLE t AS SELECT 'a' AS x, 'b' AS y")
    session = Session()
    session.connect(f"duckdb:{path}")
    session.attach("t", "p(x, y)", unique=True)
    session._reader.connection.database.close()
    with pytest.raises(NeuralLogError, match="closed") as caught:
        session.query("p(a, Y)")
    assert "connect again" in caught.value.hint
    assert session.sources == ("p/2",)


@pytest.mark.parametrize(
    ("table", "pattern", "message"),
    [
        ("nope", "p(x, y)", "has no table nope"),
        ("t", "p(x, q)", "t has no column q"),
        ("t", "p(x, x)", "names the column x twice"),
        ("t", "p(x: number, y)", "column x: VARCHAR is not a number"),
        ("t", "p", "p names no columns"),
        ("t", "{x}(y)", "attach takes one predicate"),
    ],
)
def test_what_is_wrong_with_an_attach_is_said(session, table, pattern, message):
    with pytest.raises(NeuralLogError) as caught:
        session.attach(table, pattern, unique=True)
    assert message in str(caught.value)
    assert session.sources == ()


def test_a_table_that_is_renamed_meanwhile(session, database):
    session.attach("t", "p(x, y)", unique=True)
    database.execute("ALTER TABLE t RENAME TO z")
    with pytest.raises(NeuralLogError, match="t has changed since it was attached"):
        session.query("p(a, Y)")
