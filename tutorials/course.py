"""The tutorials as a course: `python -m tutorials.course course` writes the parts of one.

    course/student/   the notebooks with empty exercises, their data, no solutions
    course/teacher/   the same with the solutions filled in, and why they solve the task
    course/slides/    each tutorial as slides, which need no network
    course/student.zip

Cells of exercises carry the metadata of nbgrader: an answer is the student's to change, and the
cell after it gives its points where `%neurallog exercise NAME --must` does not fail.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from copy import deepcopy
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from docs.npm import unpack_npm
from neurallog_kernel.course import Exercise, find_solution, list_exercises

TUTORIALS = Path(__file__).resolve().parent
EXPERIMENTS = TUTORIALS.parent / "experiments"
MEASURED = ("RESULTS.md", "RESULTS.svg", "__init__.py", "data.py", "paper.py")
"""What tutorial 11 reads of the experiments: their table, and how a dataset is prepared."""
POINTS = {"easy": 1, "middle": 2, "hard": 3}
REVEAL = "reveal.js@5"
ASKS = "%neurallog exercise "
POINTS_TOLD = (
    "The cells with `--must` give the points. Run them when you have finished: "
    "red means that something is missing and says what, a green tick that the exercise is solved."
)


def write_course(folder: Path) -> list[str]:
    """Write all parts; what could not be made is said, with the reason."""
    exercises = {exercise.name: exercise for exercise in list_exercises(TUTORIALS)}
    for kind in ("student", "teacher"):
        _start_anew(folder / kind)
        for path in sorted(TUTORIALS.glob("*.ipynb")):
            notebook = nbformat.read(path, as_version=4)
            nbformat.write(copy_for(kind, notebook, exercises), folder / kind / path.name)
        for name in ("data", "exercises", *(["solutions"] if kind == "teacher" else [])):
            shutil.copytree(TUTORIALS / name, folder / kind / name)
        (folder / kind / "experiments").mkdir()
        for name in MEASURED:
            shutil.copyfile(EXPERIMENTS / name, folder / kind / "experiments" / name)
    shutil.make_archive(str(folder / "student"), "zip", folder / "student")
    return write_slides(folder / "slides")


# -- copies ---------------------------------------------------------------------------------------


def copy_for(kind: str, notebook: NotebookNode, exercises: dict[str, Exercise]) -> NotebookNode:
    """The notebook with exercises that a grader can read; for a teacher, with their solutions."""
    copy = deepcopy(notebook)
    cells: list[NotebookNode] = []
    asked: Exercise | None = None
    for cell in copy.cells:
        cell.source = _beside(cell.source)
        if cell.cell_type == "code" and cell.source.startswith(ASKS):
            asked = exercises[cell.source.removeprefix(ASKS).split()[0]]
            cells.append(_emptied(cell))
        elif asked is not None and "exercise" in cell.metadata.get("tags", []):
            cells += _answer(kind, _emptied(cell), asked)
            asked = None
        elif cell.source.startswith("## Exercises\n"):
            cells.append(_explained(kind, cell))
        else:
            cells.append(cell)
    copy.cells = cells
    return copy


def _beside(source: str) -> str:
    """A copy has nothing above it: what a tutorial reads there lies beside the notebooks."""
    return source.replace("../experiments/", "experiments/").replace('append("..")', 'append(".")')


def _explained(kind: str, cell: NotebookNode) -> NotebookNode:
    """What to do, with what these copies have besides; a student has no solutions."""
    if kind == "student":
        cell.source = re.sub(r",? `--solution` a(?:nother)? solution\.", ".", cell.source)
    cell.source += f"\n\n{POINTS_TOLD}"
    return cell


def _emptied(cell: NotebookNode) -> NotebookNode:
    cell.outputs, cell.execution_count = [], None
    return cell


def _answer(kind: str, cell: NotebookNode, exercise: Exercise) -> list[NotebookNode]:
    """The cell for the answer and the cell that grades it; before them a teacher's notes."""
    name = exercise.name.replace(".", "-")
    cell.metadata["nbgrader"] = _nbgrader(f"answer-{name}", solution=True)
    points = POINTS[exercise.level]
    grading = nbformat.v4.new_code_cell(f"{ASKS}{exercise.name} --must", id=f"grade-{name}")
    grading.metadata["nbgrader"] = _nbgrader(f"grade-{name}", points=points)
    grading.metadata["tags"] = ["raises-exception"]  # the rest still runs
    if kind == "student":
        return [cell, grading]
    solution = find_solution(TUTORIALS, exercise.name)
    hints = "\n".join(f"{place}. {hint}" for place, hint in enumerate(exercise.hints, start=1))
    notes = f"**For the teacher.** {solution.because.strip()}\n\nHints:\n\n{hints}"
    cell.source = solution.cells[0].strip()
    more = [
        nbformat.v4.new_code_cell(text.strip(), id=f"more-{name}-{place}")
        for place, text in enumerate(solution.cells[1:], start=1)
    ]
    return [nbformat.v4.new_markdown_cell(notes, id=f"notes-{name}"), cell, *more, grading]


