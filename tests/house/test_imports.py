"""Data flows one way: no folder imports one that comes after it, and some packages stay outside."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KERNEL = "neurallog_kernel"
ORDER = (
    "errors",
    "arguments",
    "depth",
    "interrupts",
    "stoppable",
    "observing",
    "threads",
    "heap",
    "addresses",
    "paths",
    "writing",
    "unpacking",
    "packages",
    "quiet",
    "tabular",
    "answers",
    "functions",
    "language",
    "knowledge",
    "tables",
    "rulegraph",
    "plan",
    "evaluate",
    "engines",
    "state",
    "explain",
    "network",
    "learning",
    "induction",
    "profiling",
    "export",
    "pictures",
    "session",
    "course",
    "commands",
    "cli",
)
"""The parts of the kernel; each imports itself and those before it."""

NOTEBOOK = "neurallog_magics"
ORDER_OF_THE_NOTEBOOK = (
    "lexer",
    "language_guess",
    "cell_text",
    "display",
    "state",
    "config",
    "cells",
    "context",
    "arguments",
    "errors",
    "pasted",
    "training",
    "commands",
    "cell_run",
    "magic",
    "completion",
    "inspection",
    "extension",
    "kernel",
    "install",
)
"""The parts of the notebook; each imports itself and those before it."""

FOR_FRONT_ENDS = {"commands", "course", "pictures"}
"""What the shell and the notebook share besides the public surface."""

DRAWING = {"IPython", "anywidget", "graphviz", "ipywidgets", "matplotlib", "pygraphviz"}
MAY_IMPORT_DRAWING = {"pictures"}
TENSORFLOW = {"tensorflow", "keras"}
MAY_IMPORT_TENSORFLOW = {"network", "learning"}


def imported_names(source: str, module: str, is_package: bool) -> Iterator[tuple[int, str]]:
    """Line and absolute name of every module that is imported, inside functions too.

    What comes from the top of the kernel is named in full, since it may be a part of it.

    >>> list(imported_names("import os.path, re", "m", False))
    [(1, 'os.path'), (1, 're')]
    >>> list(imported_names("from ..plan import nodes", "neurallog_kernel.evaluate.run", False))
    [(1, 'neurallog_kernel.plan')]
    >>> list(imported_names("from .. import plan", "neurallog_kernel.evaluate", True))
    [(1, 'neurallog_kernel.plan')]
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = module.split(".")
                parents = parents[: len(parents) - node.level + is_package]
                base = ".".join([*parents, base] if base else parents)
            if base == KERNEL:
                yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, base
        elif (
            isinstance(node, ast.Call)
            and ast.unparse(node.func) in {"__import__", "import_module", "importlib.import_module"}
            and node.args
            and isinstance(node.args[0], ast.Constant)
        ):
            yield node.lineno, str(node.args[0].value)


def objection(part: str, name: str) -> str | None:
    """Why a module of the kernel's `part` must not import `name`; None if it may.

    >>> objection("language", "neurallog_kernel.plan")
    'language must not import plan, which comes after it'
    >>> objection("plan", "neurallog_kernel.language.syntax")
    >>> objection("evaluate", "tensorflow.math")
    'only network and learning may import tensorflow'
    """
    top, _, rest = name.partition(".")
    if top in DRAWING and part not in MAY_IMPORT_DRAWING:
        return f"only pictures may import {top}"
    if top in TENSORFLOW and part not in MAY_IMPORT_TENSORFLOW:
        return f"only network and learning may import {top}"
    if top in {NOTEBOOK, "magics"}:
        return "the kernel never imports the notebook"
    if top == KERNEL and part not in {"", "cli"}:
        other = rest.partition(".")[0]
        if other not in ORDER:
            return f"{part} must not import from the top of the kernel, which imports everything"
        if ORDER.index(other) > ORDER.index(part):
            return f"{part} must not import {other}, which comes after it"
    return None


def objection_in_the_notebook(part: str, name: str) -> str | None:
    """Why a module of the notebook's `part` must not import `name`; None if it may.

    >>> objection_in_the_notebook("display", "neurallog_magics.commands.loading")
    'display must not import commands, which comes after it'
    >>> objection_in_the_notebook("commands", "neurallog_magics.display.notes")
    """
    top, _, rest = name.partition(".")
    other = rest.partition(".")[0]
    if top != NOTEBOOK or not part:  # "" is its own __init__, which opens everything
        return None
    if other not in ORDER_OF_THE_NOTEBOOK:
        return f"{part} must not import from the top of the notebook, which imports everything"
    if ORDER_OF_THE_NOTEBOOK.index(other) > ORDER_OF_THE_NOTEBOOK.index(part):
        return f"{part} must not import {other}, which comes after it"
    return None


