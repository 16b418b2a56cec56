"""What Jupyter needs is in the wheel's list of data files, complete and where Jupyter looks."""

import json
import tomllib
from glob import glob
from pathlib import Path

from neurallog_magics.install import PLACES, install

ROOT = Path(__file__).parents[2]


def test_the_wheel_brings_what_the_installer_copies(tmp_path):
    copied = set()
    for folder in install(tmp_path):
        copied |= {p.relative_to(tmp_path).as_posix() for p in folder.rglob("*") if p.is_file()}
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    shipped = {
        f"{place}/{Path(file).name}"
        for place, patterns in settings["tool"]["setuptools"]["data-files"].items()
        for pattern in patterns
        for file in glob(str(ROOT / pattern))
    }
    extra = "share/jupyter/labextensions/neurallog-jupyterlab/install.json"
    assert shipped - {extra} == copied
    assert extra in shipped


def test_the_built_extension_is_the_one_it_names():
    built = ROOT / "magics" / next(place for place in PLACES if "labextension" in place)
    package = json.loads((built / "package.json").read_text(encoding="utf-8"))
    source = json.loads((built.parent / "package.json").read_text(encoding="utf-8"))
    assert (built / package["jupyterlab"]["_build"]["load"]).is_file()
    assert (package["name"], package["version"]) == (source["name"], source["version"])


def test_the_extension_knows_the_words_of_the_language():
    from neurallog_kernel import DIRECTIVES, KEYWORDS

    text = (ROOT / "magics/labextension/language.js").read_text(encoding="utf-8")
    for word in KEYWORDS | DIRECTIVES:
        assert f'"{word}"' in text, word
