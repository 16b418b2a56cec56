"""Every exercise is checked as a learner meets it: no answer, wrong answers, then its solution.

The cells run in a real kernel, after the cells of the tutorial that come before the exercises.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import nbformat
import pytest

from neurallog_kernel.course.exercises import LEVELS, Exercise, find_solution, read_exercises
from tests.tutorials.refresh import TUTORIALS, run

FILES = sorted((TUTORIALS / "exercises").glob("*.toml"))

pytestmark = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


def notebook_of(file: Path) -> nbformat.NotebookNode:
    (path,) = TUTORIALS.glob(f"{file.stem}_*.ipynb")
    return nbformat.read(path, as_version=4)


def code_cells(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def asks(exercise: Exercise, notebook: nbformat.NotebookNode) -> str:
    """The line that checks an exercise, in the language of the notebook's cells."""
    return f"%neurallog exercise {exercise.name}"


def wrong_answers(file: Path, exercise: Exercise) -> list[dict[str, Any]]:
    said = tomllib.loads((TUTORIALS / "solutions" / file.name).read_text(encoding="utf-8"))
    return said[exercise.name.partition(".")[2]]["wrong"]


def test_there_are_three_from_easy_to_hard(file):
    exercises = read_exercises(file)
    assert [exercise.level for exercise in exercises] == list(LEVELS)
    assert [exercise.name for exercise in exercises] == [f"{file.stem}.{n}" for n in (1, 2, 3)]
    for exercise in exercises:
        assert exercise.hints and exercise.checks
        assert len(exercise.title) <= 40


def test_the_notebook_has_a_task_and_a_cell_for_each(file):
    notebook = notebook_of(file)
    sources = [cell.source for cell in notebook.cells]
    for exercise in read_exercises(file):
        place = sources.index(asks(exercise, notebook))
        answer = notebook.cells[place + 1]
        assert answer.source == exercise.start
        assert "exercise" in answer.metadata.get("tags", [])


def test_empty_wrong_and_right_answers_are_told_apart(file):
    notebook = notebook_of(file)
    exercises = read_exercises(file)
    first = [cell.source for cell in code_cells(notebook)].index(asks(exercises[0], notebook))
    before = code_cells(notebook)[:first]
    script: list[tuple[str, str, bool]] = []  # source, what must be said, solved
    for exercise in exercises:
        ask = asks(exercise, notebook)
        script.append((ask, "--hint 1 shows the first.", False))
        for wrong in wrong_answers(file, exercise):
            script += [(cell.strip(), "", False) for cell in wrong["cells"]]
            script.append((ask, wrong["says"], False))
            script += [("%neurallog undo", "", False)] * len(wrong["cells"])
        cells = find_solution(TUTORIALS, exercise.name).cells
        script += [(cell.strip(), "", False) for cell in cells]
        script.append((f"{ask} --must", "Solved.", True))
    notebook.cells = [*before, *(nbformat.v4.new_code_cell(source) for source, _, _ in script)]
    ran = run(notebook).cells[len(before) :]
    for cell, (source, says, solved) in zip(ran, script, strict=True):
        shown = "\n".join(o.get("text") or o.data["text/plain"] for o in cell.outputs)
        assert says in shown, source
        if says:
            assert ("Solved." in shown) == solved, source
