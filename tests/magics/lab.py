"""JupyterLab in a real Chromium, for the browser tests: the server, the page, and what one does."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neurallog_magics.install import install
from tests.chromium import PATIENCE, free_port


@dataclass
class Lab:
    """A running JupyterLab and the folder it serves."""

    address: str
    folder: Path
    process: subprocess.Popen

    def write(self, name: str, cells: list[str], kernel: str = "python3") -> Path:
        """A notebook with these cells."""
        path = self.folder / name
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
        path.write_text(json.dumps(content), encoding="utf-8")
        return path


def start_lab(folder: Path) -> Lab:
    """Serve `folder`/notebooks with the kernelspec and the extension as the wheel installs them."""
    install(folder)
    (folder / "notebooks").mkdir()
    kept = {"JUPYTERLAB_DIR"}  # where JupyterLab's own files are, if not in this environment
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("JUPYTER") or name in kept
    }
    for name in ("CONFIG", "DATA", "RUNTIME"):
        environment[f"JUPYTER_{name}_DIR"] = str(folder / name.lower())
    environment |= {
        "JUPYTER_PATH": str(folder / "share/jupyter"),
        "IPYTHONDIR": str(folder / "ipython"),
    }
    settings = folder / "config/labconfig"
    settings.mkdir(parents=True)
    disabled = {"@jupyterlab/apputils-extension:announcements": True}
    (settings / "page_config.json").write_text(json.dumps({"disabledExtensions": disabled}))
    port = free_port()
    command = [
        *(sys.executable, "-m", "jupyterlab", f"--port={port}", "--no-browser", "--allow-root"),
        "--IdentityProvider.token=browser-test",
        "--LabApp.extension_manager=readonly",
        f"--ServerApp.root_dir={folder / 'notebooks'}",
    ]
    said = folder / "said.txt"
    with said.open("w") as log:
        process = subprocess.Popen(
            command, env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
    deadline = time.monotonic() + PATIENCE
    while not re.search(rf"http://127\.0\.0\.1:{port}/lab", said.read_text()):
        assert process.poll() is None and time.monotonic() < deadline, said.read_text()
        time.sleep(0.1)
    return Lab(f"http://127.0.0.1:{port}", folder / "notebooks", process)


def stop_lab(lab: Lab) -> None:
    os.killpg(lab.process.pid, signal.SIGTERM)
    lab.process.wait(timeout=PATIENCE)


class Notebook:
    """A notebook in the browser."""

    def __init__(self, page: Any, lab: Lab, name: str) -> None:
        self.page = page
        self.path = lab.folder / name
        page.goto(f"{lab.address}/lab/tree/{name}?token=browser-test&reset")
        page.locator(".jp-NotebookPanel .jp-CodeCell").first.wait_for()

    def wait_idle(self) -> None:
        self.page.get_by_text("| Idle").wait_for()

    def cell(self, place: int) -> Any:
        return self.page.locator(".jp-Notebook .jp-CodeCell").nth(place)

    def edit(self, place: int, text: str) -> None:
        self.cell(place).locator(".cm-content").click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(text)

    def run(self, place: int) -> str:
        """Run a cell, wait until it is done, and give the text of its outputs."""
        self.start(place)
        return self.finish(place)

    def start(self, place: int) -> None:
        prompt = self.cell(place).locator(".jp-InputPrompt")
        self._before = prompt.inner_text()
        self.cell(place).locator(".cm-content").click()
        self.page.keyboard.press("Control+Enter")

    def finish(self, place: int) -> str:
        prompt = self.cell(place).locator(".jp-InputPrompt")
        self.until(
            lambda: (
                re.fullmatch(r"\[\d+\]:", prompt.inner_text().strip())
                and prompt.inner_text() != self._before
            )
        )
        return self.output(place)

    def output(self, place: int) -> str:
        outputs = self.cell(place).locator(".jp-OutputArea-output")
        return "\n".join(outputs.all_inner_texts())

    def take_completion(self, place: int, name: str) -> None:
        """Wait for the completion; where JupyterLab lists a single one, take it."""
        content = self.cell(place).locator(".cm-content")
        listed = self.page.locator(".jp-Completer-item")
        self.until(lambda: name in content.inner_text() or listed.count())
        if name not in content.inner_text():
            self.page.keyboard.press("Enter")
        self.until(lambda: name in content.inner_text())

    def until(self, condition: Callable[[], Any]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, "it did not happen"
            self.page.wait_for_timeout(50)

    def menu(self, *names: str) -> None:
        for name in names:
            self.page.get_by_role("menuitem", name=name, exact=True).click()

    def save(self) -> dict:
        before = self.path.stat().st_mtime_ns
        self.page.keyboard.press("Control+s")
        self.until(lambda: self.path.stat().st_mtime_ns != before)
        self.page.wait_for_timeout(200)
        return json.loads(self.path.read_text(encoding="utf-8"))
