"""The benchmarks: what each row measures, against whom, and what it has to reach."""

from __future__ import annotations

from benchmarks import subjects  # noqa: F401  (registers the rows)
from benchmarks.rows import all_rows
from docs.reference.markdown import code, table


def benchmarks() -> str:
    """One line for each row of `make bench`."""
    rows = [
        [code(row.name), row.work, row.against, str(row.target) if row.target else ""]
        for row in all_rows().values()
    ]
    return table(("row", "the work", "against", "target"), rows) + "\n"
