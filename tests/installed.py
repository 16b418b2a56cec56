"""What an installed NeuralLog must do: `python -m tests.installed PYTHON` asks that Python.

Nothing of this clone is used but one tutorial with its exercises, which is run in a copy.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

TUTORIALS = Path(__file__).parents[1] / "tutorials"
TUTORIAL = "01_first_steps.ipynb"

EXECUTE = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
name = notebook.metadata.kernelspec.name
NotebookClient(notebook, timeout=600, startup_timeout=600, kernel_name=name).execute()
print(sum(cell.cell_type == "code" for cell in notebook.cells), "cells with", name)
"""

KERNEL = """
from jupyter_client.manager import start_new_kernel
manager, client = start_new_kernel(startup_timeout=600, kernel_name="neurallog")
said = []
def hear(message):
    if message["msg_type"] in ("execute_result", "display_data"):
        said.append(message["content"]["data"]["text/plain"])
client.execute_interactive("p(a, b).\\n?- p(a, X).", timeout=600, output_hook=hear)
client.stop_channels()
manager.shutdown_kernel(now=True)
assert "b" in said[-1], said
print(said[-1].split()[-1], "from the kernel")
"""

COLOURS = """
import json, sys
from pathlib import Path
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment
tokens = list(get_lexer_by_name("neurallog").get_tokens("p(a, b). % a fact"))
assert any(kind in Comment for kind, _ in tokens), tokens
share = Path(sys.prefix, "share", "jupyter", "labextensions", "neurallog-jupyterlab")
described = json.loads((share / "package.json").read_text(encoding="utf-8"))
load = described["jupyterlab"]["_build"]["load"]
assert (share / load).exists(), load
print("a lexer and", described["name"])
"""


def command(python: Path, folder: Path) -> str:
    """The program `neurallog` beside that Python."""
    (folder / "family.pl").write_text("parent(ann, bob).\n", encoding="utf-8")
    program = [str(python.parent / "neurallog"), "query", "family.pl", "parent(ann, X)"]
    said = _run(program, folder)
    assert "bob" in said, said
    return "bob from the command line"


def kernel(python: Path, folder: Path) -> str:
    return _run([str(python), "-c", KERNEL], folder)


def colours(python: Path, folder: Path) -> str:
    return _run([str(python), "-c", COLOURS], folder)


def tutorial(python: Path, folder: Path) -> str:
    shutil.copyfile(TUTORIALS / TUTORIAL, folder / TUTORIAL)
    shutil.copytree(TUTORIALS / "exercises", folder / "exercises")
    return _run([str(python), "-c", EXECUTE, TUTORIAL], folder)


CHECKS: tuple[Callable[[Path, Path], str], ...] = (command, kernel, colours, tutorial)


def _run(words: list[str], folder: Path) -> str:
    """What a program prints that sees nothing of this clone and nobody's settings."""
    kept = {name: v for name, v in os.environ.items() if not name.startswith(("PYTHON", "JUPYTER"))}
    run = subprocess.run(
        words,
        cwd=folder,
        env={**kept, "HOME": str(folder), "JUPYTER_PREFER_ENV_PATH": "1", "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
    )
    assert run.returncode == 0, f"{json.dumps(words[:1])}\n{run.stdout}\n{run.stderr}"
    return run.stdout.strip()


def main(python: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="installed ") as folder:
        for check in CHECKS:
            print(f"{check.__name__:10}", check(python, Path(folder)), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
