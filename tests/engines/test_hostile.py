"""Hostile names, addresses and tables that go away: a clear error, and nothing is executed."""

import traceback

import duckdb
import pytest

from neurallog_kernel import NeuralLogError, Session, TableError

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


PLACES = [
    "spark://ann:{}@127.0.0.1:1",
    "spark://{}@127.0.0.1",
    "sc://ann:{}@127.0.0.1:1",
    "sc://127.0.0.1:1/;token={}",
    "sc://127.0.0.1:1/;token={};user_id=ann@example",
    "sc://127.0.0.1:1/;authorization=Bearer {}",
    "sc://[{}@127.0.0.1:1",
    "postgres://u:{}@host.invalid/db",
    "postgres:u:{}@host.invalid",
    "mysql://{}@host.invalid",
    "jdbc:postgresql://host.invalid/db?user=u&password={}",
    "host=host.invalid user=u password={}",
    "duckdb:missing.duckdb?password={}",
    "duckdb:md:facts?motherduck_token={}",
]


@pytest.mark.parametrize("mark", [*"/?#@:;&=% []'\\", "/;", "//", "\n", "%2F", "ü"])
@pytest.mark.parametrize("place", PLACES)
def test_a_password_is_never_shown(place, mark):
    """Not in the message, nor in what Python prints of the errors that it came from."""
    if place.startswith("s"):
        pytest.importorskip("pyspark")
    address = place.format(f"hunter2{mark}hunter3")
    with pytest.raises(NeuralLogError) as caught:
        Session().connect(address)
    assert "hunter" not in "".join(traceback.format_exception(caught.value)) + caught.value.hint


@pytest.mark.parametrize(
    "table",
    [
        "s3://ann:hunter2@bucket/t.parquet",
        "s3:ann:hunter2@bucket/t.parquet",
        "https://host.invalid/t.parquet?v=1&sig=hunter2",
        "az://..?hunter2",
        "az://box/t.parquet?v=1&hunter2",
    ],
)
def test_a_table_whose_place_holds_a_password(session, table):
    """It would be shown and saved with the name of the table."""
    with pytest.raises(TableError, match="no password") as caught:
        session.attach(table, "p(x, y)", unique=True)
    assert "hunter2" not in "".join(traceback.format_exception(caught.value)) + caught.value.hint
    assert session.sources == ()


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


@pytest.mark.parametrize(
    "meddling",
    [
        "UPDATE t SET w = 0.25",  # as many rows as before
        "DELETE FROM t",
        "INSERT INTO t VALUES ('c', 'd', 1)",
        "ALTER TABLE t RENAME y TO z",
        "ALTER TABLE t ALTER w TYPE VARCHAR",
        "DROP TABLE t",
        "CREATE OR REPLACE TABLE t AS SELECT 1 AS x, 2 AS y, 3.0 AS w",
    ],
)
def test_a_table_that_changes_is_an_error_at_its_predicate(session, database, meddling):
    session.attach("t", "p(x, y)", weight="w", unique=True)
    session.add("q(X, Y) :- p(X, Y).", source="rules")
    job = session.score("q/2")
    database.execute(meddling)
    said = "t has changed since it was attached as facts of p/2"
    for ask in (
        lambda: session.query("q(a, Y)"),
        lambda: session.explain("q(a, b)"),
        job.to_pandas,
        job.estimate,
    ):
        with pytest.raises(NeuralLogError, match=said) as caught:
            ask()
        assert caught.value.hint == "attach it again, so that all answers come from the same facts"
    if "DROP" not in meddling and "RENAME" not in meddling:
        session.attach("t", "p(x, y)", unique=True)
        session.query("q(X, Y)")


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("'a'::BLOB", "BLOB can be neither a name nor a number"),
        ("['a']", r"VARCHAR\[\] can be neither a name nor a number"),
        ("{'k': 1}", r"STRUCT\(.*\) can be neither"),
        ("INTERVAL 1 DAY", "INTERVAL can be neither a name nor a number"),
    ],
)
def test_a_column_of_another_type(session, database, column, message):
    database.execute(f"CREATE TABLE odd AS SELECT {column} AS x, 'b' AS y, 'heavy' AS w")
    with pytest.raises(NeuralLogError, match=f"odd, column x: {message}"):
        session.attach("odd", "p(x, y)", unique=True)
    with pytest.raises(NeuralLogError, match="odd, column w: VARCHAR is not a weight"):
        session.attach("odd", "p(y)", weight="w", unique=True)
    assert session.sources == ()


