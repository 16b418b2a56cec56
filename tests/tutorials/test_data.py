"""The data of the tutorials is what the script beside it writes."""

from __future__ import annotations

import importlib.util

import pytest

from tests.tutorials.refresh import TUTORIALS

SCRIPTS = sorted((TUTORIALS / "data").glob("make_*.py"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_writes_the_files_that_are_kept(path, tmp_path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    kept, script.FOLDER = script.FOLDER, tmp_path
    script.main()
    written = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert written == {file.name: file.read_bytes() for file in kept.iterdir()}
