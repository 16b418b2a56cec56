"""The table of the tutorials, from their first cells; `python -m docs.reference` puts it into the
README."""

from __future__ import annotations

import json
import re
from pathlib import Path

from docs.reference.markdown import table

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
_IN_README = re.compile(r"^\| tutorial \|.*?(?=\n\n)", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r"^# (.+)", re.MULTILINE)
_QUESTION = re.compile(r"^\*([^*]+)\*", re.MULTILINE)
_TIME = re.compile(r"\*\*Time\*\* (\d+)")


def tutorial_table() -> str:
    """One row a notebook: its name, the question it answers, and how long it takes."""
    rows = [_row(path) for path in sorted((ROOT / "tutorials").glob("*.ipynb"))]
    return table(("tutorial", "its question", "minutes"), rows) + "\n"


def _row(path: Path) -> tuple[str, str, str]:
    first = "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"])
    title, question, time = (_found(p, first, path) for p in (_TITLE, _QUESTION, _TIME))
    return f"[{title}](tutorials/{path.name})", " ".join(question.split()), time


def _found(pattern: re.Pattern[str], text: str, path: Path) -> str:
    found = pattern.search(text)
    if found is None:
        raise ValueError(f"{path.name}: its first cell has no match for {pattern.pattern}")
    return found[1]


def in_readme() -> str:
    """The table as the README has it."""
    found = _IN_README.search(README.read_text(encoding="utf-8"))
    return found[0] + "\n" if found else ""


def write_readme() -> None:
    """Bring the README's table up to date."""
    text = README.read_text(encoding="utf-8")
    README.write_text(_IN_README.sub(lambda _: tutorial_table().rstrip(), text), encoding="utf-8")
