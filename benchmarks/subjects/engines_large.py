"""Facts in DuckDB that no memory holds: questions, all answers, and training at 100 M facts."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.measuring import median, once, peak, repeat
from benchmarks.rows import Figure, Measured, Row, Settings, Skipped, Target, subject
from neurallog_kernel import Session
from neurallog_kernel.network.tensorflow import keras

USERS, ITEMS, RATED, SIMILAR, TOP, PARTS = 10_000_000, 1_000_000, 9, 10, 10, 40
EXAMPLES = 10_000
MEMORY = "1GB"  # of DuckDB; the process has Python, answers and caches beside it
RULES = "likes(X, Y) :- rated(X, Z), alike(Z, Y)."
TRAINED = """
liked(X, Y) :- rated(X, Z), alike(Z, Y), w(path).
liked(X, Y) :- rated(X, Y), w(own).
learn("w/1"). 0.3::w(path). 0.4::w(own).
"""
GB = Target(2, "GB")
ROWS = [
    Row("engines-large-question", "a question, 100 M facts in DuckDB, warm", "", Target(0.5, "s")),
    Row("engines-large-thousand", "1,000 questions there", "", Target(5, "s")),
    Row("engines-large-estimate", "the paths of all questions there", "", Target(10, "s")),
    Row("engines-large-asking", "the whole process meanwhile", "", GB),
    Row("engines-large-support", f"facts of {EXAMPLES:,} examples there", "", Target(10, "s")),
]
SCORING = [
    Row("engines-large-score", f"the best {TOP} of 10 M users there", "", Target(900, "s")),
    Row("engines-large-process", "the whole process after that", "", GB),
    Row("engines-large-spilled", "what DuckDB wrote aside meanwhile", "", Target(0, "MB")),
]


@subject("engines-large", ROWS, slow=True)
def measure(settings: Settings, wanted: frozenset[str]) -> Measured:
    with tempfile.TemporaryDirectory() as folder:
        path = _facts(folder, settings)
        yield from _asking(path, settings, int(USERS * _scale(settings)))


@subject("engines-large-score", SCORING, slow=True)
def measure_scores(settings: Settings, wanted: frozenset[str]) -> Measured:
    with tempfile.TemporaryDirectory() as folder:
        yield from _scoring(_facts(folder, settings), Path(folder) / "likes")


def _scale(settings: Settings) -> float:
    return 0.01 if settings.quick else 1.0


def _facts(folder: str, settings: Settings) -> Path:
    """Have the facts written by another process: what that takes is no part of the figures."""
    if not settings.large:
        raise Skipped("100 million facts: ask for them with --large")
    try:
        import duckdb  # noqa: F401
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise Skipped(f"the extra tables is not installed: {error}") from error
    path = Path(folder) / "facts.duckdb"
    words = f"from {__name__} import write; write({str(path)!r}, {_scale(settings)})"
    subprocess.run([sys.executable, "-c", words], check=True)
    return path


def write(path: str, scale: float) -> None:
    """Users rate items, a few of which are popular, each at most once; items have ten alike."""
    import duckdb

    users, items = int(USERS * scale), int(ITEMS * scale)
    popular = f"((u * 2654435761 + k * {items // RATED}) % {items}) / {items}"
    with duckdb.connect(path) as database:
        database.execute("SET enable_progress_bar = false")
        database.execute("SET memory_limit = '2GB'")
        database.execute(
            f"CREATE TABLE rated AS SELECT u AS a, CAST(floor(pow({popular}, 2) * {items}) AS "
            "BIGINT) AS b, 0.1 + (u + k) % 10 / 11 AS w FROM (SELECT n // "
            f"{RATED} AS u, n % {RATED} AS k FROM range({users * RATED}) t(n))"
        )
        database.execute(
            f"CREATE TABLE alike AS SELECT i AS a, (i * 7919 + k * 104729 + 1) % {items} AS b, "
            f"0.1 + (i + k) % 7 / 8 AS w FROM (SELECT n // {SIMILAR} AS i, n % {SIMILAR} AS k "
            f"FROM range({items * SIMILAR}) t(n))"
        )


def _session(path: Path) -> Session:
    session = Session()
    session.connect(f"duckdb:{path}", memory=MEMORY)
    for name in ("rated", "alike"):
        session.attach(name, f"{name}(a, b)", weight="w", unique=True)
    return session


def _asking(path: Path, settings: Settings, users: int) -> Measured:
    session = _session(path)
    session.add(RULES)
    facts = sum(one.count for one in session.attached.values())
    note = f"{facts:,} facts"
    session.query('likes("7", X)')  # the types are counted now
    runs = repeat(lambda k: session.query(f'likes("{1000 + k}", X)'), settings.rounds(9))
    seconds = median(runs, "wall")
    yield "engines-large-question", Figure(seconds, "s", rounds=len(runs), note=note)
    asked = np.random.default_rng(3).choice(users, 1000, replace=False).astype(str).tolist()
    taken = once(lambda: session.rank("likes/2", asked, top=TOP)).wall
    yield "engines-large-thousand", Figure(taken, "s", note=note)
    counted, paths = _processor(lambda: session.score("likes/2", top=TOP).estimate().paths)
    yield "engines-large-estimate", Figure(counted, "s", note=f"{paths:,} paths")
    yield "engines-large-asking", Figure(peak() / 1e9, "GB", note=f"DuckDB at most {MEMORY}")
    yield "engines-large-support", _support(path, users)


def _processor(work: Callable[[], int]) -> tuple[float, int]:
    started = process_time()
    found = work()
    return process_time() - started, found


def _support(path: Path, users: int) -> Figure:
    """An epoch with the facts fetched, less one with the same facts at hand. Loading TensorFlow,
    which takes some three seconds, is no part of it."""
    keras()
    session = _session(path)
    session.add(TRAINED, source="rules")
    draw = np.random.default_rng(5)
    asked = draw.choice(users, EXAMPLES, replace=False)
    liked = " ".join(f'liked("{u}", "{int(i)}").' for u, i in zip(asked, asked % 1000, strict=True))
    session.add(liked, set="train", source="train")
    history = None

    def epoch() -> None:
        nonlocal history
        history = session.train(epochs=1, unlisted="unknown", seed=1)

    fetched, again = once(epoch).processor, once(epoch).processor
    reached = [one for one in history.notes if "facts reached" in one] if history else []
    note = "; ".join([*reached, f"without the {again:.1f} s of an epoch"])
    return Figure(max(fetched - again, 0.0), "s", note=note)


def _scoring(path: Path, folder: Path) -> Measured:
    session = _session(path)
    session.add(RULES)
    job = session.score("likes/2", top=TOP)
    spilled = [0]

    def look(_: object) -> None:
        rows = session._reader.connection.rows(  # type: ignore[union-attr]
            "SELECT coalesce(sum(size), 0) AS n FROM duckdb_temporary_files()"
        )
        spilled.append(int(rows["n"][0].as_py()))

    taken, written = _processor(lambda: job.to_parquet(folder, parts=PARTS, progress=look).rows)
    yield "engines-large-score", Figure(taken, "s", note=f"{written:,} rows, {PARTS} parts")
    yield "engines-large-process", Figure(peak() / 1e9, "GB", note=f"DuckDB at most {MEMORY}")
    yield "engines-large-spilled", Figure(max(spilled) / 1e6, "MB")
