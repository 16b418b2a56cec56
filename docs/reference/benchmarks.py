"""The benchmarks, each with what its file says it measures."""

from __future__ import annotations

import ast
from pathlib import Path

from docs.reference.markdown import code, table

_FOLDER = Path(__file__).parents[2] / "benchmarks"


def benchmarks() -> str:
    """One row a script, as `make bench` runs them."""
    rows = []
    for path in sorted(_FOLDER.glob("[a-z]*.py")):
        said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        rows.append([code(f"python -m benchmarks.{path.stem}"), said.split("\n\n")[0]])
    return (
        table(("command", "what it measures"), [[a, " ".join(b.split())] for a, b in rows]) + "\n"
    )
