"""Writes the playground: the page, the recorded examples and, where there is one, the engine."""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from docs.npm import unpack_npm
from docs.playground.engine import answer

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = ("page.css", "page.js")
COMPILED = ("numpy", "scipy")  # what the engine needs of Pyodide's packages
PLAIN = ("lark", "pygments", "graphviz")  # packages of plain Python, taken from this environment
CORE = ("pyodide.mjs", "pyodide-lock.json", "python_stdlib.zip")  # and pyodide.asm.*
VIZ = "@viz-js/viz@3"  # Graphviz for the browser, an npm package
ENGINE = ("worker.js", "neurallog.zip", "pyodide", "viz")


class EngineMissing(Exception):
    """The folder has no Pyodide with NumPy and SciPy in it."""


def write_playground(folder: Path, pyodide: Path | None = None) -> str:
    """The page with its examples; with `pyodide`, the engine too. What was written, in a line."""
    found = None if pyodide is None else engine_files(pyodide)  # nothing is written if it is wrong
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    shutil.copyfile(HERE / "page.html", folder / "index.html")
    for name in PAGE:
        shutil.copyfile(HERE / name, folder / name)
    version = None if found is None else write_engine(folder, found)
    (folder / "recorded.js").write_text(recorded_script(version), encoding="utf-8")
    if version is None:
        return f"{folder}: recorded examples; --pyodide DIR adds the engine"
    return f"{folder}: recorded examples and the engine (Python {version} in the browser)"


# -- examples -------------------------------------------------------------------------------------


def examples() -> list[dict[str, Any]]:
    """Programs and what the engine makes of them."""
    found = []
    for path in sorted((HERE / "examples").glob("*.pl")):
        title = path.stem.partition("-")[2].replace("-", " ")
        text = path.read_text(encoding="utf-8")
        found.append({"title": title, "text": text, "result": answer(text)})
    return found


def recorded_script(version: str | None) -> str:
    """A script, not JSON: a page that is opened as a file may not fetch anything."""
    data = json.dumps(examples(), ensure_ascii=True).replace("<", "\\u003c")
    engine = json.dumps(version)
    return f"window.NEURALLOG_RECORDED = {data};\nwindow.NEURALLOG_ENGINE = {engine};\n"


# -- the engine -----------------------------------------------------------------------------------


def engine_files(pyodide: Path) -> list[Path]:
    """The files of a Pyodide release that the page needs; what is missing or damaged is said."""
    lock = pyodide / "pyodide-lock.json"
    if not lock.exists():
        raise EngineMissing(
            f"{pyodide} has no pyodide-lock.json\n"
            "    unpack a full release of Pyodide (pyodide-VERSION.tar.bz2) and name its folder"
        )
    packages = json.loads(lock.read_text(encoding="utf-8"))["packages"]
    files = [pyodide / name for name in CORE] + sorted(pyodide.glob("pyodide.asm.*"))
    wanted, seen = list(COMPILED), set()
    while wanted:
        name = wanted.pop()
        if name in seen:
            continue
        seen.add(name)
        entry = packages[name]
        wanted += entry["depends"]
        path = pyodide / entry["file_name"]
        files.append(path)
        if path.exists() and sha256(path.read_bytes()).hexdigest() != entry["sha256"]:
            raise EngineMissing(f"{path.name} is damaged: its checksum is not that of the release")
    missing = sorted(path.name for path in files if not path.exists())
    if missing:
        raise EngineMissing(
            f"{pyodide} lacks {', '.join(missing)}\n"
            "    the full release has them; the npm package `pyodide` has Python alone"
        )
    return files


def write_engine(folder: Path, files: list[Path]) -> str:
    """Pyodide, Graphviz and NeuralLog beside the page; the version of Python."""
    shutil.copyfile(HERE / "worker.js", folder / "worker.js")
    (folder / "pyodide").mkdir()
    for path in files:
        shutil.copyfile(path, folder / "pyodide" / path.name)
    bring_viz(folder / "viz")
    write_packages(folder / "neurallog.zip")
    lock = json.loads((folder / "pyodide" / "pyodide-lock.json").read_text(encoding="utf-8"))
    return lock["info"]["python"]


def write_packages(path: Path) -> None:
    """What Python imports in the browser besides NumPy and SciPy."""
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, folder in _package_folders().items():
            for file in sorted(folder.rglob("*")):
                inside = file.relative_to(folder)
                if file.is_file() and _is_needed(name, inside):
                    archive.write(file, str(PurePosixPath(name, inside.as_posix())))
        archive.write(HERE / "engine.py", "playground_engine.py")
        archive.write(HERE / "pygraphviz.py", "pygraphviz.py")


def _package_folders() -> dict[str, Path]:
    folders = {"neurallog_kernel": ROOT / "neurallog_kernel", "neurallog_magics": ROOT / "magics"}
    for name in PLAIN:
        spec = find_spec(name)
        assert spec is not None and spec.origin is not None
        folders[name] = Path(spec.origin).parent
    return folders


def _is_needed(name: str, inside: Path) -> bool:
    if inside.suffix not in {".py", ".lark", ".css", ".js", ".txt"}:
        return False
    if name == "neurallog_magics":
        return inside.parts[0] in {"__init__.py", "state.py", "lexer.py", "display"}
    if name == "pygments" and inside.parts[0] == "lexers":  # ours is enough
        return inside.name in {"__init__.py", "_mapping.py"}
    return "node_modules" not in inside.parts


def bring_viz(folder: Path) -> None:
    """Graphviz for the browser, from the npm registry."""
    if shutil.which("npm") is None:
        raise EngineMissing(
            "the engine draws with viz.js, an npm package, and npm is not installed"
        )
    unpack_npm(VIZ, folder, lambda path: path == PurePosixPath("dist/viz.js"))
