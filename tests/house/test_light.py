"""The light door: with the extra `notebook` alone, tutorials 01 to 03 and 09 run as they are saved.

No environment is made: kernels of this one are refused every package that neither NeuralLog nor
that extra asks for, directly or through another package.
"""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.tutorials.refresh import TUTORIALS, run
from tests.tutorials.test_tutorials import shown, without_times

EXTRA = "notebook"
READ = ("01", "02", "03", "09")
HEAVY = {"tensorflow", "keras", "sklearn", "matplotlib", "fontTools", "duckdb", "pyarrow"}
REFUSE = """
import sys

class Refused:
    names = {names!r}

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {{name!r}} in a light install", name=name)

sys.meta_path.insert(0, Refused())
"""
TRAIN = """
from neurallog_kernel import Session
session = Session()
session.add("p(a, b). learn(w). q(X, Y) :- p(X, Y), w(all). example(q, a, b).")
print(session.train(epochs=1).settings["backend"])
try:
    session.train(epochs=1, backend="tensorflow")
except ImportError as error:
    print(error)
"""


def needed(name: str, extras: frozenset[str], found: set[str]) -> None:
    """Add a distribution and all that it asks for to `found`."""
    for text in importlib.metadata.requires(name) or ():
        asked = Requirement(text)
        wanted = [{"extra": extra} for extra in extras or {""}]
        if asked.marker is None or any(map(asked.marker.evaluate, wanted)):
            known = canonicalize_name(asked.name)
            if known not in found:
                found.add(known)
                needed(known, frozenset(asked.extras), found)


@pytest.fixture(scope="module")
def refused() -> set[str]:
    """The modules that a light install does not have."""
    light = {"neurallog"}
    needed("neurallog", frozenset({EXTRA}), light)
    modules = importlib.metadata.packages_distributions()
    return {
        module
        for module, owners in modules.items()
        if not any(canonicalize_name(owner) in light for owner in owners)
    }


@pytest.fixture
def light(refused, tmp_path, monkeypatch) -> None:
    """Processes that start from here are light."""
    text = REFUSE.format(names=refused)
    (tmp_path / "sitecustomize.py").write_text(text, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


def test_what_is_large_is_left_out(refused):
    assert refused >= HEAVY
    assert not refused & {"numpy", "scipy", "jupyterlab", "neurallog_kernel", "pygraphviz"}


@pytest.mark.parametrize("number", READ)
def test_a_tutorial_runs_as_it_is_saved(light, number):
    (path,) = TUTORIALS.glob(f"{number}_*.ipynb")
    saved, ran = (nbformat.read(path, as_version=4) for _ in range(2))
    run(ran)
    for before, now in zip(saved.cells, ran.cells, strict=True):
        if now.cell_type == "code":
            assert without_times(shown(now)) == without_times(shown(before)), now.source


def test_training_needs_no_tensorflow_and_says_what_to_install_for_it(light, tmp_path):
    said = subprocess.run(
        [sys.executable, "-c", TRAIN], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    assert said.startswith("numpy (TensorFlow is not installed)")
    assert "learning needs the package tensorflow" in said
    assert "pip install 'neurallog[learning]'" in said


def test_the_makefile_installs_that_extra():
    rule = (Path(__file__).parents[2] / "Makefile").read_text("utf-8").split(".for-light:")[1]
    assert f"'.[{EXTRA}]'" in rule.split("\n\n")[0]
