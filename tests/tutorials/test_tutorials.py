"""Every tutorial has the same shape, reads well as saved, and has exercises.

That the saved outputs are what the cells give is nbval's business (`make check`).
"""

from __future__ import annotations

import configparser
import re
from pathlib import Path

import nbformat
import pytest

from tests.tutorials.refresh import KERNELS, TUTORIALS, normal

ROOT = TUTORIALS.parent
PATHS = sorted(TUTORIALS.glob("*.ipynb"))
LINK = re.compile(r"\]\(([^)\s]+)\)")
LONGEST_OUTPUT = 40  # lines of text

pytestmark = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


def texts(notebook: nbformat.NotebookNode) -> list[str]:
    return [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]


def shown(cell: nbformat.NotebookNode) -> str:
    """What the outputs of a cell say as plain text."""
    parts = [output.get("text") or output.data["text/plain"] for output in cell.outputs]
    return "\n".join(parts)


def without_times(text: str) -> str:
    """The text as nbval compares it."""
    rules = configparser.RawConfigParser()
    rules.read(ROOT / "tests/house/nbval.cfg")
    for name in rules.sections():
        text = re.sub(rules.get(name, "regex"), rules.get(name, "replace"), text)
    return text


def test_it_opens_with_a_question_goals_and_a_time(path):
    number, first = path.name[:2], texts(read(path))[0]
    lines = first.splitlines()
    assert re.fullmatch(rf"# {number} · \w.*", lines[0])
    assert re.match(r"\*[^*]+\?\*  ?\w", lines[2]), "a question comes first"
    assert "**You will learn**" in lines
    assert 2 <= sum(line.startswith("- ") for line in lines) <= 5
    found = re.search(
        r"^\*\*Time\*\* (\d+) minutes · \*\*You need\*\* .+ · \*\*Kernel\*\* (.+)$", first, re.M
    )
    assert found, "the line with time, needs and kernel"
    assert 10 <= int(found[1]) <= 20
    kernel = read(path).metadata.kernelspec.name
    assert found[2] == {"python3": "Python 3", "neurallog": "NeuralLog"}[kernel]


def test_it_ends_with_a_summary_and_the_next_step(path):
    last = texts(read(path))[-1]
    assert last.startswith("## What you have seen\n\n- ")
    assert "\n**Next:** " in last


def test_it_asks_for_a_prediction_and_comes_back_to_it(path):
    together = "\n".join(texts(read(path)))
    assert together.count("**Predict.**") == together.count("**Check.**") >= 2


def test_it_is_saved_as_it_ran_and_nothing_of_the_machine_is_in_it(path):
    notebook = read(path)
    assert notebook.metadata.kernelspec.name in KERNELS
    assert notebook == normal(read(path)), "python -m tests.tutorials.refresh saves it so"
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    for cell in code:
        for output in cell.outputs:
            assert output.output_type != "error", cell.source
            assert output.get("name") != "stderr", f"noise: {output.text}"
        assert len(shown(cell).splitlines()) <= LONGEST_OUTPUT, f"a long output: {cell.source}"
    told = path.read_text(encoding="utf-8")
    assert not re.search(r"/(?:home|root|tmp|work|Users|var)/\w|[A-Z]:\\\\|site-packages", told)


def test_it_has_pictures(path):
    cells = [cell for cell in read(path).cells if cell.cell_type == "code"]
    kinds = [
        kind for cell in cells for output in cell.outputs for kind in output.get("data", ()) or ()
    ]
    assert {"image/svg+xml", "image/png"} & set(kinds)


def test_its_links_lead_somewhere(path):
    for text in texts(read(path)):
        for target in LINK.findall(text):
            if not target.startswith("https://"):
                assert (TUTORIALS / target.split("#")[0]).exists(), target


def test_it_has_exercises_that_check_themselves(path):
    """tests/tutorials/test_exercises.py runs them."""
    assert (TUTORIALS / "exercises" / f"{path.name[:2]}.toml").exists()
    headings = [text for text in texts(read(path)) if text.startswith("## Exercise")]
    assert len(headings) == 1 and headings[0].startswith("## Exercises\n")
