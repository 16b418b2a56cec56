"""The teacher's notes: a section for each tutorial, with its time, a real message and a drawing."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest

from tests.docs.pages import blocks

ROOT = Path(__file__).resolve().parents[2]
NOTES = (ROOT / "docs" / "teaching" / "notes.md").read_text(encoding="utf-8")
SECTIONS = {part[:2]: part for part in re.split(r"^## ", NOTES, flags=re.MULTILINE)[1:]}
TUTORIALS = sorted((ROOT / "tutorials").glob("[0-9]*.ipynb"))


def test_each_tutorial_has_its_section():
    assert list(SECTIONS) == [path.name[:2] for path in TUTORIALS]


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_section_says_the_minutes_of_its_notebook(path):
    opening = nbformat.read(path, as_version=4).cells[0].source
    stated = re.search(r"\*\*Time\*\* (\d+) minutes", opening)
    noted = re.search(r"\*\*Minutes\*\* (\d+) alone", SECTIONS[path.name[:2]])
    assert stated and noted and noted[1] == stated[1]


@pytest.mark.parametrize("number", SECTIONS)
def test_a_section_has_a_goal_a_message_and_a_drawing(number):
    section = SECTIONS[number]
    mistakes, question, board = re.split(r"\*\*Ask the class|\*\*On the board", section)
    assert "**Goal** " in mistakes and "**Usual mistakes.**" in mistakes and question
    said = [one.text for one in blocks(mistakes) if one.language in ("text", "python")]
    tells = ("cell:", "Traceback", "session.check()")
    assert any(tell in text for text in said for tell in tells)
    assert [one.language for one in blocks(board)] == ["text"]