def modules(root: Path, folder: str, name: str) -> Iterator[tuple[Path, str, bool]]:
    """Every module below a folder: its file, its name in full, and whether it is a package."""
    for path in sorted((root / folder).rglob("*.py")):
        words = [name, *path.relative_to(root / folder).with_suffix("").parts]
        is_package = words[-1] == "__init__"
        yield path, ".".join(words[:-1] if is_package else words), is_package


def violations(root: Path) -> list[str]:
    """Every import of the kernel or the notebook that breaks a rule, as `file:line: reason`."""
    found = []
    for folder, name, order, object_to in (
        (KERNEL, KERNEL, ORDER, objection),
        ("magics", NOTEBOOK, ORDER_OF_THE_NOTEBOOK, objection_in_the_notebook),
    ):
        for path, module, is_package in modules(root, folder, name):
            part = module.split(".")[1] if "." in module else ""  # "" is the top's own __init__
            where = path.relative_to(root).as_posix()
            if part and part not in order:
                found.append(f"{where}:1: {part} has no place in the order of tests/house")
                continue
            source = path.read_text(encoding="utf-8")
            for line, imported in imported_names(source, module, is_package):
                reason = object_to(part, imported)
                if reason:
                    found.append(f"{where}:{line}: {reason}")
    return found


Graph = dict[str, set[str]]
"""What each module, or each part of a folder, imports."""


def cycles(root: Path) -> list[list[str]]:
    """The modules that import each other in a ring; imports inside functions count."""
    return rings(imports_of([*modules(root, KERNEL, KERNEL), *modules(root, "magics", NOTEBOOK)]))


def imports_of(ours: list[tuple[Path, str, bool]]) -> Graph:
    names = {module for _, module, _ in ours}
    return {module: set(_imported(path, names)) for path, module, _ in ours}


def parts_of(graph: Graph, house: str) -> Graph:
    """The same between the parts of one folder: the folders in it, and its own modules.

    >>> graph = {"a.b.c": {"a.d", "e"}, "a.d": set(), "a": {"a.d"}}
    >>> parts_of(graph, "a")
    {'b': {'d'}, 'd': set()}
    """

    def part(module: str) -> str:
        return module.removeprefix(f"{house}.").partition(".")[0]

    parts: Graph = {}
    for module, needs in graph.items():
        if module.startswith(f"{house}."):
            inside = {part(need) for need in needs if need.startswith(f"{house}.")}
            parts.setdefault(part(module), set()).update(inside - {part(module)})
    return parts


def rings(graph: Graph) -> list[list[str]]:
    """Those that import each other.

    >>> rings({"a": {"b"}, "b": {"c"}, "c": {"b"}})
    [['b', 'c']]
    """
    left = dict(graph)
    while leaves := [module for module, needs in left.items() if not needs & left.keys()]:
        for module in leaves:
            del left[module]
    found, seen = [], set()
    for module in left:
        ring = _reached(graph, module) & {m for m in left if module in _reached(graph, m)}
        if ring and module not in seen:
            seen |= ring
            found.append(sorted(ring))
    return found


def _imported(path: Path, names: set[str]) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in names else node.module


def _reached(graph: Graph, start: str) -> set[str]:
    found: set[str] = set()
    queue = [start]
    while queue:
        for other in graph.get(queue.pop(), set()) - found:
            found.add(other)
            queue.append(other)
    return found


def past_the_surface(source: str) -> list[str]:
    """The parts of the kernel that a module of the notebook imports past the public surface.

    >>> past_the_surface("from neurallog_kernel import Session; import neurallog_kernel")
    []
    >>> past_the_surface("from neurallog_kernel.plan.nodes import Product")
    ['neurallog_kernel.plan.nodes']
    >>> past_the_surface("from neurallog_kernel import plan")
    ['neurallog_kernel.plan']
    """
    names = [name for _, name in imported_names(source, "", False)]
    inside = [name for name in names if name.startswith(f"{KERNEL}.")]
    return [name for name in inside if name.split(".")[1] in {*ORDER} - FOR_FRONT_ENDS]


def test_kernel_and_notebook_keep_their_orders():
    assert violations(ROOT) == []


def test_no_folders_import_each_other_in_a_ring():
    for ring in cycles(ROOT):
        assert len({module.rpartition(".")[0] for module in ring}) == 1, ring


