"""The notebook as its user sees it: JupyterLab in Chromium, and no request to any other machine."""

import re

import pytest

from tests.chromium import chromium, local_pages, needs_chromium
from tests.magics.lab import Notebook, start_lab, stop_lab

pytestmark = [
    pytest.mark.browser,
    needs_chromium,
]
FAMILY = "%%neurallog\nparent(ann, bob). parent(bob, carl).\n0.5::parent(bob, dora)."
RULE = "%%neurallog\ngrandparent(X, Z) :- parent(X, Y), parent(Y, Z).\n?- grandparent(ann, Who)."
LOAD = "%load_ext neurallog_magics"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    running = start_lab(tmp_path_factory.mktemp("lab"))
    yield running
    stop_lab(running)


@pytest.fixture(scope="module")
def browser(lab):
    with chromium() as browser:
        yield browser


@pytest.fixture
def page(browser):
    """A page; whatever it asks from another machine fails the test."""
    with local_pages(browser, 1200, 1000) as context:
        yield context.new_page()


def colours(cell) -> dict[str, str]:
    """The colour of each piece of text in a cell."""
    found = cell.evaluate(
        "cell => [...cell.querySelectorAll('.cm-line span')]"
        ".map(span => [span.textContent, getComputedStyle(span).color])"
    )
    return dict(found)


def test_run_edit_complete_and_read_an_error(page, lab):
    lab.write("first.ipynb", [LOAD, FAMILY, RULE, "%%neurallog\n?- gran", "1 + 1"])
    notebook = Notebook(page, lab, "first.ipynb")
    notebook.wait_idle()
    notebook.run(0)
    assert "+3 facts" in notebook.run(1)
    answer = notebook.run(2)
    assert re.search(r"carl\s+1", answer)
    assert re.search(r"dora\s+0\.5", answer)
    bars = notebook.cell(2).locator(".nl-bar")
    whole, half = (bars.nth(place).bounding_box()["width"] for place in (0, 1))
    assert whole == pytest.approx(2 * half, rel=0.01)
    assert whole > 20

    notebook.edit(1, FAMILY.replace("0.5", "0.9").replace("parent(bob, carl).", ""))
    said = notebook.run(1)
    assert "1 fact replaced" in said
    assert "- parent(bob, carl)." in said
    answer = notebook.run(2)
    assert "carl" not in answer
    assert re.search(r"dora\s+0\.9", answer)

    seen = colours(notebook.cell(2))
    assert len({seen["%%neurallog"], seen["X"], seen[":-"], seen["ann"]}) == 4
    assert colours(notebook.cell(1))["0.9"] != seen["ann"]

    notebook.cell(3).locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.press("Tab")
    notebook.take_completion(3, "grandparent")
    page.keyboard.insert_text("(ann, Who")
    failed = notebook.run(3)
    assert re.match(r"cell \[\d+\]:2:24: ", failed)
    assert len(failed.strip().splitlines()) <= 6
    assert "^" in failed
    assert "Traceback" not in failed
    page.keyboard.press("Escape")


def test_tab_lists_what_names_are_and_shift_tab_explains(page, lab):
    lab.write("tab.ipynb", [LOAD, f"{FAMILY}\npair(a, b).", "%%neurallog\n?- pa"])
    notebook = Notebook(page, lab, "tab.ipynb")
    notebook.wait_idle()
    notebook.run(0)
    notebook.run(1)
    notebook.cell(2).locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.press("Tab")
    items = page.locator(".jp-Completer-item")
    items.first.wait_for()
    listed = " ".join(items.all_inner_texts())
    assert "parent" in listed
    assert "pair" in listed
    assert "predicate" in listed
    page.keyboard.press("Escape")
    page.keyboard.insert_text("rent")
    page.keyboard.press("Shift+Tab")
    tooltip = page.locator(".jp-Tooltip")
    tooltip.wait_for()
    assert "parent/2: relation" in tooltip.inner_text()
    assert "3 facts" in tooltip.inner_text()


