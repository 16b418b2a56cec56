"""`make lab`, as its user sees it: a real JupyterLab in a real Chromium."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.chromium import PATIENCE, chromium, free_port, local_pages, needs_chromium

ROOT = Path(__file__).parents[2]

pytestmark = [
    pytest.mark.browser,
    needs_chromium,
    pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed"),
]


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab: the address it printed, and the folder it serves."""

    address: str
    folder: Path


@pytest.fixture(scope="module")
def lab(tmp_path_factory) -> Iterator[Lab]:
    """`make serve` from this environment, with nobody's settings and the copies in our folder."""
    folder = tmp_path_factory.mktemp("lab")
    copies = folder / "my tutorials"
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("JUPYTER", "MAKE", "MFLAGS", "DISPLAY", "WAYLAND"))
    }
    for name in ("CONFIG", "DATA", "RUNTIME"):
        environment[f"JUPYTER_{name}_DIR"] = str(folder / name.lower())
    settings = [f"VENV={sys.prefix}", f"PORT={free_port()}", f"COPIES={copies}"]
    said = folder / "said.txt"
    with said.open("w") as log:
        server = subprocess.Popen(
            ["make", "serve", *settings],
            cwd=ROOT,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield Lab(printed_address(server, said), copies)
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(timeout=PATIENCE)


def printed_address(server: subprocess.Popen, said: Path) -> str:
    """The address with its token, once `make` has printed it."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and server.poll() is None:
        found = re.search(r"http://127\.0\.0\.1:\d+/lab\?token=\w+", said.read_text())
        if found:
            return found[0]
        time.sleep(0.1)
    pytest.fail(f"no address was printed:\n{said.read_text()}")


@pytest.fixture
def page(lab):
    """A page on the printed address; whatever it asks from elsewhere fails the test."""
    with chromium() as browser, local_pages(browser, 1280, 900) as context:
        page = context.new_page()
        page.goto(lab.address)
        page.locator(".jp-Launcher, .jp-NotebookPanel").first.wait_for()
        yield page


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
    page.locator(".jp-DirListing-itemText").first.wait_for()
    listed = page.locator(".jp-DirListing-itemText").all_inner_texts()
    tutorials = [path.name for path in (ROOT / "tutorials").glob("*.ipynb")]
    assert sorted(listed) == sorted([*tutorials, "data"])


def test_it_asks_nothing_and_fetches_no_news(page):
    assert page.locator(".jp-Dialog").count() == 0
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
    deadline = time.monotonic() + PATIENCE
    while not is_finished(copy):
        assert time.monotonic() < deadline, "the notebook did not finish"
        page.keyboard.press("Control+s")
        page.wait_for_timeout(500)
    assert shown(code_cells(copy)) == shown(code_cells(original))
    assert original.read_bytes() == before  # the clone is as clean as it was
