"""Scores of attached tables: equal to those of facts in the program; written back on request."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.engines import job as jobs

duckdb = pytest.importorskip("duckdb", reason="the extra tables, with DuckDB, is not installed")

ROWS = [(i % 7, 100 + i * 5 % 11, (i % 9 + 1) / 9) for i in range(36)]
UNIQUE = {(a, b): w for a, b, w in ROWS}
RULES = """
likes(X, Y) :- rated(X, Z), rated(W, Z), rated(W, Y).
likes(X, Y) :- rated(X, Y), good(Y).
0.5::likes(X, Y) :- rated(X, Y), not good(Y).
share(X, Y) :- rated(X, Y), softmax(Y).
kind(X) :- rated(X, Y), sigmoid(Y), good(Y).
of_one(X) :- rated(X, "105").
good("105"). 0.3::good("102"). vip("1"). vip("3").
0.25::rated("1", "105"). rated("nobody", "new").
"""


def stored(path: Path, kind: str) -> None:
    with duckdb.connect(str(path)) as database:
        database.execute(f'CREATE TABLE "rat""ings" (who {kind}, what {kind}, stars DOUBLE)')
        database.executemany(
            'INSERT INTO "rat""ings" VALUES (?, ?, ?)',
            [(a, b, w) for (a, b), w in UNIQUE.items()] + [(None, 100, 0.5)],
        )


def attached(path: Path, kind: str, rules: str = RULES) -> Session:
    stored(path, kind)
    session = Session()
    session.connect(f"duckdb:{path}")
    session.attach('rat"ings', "rated(who, what)", weight="stars", unique=True)
    session.add(rules, source="rules")
    return session


def in_memory(rules: str = RULES) -> Session:
    session = Session()
    session.add(" ".join(f'{w!r}::rated("{a}", "{b}").' for (a, b), w in UNIQUE.items()))
    session.add(rules, source="rules")
    return session


FULL = """
import resource, sys
from pathlib import Path
from neurallog_kernel import NeuralLogError, Session
from tests.engines.test_attached_scores import duckdb
path = Path(sys.argv[1])
with duckdb.connect(str(path)) as database:
    rows = "SELECT i % 20000 AS a, md5(i::TEXT) AS b, 0.5 AS w FROM range(40000) t(i)"
    database.execute(f"CREATE TABLE r AS {rows}")
session = Session()
session.connect(f"duckdb:{path}")
session.attach("r", "p(a, b)", weight="w", unique=True)
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
for room in range(0, 3_000_000, 200_000):  # as on a disk with no more room than that
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + room, hard))
    try:
        made = session.score("p/2", top=None).to_table("made", replace=True).rows
    except NeuralLogError as error:
        made = 0
        print(error.hint)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    tables = session._reader.connection.tables()
    assert tables == (["made", "r"] if made else ["r"]), (tables, made)
    assert session._reader.connection.rows("SELECT count(*) AS n FROM r")["n"][0].as_py() == 40000
    session.attach("r", "p(a, b)", weight="w", unique=True)
    assert len(session.query('p("7", Y)')) == 2
    if made:
        break
