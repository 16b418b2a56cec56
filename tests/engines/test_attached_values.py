"""Values of attached tables mean what they mean in a table that is loaded."""

import duckdb
import pytest

from neurallog_kernel import NeuralLogError, Session, TableError, UnknownEntityError

RULES = """
c(X) :- p(X, Y). d(X) :- not c(X). n(X, Z) :- p(X, Y), p(Z, Y). q(Y) :- p(X, Y).
"""
COLUMNS = {
    "timestamp": "TIMESTAMP '2020-01-01 10:00:00' + INTERVAL (i) DAY",
    "midnight": "TIMESTAMP '2020-01-01' + INTERVAL (i) DAY",
    "seconds": "CAST(TIMESTAMP '2020-01-01 10:00:00' + INTERVAL (i) DAY AS TIMESTAMP_S)",
    "nanoseconds": "CAST(TIMESTAMP '2020-01-01 10:00:00' + INTERVAL (i) DAY AS TIMESTAMP_NS)",
    "zone": "CAST(TIMESTAMP '2020-01-01 10:00:00' + INTERVAL (i) DAY AS TIMESTAMPTZ)",
    "time": "TIME '10:00:00' + INTERVAL (i) MINUTE",
    "fraction": "i / 4.0",
    "not a number": "CASE WHEN i = 3 THEN CAST('NaN' AS DOUBLE) ELSE i END",
    "empty text": "CASE WHEN i % 3 = 0 THEN '' ELSE 'e' || i END",
    "letters": "['a', 'A', 'e\u0301', '\u00e9', ' a', 'a ', 'i', '\u0130'][i + 1]",
}


def _both(columns: str, pattern: str = "p(a: entity, b: entity)", **words):
    """The same table attached and loaded."""
    database = duckdb.connect()
    database.execute(f"CREATE TABLE t AS SELECT {columns} FROM range(8) r(i)")
    attached, loaded = Session(), Session()
    attached.connect(database)
    attached.attach("t", pattern, unique=True, **words)
    loaded.load_table(database.sql("SELECT * FROM t").to_arrow_table(), pattern, **words)
    return attached, loaded


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_a_column_has_the_entities_of_a_loaded_table(column):
    attached, loaded = _both(f"{column} AS a, i AS b, 0.1 + i / 20 AS w", weight="w")
    for session in (attached, loaded):
        session.add(RULES)
    for question in ("p(X, Y)", "c(X)", "d(X)", "n(X, Y)", "q(X)"):
        expected = loaded.query(question).weights
        assert attached.query(question).weights == pytest.approx(expected), question
    for (name,) in loaded.query("c(X)").weights:
        asked = f'p("{name}", Y)'
        assert attached.query(asked).weights == loaded.query(asked).weights


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("i", "CAST(i AS DOUBLE)"),
        ("CAST(i AS DOUBLE)", "i"),
        ("i / 2.0", "i"),
        ("CAST(i AS DECIMAL(9, 2))", "CAST(i AS VARCHAR)"),
        ("DATE '2020-01-01' + CAST(i AS INT)", "'2020-01-0' || (i + 1)"),
        ("TIMESTAMP '2020-01-01' + INTERVAL (i) HOUR", "'2020-01-01 0' || i || ':00:00.000000'"),
        ("'0' || i", "i"),
    ],
)
def test_two_columns_of_different_types_may_hold_one_entity(first, second):
    attached, loaded = _both(f"{first} AS a, {second} AS b, i AS w")
    for session in (attached, loaded):
        session.add("own(X) :- p(X, X).")
    for question in ("p(X, X)", "own(X)"):
        assert attached.query(question).weights == loaded.query(question).weights


def test_very_large_whole_numbers_have_one_name():
    database = duckdb.connect()
    database.execute(
        "CREATE TABLE t AS SELECT CAST(i AS HUGEINT) * 10000000000000000000000 AS a, i AS b "
        "FROM range(3) r(i)"
    )
    session = Session()
    session.connect(database)
    session.attach("t", "p(a, b)", unique=True)
    session.add(RULES)
    assert set(session.query("c(X)").weights) == {("0",), ("1" + "0" * 22,), ("2" + "0" * 22,)}
    assert len(session.query("n(X, Y)")) == 3


