"""A cell whose deletion is undone: the kernel has its clauses, or the cell says: run me again."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.chromium import expect, needs_chromium
from tests.lab import Notebook

pytestmark = [pytest.mark.browser, needs_chromium]

LOAD = "%load_ext neurallog_magics"
FACTS = "%%neurallog\np(a)."
QUESTION = "%%neurallog\n?- p(X)."
AGAIN = "This cell was deleted, and its clauses went with it: run it again."


def press(*keys: str) -> Callable[[Notebook], None]:
    def pressed(notebook: Notebook) -> None:
        for key in keys:
            notebook.page.keyboard.press(key)

    return pressed


def command(name: str) -> Callable[[Notebook], None]:
    """What a menu does."""
    return lambda notebook: notebook.page.evaluate(f"() => jupyterapp.commands.execute('{name}')")


WAYS = {
    "keys": (press("d", "d"), press("z")),
    "menu": (command("notebook:delete-cell"), command("notebook:undo-cell-action")),
    "cut": (press("x"), press("v")),
}


@pytest.fixture
def notebook(page, lab, way, others):
    name = f"undeleted-{way}-{others}.ipynb"  # the kernel of a file goes on when its page is closed
    lab.write(name, [LOAD, FACTS, QUESTION, "1 + 1"])
    notebook = Notebook(page, lab, name)
    notebook.wait_idle()
    notebook.run(0)
    notebook.run(1, "+1 fact")
    return notebook


def select(notebook: Notebook, place: int) -> None:
    """The cell is the chosen one, and keys are commands."""
    notebook.cell(place).locator(".jp-InputPrompt").click()


def texts(notebook: Notebook) -> list[str]:
    return [one["source"] for one in notebook.page.evaluate(CELLS)]


CELLS = "() => window.jupyterapp.shell.currentWidget.content.model.sharedModel.toJSON().cells"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("others", [0, 1, 2])
def test_a_cell_that_comes_back_says_if_it_must_be_run_again(notebook, way, others):
    delete, come_back = WAYS[way]
    select(notebook, 1)
    delete(notebook)
    expect(notebook.cells).to_have_count(3)
    for place in range(1, 1 + others):
        notebook.run(place)
    select(notebook, 0)
    come_back(notebook)
    expect(notebook.cells).to_have_count(4)
    assert texts(notebook)[1] == FACTS
    if not others:
        assert AGAIN not in notebook.shows(1, "+1 fact")
    else:
        shown = notebook.shows(1, AGAIN)
        assert "+1 fact" not in shown
        expect(notebook.cell(1).locator(".jp-InputPrompt")).to_have_text("[ ]:")
        assert "unknown predicate p/1" in notebook.run(2)
        assert AGAIN not in notebook.run(1, "1 fact")
    notebook.run(2, re.compile(r"\ba\b"))
