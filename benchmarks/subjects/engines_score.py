"""Scores in DuckDB: the best answers of all users against SciPy in memory, and compiling."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import process_time

import numpy as np
import scipy.sparse as sp

from benchmarks.measuring import Turns, once
from benchmarks.rows import Figure, Measured, Row, Settings, Skipped, Target, share, subject, within
from neurallog_kernel import Session
from neurallog_kernel.engines.best import best

USERS, ITEMS, RATED, SIMILAR, TOP = 1_000_000, 100_000, 9_000_000, 1_000_000, 10
PARTS, BLOCK = 10, 20_000
RULES = 300
ROWS = [
    Row(
        "engines-score",
        f"the best {TOP} items of {USERS:,} users, {RATED + SIMILAR:,} facts in DuckDB",
        "SciPy with all facts in memory",
        within(2.5),
    ),
    Row("engines-estimate", "the paths of that score, counted before it runs", "", Target(10, "s")),
    Row("engines-compile", f"SQL of {RULES} rules, for each", "", Target(2, "ms")),
]


@subject("engines-score", ROWS, slow=True)
def measure(settings: Settings, wanted: frozenset[str]) -> Measured:
    if "engines-compile" in wanted:
        yield "engines-compile", _compiling(settings)
    if wanted & {"engines-score", "engines-estimate"}:
        yield from _scoring(settings)


def _compiling(settings: Settings) -> Figure:
    session = Session()
    facts = [f"r{n}(a, b)." for n in range(20)]
    rules = [
        f"h(X, Y) :- r{n % 20}(X, Z), r{n * 7 % 20}(Z, W), r{n // 20}(W, Y)." for n in range(RULES)
    ]
    session.add("\n".join(facts + rules))
    job = session.score("h/2")
    job.sql()  # tables are made, plans are planned
    taken = []
    for _ in range(settings.rounds(5, 3)):
        started = process_time()
        best(job.runner, job.asked).text()
        taken.append((process_time() - started) / RULES * 1000)
    return Figure(float(np.median(taken)), "ms", rounds=len(taken))


def _facts(scale: float) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Users rate items, a few of which are popular; items have ten similar ones."""
    draw = np.random.default_rng(7)
    users, items = int(USERS * scale), int(ITEMS * scale)
    popular = (draw.random(int(RATED * scale)) ** 2 * items).astype(np.int64)
    rated = _once(draw.integers(0, users, int(RATED * scale)), popular, items)
    pairs = draw.integers(0, items, (2, int(SIMILAR * scale)))
    return {
        "rated": (*rated, draw.random(len(rated[0]))),
        "alike": (*(found := _once(*pairs, items)), draw.random(len(found[0]))),
    }


def _once(first: np.ndarray, second: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    keys = np.unique(first * size + second)
    return keys // size, keys % size


def _scoring(settings: Settings) -> Measured:
    try:
        import duckdb
        import pyarrow as arrow
    except ImportError as error:
        raise Skipped(f"the extra tables is not installed: {error}") from error
    scale = 0.1 if settings.quick else 1.0
    facts = _facts(scale)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "facts.duckdb"
        with duckdb.connect(str(path)) as database:
            for name, columns in facts.items():
                table = arrow.table(dict(zip(("a", "b", "w"), columns, strict=True)))
                database.register("given", table)
                database.execute(f"CREATE TABLE {name} AS SELECT * FROM given ORDER BY a")
        session = Session()
        session.connect(f"duckdb:{path}", memory="2GB")
        for name in facts:
            session.attach(name, f"{name}(a, b)", weight="w", unique=True)
        session.add("likes(X, Y) :- rated(X, Z), alike(Z, Y).")
        job = session.score("likes/2", top=TOP)
        started = process_time()
        size = job.estimate()
        counted = process_time() - started
        yield "engines-estimate", Figure(counted, "s", note=f"{size.paths:,} paths")
        ours = once(lambda: job.to_parquet(Path(folder) / "likes", parts=PARTS))
        rows = [0]
        theirs = once(lambda: rows.append(sum(len(r) for r in _by_scipy(facts, scale))))
        written = job.to_parquet(Path(folder) / "likes", parts=PARTS).rows
        assert written == rows[-1], (written, rows[-1])
        note = f"{written:,} rows, {PARTS} parts; with Parquet files on our side"
        yield "engines-score", share(Turns((ours,), (theirs,)), note)


def _by_scipy(facts: dict, scale: float) -> Iterator[np.ndarray]:
    """The same by a product of sparse matrices, a block of users at a time."""
    users, items = int(USERS * scale), int(ITEMS * scale)
    rated, similar = (
        sp.csr_array((w, (a, b)), shape=(rows, items))
        for (a, b, w), rows in ((facts["rated"], users), (facts["alike"], items))
    )
    for start in range(0, users, BLOCK):
        found = (rated[start : start + BLOCK] @ similar).tocsr()
        counts = np.diff(found.indptr)
        of_row = np.repeat(np.arange(len(counts)), counts)
        order = np.lexsort((-found.data, of_row))
        place = np.arange(len(order)) - np.repeat(found.indptr[:-1], counts)
        yield order[place < TOP]
