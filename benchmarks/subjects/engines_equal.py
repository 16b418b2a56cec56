"""Facts in DuckDB beside facts in memory: the same answers, and the same learned weights."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.rows import Figure, Measured, Row, Settings, Skipped, Target, subject
from benchmarks.subjects.engines_large import TRAINED, write
from neurallog_kernel import Session

QUESTIONS, EXAMPLES = 2_000, 200
ROOT = Path(__file__).resolve().parents[2]
NONE = Target(0, "differ or are refused")
ROWS = [
    Row("engines-equal", f"{QUESTIONS:,} generated questions, to 1e-9", "SciPy in memory", NONE),
    Row(
        "engines-weights",
        "weights learned with the facts in DuckDB, open and closed world",
        "the same facts in memory",
        Target(1e-6, "apart"),
    ),
]


@subject("engines-equal", ROWS, slow=True)
def measure(settings: Settings, wanted: frozenset[str]) -> Measured:
    try:
        import duckdb  # noqa: F401
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise Skipped(f"the extra tables is not installed: {error}") from error
    if "engines-equal" in wanted:
        yield "engines-equal", _equal(QUESTIONS // 10 if settings.quick else QUESTIONS)
    if "engines-weights" in wanted:
        yield "engines-weights", _weights(0.001 if settings.quick else 0.005)


def _equal(questions: int) -> Figure:
    words = [sys.executable, "-m", "tests.engines", "--questions", str(questions)]
    ended = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    said = ended.stdout.strip().splitlines()[-1] if ended.stdout.strip() else ended.stderr[-200:]
    refused = re.search(r"(\d+) refused", said)
    different = 0 if ended.returncode in (0, 1) and refused else 1
    return Figure(different + (int(refused[1]) if refused else 0), NONE.unit, note=said)


def _weights(scale: float) -> Figure:
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "facts.duckdb"
        write(str(path), scale)
        apart, notes = 0.0, ()
        for unlisted in ("unknown", "false"):
            attached, loaded = Session(), Session()
            with duckdb.connect(str(path), read_only=True) as database:
                for name in ("rated", "alike"):
                    text = f"SELECT CAST(a AS TEXT) AS a, CAST(b AS TEXT) AS b, w FROM {name}"
                    loaded.load_table(text, f"{name}(a, b)", weight="w", database=database)
            attached.connect(f"duckdb:{path}")
            for name in ("rated", "alike"):
                attached.attach(name, f"{name}(a, b)", weight="w", unique=True)
            expected, _ = _trained(loaded, unlisted)
            found, notes = _trained(attached, unlisted)
            apart = max(apart, *(abs(found[key] - expected[key]) for key in expected))
    return Figure(apart, "apart", note=notes[-1] if notes else "")


def _trained(session: Session, unlisted: str) -> tuple[dict, tuple[str, ...]]:
    session.add(TRAINED, source="rules")
    asked = np.random.default_rng(5).choice(1000, EXAMPLES, replace=False)
    text = " ".join(f'liked("{u}", "{u % 100}").' for u in asked)
    session.add(text, set="train", source="train")
    history = session.train(
        epochs=3, seed=1, unlisted=unlisted, optimizer="sgd", learning_rate=1e-3, dtype="float64"
    )
    return dict(session.query("w(X)").weights), tuple(history.notes)
