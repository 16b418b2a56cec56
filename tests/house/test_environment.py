"""environment.yml and pyproject.toml describe one environment."""

import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from tests.house.test_imports import imported_names

ROOT = Path(__file__).parents[2]
CONDA_NAMES = {
    "duckdb": "python-duckdb",
    "graphviz": "python-graphviz",
    "playwright": "playwright-python",
}
"""The packages that conda-forge calls by another name than PyPI."""
BY_HAND = {"all", "bench"}
"""A list of the others, and the peers of the benchmarks."""
APART = {*BY_HAND, "sail"}
"""What is no part of the environment of conda: what conda-forge does not have is left out of it."""


def pip_side(project: dict) -> dict[str, SpecifierSet]:
    """Conda-forge name -> versions, for Python itself and all that the extras install.

    >>> extras = {"dev": ["playwright[x]<2"], "bench": ["peer<3"], "all": ["me[dev]"]}
    >>> mine = {"name": "me", "requires-python": ">=3", "dependencies": ["a>=1"]}
    >>> for name, versions in pip_side(mine | {"optional-dependencies": extras}).items():
    ...     print(name, versions)
    python >=3
    a >=1
    playwright-python <2
    """
    versions = {"python": SpecifierSet(project["requires-python"])}
    extras = project["optional-dependencies"]
    lists = [project["dependencies"], *(extras[name] for name in extras if name not in APART)]
    for text in (line for one in lists for line in one):
        requirement = Requirement(text)
        if requirement.name != project["name"]:
            name = CONDA_NAMES.get(requirement.name, requirement.name)
            assert name not in versions, f"{name} is listed twice in pyproject.toml"
            versions[name] = requirement.specifier
    return versions


def conda_side(environment: dict) -> dict[str, SpecifierSet]:
    """Name -> versions, as environment.yml lists them; pip itself is left out.

    >>> conda_side({"dependencies": ["pip", "a >=1,<2", {"pip": ["-e ."]}]})
    {'a': <SpecifierSet('<2,>=1')>}
    """
    versions = {}
    for entry in environment["dependencies"]:
        if isinstance(entry, str) and entry != "pip":
            name, _, bounds = entry.partition(" ")
            assert name not in versions, f"{name} is listed twice in environment.yml"
            versions[name] = SpecifierSet(bounds)
    return versions


@pytest.fixture(scope="module")
def project() -> dict:
    """The [project] table of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def environment() -> dict:
    """The whole of environment.yml."""
    return yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))


def test_same_names_and_versions(project, environment):
    assert conda_side(environment) == pip_side(project)


def test_conda_uses_conda_forge_and_installs_the_checkout(environment):
    assert environment["channels"] == ["conda-forge"]
    assert {"pip": ["-e ."]} in environment["dependencies"]


def test_every_dependency_is_bounded(project):
    for name, versions in pip_side(project).items():
        operators = {one.operator for one in versions}
        assert operators & {">=", "=="}, f"{name} has no lower bound"
        if name != "packaging":  # versioned by year: the next "major" is not a break
            assert operators & {"<", "=="}, f"{name} has no upper bound"


def test_all_names_every_extra(project):
    extras = project["optional-dependencies"]
    (everything,) = extras["all"]
    assert Requirement(everything).extras == set(extras) - BY_HAND


def test_python_versions_agree_everywhere(project):
    versions = SpecifierSet(project["requires-python"])
    supported = [f"3.{minor}" for minor in range(30) if f"3.{minor}" in versions]
    listed = [line.rpartition(" ")[2] for line in project["classifiers"] if ":: 3." in line]
    assert listed == supported

    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    assert workflow["jobs"]["test"]["strategy"]["matrix"]["python"] == supported

    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    low, high = re.findall(r"\((3), (\d+)\)", makefile)
    assert [".".join(low), ".".join(high)] == [supported[0], supported[-1]]
    assert ".".join(map(str, sys.version_info[:2])) in supported


def test_every_import_is_declared(project):
    """What comes with something else today may not come with it tomorrow."""
    declared = {canonicalize_name(Requirement(text).name) for text in listed(project)}
    owners = packages_distributions()
    missing = set()
    for folder in ("neurallog_kernel", "magics"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            for _, name in imported_names(text, folder, path.stem == "__init__"):
                top = name.partition(".")[0]
                if top in sys.stdlib_module_names or top in OURS:
                    continue
                if not {canonicalize_name(owner) for owner in owners.get(top, [])} & declared:
                    missing.add(top)
    assert missing == set()


def listed(project: dict) -> list[str]:
    """The requirements of what is installed to be used: not those of the tests."""
    extras = project["optional-dependencies"]
    return [*project["dependencies"], *extras["learning"], *extras["tables"], *extras["notebook"]]


OURS = {"neurallog_kernel", "neurallog_magics"}