print(session.score("p/2", top=None).to_table("made", replace=True).rows)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the size of files cannot be limited here")
def test_a_full_disk_loses_neither_the_file_nor_the_connection(tmp_path: Path) -> None:
    words = [sys.executable, "-c", FULL, str(tmp_path / "facts.duckdb")]
    root = Path(__file__).parents[2]
    ended = subprocess.run(words, cwd=root, timeout=600, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    *hints, last = ended.stdout.splitlines()
    assert last == "40000" and len(hints) > 1
    assert set(hints) == {"the disk is full: free some space; nothing was changed"}


def found(session: Session, predicate: str, **options: Any) -> list[dict[str, Any]]:
    return session.score(predicate, **options).to_arrow().to_pylist()


def same(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> bool:
    keys = [[{**row, "weight": None} for row in rows] for rows in (one, other)]
    weights = [[row["weight"] for row in rows] for rows in (one, other)]
    return keys[0] == keys[1] and weights[0] == pytest.approx(weights[1], rel=1e-9, abs=1e-9)


WHOLE = RULES.replace('rated("nobody", "new").', 'rated("77", "777").')


@pytest.mark.parametrize(
    ("kind", "rules"), [("VARCHAR", RULES), ("BIGINT", WHOLE), ("BIGINT", RULES)]
)
def test_a_table_scores_as_the_same_facts_do(tmp_path: Path, kind: str, rules: str) -> None:
    """Keys are texts, whole numbers, and whole numbers beside names that are none."""
    session, plain = attached(tmp_path / "a.duckdb", kind, rules), in_memory(rules)
    for predicate, options in (
        ("likes/2", {"top": 3}),
        ("likes/2", {"top": None, "inverse": True}),
        ("likes/2", {"top": None, "of": "vip"}),
        ("share/2", {"top": None}),
        ("kind/1", {"top": None}),
        ("of_one/1", {"top": 2}),
        ("rated/2", {"top": 1}),
    ):
        assert same(found(session, predicate, **options), found(plain, predicate, **options)), (
            predicate,
            options,
        )
    assert session.score("likes/2").estimate() == plain.score("likes/2").estimate()


@pytest.mark.parametrize("word", ["sum", "max"])
def test_rows_that_say_a_fact_again(tmp_path: Path, word: str) -> None:
    with duckdb.connect(str(tmp_path / "a.duckdb")) as database:
        database.execute("CREATE TABLE r (a VARCHAR, b VARCHAR, w DOUBLE)")
        database.execute("INSERT INTO r VALUES ('x', 'y', 0.5), ('x', 'y', 0.75), ('x', 'z', 1)")
    session = Session()
    session.connect(f"duckdb:{tmp_path / 'a.duckdb'}")
    session.attach("r", "p(a, b)", weight="w", duplicates=word)
    session.add("q(X, Y) :- p(X, Y), square(Y).")
    weights = {row["answer"]: row["weight"] for row in found(session, "q/2")}
    assert weights == pytest.approx({"y": {"sum": 1.25, "max": 0.75}[word] ** 2, "z": 1.0})


@pytest.mark.parametrize("kind", ["VARCHAR", "BIGINT"])
def test_parts_of_a_table(tmp_path: Path, kind: str) -> None:
    import pyarrow.parquet as parquet

    session = attached(tmp_path / "a.duckdb", kind, WHOLE)
    session.score("likes/2", top=2).to_parquet(tmp_path / "likes", parts=5)
    files = sorted((tmp_path / "likes").glob("*.parquet"))
    rows = [row for one in files for row in parquet.read_table(one).to_pylist()]
    rows.sort(key=lambda row: (row["asked"], row["rank"]))
    assert len(files) == 5 and same(rows, found(session, "likes/2", top=2))


def test_a_table_that_changes_between_parts(tmp_path: Path) -> None:
    database = duckdb.connect()
    database.execute("CREATE TABLE r (a VARCHAR, b VARCHAR, w DOUBLE)")
    database.execute("INSERT INTO r VALUES ('x', 'y', 0.5), ('y', 'z', 0.75), ('z', 'x', 1)")
    session = Session()
    session.connect(database)
    session.attach("r", "p(a, b)", weight="w", unique=True)
    session.add("q(X, Z) :- p(X, Y), p(Y, Z).")

    def meddling(state: jobs.ScoreProgress) -> None:
        if state.done == 1:
            database.execute("UPDATE r SET w = 0.1 WHERE a = 'x'")

    with pytest.raises(NeuralLogError, match="has changed since"):
        session.score("q/2").to_parquet(tmp_path / "q", parts=3, progress=meddling)
    assert len(list((tmp_path / "q").glob("*.parquet"))) == 1


@pytest.mark.parametrize("name", ["likes_top", 'a "b"; DROP TABLE ratings'])
def test_the_best_answers_as_a_table(tmp_path: Path, name: str) -> None:
    session = attached(tmp_path / "a.duckdb", "VARCHAR")
    job = session.score("likes/2", top=2)
    done = job.to_table(name)
    with pytest.raises(NeuralLogError, match="exists already"):
        job.to_table(name)
    assert job.to_table(name, replace=True).rows == done.rows > 0
    assert session.query('rated("2", Y)').weights  # the session goes on
    expected = found(session, "likes/2", top=2)
    del session, job
    with duckdb.connect(str(tmp_path / "a.duckdb"), read_only=True) as database:
        quoted = name.replace('"', '""')
        rows = database.execute(f'SELECT * FROM "{quoted}" ORDER BY asked, rank').fetchall()
        assert same([dict(zip(expected[0], row, strict=True)) for row in rows], expected)
        assert len(database.execute('SELECT * FROM "rat""ings"').fetchall()) == len(UNIQUE) + 1


def test_a_table_needs_a_connection(tmp_path: Path) -> None:
    with pytest.raises(NeuralLogError, match="there is no database for the table likes_top"):
        in_memory().score("likes/2").to_table("likes_top")


def test_a_column_that_is_no_name(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "a.duckdb")) as database:
        database.execute("CREATE TABLE r (a DATE, b VARCHAR)")
        database.execute("INSERT INTO r VALUES (DATE '2024-01-01', 'y')")
    session = Session()
    session.connect(f"duckdb:{tmp_path / 'a.duckdb'}")
    session.attach("r", "p(a, b)", unique=True)
    with pytest.raises(NeuralLogError, match="is a DATE, and a score cannot use that as a name"):
        session.score("p/2").to_pandas()


def test_a_table_of_three_places(tmp_path: Path) -> None:
    rows = [(f"a{n % 5}", f"b{n % 7}", f"c{n % 3}", (n % 4 + 1) / 4) for n in range(60)]
    facts = {row[:3]: row[3] for row in rows}
    database = duckdb.connect()
    database.execute("CREATE TABLE gave (a TEXT, b TEXT, c TEXT, w DOUBLE)")
    database.executemany(
        "INSERT INTO gave VALUES (?, ?, ?, ?)", [(*k, w) for k, w in facts.items()]
    )
    session, plain = Session(), Session()
    session.connect(database)
    session.attach("gave", "gave(a, b, c)", weight="w", unique=True)
    plain.add(" ".join(f"{w!r}::gave({', '.join(key)})." for key, w in facts.items()))
    for one in (session, plain):
        one.add("got(Z, Y) :- gave(X, Y, Z). back(X, Z) :- gave(X, Y, Z), gave(W, Y, Z).")
        one.add("some(X) :- gave(X, b1, Z). 0.1::gave(a1, b1, c9).")
    for predicate in ("got/2", "back/2", "some/1"):
        assert same(found(session, predicate, top=None), found(plain, predicate, top=None))