def test_deleting_and_moving_cells(page, lab):
    cells = [LOAD, "%%neurallog\np(a).", "%%neurallog\nq(b).", "%neurallog program"]
    lab.write("move.ipynb", cells)
    notebook = Notebook(page, lab, "move.ipynb")
    notebook.wait_idle()
    for place in range(3):
        notebook.run(place)
    notebook.cell(1).locator(".jp-InputPrompt").click()
    page.keyboard.press("x")  # cut, and paste below the last cell: a move
    notebook.cell(2).locator(".jp-InputPrompt").click()
    page.keyboard.press("v")
    program = notebook.run(2)
    assert "p(a)." in program
    assert "q(b)." in program
    notebook.cell(1).locator(".jp-InputPrompt").click()
    page.keyboard.press("d")
    page.keyboard.press("d")
    program = notebook.run(1)
    assert "p(a)." in program
    assert "q(b)." not in program


TRAIN = [
    LOAD,
    "%%neurallog\np(a, b). p(b, c). p(c, d). p(d, a).\nlearn(w).\nq(X, Y) :- p(X, Y), w(Y).",
    "%%examples --set train\nq(a, b).\n0.0::q(b, c).",
    "%neurallog train --epochs 1000000 --learning-rate 0.01 --seed 1",
    "%neurallog train --resume --epochs 5",
    "%%neurallog\n?- q(X, Y).",
]


CURVES = 'img[alt="curves of loss"]'


def test_interrupt_training_go_on_save_and_reopen(page, lab):
    lab.write("train.ipynb", TRAIN)
    notebook = Notebook(page, lab, "train.ipynb")
    notebook.wait_idle()
    for place in range(3):
        notebook.run(place)
    notebook.start(3)
    notebook.until(lambda: "Training at epoch" in notebook.output(3))
    notebook.until(lambda: notebook.cell(3).locator("svg polyline").count() > 0)
    page.keyboard.press("Escape")
    page.keyboard.press("i")
    page.keyboard.press("i")
    stopped = notebook.finish(3)
    assert "Interrupted after epoch" in stopped
    assert "To go on: %neurallog train --resume" in stopped
    assert notebook.cell(3).locator(CURVES).count() == 1
    assert "Trained" in notebook.run(4)
    assert re.search(r"a\s+b", notebook.run(5))
    saved = notebook.save()
    texts = [str(output) for cell in saved["cells"] for output in cell["outputs"]]
    assert sum("<svg" in text for text in texts) == 2
    assert not any("widget" in text for text in texts)

    notebook.menu("Kernel", "Shut Down Kernel")
    page.get_by_text("No Kernel").first.wait_for()
    reopened = Notebook(page, lab, "train.ipynb")
    reopened.until(lambda: reopened.cell(3).locator(CURVES).count() == 1)
    assert "Interrupted after epoch" in reopened.output(3)
    reopened.cell(5).scroll_into_view_if_needed()
    reopened.until(lambda: reopened.cell(5).locator(".nl-bar").count() > 1)


def test_the_neurallog_kernel_from_the_launcher(page, lab):
    page.goto(f"{lab.address}/lab?token=browser-test&reset")
    page.locator('.jp-LauncherCard[title*="NeuralLog"]').first.wait_for()
    cells = [
        "parent(ann, bob). 0.5::parent(bob, cid). % a comment\n?- parent(X, Y).",
        "%neurallog status",
        "%%python\nimport neurallog_magics\nlen(neurallog_magics.session().query('parent(X, Y)'))",
    ]
    lab.write("kernel.ipynb", cells, kernel="neurallog")
    notebook = Notebook(page, lab, "kernel.ipynb")
    notebook.wait_idle()
    assert re.search(r"bob\s+cid\s+0\.5", notebook.run(0))
    assert "parent/2" in notebook.run(1)
    assert notebook.run(2).strip() == "2"
    seen = colours(notebook.cell(0))
    assert seen["% a comment"] != seen["0.5"] != seen["X"]
    assert "import" in colours(notebook.cell(2))