def _nbgrader(grade_id: str, points: int = 0, solution: bool = False) -> dict[str, object]:
    return {
        "schema_version": 3,
        "grade_id": grade_id,
        "grade": not solution,
        "locked": not solution,
        "solution": solution,
        "task": False,
    } | ({} if solution else {"points": points})


def _start_anew(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)


# -- slides ---------------------------------------------------------------------------------------


def write_slides(folder: Path) -> list[str]:
    """Each tutorial as a page of slides, with reveal.js beside them from the npm registry."""
    from nbconvert import SlidesExporter

    if shutil.which("npm") is None:
        return ["no slides: reveal.js is an npm package, and npm (of Node.js) is not installed"]
    _start_anew(folder)
    try:
        # its script, its style sheets and its licence
        unpack_npm(REVEAL, folder / "reveal.js", lambda path: path.parts[0] in ("dist", "LICENSE"))
    except subprocess.CalledProcessError as error:
        return [f"no slides: npm could not bring {REVEAL}: {error.stderr.strip()[-200:]}"]
    exporter = SlidesExporter(
        template_name="neurallog",
        extra_template_basedirs=[str(TUTORIALS / "slides")],
        reveal_url_prefix="reveal.js",
        reveal_theme="white",  # its fonts are beside it
    )
    for path in sorted(TUTORIALS.glob("*.ipynb")):
        page, _ = exporter.from_notebook_node(as_slides(nbformat.read(path, as_version=4)))
        (folder / f"{path.stem}.html").write_text(page, encoding="utf-8")
    return []


def as_slides(notebook: NotebookNode) -> NotebookNode:
    """A heading begins a slide, other text the next one below it; cells stay with their text."""
    notebook.cells = [part for cell in notebook.cells for part in _at_headings(cell)]
    for before, cell in zip([None, *notebook.cells], notebook.cells, strict=False):
        follows = before is not None and before.cell_type == "markdown"
        if cell.source == "%load_ext neurallog_magics":
            kind = "skip"
        elif cell.cell_type == "code":
            kind = "-" if follows else "subslide"
        else:
            kind = "slide" if cell.source.startswith("#") else "subslide"
        cell.metadata["slideshow"] = {"slide_type": kind}
    return notebook


def _at_headings(cell: NotebookNode) -> list[NotebookNode]:
    """A cell of text, cut before each of its headings."""
    if cell.cell_type != "markdown":
        return [cell]
    parts = re.split(r"\n(?=## )", cell.source)
    return [nbformat.v4.new_markdown_cell(part.strip()) for part in parts]


def main(folder: Path) -> None:
    said = write_course(folder)
    print(f"The course is in {folder}: student, teacher, slides, student.zip.")
    for line in said:
        print(line)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
