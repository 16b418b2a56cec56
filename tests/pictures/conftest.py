"""A real JupyterLab and a real Chromium for the tests of the explorer."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.chromium import BROWSERS, CHROMIUM, PATIENCE, chromium, free_port, local_pages

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

DATA = Path(os.environ.get("NEURALLOG_DATA", Path(__file__).parents[3] / "shared" / "data"))
JUPYTERLAB = importlib.util.find_spec("jupyterlab")
SHARE = Path(JUPYTERLAB.origin or "").parents[4] / "share" / "jupyter" if JUPYTERLAB else Path()


@dataclass(frozen=True)
class Server:
    """A running JupyterLab: where it is, its key, and the folder it serves."""

    address: str
    token: str
    folder: Path


@pytest.fixture(scope="session")
def lab_server(tmp_path_factory) -> Iterator[Server]:
    """JupyterLab from this environment with nobody's settings."""
    if CHROMIUM is None:
        pytest.skip(f"none of {', '.join(BROWSERS)} is installed")
    pytest.importorskip("jupyterlab")
    pytest.importorskip("playwright")
    home = tmp_path_factory.mktemp("pictures-lab")
    folder = home / "notebooks"
    folder.mkdir()
    said = home / "said.txt"
    port = free_port()
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", f"--port={port}"]
    command += [f"--ServerApp.root_dir={folder}", "--LabApp.expose_app_in_browser=True"]
    command += ["--LabApp.extension_manager=readonly"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    with said.open("w") as log:
        server = subprocess.Popen(
            command,
            env=_environment(home),
            cwd=home,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        address, token = _address(server, said)
        yield Server(address, token, folder)
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(timeout=PATIENCE)


def _environment(home: Path) -> dict[str, str]:
    environment = {name: v for name, v in os.environ.items() if not name.startswith("JUPYTER")}
    for name in ("CONFIG", "DATA", "RUNTIME"):
        environment[f"JUPYTER_{name}_DIR"] = str(home / name.lower())
    config = home / "config" / "labconfig"
    config.mkdir(parents=True)
    quiet = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}
    (config / "page_config.json").write_text(json.dumps(quiet))
    if Path(sys.prefix) / "share" / "jupyter" != SHARE and SHARE.exists():
        environment["JUPYTER_PATH"] = str(SHARE)  # JupyterLab lives in another environment
        environment["JUPYTERLAB_DIR"] = str(SHARE / "lab")
    environment["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
    return environment


def _address(server: subprocess.Popen, said: Path) -> tuple[str, str]:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and server.poll() is None:
        found = re.search(r"(http://127\.0\.0\.1:\d+)/lab\?token=(\w+)", said.read_text())
        if found:
            return found[1], found[2]
        time.sleep(0.1)
    pytest.fail(f"no address was printed:\n{said.read_text()}")


@dataclass
class Notebook:
    """An open notebook in the browser."""

    page: object
    path: Path

    def run(self, code: str) -> str:
        """Put the code into a new last cell, run it, and give the text it printed."""
        script = """async (code) => {
          const app = window.jupyterapp;
          const panel = app.shell.currentWidget;
          const content = panel.content;
          content.activeCellIndex = content.widgets.length - 1;
          await app.commands.execute('notebook:insert-cell-below');
          const cell = content.activeCell;
          cell.model.sharedModel.setSource(code);
          await app.commands.execute('notebook:run-cell');
          const outputs = cell.model.outputs.toJSON();
          return outputs.map(o => o.text ?? o.traceback?.join('\\n') ?? '').flat().join('');
        }"""
        return self.page.evaluate(script, code)

    def command(self, name: str, **arguments) -> None:
        script = "([name, given]) => window.jupyterapp.commands.execute(name, given)"
        self.page.evaluate(script, [name, arguments])


@pytest.fixture(scope="module")
def browser(lab_server):
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def open_notebook(lab_server, browser):
    """Opens notebooks; whatever a page asks from another machine fails the tests."""
    with local_pages(browser, 1360, 1000) as context:
        yield partial(_open_notebook, lab_server, context)


def _open_notebook(
    lab_server: Server, context: BrowserContext, name: str, saved: dict | None = None
) -> Notebook:
    path = lab_server.folder / name
    if saved is None:
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        saved = {"cells": [], "metadata": {"kernelspec": kernel}}
        saved |= {"nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(saved))
    page = context.new_page()
    notebook = Notebook(page, path)
    page.goto(f"{lab_server.address}/lab/tree/{name}?token={lab_server.token}&reset")
    page.wait_for_function("window.jupyterapp?.shell?.currentWidget?.content?.widgets")
    page.wait_for_function(
        "window.jupyterapp.shell.currentWidget.sessionContext?.session?.kernel?.status === 'idle'"
    )
    notebook.command("application:toggle-left-area")
    return notebook
