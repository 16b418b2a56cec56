"""A page logs no error of ours: in JupyterLab none, in Notebook 7 those that it has alone."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import Any

import pytest

from tests.chromium import local_pages, needs_chromium
from tests.lab import QUIET, Lab, Notebook

pytestmark = [pytest.mark.browser, needs_chromium]
CELLS = [
    "%load_ext neurallog_magics",
    "%%neurallog\nlikes(ann, tea). 0.5::likes(ann, milk).\ndrinks(X, Y) :- likes(X, Y).",
    "%%neurallog\n?- drinks(ann, Y).",
    "%neurallog live drinks(ann, Y)",
]
EXTENSION = "neurallog-jupyterlab"


def with_extension(lab: Lab, there: bool) -> None:
    """Pages that are opened from now on have our extension, or not."""
    settings = lab.folder.parent / "config" / "labconfig" / "page_config.json"
    disabled = {**QUIET["disabledExtensions"], **({} if there else {EXTENSION: True})}
    settings.write_text(json.dumps({"disabledExtensions": disabled}), encoding="utf-8")


def errors(lab: Lab, browser: Any, seven: bool, ours: bool) -> set[str]:
    """What the page of a notebook that runs our cells logs as an error."""
    with_extension(lab, ours)
    name = f"{'seven' if seven else 'lab'}-{'with' if ours else 'without'}.ipynb"
    lab.write(name, [])
    said: set[str] = set()
    with local_pages(browser, 1200, 1000) as context:
        page = context.new_page()
        page.on("pageerror", lambda error: said.add(str(error)))
        page.on("console", lambda m: said.add(m.text) if m.type == "error" else None)
        notebook = Notebook(page, lab, name, seven=seven)
        notebook.wait_idle()
        command = "window.jupyterapp.commands.hasCommand('neurallog:welcome')"
        assert page.evaluate(command) == ours
        for cell in CELLS:
            notebook.run(cell)
        page.locator(".nll-card").first.wait_for()
        page.locator(".nll-card.nll-opens").first.dblclick(position={"x": 12, "y": 8})
        page.locator(".nll-close .nlx-dag svg").wait_for()
    with_extension(lab, True)
    return said


def test_jupyterlab_logs_no_error(lab: Lab, browser: Any) -> None:
    assert errors(lab, browser, seven=False, ours=True) == set()


@pytest.mark.skipif(find_spec("notebook") is None, reason="Notebook 7 is not installed")
def test_notebook_7_logs_no_error_of_ours(lab: Lab, browser: Any) -> None:
    alone = errors(lab, browser, seven=True, ours=False)
    assert errors(lab, browser, seven=True, ours=True) <= alone
