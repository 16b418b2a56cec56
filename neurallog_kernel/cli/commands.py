"""The commands that only a shell has, but for `train` and `worker`: run, draw, lab."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

from neurallog_kernel import Change
from neurallog_kernel.cli.files import open_files
from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.packages import missing
from neurallog_kernel.pictures.draw import draw as write_picture


def run(options: Namespace) -> None:
    """Add the files, then answer their questions in order."""
    session, changes = open_files(options, options.files, options.strict)
    for change in changes:
        for notice in change.notices if isinstance(change, Change) else change.details:
            print(notice, file=sys.stderr)
    asked = [query for change in changes if isinstance(change, Change) for query in change.queries]
    for query in asked:
        print(session.query(query))
    if not asked:
        for change in changes:
            print(change if isinstance(change, Change) else change.line)


def draw(options: Namespace) -> None:
    """Write a picture."""
    session, _ = open_files(options, options.files)
    print(write_picture(session, options.target, options.kind, options.output))


def lab(options: Namespace) -> int:
    """Start JupyterLab and wait for it."""
    if importlib.util.find_spec("jupyterlab") is None:
        raise missing("jupyterlab", "the command lab", "notebook")
    folder = Path(options.folder or ("tutorials" if Path("tutorials").is_dir() else "."))
    if not folder.is_dir():
        raise NeuralLogError(f"{folder} is not a folder")
    words = [sys.executable, "-m", "jupyterlab", f"--port={options.port}"]
    words += [f"--ServerApp.root_dir={folder.resolve()}", "--LabApp.extension_manager=readonly"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        words.append("--allow-root")  # wanted by nobody but root, and refused without it
    if options.no_browser or not _has_screen():
        words.append("--no-browser")
    return subprocess.run(words, env=_quiet(folder)).returncode


def _has_screen() -> bool:
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _quiet(folder: Path) -> dict[str, str]:
    """The environment, with the settings that keep JupyterLab from fetching news."""
    environment = dict(os.environ)
    settings = folder / ".jupyter"
    if settings.is_dir():
        before = environment.get("JUPYTER_CONFIG_PATH")
        parts = [str(settings.resolve()), *([before] if before else [])]
        environment["JUPYTER_CONFIG_PATH"] = os.pathsep.join(parts)
    return environment
