"""Scores: equal to questions one by one, in whole parts only, and resumed after a real kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.engines import job as jobs
from tests.engines.compare import scored
from tests.programs import Drawn, program

pytest.importorskip("duckdb", reason="the extra tables, which brings DuckDB, is not installed")

FACTS = """
0.5::p(a, b). -1::p(b, c). 2::p(c, a). p(a, c). p(d, c). 0.3::t(b). t(c). -0.4::u(a).
active(a). active(c). gave(a, b, c).
"""
RULES = """
g(X, Z) :- p(X, Y), p(Y, Z).
g(X, Y) :- p(X, Y), t(Y).
big(X) :- p(X, Y), t(Y).
s(X, Y) :- p(X, Y), sigmoid(Y).
"""


@pytest.fixture
def session() -> Session:
    made = Session()
    made.add(FACTS, source="facts")
    made.add(RULES, source="rules")
    return made


def rows(folder: Path) -> list[tuple]:
    import pyarrow.parquet as parquet

    files = sorted(folder.glob("*.parquet"))
    return [tuple(row.values()) for one in files for row in parquet.read_table(one).to_pylist()]


# -- answers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_generated_programs(seed: int) -> None:
    session = Session()
    session.add(str(program(Drawn(seed), wide=seed % 2 == 1)))
    assert scored(session) > 5


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("top", [1, 2, None])
def test_the_best_answers_are_those_of_rank(
    session: Session, top: int | None, inverse: bool
) -> None:
    found = session.score("g/2", top=top, inverse=inverse).to_pandas()
    expected = session.rank("g/2", top=top, inverse=inverse).to_pandas()
    expected = expected.sort_values(["asked", "rank"], ignore_index=True)
    assert found.to_dict("list") == expected.to_dict("list")


def test_ties_are_broken_by_name() -> None:
    session = Session()
    session.add(" ".join(f"p(a, {name})." for name in ("z", "b10", "b2", "m")))
    assert session.score("p/2", top=2).to_pandas()["answer"].tolist() == ["b10", "b2"]


def test_some_ask(session: Session) -> None:
    everyone = session.score("g/2", top=None).to_pandas()
    some = everyone[everyone["asked"].isin(["a", "c"])].reset_index(drop=True)
    assert session.score("g/2", top=None, of="active").to_pandas().equals(some)
    assert session.score("g/2", top=None, of=["c", "a"]).to_pandas().equals(some)


def test_a_concept_is_one_question(session: Session) -> None:
    found = session.score("big/1", top=2).to_pandas()
    assert list(found.columns) == ["rank", "answer", "weight"]
    expected = session.query("big(X)", top=2).weights
    assert dict(zip(found["answer"], found["weight"], strict=True)) == pytest.approx(
        {name: weight for (name,), weight in expected.items()}
    )


def test_what_is_not_listed_is_a_row_of_its_own(session: Session) -> None:
    found = session.score("s/2", top=1, of=["d"]).to_arrow().to_pylist()
    listed, rest = found
    assert (listed["answer"], rest["answer"], rest["rank"]) == ("c", None, None)
    answers = session.query("s(d, Y)").weights
    assert listed["weight"] == pytest.approx(answers["c",])
    assert {rest["weight"]} == {w for (name,), w in answers.items() if name != "c"}


# -- before it runs -------------------------------------------------------------------------------


def test_the_estimate_counts_paths_by_degrees(session: Session) -> None:
    found = session.score("g/2", top=1).estimate()
    # p has 5 facts; c has 3 that end at it and one that begins, a two and none, b one and one
    assert (found.questions, [one.paths for one in found.rules]) == (4, [11, 5])
    assert "11  g(X, Z) :- p(X, Y), p(Y, Z)." in str(found)


def test_a_score_beyond_the_budget_names_the_rule(session: Session) -> None:
    job = session.score("g/2", budget=3)
    with pytest.raises(NeuralLogError, match="more than the budget of 3") as raised:
        job.to_pandas()
    assert raised.value.span is not None
    assert (raised.value.span.source, raised.value.span.line) == ("rules", 2)


def test_nothing_runs_before_it_is_wanted(session: Session, tmp_path: Path) -> None:
    assert "nothing is computed yet" in repr(session.score("g/2"))
    assert list(tmp_path.iterdir()) == []


def test_the_statement_in_other_dialects(session: Session) -> None:
    pytest.importorskip("sqlglot", reason="the extra cluster, which brings SQLGlot, is missing")
    text = session.score("g/2").sql(dialect="postgres")
    assert text.startswith("-- postgres, by SQLGlot: untested here\nWITH ")
    for dialect in ("postgres", "spark", "snowflake", "bigquery", "tsql"):  # a hint of DuckDB
        assert "MATERIALIZED" not in session.score("g/2").sql(dialect=dialect)
    with pytest.raises(NeuralLogError, match="potsgres is not a known dialect"):
        session.score("g/2").sql(dialect="potsgres")


@pytest.mark.parametrize("predicate", ["g/2", "big/1", "s/2"])
def test_the_text_of_the_statement(session: Session, predicate: str, snapshot: object) -> None:
    assert session.score(predicate, top=3).sql() == snapshot


def test_names_are_never_part_of_the_statement(tmp_path: Path) -> None:
    session = Session()
    hostile = "x'; DROP TABLE p; --"
    other = "y\"; COPY (SELECT 1) TO 'file'; --"
    session.add(f'p("{hostile}", a). q(a, b).')
    session.add(f"p('{other.replace(chr(39), chr(92) + chr(39))}', a).")
    session.add(f'r(X, Z) :- p(X, Y), q(Y, Z). s(X) :- p("{hostile}", X).')
    job = session.score("r/2")
    assert "DROP" not in job.sql() and "COPY" not in job.sql()
    assert set(job.to_pandas()["asked"]) == {hostile, other}
    assert "DROP" not in session.score("s/1").sql()
    assert session.score("s/1").to_pandas()["answer"].tolist() == ["a"]
    assert list(tmp_path.iterdir()) == []


# -- parts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("parts", [1, 2, 3, 7])
def test_parts_together_are_the_whole(session: Session, tmp_path: Path, parts: int) -> None:
    told: list[str] = []
    done = session.score("g/2", top=2).to_parquet(
        tmp_path / "g", parts, progress=lambda state: told.append(str(state))
    )
    whole = [tuple(row.values()) for row in session.score("g/2", top=2).to_arrow().to_pylist()]
    assert sorted(rows(tmp_path / "g")) == sorted(whole)
    assert (done.rows, done.computed, done.missing) == (len(whole), parts, ())
    assert len(told) == parts + 1 and told[-1].startswith(f"g/2: part {parts} of {parts}")


def test_one_part_and_then_the_others(session: Session, tmp_path: Path) -> None:
    one = session.score("g/2").to_parquet(tmp_path, parts=3, part=2)
    assert (one.computed, one.missing) == (1, (1, 3))
    others = session.score("g/2").to_parquet(tmp_path, parts=3)
    assert others.computed == 2 and "(1 were there)" in str(others)
    again = session.score("g/2").to_parquet(tmp_path, parts=3)
    assert (again.computed, again.rows) == (0, others.rows)


KILLED = """
import os, signal, sys
from neurallog_kernel import Session
from neurallog_kernel.engines.duckdb import DuckDBEngine
session = Session()
session.load(sys.argv[1])
left = [int(sys.argv[3])]
batches = DuckDBEngine.batches
def until_killed(self, text):
    for batch in batches(self, text):
        yield batch.slice(0, max(1, batch.num_rows // 2))
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        yield batch.slice(max(1, batch.num_rows // 2))
DuckDBEngine.batches = until_killed
session.score("g/2", top=2).to_parquet(sys.argv[2], parts=4)
"""


@pytest.mark.parametrize("moment", [0, 1, 2])
def test_a_kill_in_the_midst_of_a_part(tmp_path: Path, moment: int) -> None:
    """A real `kill -9`, while half of a part's rows are written."""
    text, folder = tmp_path / "program.pl", tmp_path / "g"
    text.write_text(FACTS + RULES, encoding="utf-8")
    words = [sys.executable, "-c", KILLED, str(text), str(folder), str(moment)]
    ended = subprocess.run(words, cwd=Path(__file__).parents[2], timeout=120)
    assert ended.returncode == -signal.SIGKILL
    assert len(list(folder.glob("*.parquet"))) == moment
    session = Session()
    session.load(text)
    done = session.score("g/2", top=2).to_parquet(folder, parts=4)
    assert done.computed == 4 - moment
    whole = [tuple(row.values()) for row in session.score("g/2", top=2).to_arrow().to_pylist()]
    found = rows(folder)
    assert sorted(found) == sorted(whole) and len(set(found)) == len(found)
    assert sorted(os.listdir(folder)) == sorted(
        ["_score.json", *(f"part-{part}-of-4.parquet" for part in range(1, 5))]
    )


def test_an_interrupt_leaves_whole_parts_only(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, seen = session.score("g/2"), []

    def interrupted(state: jobs.ScoreProgress) -> None:
        seen.append(state.done)
        if state.done == 2:
            monkeypatch.setattr(type(job.runner), "batches", _interrupt)

    with pytest.raises(KeyboardInterrupt):
        job.to_parquet(tmp_path, parts=4, progress=interrupted)
    assert seen == [0, 1, 2]
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "_score.json",
        "part-1-of-4.parquet",
        "part-2-of-4.parquet",
    ]
    monkeypatch.undo()
    assert session.score("g/2").to_parquet(tmp_path, parts=4).computed == 2


def _interrupt(*_: object) -> object:
    yield from ()
    raise KeyboardInterrupt


# -- what is refused ------------------------------------------------------------------------------


def test_a_program_that_changes_is_an_error(session: Session, tmp_path: Path) -> None:
    job = session.score("g/2")
    job.to_parquet(tmp_path, parts=3, part=1)
    session.add("0.9::p(a, b).", source="facts edit")
    with pytest.raises(
        NeuralLogError, match="the program has changed since score was called for g/2"
    ):
        job.to_parquet(tmp_path, parts=3)
    with pytest.raises(NeuralLogError, match="a table or a fact has changed since the first part"):
        session.score("g/2").to_parquet(tmp_path, parts=3)
    session.undo()
    session.add("g(X, Y) :- t(X), t(Y).", source="more rules")
    with pytest.raises(NeuralLogError, match="the program has changed since the first part"):
        session.score("g/2").to_parquet(tmp_path, parts=3)
    session.undo()
    with pytest.raises(NeuralLogError, match="the number of parts has changed"):
        session.score("g/2").to_parquet(tmp_path, parts=4)
    with pytest.raises(NeuralLogError, match="top has changed"):
        session.score("g/2", top=1).to_parquet(tmp_path, parts=3)
    assert session.score("g/2").to_parquet(tmp_path, parts=3).computed == 2


def test_a_folder_that_holds_something_else(session: Session, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(NeuralLogError, match=r"there are other files \(thesis.txt\)"):
        session.score("g/2").to_parquet(tmp_path, parts=2)
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.txt"]
    with pytest.raises(NeuralLogError, match=r"thesis.txt"):
        session.score("g/2").to_parquet(tmp_path / "thesis.txt", parts=2)
    (tmp_path / "thesis.txt").unlink()
    (tmp_path / "_score.json").write_text("{}")
    with pytest.raises(NeuralLogError, match="this file does not describe a score"):
        session.score("g/2").to_parquet(tmp_path, parts=2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"predicate": "likse/2"}, "likse/2"),
        ({"predicate": "g/2", "top": 0}, "top must be at least 1"),
        ({"predicate": "g/2", "top": -1}, "top must be"),
        ({"predicate": "g/2", "of": "p/2"}, "cannot name the entities that ask"),
        ({"predicate": "g/2", "of": ["nobody"]}, "unknown entity nobody"),
        ({"predicate": "big/1", "of": "active"}, "so nobody asks"),
        ({"predicate": "gave/3"}, "gave/3 has 3 arguments"),
        ({"predicate": "g/2", "budget": 0}, "budget must be more than 0"),
        ({"predicate": "g/2", "memory": "much"}, "memory must be an amount"),
    ],
)
def test_what_cannot_be_scored(session: Session, arguments: dict, said: str) -> None:
    with pytest.raises(NeuralLogError, match=said):
        session.score(**arguments).to_pandas()


def test_parts_that_cannot_be(session: Session, tmp_path: Path) -> None:
    for given, said in (
        ({"parts": 0}, "parts must be"),
        ({"parts": 2, "part": 3}, "part must be at most 2"),
        ({"parts": 2, "part": 0}, "part must be"),
    ):
        with pytest.raises(NeuralLogError, match=said):
            session.score("g/2").to_parquet(tmp_path / "g", **given)
    with pytest.raises(NeuralLogError, match="is one question"):
        session.score("big/1").to_parquet(tmp_path / "g", parts=2)
    assert list(tmp_path.iterdir()) == []


def test_a_function_of_a_row_in_python_is_named(session: Session) -> None:
    session.register("spread", lambda row: row - row.mean(axis=-1, keepdims=True), kind="rowwise")
    session.add("f(X, Y) :- p(X, Y), spread(Y).")
    with pytest.raises(NeuralLogError, match="the function spread: it has no form in SQL"):
        session.score("f/2")


def test_a_python_function_that_fails_leaves_nothing(session: Session, tmp_path: Path) -> None:
    def picky(x: np.ndarray) -> np.ndarray:
        if (x == 2).any():
            raise ValueError("I do not like two")
        return x

    session.register("picky", picky)
    session.add("f(X, Y) :- p(X, Y), picky(Y).")
    with pytest.raises(NeuralLogError, match="I do not like two"):
        session.score("f/2").to_parquet(tmp_path / "f", parts=1)
    assert [one.name for one in (tmp_path / "f").iterdir()] == ["_score.json"]


FULL = """
import resource, sys
from neurallog_kernel import NeuralLogError, Session
session = Session()
session.add(" ".join(f"{(n % 97 + 1) / 97}::p(a{n}, b{n * 7919 % 5003})." for n in range(20000)))
job = session.score("p/2")
job.estimate()
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, hard))  # as on a disk with no more room
try:
    job.to_parquet(sys.argv[1], parts=2)
except NeuralLogError as error:
    print(error.message)
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
print(job.to_parquet(sys.argv[1], parts=2).computed)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the size of files cannot be limited here")
def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path) -> None:
    words = [sys.executable, "-c", FULL, str(tmp_path / "p")]
    ended = subprocess.run(
        words, cwd=Path(__file__).parents[2], timeout=120, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    first, second = ended.stdout.splitlines()
    assert first.endswith("part-1-of-2.parquet: File too large") and second == "2"
    assert len(rows(tmp_path / "p")) == 20_000


def test_a_database_that_goes_away(session: Session, tmp_path: Path) -> None:
    job = session.score("g/2")

    def gone(state: jobs.ScoreProgress) -> None:
        if state.done == 1:
            job.runner.statements.database.close()  # type: ignore[attr-defined]

    with pytest.raises(NeuralLogError, match="DuckDB"):
        job.to_parquet(tmp_path, parts=3, progress=gone)
    assert [p.name for p in sorted(tmp_path.iterdir())] == ["_score.json", "part-1-of-3.parquet"]
    assert session.score("g/2").to_parquet(tmp_path, parts=3).computed == 2


def test_the_folder_is_a_data_set_as_a_whole(session: Session, tmp_path: Path) -> None:
    import pandas as pd

    session.score("g/2", top=2).to_parquet(tmp_path / "g", parts=3)
    found = pd.read_parquet(tmp_path / "g").sort_values(["asked", "rank"], ignore_index=True)
    assert found.equals(session.score("g/2", top=2).to_pandas())
