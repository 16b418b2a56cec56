"""`make lab` works in copies of the tutorials: the clone stays clean, no work is overwritten."""

import json
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIRST = "01_first_steps.ipynb"


@pytest.fixture
def tutorials(tmp_path) -> Path:
    """A few tutorials of our own, with the script that copies them."""
    folder = tmp_path / "a clone" / "tutorials"
    (folder / "data").mkdir(parents=True)
    shutil.copyfile(ROOT / "tutorials" / "copies.py", folder / "copies.py")
    (folder / FIRST).write_text("first version")
    (folder / "data" / "films.pl").write_text("film(a).")
    return folder


def copy(tutorials: Path) -> tuple[Path, str]:
    """Run the script as `make lab` does; the folder of copies and what was said."""
    run = subprocess.run(
        [sys.executable, "tutorials/copies.py", "my-tutorials"],
        cwd=tutorials.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return tutorials.parent / "my-tutorials", run.stdout


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("[!.]*") if path.is_file()}


def test_the_notebooks_and_their_data_are_copied(tutorials):
    copies, said = copy(tutorials)
    assert names(copies) == {FIRST, "data/films.pl"}
    assert "my-tutorials" in said


def test_work_is_kept_and_a_new_version_comes_beside_it(tutorials):
    copies, _ = copy(tutorials)
    (copies / FIRST).write_text("my work")
    copy(tutorials)
    assert names(copies) == {FIRST, "data/films.pl"}  # nothing new: nothing beside it
    for number, version in ((2, "second version"), (3, "third version")):
        (tutorials / FIRST).write_text(version)
        _, said = copy(tutorials)
        beside = f"01_first_steps-{number}.ipynb"
        assert beside in said
        assert (copies / beside).read_text() == version
    assert (copies / FIRST).read_text() == "my work"


def test_what_was_not_touched_is_replaced_by_its_new_version(tutorials):
    copies, _ = copy(tutorials)
    (tutorials / FIRST).write_text("second version")
    _, said = copy(tutorials)
    assert (copies / FIRST).read_text() == "second version"
    assert "beside" not in said
    (copies / FIRST).unlink()
    copy(tutorials)
    assert (copies / FIRST).read_text() == "second version"


def test_files_without_a_record_are_somebody_s_work(tutorials):
    mine = tutorials.parent / "my-tutorials" / FIRST
    mine.parent.mkdir()
    mine.write_text("my work")
    copies, _ = copy(tutorials)
    assert mine.read_text() == "my work"
    assert (copies / "01_first_steps-2.ipynb").read_text() == "first version"


def test_every_tutorial_finds_its_data_in_a_copy(tmp_path):
    runpy.run_path(str(ROOT / "tutorials" / "copies.py"))["main"](tmp_path)
    for notebook in (ROOT / "tutorials").glob("*.ipynb"):
        assert (tmp_path / notebook.name).read_bytes() == notebook.read_bytes()
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        for cell in (cell for cell in cells if cell["cell_type"] == "code"):
            code = "".join(cell["source"])
            for name in re.findall(r"(?:\"|\s)(data/[\w/.]*\w)", code):
                assert (tmp_path / name).exists(), name
            for name in re.findall(r"\"\.\./(\w[^\"]*)\"", code):
                assert (ROOT / name).exists(), name  # copies stand beside tutorials/


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_does_not_see_the_copies():
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone")
    asked = ["git", "check-ignore", "--quiet", "my-tutorials/01_first_steps.ipynb"]
    assert subprocess.run(asked, cwd=ROOT).returncode == 0