def test_the_parts_of_a_folder_have_an_order():
    """Where a folder holds folders: they and the modules beside them import one way."""
    ours = [*modules(ROOT, KERNEL, KERNEL), *modules(ROOT, "magics", NOTEBOOK)]
    graph = imports_of(ours)
    houses = {module.rpartition(".")[0] for _, module, is_package in ours if is_package} - {""}
    assert f"{KERNEL}.learning" in houses
    for house in sorted(houses):
        assert rings(parts_of(graph, house)) == [], house


def test_a_ring_is_seen(tmp_path):
    for name, other in (("plan", "network"), ("network", "plan")):
        (tmp_path / KERNEL / name).mkdir(parents=True)
        (tmp_path / KERNEL / name / "__init__.py").write_text("")
        source = f"def f():\n    from {KERNEL}.{other}.a import x"
        (tmp_path / KERNEL / name / "a.py").write_text(source)
    (tmp_path / KERNEL / "plan" / "b.py").write_text(f"from {KERNEL}.plan.a import x")
    assert cycles(tmp_path) == [[f"{KERNEL}.network.a", f"{KERNEL}.plan.a"]]


def test_the_notebook_uses_the_public_surface_only():
    for path in sorted((ROOT / "magics").rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        assert past_the_surface(source) == [], path.name


@pytest.mark.parametrize(
    ("file", "source", "reason"),
    [
        ("language/a.py", "import neurallog_kernel.plan", "language must not import plan"),
        ("language/a.py", "from neurallog_kernel.plan import x", "language must not import plan"),
        ("language/a.py", "from neurallog_kernel import plan", "language must not import plan"),
        ("language/a.py", "from ..knowledge import x", "language must not import knowledge"),
        ("language/__init__.py", "from ..plan import x", "language must not import plan"),
        ("language/__init__.py", "from .. import plan", "language must not import plan"),
        (
            "plan/a.py",
            "def f():\n    from ..session import Session",
            "plan must not import session",
        ),
        ("plan/a.py", "from neurallog_kernel import Session", "from the top of the kernel"),
        ("plan/deep/a.py", "from ...evaluate import x", "plan must not import evaluate"),
        ("errors.py", "from .language import syntax", "errors must not import language"),
        ("session.py", "from . import cli", "session must not import cli"),
        ("evaluate/a.py", "import tensorflow as tf", "only network and learning"),
        ("session.py", "import keras", "only network and learning"),
        ("session.py", "importlib.import_module('tensorflow')", "only network and learning"),
        ("__init__.py", "import tensorflow", "only network and learning"),
        ("network/a.py", "import matplotlib.pyplot", "only pictures may import matplotlib"),
        ("cli.py", "from IPython.display import SVG", "only pictures may import IPython"),
        ("cli.py", "import neurallog_magics", "the kernel never imports the notebook"),
        ("misc/a.py", "", "misc has no place in the order"),
    ],
)
def test_the_checker_catches(tmp_path, file, source, reason):
    planted = tmp_path / KERNEL / file
    planted.parent.mkdir(parents=True, exist_ok=True)
    planted.write_text(source, encoding="utf-8")
    (found,) = violations(tmp_path)
    assert found.startswith(f"{KERNEL}/{file}:")
    assert reason in found


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("__init__.py", "from .session import Session\nfrom .errors import NeuralLogError"),
        ("language/__init__.py", "from .syntax import Atom"),
        ("language/a.py", "from . import syntax\nfrom .. import errors\nimport lark"),
        ("plan/a.py", "from ..functions import registry\nfrom neurallog_kernel.rulegraph import g"),
        ("plan/deep/a.py", "from ..nodes import x\nfrom ...rulegraph import g"),
        ("network/a.py", "import tensorflow as tf\nfrom keras import layers"),
        ("learning/a.py", "from ..network import build"),
        ("session.py", "from .evaluate import run\nfrom .plan import build"),
        ("cli.py", "from neurallog_kernel import Session"),
    ],
)
def test_the_checker_lets_pass(tmp_path, file, source):
    planted = tmp_path / KERNEL / file
    planted.parent.mkdir(parents=True, exist_ok=True)
    planted.write_text(source, encoding="utf-8")
    assert violations(tmp_path) == []


def test_the_map_in_contributing_is_in_this_order():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    drawn = re.findall(r"^  (\w+)(?:/|\.py) ", text, flags=re.MULTILINE)
    assert [name for name in drawn if name != "__init__"] == list(ORDER)


def test_importing_the_kernel_is_light():
    heavy = sorted(TENSORFLOW | DRAWING | {NOTEBOOK})
    code = f"import sys, {KERNEL}; print([name for name in {heavy!r} if name in sys.modules])"
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, cwd=ROOT
    )
    assert (run.stdout.strip(), run.stderr) == ("[]", "")