@pytest.mark.parametrize("rows", ["NULL::TEXT AS a, NULL::TEXT AS b", "'x' AS a, 'y' AS b LIMIT 0"])
def test_a_table_without_facts(session, database, rows):
    database.execute(f"CREATE TABLE none AS SELECT {rows}")
    session.attach("none", "p(a, b)", unique=True)
    session.add("q(X, Y) :- p(X, Y). n(X) :- not p(X, X).", source="rules")
    assert not session.query("q(X, Y)").weights
    assert session.score("q/2").to_arrow().num_rows == 0
    assert session.predicates()[0].types == ("t1 (0)", "t1 (0)")


def test_keys_that_no_whole_number_of_64_bits_holds(session, database):
    database.execute("CREATE TABLE big AS SELECT 18446744073709551615::UBIGINT AS a, 7 AS b")
    session.attach("big", "p(a, b)", unique=True)
    assert session.score("p/2").to_pandas()["asked"].tolist() == ["18446744073709551615"]
    assert session.query("p(X, Y)").weights == {("18446744073709551615", "7"): 1}


def test_very_many_entities_and_types(session, database):
    database.execute("CREATE TABLE many AS SELECT 'u' || i AS a, i AS b FROM range(300000) t(i)")
    columns = ", ".join(f"{n} AS c{n}" for n in range(80))
    database.execute(f"CREATE TABLE wide AS SELECT {columns}")
    session.attach("many", "p(a, b)", unique=True)
    for n in range(0, 80, 2):
        session.attach("wide", f"w{n}(c{n}, c{n + 1})", unique=True)
    session.add("q(X, Y) :- p(X, Y), not p(Y, X).", source="rules")
    assert session.query("q(u299999, Y)").weights == {("299999",): 1}
    assert len(session.sources) == 42


def test_many_names_are_looked_for_together(session, database, monkeypatch):
    database.execute("CREATE TABLE many AS SELECT 'u' || i AS a, i % 50 AS b FROM range(4000) t(i)")
    session.attach("many", "p(a, b)", unique=True)
    asked = [f"u{n}" for n in range(0, 4000, 2)]
    connection, texts = session._reader.connection, []
    rows = type(connection).rows
    monkeypatch.setattr(type(connection), "rows", lambda *a: (texts.append(a[1]), rows(*a))[1])
    found = session.rank("p/2", asked, top=1)
    assert [next(iter(found[name])) for name in asked[:3]] == [("0",), ("2",), ("4",)]
    assert session.score("p/2", of=asked).to_arrow().num_rows == len(asked)
    assert len(texts) < 60
    with pytest.raises(NeuralLogError, match="unknown entity nobody"):
        session.rank("p/2", ["u1", "nobody"])


def test_a_server_that_is_not_there():
    pytest.importorskip("pyspark", reason="the extra cluster, which brings Spark, is not installed")
    with pytest.raises(NeuralLogError, match=r":9/\.\.\.: no server answers") as caught:
        Session().connect("sc://127.0.0.1:9/;token=hunter2")
    assert "hunter2" not in str(caught.value)


def test_users_of_one_machine_write_aside_to_different_folders(monkeypatch):
    """The folder of the first user could not be written by the second, and what did not fit into
    memory ended in an error."""
    folders = []
    for user in (1001, 1002):
        monkeypatch.setattr("os.getuid", lambda user=user: user)
        session = Session()
        session.connect("duckdb:")
        found = session._reader.connection.rows("SELECT current_setting('temp_directory') AS f")
        folders.append(found["f"][0].as_py())
    assert folders[0] != folders[1]
