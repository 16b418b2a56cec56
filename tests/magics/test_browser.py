"""The notebook as its user sees it: JupyterLab in Chromium, and no request to any other machine."""

import re

import pytest

from tests.chromium import expect, needs_chromium
from tests.lab import Notebook

pytestmark = [
    pytest.mark.browser,
    needs_chromium,
]
FAMILY = "%%neurallog\nparent(ann, bob). parent(bob, carl).\n0.5::parent(bob, dora)."
RULE = "%%neurallog\ngrandparent(X, Z) :- parent(X, Y), parent(Y, Z).\n?- grandparent(ann, Who)."
LOAD = "%load_ext neurallog_magics"


def colours(notebook: Notebook, place: int, *texts: str) -> list[str]:
    """The colours of these pieces of text in a cell; JupyterLab colours what it has shown."""
    seen: dict[str, str] = {}

    def coloured() -> bool:
        found = notebook.cell(place).evaluate(
            "cell => [...cell.querySelectorAll('.cm-line span')]"
            ".map(span => [span.textContent, getComputedStyle(span).color])"
        )
        seen.update(found)
        return set(texts) <= {text for text, _ in found}

    notebook.until(coloured)
    return [seen[text] for text in texts]


def test_run_edit_complete_and_read_an_error(page, lab):
    lab.write("first.ipynb", [LOAD, FAMILY, RULE, "%%neurallog\n?- gran", "1 + 1"])
    notebook = Notebook(page, lab, "first.ipynb")
    notebook.wait_idle()
    notebook.run(0)
    notebook.run(1, "+3 facts")
    notebook.run(2, re.compile(r"carl\s+1"), re.compile(r"dora\s+0\.5"))
    bars = notebook.cell(2).locator(".nl-bar")
    whole, half = (bars.nth(place).bounding_box()["width"] for place in (0, 1))
    assert whole == pytest.approx(2 * half, rel=0.01)
    assert whole > 20

    notebook.edit(1, FAMILY.replace("0.5", "0.9").replace("parent(bob, carl).", ""))
    notebook.run(1, "1 fact replaced", "- parent(bob, carl).")
    assert "carl" not in notebook.run(2, re.compile(r"dora\s+0\.9"))

    name, variable, arrow, constant = colours(notebook, 2, "%%neurallog", "X", ":-", "ann")
    assert len({name, variable, arrow, constant}) == 4
    assert colours(notebook, 1, "0.9") != [constant]

    notebook.cell(3).locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.press("Tab")
    notebook.take_completion(3, "grandparent")
    page.keyboard.insert_text("(ann, Who")
    failed = notebook.run(3, re.compile(r"^cell \[\d+\]:2:24: "), "^")
    assert len(failed.strip().splitlines()) <= 6
    assert "Traceback" not in failed


def test_tab_lists_what_names_are_and_shift_tab_explains(page, lab):
    lab.write("tab.ipynb", [LOAD, f"{FAMILY}\npair(a, b).", "%%neurallog\n?- pa"])
    notebook = Notebook(page, lab, "tab.ipynb")
    notebook.wait_idle()
    notebook.run(0)
    notebook.run(1)
    notebook.cell(2).locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.press("Tab")
    for wanted in ("parent", "pair", "predicate"):
        expect(page.locator(".jp-Completer-item", has_text=wanted).first).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".jp-Completer")).to_be_hidden()
    page.keyboard.insert_text("rent")
    page.keyboard.press("Shift+Tab")
    tooltip = page.locator(".jp-Tooltip")
    expect(tooltip).to_contain_text("parent/2: relation")
    expect(tooltip).to_contain_text("3 facts")


def test_deleting_and_moving_cells(page, lab):
    cells = [LOAD, "%%neurallog\np(a).", "%%neurallog\nq(b).", "%neurallog program"]
    lab.write("move.ipynb", cells)
    notebook = Notebook(page, lab, "move.ipynb")
    notebook.wait_idle()
    for place in range(3):
        notebook.run(place)
    notebook.cell(1).locator(".jp-InputPrompt").click()
    page.keyboard.press("x")  # cut, and paste below the last cell: a move
    expect(notebook.cells).to_have_count(3)
    notebook.cell(2).locator(".jp-InputPrompt").click()
    page.keyboard.press("v")
    expect(notebook.cells).to_have_count(4)
    notebook.run(2, "p(a).", "q(b).")
    notebook.cell(1).locator(".jp-InputPrompt").click()
    notebook.command("notebook:delete-cell")  # its keys are "d d", both within a second
    expect(notebook.cells).to_have_count(3)
    assert "q(b)." not in notebook.run(1, "p(a).")


TRAIN = [
    LOAD,
    "%%neurallog\np(a, b). p(b, c). p(c, d). p(d, a).\nlearn(w).\nq(X, Y) :- p(X, Y), w(Y).",
    "%%examples --set train\nq(a, b).\n0.0::q(b, c).",
    "%neurallog train --epochs 1000000 --learning-rate 0.01 --seed 1",
    "%neurallog train --resume --epochs 5",
    "%%neurallog\n?- q(X, Y).",
]


CURVES = ".nlc-chart"  # drawn by a script in place of an image


def test_interrupt_training_go_on_save_and_reopen(page, lab):
    lab.write("train.ipynb", TRAIN)
    notebook = Notebook(page, lab, "train.ipynb")
    notebook.wait_idle()
    for place in range(3):
        notebook.run(place)
    notebook.start(3)
    notebook.shows(3, "Training at epoch")
    notebook.cell(3).locator("svg polyline").first.wait_for(state="attached")
    page.get_by_title("Interrupt the kernel").first.click()
    notebook.finish(3, "Interrupted after epoch", "To go on: %neurallog train --resume")
    notebook.cell(3).locator(CURVES).first.wait_for()
    notebook.run(4, "Trained")
    notebook.run(5, re.compile(r"a\s+b"))
    saved = notebook.save()
    texts = [str(output) for cell in saved["cells"] for output in cell["outputs"]]
    assert sum("<svg" in text for text in texts) == 2
    assert not any("widget-view" in text for text in texts)

    notebook.menu("Kernel", "Shut Down Kernel")
    page.get_by_text("No Kernel").first.wait_for()
    reopened = Notebook(page, lab, "train.ipynb")
    reopened.wait_idle()
    reopened.cell(3).locator(CURVES).first.wait_for()
    reopened.shows(3, "Interrupted after epoch")
    reopened.cell(5).scroll_into_view_if_needed()
    reopened.cell(5).locator(".nl-bar").nth(1).wait_for()


def test_the_neurallog_kernel_from_the_launcher(page, lab):
    page.goto(f"{lab.address}/lab?token={lab.token}&reset")
    page.locator('.jp-LauncherCard[title*="NeuralLog"]').first.wait_for()
    cells = [
        "parent(ann, bob). 0.5::parent(bob, cid). % a comment\n?- parent(X, Y).",
        "%neurallog status",
        "%%python\nimport neurallog_magics\nlen(neurallog_magics.session().query('parent(X, Y)'))",
    ]
    lab.write("kernel.ipynb", cells, kernel="neurallog")
    notebook = Notebook(page, lab, "kernel.ipynb")
    notebook.wait_idle()
    notebook.run(0, re.compile(r"bob\s+cid\s+0\.5"))
    notebook.run(1, "parent/2")
    notebook.run(2, re.compile(r"^\s*2\s*$"))
    comment, number, variable = colours(notebook, 0, "% a comment", "0.5", "X")
    assert comment != number != variable
    assert colours(notebook, 2, "import")