def test_rows_whose_value_is_empty_or_no_number_are_counted():
    attached, _ = _both("CASE WHEN i < 2 THEN '' ELSE 'e' || i END AS a, i AS b")
    assert attached.attached["p/2"].count == 6
    assert attached.attached["p/2"].skipped == 2
    attached.add("n(X) :- p(Y, X).")
    rows = attached.score("n/1", top=None).to_pandas()
    assert sorted(rows["answer"]) == ["2", "3", "4", "5", "6", "7"]


@pytest.mark.parametrize(
    ("rows", "words", "message"),
    [
        ("('u', 1.5), ('u', 2.5)", {"unique": True}, "u has several numbers (1.5 and 2.5)"),
        ("('u', 1.5), ('u', 2.5)", {"duplicates": "sum"}, "u has several numbers (1.5 and 2.5)"),
        ("('u', 1.5), ('v', 'Infinity'::DOUBLE)", {"unique": True}, "b: 1 infinite number"),
    ],
)
def test_an_attribute_has_one_number(rows, words, message):
    database = duckdb.connect()
    database.execute(f"CREATE TABLE t AS SELECT a, b::DOUBLE AS b FROM (VALUES {rows}) v(a, b)")
    session = Session()
    session.connect(database)
    with pytest.raises(TableError) as error:
        session.attach("t", "p(a, b)", **words)
    assert message in str(error.value)
    assert session.attached == {}


def test_several_numbers_are_noticed_in_a_large_table_too(monkeypatch):
    monkeypatch.setattr("neurallog_kernel.engines.table_checks.CHECKED_ROWS", 1)
    database = duckdb.connect()
    database.execute("CREATE TABLE t AS SELECT 'u' AS a, i + 0.5::DOUBLE AS b FROM range(2) r(i)")
    session = Session()
    session.connect(database)
    session.attach("t", "p(a, b)", duplicates="sum")
    with pytest.raises(TableError, match="several numbers of u"):
        session.query("p(u, X)")


@pytest.mark.parametrize(
    ("named", "made"),
    [
        ("Ratings", "ratings"),
        ("main.ratings", "ratings"),
        ("other.ratings", "other.ratings"),
        ("a.b", '"a.b"'),
        ("x.parquet", '"x.parquet"'),
    ],
)
def test_a_change_is_noticed_however_the_table_is_named(named, made):
    database = duckdb.connect()
    database.execute("CREATE SCHEMA other")
    database.execute(f"CREATE TABLE {made} AS SELECT 'u' AS a, 'x' AS b")
    session = Session()
    session.connect(database)
    session.attach(named, "p(a, b)", unique=True)
    assert session.query("p(u, X)").weights == {("x",): 1.0}
    database.execute(f"INSERT INTO {made} VALUES ('v', 'y')")
    with pytest.raises(TableError, match="has changed since it was attached"):
        session.query("p(v, X)")


def test_a_change_of_a_table_that_was_a_view_is_noticed():
    """Before, what was a view once was never looked at again."""
    database = duckdb.connect()
    database.execute("CREATE VIEW s AS SELECT 'u' AS a, 'x' AS b")
    session = Session()
    session.connect(database)
    session.attach("s", "p(a, b)", unique=True)
    database.execute("DROP VIEW s")
    database.execute("CREATE TABLE s AS SELECT 'u' AS a, 'x' AS b")
    session.attach("s", "p(a, b)", unique=True)
    database.execute("INSERT INTO s VALUES ('v', 'y')")
    with pytest.raises(TableError, match="has changed since it was attached"):
        session.query("p(v, X)")


@pytest.mark.parametrize("question", ["p(v, X)", "p(X, Y)", "d(X)"])
@pytest.mark.parametrize("change", ["INSERT INTO t VALUES ('v', 'y')", "UPDATE t SET a = 'v'"])
def test_a_view_that_changes_is_never_another_error(question, change):
    database = duckdb.connect()
    database.execute("CREATE TABLE t AS SELECT 'u' AS a, 'x' AS b")
    database.execute("CREATE VIEW s AS SELECT * FROM t")
    session = Session()
    session.connect(database)
    session.attach("s", "p(a, b)", unique=True)
    session.add(RULES)
    assert session.query("p(X, Y)").weights == {("u", "x"): 1.0}
    database.execute(change)
    for _ in range(2):
        try:
            session.query(question)
        except UnknownEntityError:
            assert question == "p(v, X)"
        except NeuralLogError as error:
            assert "attach it again" in str(error)
