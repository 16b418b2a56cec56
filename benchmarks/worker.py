"""One subject in a process of its own: `python -m benchmarks.worker`, started by the command."""

from __future__ import annotations

import json
import sys
import traceback
from pathlib import Path

from benchmarks import subjects  # noqa: F401  (registers the rows)
from benchmarks.results import figure_to_json
from benchmarks.rows import SUBJECTS, Settings, Skipped


def work(name: str, wanted: frozenset[str], settings: Settings, report: Path) -> None:
    """Measure, and append each figure to the report as a line of JSON once it is known."""

    def tell(content: dict) -> None:
        with report.open("a", encoding="utf-8") as file:
            file.write(json.dumps(content) + "\n")

    try:
        for row, figure in SUBJECTS[name].measure(settings, wanted):
            if row in wanted:
                tell({"row": row, "figure": figure_to_json(figure)})
    except Skipped as reason:
        tell({"skipped": str(reason)})
    except Exception as error:
        traceback.print_exc()
        tell({"failed": f"{type(error).__name__}: {error}".splitlines()[0][:200]})


def main() -> None:
    task = json.loads(sys.argv[1])
    settings = Settings(Path(task["data"]), task["quick"], task["repeat"], task["large"])
    work(task["subject"], frozenset(task["rows"]), settings, Path(task["report"]))


if __name__ == "__main__":
    main()
