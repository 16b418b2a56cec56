"""An interrupt stops every statement of DuckDB, however long it is, and nothing is left of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

STATEMENTS = ["attach", "query", "explain", "train", "estimate", "score", "parts", "table", "load"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals here")
def test_real_interrupts_while_the_database_computes(tmp_path: Path) -> None:
    """Each would compute for years; the session goes on after it with the same answers."""
    pytest.importorskip("duckdb", reason="the extra tables, which brings DuckDB, is not installed")
    words = [sys.executable, "-m", "tests.engines.interrupted", str(tmp_path)]
    root = Path(__file__).parents[2]
    ended = subprocess.run(words, cwd=root, timeout=600, capture_output=True, text=True)
    where = "in_the_main_thread", "in_another_thread"
    expected = [f"{one} {name}" for one in where for name in STATEMENTS]
    assert ended.stdout.splitlines() == expected, ended.stderr
