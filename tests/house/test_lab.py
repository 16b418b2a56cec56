"""`make lab`, as its user sees it: a real JupyterLab in a real Chromium."""

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chromium import expect, free_port, needs_chromium, until
from tests.lab import Lab, nobodys_settings, served

ROOT = Path(__file__).parents[2]

pytestmark = [
    pytest.mark.browser,
    needs_chromium,
    pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed"),
]


@pytest.fixture(scope="module")
def lab(tmp_path_factory) -> Iterator[Lab]:
    """`make serve` from this environment, with nobody's settings and the copies in our folder."""
    folder = tmp_path_factory.mktemp("lab")
    copies = folder / "my tutorials"
    environment = {
        name: value
        for name, value in nobodys_settings(folder).items()
        if not name.startswith(("MAKE", "MFLAGS", "DISPLAY", "WAYLAND"))
    }
    settings = [f"VENV={sys.prefix}", f"PORT={free_port()}", f"COPIES={copies}"]
    with served(["make", "serve", *settings], folder, environment, ROOT) as (address, token):
        yield Lab(address, token, copies)


@pytest.fixture
def page(page, lab):
    """A page on the printed address; whatever it asks from elsewhere fails the test."""
    page.goto(f"{lab.address}/lab?token={lab.token}&reset")  # not what an earlier test left open
    page.locator(".jp-Launcher, .jp-NotebookPanel, #neurallog-welcome").first.wait_for()
    return page


def code_cells(notebook: Path) -> list[dict]:
    """The code cells of a saved notebook."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def is_finished(notebook: Path) -> bool:
    """Whether every cell has run, in the file as it is saved."""
    try:
        return all(cell["execution_count"] for cell in code_cells(notebook))
    except json.JSONDecodeError:  # JupyterLab is writing it
        return False


def shown(cells: list[dict]) -> list[str]:
    """What each output shows as plain text; an error shows as its traceback."""
    texts = []
    for output in (output for cell in cells for output in cell["outputs"]):
        lines = output.get("text") or output.get("traceback") or output["data"]["text/plain"]
        texts.append(re.sub(r"[\d,]+ ms\b", "N ms", "".join(lines)))
    return texts


def forget_outputs(notebook: Path) -> None:
    """Save the notebook as if none of its cells had run."""
    content = json.loads(notebook.read_text(encoding="utf-8"))
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
    notebook.write_text(json.dumps(content), encoding="utf-8")


def test_it_opens_on_the_tutorials(page, lab):
    tutorials = [path.name for path in (ROOT / "tutorials").glob("*.ipynb")]
    wanted = [*tutorials, "data", "exercises", "solutions", "welcome.html"]
    listed = page.locator(".jp-DirListing-itemText")
    expect(listed).to_have_count(len(wanted))
    assert sorted(listed.all_inner_texts()) == sorted(wanted)


def test_the_first_page_has_a_network_that_plays(page):
    network = page.frame_locator('iframe[title="a network that plays"]')
    expect(network.locator(".nll-answers .nll-name")).to_have_text(["cid", "gus", "dan"])
    network.locator(".nll-next").click()
    expect(network.locator(".nll-said")).to_contain_text("step 1 of")
    page.locator(".nlw-tutorials button", has_text="First steps").click()
    page.locator(".jp-NotebookPanel .jp-CodeCell").first.wait_for()
    page.locator(".nll-picture, iframe[title=played]").first.wait_for(state="attached")


def test_the_network_of_the_first_page_has_the_colours_of_the_theme(page):
    network = page.frame_locator('iframe[title="a network that plays"]').locator(".nll")
    for light, scheme in (("false", "dark"), ("true", "light")):
        page.evaluate("light => document.body.dataset.jpThemeLight = light", light)
        expect(network).to_have_css("color-scheme", scheme)


def test_the_first_page_is_in_the_help_menu_and_open_once(page):
    page.locator("#neurallog-welcome").wait_for()
    tab = page.locator(".lm-TabBar-tab", has_text="NeuralLog")
    for open_again in (True, False):
        page.locator(".lm-MenuBar-itemLabel", has_text="Help").click()
        page.get_by_role("menuitem", name="NeuralLog: welcome and tutorials").click()
        page.locator("#neurallog-welcome .nlw-tutorials button").first.wait_for()
        expect(tab).to_have_count(1)
        if open_again:
            tab.locator(".lm-TabBar-tabCloseIcon").click()
            expect(page.locator("#neurallog-welcome")).to_have_count(0)


def test_a_program_opens_as_neurallog_and_not_as_perl(page, lab):
    (lab.folder / "family.pl").write_text("parent(ann, bob).  % a fact\n", encoding="utf-8")
    try:
        page.goto(f"{lab.address}/lab/tree/family.pl?token={lab.token}&reset")
        page.locator(".jp-FileEditor .cm-content").wait_for()
        expect(page.locator("#jp-main-statusbar")).to_contain_text("neurallog")
        comment = page.locator(".jp-FileEditor .cm-line span", has_text="% a fact")
        expect(comment).to_have_text("% a fact")
    finally:
        (lab.folder / "family.pl").unlink()


def test_it_asks_nothing_and_fetches_no_news(page):
    page.locator(".jp-DirListing-itemText").first.wait_for()
    expect(page.locator(".jp-Dialog")).to_have_count(0)
    config = json.loads(page.locator("#jupyter-config-data").text_content())
    assert "@jupyterlab/apputils-extension:announcements" in config["disabledExtensions"]


def one_for_each_kernel() -> list[str]:
    """The first tutorial of each kernel; nbval runs them all, without a browser."""
    first: dict[str, str] = {}
    for path in sorted((ROOT / "tutorials").glob("*.ipynb")):
        kernel = json.loads(path.read_text(encoding="utf-8"))["metadata"]["kernelspec"]
        first.setdefault(kernel["display_name"], path.name)
    return list(first.values())


@pytest.mark.parametrize("name", one_for_each_kernel())
def test_a_tutorial_runs_to_its_end(page, lab, name):
    original = ROOT / "tutorials" / name
    before = original.read_bytes()
    copy = lab.folder / name
    forget_outputs(copy)
    page.locator(".jp-DirListing-itemText", has_text=name).dblclick()
    page.get_by_text("| Idle").wait_for()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()

    def saved_and_finished() -> bool:
        page.keyboard.press("Control+s")
        return is_finished(copy)

    until(page, saved_and_finished)
    assert shown(code_cells(copy)) == shown(code_cells(original))
    assert original.read_bytes() == before  # the clone is as clean as it was
