"""The wheel: built from the clone, put into an environment without it, and asked to do its work."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.house.test_project import project_files
from tests.installed import CHECKS

ROOT = Path(__file__).parents[2]
BUILD = "import sys; from setuptools.build_meta import build_wheel; build_wheel(sys.argv[1])"


@pytest.fixture(scope="module")
def python(tmp_path_factory) -> Path:
    """The Python of a new environment with the wheel in it. The packages that NeuralLog needs are
    lent by this one: to download them takes minutes and a network (`python -m tests.machines wheel`
    does). What is lent is searched last, and its editable install is not active."""
    pytest.importorskip("setuptools", minversion="77", reason="it builds the wheel")
    folder = tmp_path_factory.mktemp("the wheel")
    clone = folder / "clone"  # setuptools builds beside the source
    for path in project_files():
        copy = clone / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    subprocess.run(
        [sys.executable, "-c", BUILD, str(folder)], cwd=clone, check=True, capture_output=True
    )
    (wheel,) = folder.glob("*.whl")
    shutil.rmtree(clone)
    place = folder / "environment"
    venv.create(place, with_pip=True, symlinks=True)
    found = place / "bin" / "python"
    install = [found, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel]
    subprocess.run(install, check=True, capture_output=True)
    (site,) = place.glob("lib/python3*/site-packages")
    lent = f"import sys; sys.path.append({sysconfig.get_path('purelib')!a})\n"  # read in any locale
    (site / "lent.pth").write_text(lent, encoding="ascii")
    return found


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_an_installed_wheel_works(python, tmp_path, check):
    assert check(python, tmp_path)


def test_it_is_the_wheel_that_answers(python, tmp_path):
    code = "import neurallog_kernel as k, neurallog_magics as m; print(k.__file__, m.__file__)"
    words = [str(python), "-c", code]
    said = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert str(python.parents[1]) in said and str(ROOT) not in said
