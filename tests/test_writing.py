"""Files that are replaced: permissions stay, what was left behind goes, and there is always one."""

import os
import stat
import subprocess
import sys

import pytest

from neurallog_kernel import Session, writing
from neurallog_kernel.errors import LoadError


def mode(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("wanted", [0o600, 0o640, 0o664, 0o755])
def test_the_permissions_of_a_replaced_file_stay(tmp_path, wanted):
    path = tmp_path / "program.pl"
    path.write_text("old", encoding="utf-8")
    path.chmod(wanted)
    writing.write_text(path, "new")
    assert (path.read_text(encoding="utf-8"), mode(path)) == ("new", wanted)


def test_a_file_that_is_being_written_is_as_private_as_the_old_one(tmp_path):
    path = tmp_path / "secret"
    path.write_bytes(b"old")
    path.chmod(0o600)
    with writing.whole_file(path) as stream:
        stream.write(b"new")
        assert {mode(one) for one in tmp_path.iterdir()} == {0o600}


LEFT = """
import os, sys
from neurallog_kernel import writing
made = getattr(writing, "whole_" + sys.argv[2])(sys.argv[1])
made.__enter__()
os._exit(9)
"""


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_an_ended_process_left_goes_with_the_next_save(tmp_path, kind):
    path = tmp_path / "saved"
    subprocess.run([sys.executable, "-c", LEFT, str(path), kind], check=False)
    (left,) = tmp_path.iterdir()
    assert left.name.endswith(".part")
    (tmp_path / ".other.0123abcd.part").write_bytes(b"of another file")
    if kind == "file":
        writing.write_text(path, "new")
    else:
        with writing.whole_folder(path) as folder:
            (folder / "a").write_bytes(b"new")
    assert sorted(one.name for one in tmp_path.iterdir()) == [".other.0123abcd.part", "saved"]


@pytest.mark.parametrize("form", [writing.whole_file, writing.whole_folder])
def test_what_another_process_is_writing_stays(tmp_path, form):
    path = tmp_path / "saved"
    with form(path):
        before = set(tmp_path.iterdir())
        writing.write_text(path.with_name("another"), "x")
        with writing.whole_file(path) as stream:
            stream.write(b"second")
        assert before <= set(tmp_path.iterdir())
        path.unlink()


def test_a_folder_is_replaced_in_one_step(tmp_path, monkeypatch):
    """At no call of the system is there no folder."""
    path = tmp_path / "model"
    with writing.whole_folder(path) as folder:
        (folder / "a").write_text("old", encoding="utf-8")
    path.chmod(0o700)
    replace, seen = os.replace, []
    monkeypatch.setattr(os, "replace", lambda *two: (seen.append(two), replace(*two)))
    with writing.whole_folder(path, overwrite=True) as folder:
        (folder / "a").write_text("new", encoding="utf-8")
    assert (path / "a").read_text(encoding="utf-8") == "new"
    assert [one.name for one in tmp_path.iterdir()] == ["model"]
    assert mode(path) == 0o700
    if sys.platform in ("linux", "darwin"):
        assert seen == []


def test_a_folder_that_was_moved_aside_comes_back(tmp_path, monkeypatch):
    """Where folders cannot be exchanged, a process may end between the two moves."""
    monkeypatch.setattr(writing, "_swapped", lambda one, other: False)
    path = tmp_path / "model"
    aside = tmp_path / ".model.0123abcd.old"
    aside.mkdir()
    (aside / "a").write_text("old", encoding="utf-8")
    with pytest.raises(ZeroDivisionError), writing.whole_folder(path, overwrite=True):
        raise ZeroDivisionError
    assert (path / "a").read_text(encoding="utf-8") == "old"
    with writing.whole_folder(path, overwrite=True) as folder:
        (folder / "a").write_text("new", encoding="utf-8")
    assert (path / "a").read_text(encoding="utf-8") == "new"
    assert [one.name for one in tmp_path.iterdir()] == ["model"]


def test_the_longest_name_a_file_can_have(tmp_path):
    path = tmp_path / ("ä" * 127)
    writing.write_text(path, "text")
    assert path.read_text(encoding="utf-8") == "text"
    with pytest.raises(LoadError):
        writing.write_text(tmp_path / ("ä" * 128), "text")


def test_save_to_the_null_device():
    session = Session()
    session.add("p(a).")
    session.save(os.devnull)
    assert not os.path.isfile(os.devnull)
