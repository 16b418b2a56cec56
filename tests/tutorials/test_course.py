"""`make course`: copies for students without solutions, for teachers with them, and slides."""

from __future__ import annotations

import json
import os
import runpy
import shutil
import subprocess
import sys
from zipfile import ZipFile

import nbformat
import pytest

from neurallog_kernel.course import find_solution, list_exercises
from tests.chromium import chromium, needs_chromium
from tests.tutorials.refresh import TUTORIALS, run

COURSE = runpy.run_path(str(TUTORIALS / "course.py"))
EXERCISES = {exercise.name: exercise for exercise in list_exercises(TUTORIALS)}
FIRST = "01_first_steps.ipynb"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The whole course, with slides where npm brings reveal.js."""
    folder = tmp_path_factory.mktemp("course")
    return folder, COURSE["write_course"](folder)


def test_no_solution_is_in_the_copy_for_students(course):
    folder, _ = course
    names = ZipFile(folder / "student.zip").namelist()
    assert FIRST in names and "exercises/01.toml" in names
    assert not any("solution" in name for name in names)
    for path in (folder / "student").glob("*.ipynb"):
        text = "".join(cell.source for cell in nbformat.read(path, as_version=4).cells)
        for exercise in EXERCISES.values():
            if exercise.name[:2] == path.name[:2]:
                for cell in find_solution(TUTORIALS, exercise.name).cells:
                    given = cell.strip() in (exercise.start, "")
                    if not given and not cell.strip().startswith("%neurallog "):  # no secret
                        assert cell.strip() not in text, exercise.name


def test_the_copies_are_whole_notebooks(course):
    folder, _ = course
    for kind in ("student", "teacher"):
        for path in TUTORIALS.glob("*.ipynb"):
            nbformat.validate(json.loads((folder / kind / path.name).read_text("utf-8")))


def test_a_copy_needs_nothing_above_its_folder(course, tmp_path):
    folder, _ = course
    with ZipFile(folder / "student.zip") as archive:
        archive.extractall(tmp_path / "unpacked")
    path = tmp_path / "unpacked" / "11_reproducing_the_paper.ipynb"
    notebook = nbformat.read(path, as_version=4)
    cells = [cell for cell in notebook.cells if "experiments" in cell.source]
    text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "code")
    assert len(cells) > 3 and not any("../experiments" in cell.source for cell in cells)
    numpy = "import numpy as np\n"
    python = [sys.executable, "-c", numpy + text]
    nowhere = {**os.environ, "NEURALLOG_DATA": str(tmp_path)}
    ran = subprocess.run(python, cwd=path.parent, env=nowhere, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "| untrained" in ran.stdout


def test_a_grader_finds_answers_and_points(course):
    folder, _ = course
    cells = nbformat.read(folder / "student" / FIRST, as_version=4).cells
    marked = [cell.metadata.nbgrader for cell in cells if "nbgrader" in cell.metadata]
    assert [mark.grade_id for mark in marked if mark.solution] == [
        f"answer-01-{number}" for number in (1, 2, 3)
    ]
    assert [mark.points for mark in marked if mark.grade] == [1, 2, 3]


def test_the_teacher_s_copy_earns_every_point_and_the_student_s_none(course):
    folder, _ = course
    for kind, wrong in (("student", 3), ("teacher", 0)):
        ran = run(nbformat.read(folder / kind / FIRST, as_version=4))
        graded = [cell for cell in ran.cells if cell.metadata.get("nbgrader", {}).get("grade")]
        errors = [o for cell in graded for o in cell.outputs if o.output_type == "error"]
        assert len(graded) == 3 and len(errors) == wrong


@pytest.mark.browser
@needs_chromium
def test_slides_need_no_network(course):
    folder, said = course
    if shutil.which("npm") is None or said:
        pytest.skip("; ".join(said) or "npm is not installed")
    asked: list[str] = []
    with chromium() as browser:
        context = browser.new_context(offline=True)
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto((folder / "slides" / "01_first_steps.html").as_uri())
        page.locator(".reveal.ready").wait_for()
        page.locator("section.present h1", has_text="First steps").wait_for()
        page.keyboard.press("Space")
        page.locator("section.present h2", has_text="Facts").wait_for()
        page.locator("section.present", has_text="parent(ada, ben).").first.wait_for()
        context.close()
    assert asked and all(url.startswith("file:") for url in asked)


BELOW = """async () => {
  const below = [];
  for (const slide of Reveal.getSlides()) {
    const place = Reveal.getIndices(slide);
    Reveal.slide(place.h, place.v);
    await new Promise((done) => requestAnimationFrame(done));
    const bottom = document.querySelector(".slides").getBoundingClientRect().bottom;
    const outputs = [...slide.querySelectorAll(".jp-OutputArea")];
    const lowest = Math.max(0, ...outputs.map((one) => one.getBoundingClientRect().bottom));
    if (lowest > bottom + 1 || slide.style.overflowY) below.push(slide.innerText.slice(0, 60));
  }
  return below;
}"""


@pytest.mark.browser
@needs_chromium
@pytest.mark.parametrize("name", ["02_from_rule_to_network", "06_link_prediction"])
def test_what_a_cell_shows_is_on_the_slide(course, name):
    folder, said = course
    if shutil.which("npm") is None or said:
        pytest.skip("; ".join(said) or "npm is not installed")
    with chromium() as browser:
        context = browser.new_context(offline=True, viewport={"width": 1280, "height": 800})
        page = context.new_page()
        page.goto((folder / "slides" / f"{name}.html").as_uri())
        page.locator(".reveal.ready").wait_for()
        below = page.evaluate(BELOW)
        context.close()
    assert below == []


@pytest.mark.browser
@needs_chromium
def test_a_student_s_copy_is_solved_in_a_browser(course, lab, open_notebook):
    folder, _ = course
    shutil.copytree(folder / "student" / "exercises", lab.folder / "exercises", dirs_exist_ok=True)
    content = json.loads((folder / "student" / FIRST).read_text(encoding="utf-8"))
    code = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    for cell in code:  # prompts that change show that a cell has run
        cell.update(outputs=[], execution_count=None)
    sources = ["".join(cell["source"]) for cell in code]
    asks = sources.index("%neurallog exercise 01.1")
    needed = [place for place, text in enumerate(sources[:asks]) if " :- " in text]
    notebook = open_notebook("student.ipynb", content)
    for place in range(needed[0] + 1):  # as far as the rule that the exercise uses
        notebook.run(place)
    notebook.run(asks, "Not answered yet")
    notebook.run(asks + 2, "exercise 01.1 is not solved")
    rule = "if grandparent(X, Y) and parent(Y, Z): great_grandparent(X, Z)"
    notebook.edit(asks + 1, f"%%neurallog\n0.5::parent(finn, gina).\n{rule}")
    notebook.run(asks + 1, "a rule is written the other way round")
    rule = "great_grandparent(X, Z) :- parent(X, Y), parent(Y, Z)."
    notebook.edit(asks + 1, f"%%neurallog\n0.5::parent(finn, gina).\n{rule}")
    notebook.run(asks + 1, "+1 rule")
    notebook.run(asks, "your rule takes two steps")
    rule = "great_grandparent(X, Z) :- grandparent(X, Y), parent(Y, Z)."
    notebook.edit(asks + 1, f"%%neurallog\n0.5::parent(finn, gina).\n{rule}")
    notebook.run(asks + 1, "1 rule replaced")
    notebook.run(asks + 2, "Solved.")
    notebook.run("%neurallog exercise 01.1 --solution", "is not in this copy")
