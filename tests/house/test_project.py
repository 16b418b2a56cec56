"""What holds for the project as a whole: its files, its documents, its notebooks."""

import ast
import doctest
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
NOTEBOOKS = sorted((ROOT / "tutorials").glob("*.ipynb"))

# The slashes and dots stand in brackets so that this file does not match itself.
SOMEBODYS_FOLDER = re.compile(r"(?<![\w.)}])[/](?:work|root|home|Users|tmp)[/]\w|[A-Z]:\\Users\\")
REGISTRY_HOST = re.compile(r"pythonhosted[.]org|registry[.]npmjs|deb[.]debian|anaconda[.]org")


def project_files() -> list[Path]:
    """The files that git tracks or would track; outside a clone, all but the hidden folders."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if listing.returncode == 0:
        paths = [ROOT / name for name in listing.stdout.splitlines()]
    else:
        paths = [p for p in ROOT.rglob("*") if not any(part[0] == "." for part in p.parts)]
    return [path for path in paths if path.is_file()]


def test_no_path_of_one_machine_and_no_registry_host():
    found = []
    for path in project_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), start=1):
            if SOMEBODYS_FOLDER.search(line) or REGISTRY_HOST.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}")
    assert found == []


@pytest.mark.parametrize("folder", ["work", "root", "home", "Users", "tmp"])
def test_a_path_of_one_machine_is_seen(folder):
    assert SOMEBODYS_FOLDER.search(f'open("/{folder}/somebody/file")')
    assert not SOMEBODYS_FOLDER.search(f"tests/{folder}/file")


def test_every_module_says_what_it_is_for():
    silent = []
    for path in project_files():
        if path.suffix != ".py":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        text = ast.get_docstring(tree, clean=False)
        if not text or not text.splitlines()[0].strip():
            silent.append(str(path.relative_to(ROOT)))
    assert silent == []


LONGEST = 400  # lines of a module; most have fewer than 300


def test_no_module_is_too_long_to_read():
    folders = (ROOT / "neurallog_kernel", ROOT / "magics")
    paths = [path for folder in folders for path in folder.rglob("*.py")]
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in paths}
    long = [f"{path.relative_to(ROOT)}: {n}" for path, n in lengths.items() if n > LONGEST]
    assert long == []


def _named_types(path: Path) -> Iterator[str]:
    """The classes of a module, and its names for other types."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    yield from (node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    for node in tree.body:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                if name.lstrip("_")[:1].isupper() and not name.isupper():
                    yield name


def test_a_class_name_stands_for_one_thing():
    homes: dict[str, list[str]] = {}
    for folder in (ROOT / "neurallog_kernel", ROOT / "magics"):
        for path in sorted(folder.rglob("*.py")):
            for name in _named_types(path):
                homes.setdefault(name, []).append(str(path.relative_to(ROOT)))
    twice = {name: paths for name, paths in homes.items() if len(paths) > 1 and len(name) > 1}
    assert twice == {}, "give one of each pair a name of its own"


def test_every_package_is_installed():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = settings["tool"]["setuptools"]["packages"]
    there = []
    for folder, name in (("neurallog_kernel", "neurallog_kernel"), ("magics", "neurallog_magics")):
        for path in (ROOT / folder).rglob("__init__.py"):
            there.append(".".join([name, *path.parent.relative_to(ROOT / folder).parts]))
    assert sorted(listed) == sorted(there)


ABOUT_THE_WHOLE = {
    "attacks",
    "conformance",
    "faults",
    "fuzz",
    "golden",
    "house",
    "original",
    "reference",
}
"""Folders of tests that are about no one folder of the project."""


def test_tests_mirror_the_tree():
    """A folder of the kernel has its tests under the same name, and so has a module beside them."""
    kernel = {path.parent.name for path in (ROOT / "neurallog_kernel").glob("*/__init__.py")}
    others = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name[0] != "."}
    tested = {path.parent.name for path in (ROOT / "tests").glob("*/test_*.py")}
    assert kernel - tested == set(), "folders without tests"
    assert tested - kernel - others - ABOUT_THE_WHOLE == set(), "tests of no folder"
    modules = {path.stem for path in (ROOT / "neurallog_kernel").glob("*.py")}
    beside = {path.stem.removeprefix("test_") for path in (ROOT / "tests").glob("test_*.py")}
    assert beside - modules == set(), "tests of no module"


@pytest.mark.parametrize("document", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_modules_that_are_named_are_there(document):
    text = (ROOT / document).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.py)`", text))
    assert len(named) > 5
    homes = (ROOT, ROOT / "neurallog_kernel")
    assert [one for one in sorted(named) if not any((home / one).exists() for home in homes)] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document):
    text = (ROOT / document).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)", text):
        assert target.startswith("https://") or (ROOT / target).exists(), target


@pytest.mark.parametrize("document", [*DOCUMENTS, ".github/workflows/ci.yml", ".ci/run"])
def test_make_targets_exist(document):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, flags=re.MULTILINE))
    text = (ROOT / document).read_text(encoding="utf-8")
    asked = set(re.findall(r"(?:^|`|run: )make ([a-z]+)", text, flags=re.MULTILINE))
    assert asked, f"{document} names no make target"
    assert asked <= targets


def test_ci_runs_the_developers_command():
    script = ROOT / ".ci/run"
    assert script.stat().st_mode & 0o111, ".ci/run is not executable"
    assert subprocess.run(["bash", "-n", script]).returncode == 0
    assert script.read_text(encoding="utf-8").splitlines()[-1] == "make test"


def test_ci_names_every_action_by_its_commit():
    """A tag can be moved to other code; a commit cannot. The comment says which version it is."""
    workflow = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    used = re.findall(r"uses: (.*)", workflow)
    assert used
    assert [one for one in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", one)] == []


def test_the_tour_in_the_readme_is_true():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    tour = "\n".join(re.findall(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL))
    test = doctest.DocTestParser().get_doctest(tour, {}, "README.md", "README.md", 0)
    report = []
    results = doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert results.attempted > 10
    assert results.failed == 0, "".join(report)


def test_there_are_tutorials():
    assert NOTEBOOKS
