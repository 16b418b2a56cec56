"""JupyterLab in a real Chromium, for the tests: the server, a notebook, and what one does."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from neurallog_magics.install import install
from tests.chromium import PATIENCE, expect, free_port, until

QUIET = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab: where it is, its key, and the folder it serves."""

    address: str
    token: str
    folder: Path

    def write(self, name: str, cells: list[str], kernel: str = "python3") -> Path:
        """A notebook with these cells."""
        code = [
            {
                "cell_type": "code",
                "id": f"cell-{place}",
                "source": text,
                "metadata": {},
                "outputs": [],
                "execution_count": None,
            }
            for place, text in enumerate(cells)
        ]
        metadata = {"kernelspec": {"name": kernel, "display_name": kernel}}
        content = {"cells": code, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
        return self.keep(name, content)

    def keep(self, name: str, content: dict) -> Path:
        """A notebook with this content, as one that was saved."""
        path = self.folder / name
        path.write_text(json.dumps(content), encoding="utf-8")
        return path


@contextmanager
def running_lab(folder: Path) -> Iterator[Lab]:
    """Serve `folder`/notebooks with the kernelspec and the extension as the wheel installs them."""
    install(folder)
    notebooks = folder / "notebooks"
    notebooks.mkdir()
    environment = nobodys_settings(folder)
    environment |= {
        "JUPYTER_PATH": str(folder / "share/jupyter"),
        "IPYTHONDIR": str(folder / "ipython"),
    }
    settings = folder / "config" / "labconfig"
    settings.mkdir(parents=True)
    (settings / "page_config.json").write_text(json.dumps(QUIET), encoding="utf-8")
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", f"--port={free_port()}"]
    command += [f"--ServerApp.root_dir={notebooks}", "--LabApp.extension_manager=readonly"]
    command += ["--LabApp.expose_app_in_browser=True"]
    if find_spec("notebook"):  # the same server has Notebook 7 then
        command += ["--JupyterNotebookApp.expose_app_in_browser=True"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    with served(command, folder, environment) as (address, token):
        yield Lab(address, token, notebooks)


def nobodys_settings(folder: Path) -> dict[str, str]:
    """The environment of a server that finds no settings but those in `folder`."""
    kept = {"JUPYTERLAB_DIR"}  # where JupyterLab's own files are, if not in this environment
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("JUPYTER") or name in kept
    }
    for name in ("CONFIG", "DATA", "RUNTIME"):
        environment[f"JUPYTER_{name}_DIR"] = str(folder / name.lower())
    return environment


@contextmanager
def served(
    command: list[str], folder: Path, environment: dict[str, str], where: Path | None = None
) -> Iterator[tuple[str, str]]:
    """The address and the token that a server prints; it ends with all that it started."""
    said = folder / "said.txt"
    with said.open("w") as log:
        server = subprocess.Popen(
            command,
            cwd=where or folder,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield _printed(server, said)
    finally:
        _end(server)


def _end(server: subprocess.Popen) -> None:
    """End a server; one that starts a kernel at that moment may not hear. Kernels follow it."""
    os.killpg(server.pid, signal.SIGTERM)
    try:
        server.wait(timeout=60)
    except subprocess.TimeoutExpired:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait(timeout=PATIENCE)


def _printed(server: subprocess.Popen, said: Path) -> tuple[str, str]:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and server.poll() is None:
        found = re.search(r"(http://127\.0\.0\.1:\d+)/lab\?token=(\w+)", said.read_text())
        if found:
            return found[1], found[2]
        time.sleep(0.1)
    pytest.fail(f"no address was printed:\n{said.read_text()}")


RUN_NEW_CELL = """async (code) => {
  const app = window.jupyterapp;
  const content = app.shell.currentWidget.content;
  content.activeCellIndex = content.widgets.length - 1;
  await app.commands.execute('notebook:insert-cell-below');
  const cell = content.activeCell;
  cell.model.sharedModel.setSource(code);
  await app.commands.execute('notebook:run-cell');
  const outputs = cell.model.outputs.toJSON();
  return outputs.map(o => o.text ?? o.traceback?.join('\\n') ?? '').flat().join('');
}"""


class Notebook:
    """A notebook in the browser. What it is asked for, it waits for."""

    def __init__(self, page: Any, lab: Lab, name: str, seven: bool = False) -> None:
        """In JupyterLab, or in Notebook 7, which is made of the same parts."""
        self.page = page
        self.path = lab.folder / name
        place = f"notebooks/{name}?" if seven else f"lab/tree/{name}?reset&"
        page.goto(f"{lab.address}/{place}token={lab.token}")
        page.locator(".jp-NotebookPanel .jp-CodeCell").first.wait_for()

    @property
    def cells(self) -> Any:
        return self.page.locator(".jp-Notebook .jp-CodeCell")

    def cell(self, place: int) -> Any:
        return self.cells.nth(place)

    def wait_idle(self) -> None:
        self.page.wait_for_function(
            "window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel?.status"
            " === 'idle'"
        )

    def edit(self, place: int, text: str) -> None:
        self.cell(place).locator(".cm-content").click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(text)

    # -- running ----------------------------------------------------------------------------------

    def run(self, cell: int | str, *wanted: str | re.Pattern[str]) -> str:
        """Run the cell at a place and give what it shows, or a new last cell with this code and
        give what it printed; wait until it is done and all that is wanted is there."""
        if isinstance(cell, int):
            self.start(cell)
            return self.finish(cell, *wanted)
        printed = self.page.evaluate(RUN_NEW_CELL, cell)
        assert all(_has(printed, text) for text in wanted), printed
        return printed

    def start(self, place: int) -> None:
        prompt = self.cell(place).locator(".jp-InputPrompt")
        self._before = prompt.inner_text()
        self.cell(place).locator(".cm-content").click()
        self.page.keyboard.press("Control+Enter")

    def finish(self, place: int, *wanted: str | re.Pattern[str]) -> str:
        prompt = self.cell(place).locator(".jp-InputPrompt")
        self.until(lambda: _is_new(prompt.inner_text().strip(), self._before.strip()))
        return self.shows(place, *wanted)

    def shows(self, place: int, *wanted: str | re.Pattern[str]) -> str:
        """Wait until a cell's outputs have every text, or match every pattern, and give them.

        JupyterLab draws an output some time after it has come.
        """
        self.until(lambda: all(_has(self._output(place), text) for text in wanted))
        return self._output(place)

    def _output(self, place: int) -> str:
        outputs = self.cell(place).locator(".jp-OutputArea-output")
        return "\n".join(outputs.all_inner_texts())

    # -- what one does ----------------------------------------------------------------------------

    def take_completion(self, place: int, name: str) -> None:
        """Wait for the completion; where JupyterLab lists a single one, take it."""
        content = self.cell(place).locator(".cm-content")
        listed = self.page.locator(".jp-Completer-item")
        self.until(lambda: name in content.inner_text() or listed.count())
        if name not in content.inner_text():
            self.page.keyboard.press("Enter")
        expect(content).to_contain_text(name)

    def until(self, condition: Callable[[], Any]) -> None:
        until(self.page, condition)

    def command(self, name: str, **arguments: Any) -> None:
        """A command of JupyterLab, from its beginning to its end."""
        script = "([name, given]) => window.jupyterapp.commands.execute(name, given)"
        self.page.evaluate(script, [name, arguments])

    def menu(self, *names: str) -> None:
        for name in names:
            self.page.get_by_role("menuitem", name=name, exact=True).click()

    def save(self) -> dict:
        """Save the notebook and give what is in its file."""
        self.command("docmanager:save")
        return json.loads(self.path.read_text(encoding="utf-8"))


def _is_new(prompt: str, before: str) -> bool:
    return re.fullmatch(r"\[\d+\]:", prompt) is not None and prompt != before


def _has(text: str, wanted: str | re.Pattern[str]) -> bool:
    return wanted in text if isinstance(wanted, str) else wanted.search(text) is not None
