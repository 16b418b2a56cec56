"""Run tutorials and save them with their outputs: `python -m tests.tutorials.refresh [NAME ...]`.

A saved tutorial holds what its reader sees and nothing of the machine or the hour it ran on: cell
ids are places, and metadata is the kernel and the tags.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

TUTORIALS = Path(__file__).parents[2] / "tutorials"
KERNELS = {
    "python3": {
        "kernelspec": {
            "display_name": "Python 3 (ipykernel)",
            "language": "python",
            "name": "python3",
        },
        "language_info": {"name": "python", "pygments_lexer": "ipython3"},
    },
    "neurallog": {
        "kernelspec": {
            "display_name": "NeuralLog",
            "language": "neurallog",
            "name": "neurallog",
        },
        "language_info": {"name": "neurallog", "pygments_lexer": "neurallog"},
    },
}
VIEW = "application/vnd.jupyter.widget-view+json"
STILL = re.compile(r"nl-still-[0-9a-z-]+")
PATIENCE = 600  # seconds for one cell, on a machine that is busy with something else


def run(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Run the cells in a new kernel, in the folder of the tutorials; an error stops it."""
    name = notebook.metadata.kernelspec.name
    resources = {"metadata": {"path": str(TUTORIALS)}}
    # This environment's kernels come first, also where it has not been activated.
    os.environ.setdefault("JUPYTER_PREFER_ENV_PATH", "1")
    client = NotebookClient(
        notebook, timeout=PATIENCE, kernel_name=name, resources=resources, record_timing=False
    )
    return client.execute()


def normal(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The notebook as it is kept: see above."""
    kernel = notebook.metadata.kernelspec.name
    notebook.metadata = nbformat.from_dict(KERNELS[kernel])
    for place, cell in enumerate(notebook.cells, 1):
        cell.id = f"step-{place:02}"
        tags = cell.metadata.get("tags", [])
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
        for output in cell.get("outputs", []):
            if "metadata" in output:
                output.metadata.pop("execution", None)
            if VIEW in output.get("data", {}):  # of a kernel that is gone: only the page plays
                output.data[VIEW]["model_id"] = cell.id
            if "text/html" in (data := output.get("data", {})):
                data["text/html"] = STILL.sub(f"nl-still-{cell.id}", data["text/html"])
    return notebook


def refresh(path: Path) -> None:
    """Run a tutorial and save what it showed."""
    notebook = run(nbformat.read(path, as_version=4))
    nbformat.write(normal(notebook), path)


def main(names: list[str]) -> None:
    paths = sorted(TUTORIALS.glob("*.ipynb"))
    for path in paths:
        if not names or any(path.name.startswith(name) for name in names):
            print(path.name, flush=True)
            refresh(path)


if __name__ == "__main__":
    main(sys.argv[1:])
