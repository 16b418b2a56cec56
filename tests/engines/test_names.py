"""What is made in a user's database has names of its own: no table of theirs is replaced."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neurallog_kernel import Session

duckdb = pytest.importorskip("duckdb", reason="the extra tables, which brings DuckDB, is missing")

RULES = """
g(X, Y) :- p(X, Z), p(Z, Y). odd(X, Y) :- not p(X, Y), p(Y, Z), tanh(Z).
m(X, Y) :- p(X, Y), big(Y). big(Y) :- p(X, Y), not p(Y, X).
"""
PREDICATES = ("g/2", "odd/2", "m/2")


def session(table: str) -> tuple[Session, Any]:
    database = duckdb.connect()
    rows = "SELECT i AS a, i * i % 7 AS b FROM range(6) t(i)"
    database.execute(f'CREATE TABLE "{table}" AS {rows}')
    made = Session()
    made.connect(database)
    made.attach(table, "p(a, b)", unique=True)
    made.add(RULES)
    return made, database


def answers(one: Session, folder: Path | None = None) -> list[dict]:
    if folder is None:
        return [one.score(name).to_pandas().to_dict("list") for name in PREDICATES]
    import pandas as pd

    found = []
    for name in PREDICATES:
        one.score(name).to_parquet(folder / name, parts=3)
        rows = pd.read_parquet(folder / name).sort_values(["asked", "rank"], ignore_index=True)
        found.append(rows.to_dict("list"))
    return found


def used() -> list[str]:
    """The names of the parts of those statements, of what they count, and of the views."""
    one, _ = session("rows of mine")
    texts = [one.score(name).sql() for name in PREDICATES]
    names = {name for text in texts for name in re.findall(r"([a-z_]+_\d+) AS", text)}
    views = {name for text in texts for name in re.findall(r'"([^"]+#\d)"', text)}
    return sorted({*names, *views, "asking_0", "asking_1", "rows_2", "paths_2", "asked", "given"})


def test_a_table_may_be_called_like_a_part_of_a_statement(tmp_path: Path) -> None:
    """It is only in the answers that a table which is mistaken for a part shows."""
    names = used()
    assert len(names) > 20 and any("#" in name for name in names)
    expected = answers(session("rows of mine")[0])
    for number, name in enumerate(names):
        mine, database = session(name)
        assert answers(mine) == expected, name
        if number % 5 == 0:
            assert answers(mine, tmp_path / str(number)) == expected, name
        kept = database.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        assert kept == [(name,)]
        assert database.execute(f'SELECT count(*) FROM "{name}"').fetchall() == [(6,)]


def test_two_scores_with_functions_of_python_in_one_database(tmp_path: Path) -> None:
    mine, _ = session("t")
    mine.register("twice", lambda x: 2 * x)
    mine.register("thrice", lambda x: np.minimum(3 * x, 3))
    mine.add("d(X, Y) :- p(X, Y), twice(Y). e(X, Y) :- p(X, Y), thrice(Y).")
    jobs = [mine.score("d/2"), mine.score("e/2")]
    assert [job.to_pandas()["weight"].max() for job in jobs] == [2, 3]
    jobs[1].to_parquet(tmp_path, parts=2, part=1)
    other, _ = session("t")
    other.register("thrice", lambda x: np.minimum(3 * x, 3))
    other.register("twice", lambda x: 2 * x)
    other.add("d(X, Y) :- p(X, Y), twice(Y). e(X, Y) :- p(X, Y), thrice(Y).")
    done = other.score("e/2").to_parquet(tmp_path, parts=2)  # the same score, in another process
    assert (done.computed, done.missing) == (1, ())
