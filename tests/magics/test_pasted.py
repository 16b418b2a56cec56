"""Command lines inside a cell's text write in the notebook's folder, unless users allow more."""

from __future__ import annotations

import pytest

from neurallog_kernel import NeuralLogError
from neurallog_magics.commands import COMMANDS

WRITING = (
    "save {}/t.nlz",
    "program --to {}/t.pl",
    "query --to {}/t.csv p(X)",
    "query --to={}/t.csv p(X)",
    "weights p --to {}/t.csv",
    "export p/1 --weights {}/t.csv",
    "export p/1 --embedding {}/t.csv",
    "export --program {}/t.pl",
    "export p/1 --saved-model {}/t",
    "train --checkpoint {}/t.nlz",
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "notebook").mkdir()
    monkeypatch.chdir(tmp_path / "notebook")
    return tmp_path


@pytest.mark.parametrize("line", WRITING)
@pytest.mark.parametrize("where", ["..", "{}", "link", "sub/../.."])
def test_a_line_inside_a_text_does_not_write_elsewhere(notebook, folder, line, where):
    (folder / "notebook" / "link").symlink_to(folder)
    line = line.format(where.format(folder))
    ran = notebook.neurallog(f"p(a).\n  %neurallog {line}")
    assert isinstance(ran.error, NeuralLogError) and "write_anywhere" in ran.error.hint
    assert ran.error.span and ran.error.span.line == 3
    assert [one.name for one in folder.iterdir()] == ["notebook"]
    status = notebook.line("status")
    assert "empty" in str(status), "nothing of the cell was taken in"


def test_a_line_inside_a_text_writes_in_the_folder(notebook, folder):
    ran = notebook.neurallog("p(a).\n%neurallog save t.nlz\n%neurallog query --to ./t.csv p(X)")
    assert ran.error is None
    assert (folder / "notebook" / "t.nlz").exists() and (folder / "notebook" / "t.csv").exists()


def test_a_path_in_a_variable_is_looked_at_as_well(notebook, folder):
    notebook.run("where = '../t.nlz'")
    ran = notebook.neurallog("p(a).\n%neurallog save {{where}}")
    assert isinstance(ran.error, NeuralLogError) and not (folder / "t.nlz").exists()


def test_a_line_in_a_cell_of_its_own_writes_anywhere(notebook, folder):
    notebook.neurallog("p(a).")
    notebook.line("save ../one.nlz")
    assert notebook.neurallog("\n%neurallog save ../two.nlz\n").error is None
    assert (folder / "one.nlz").exists() and (folder / "two.nlz").exists()


def test_the_user_may_allow_it(notebook, folder):
    notebook.run("%config NeuralLog.write_anywhere = True")
    assert notebook.neurallog("p(a).\n%neurallog save ../t.nlz").error is None
    assert (folder / "t.nlz").exists()


def test_every_file_that_a_command_writes_is_declared():
    """What completes a path is read or written; those that are read are named here."""
    read = {("load", "path"), ("load", "--map"), ("open", "path")}
    for name, magic in COMMANDS.items():
        for one in magic.arguments:
            names_a_file = one.completes == "path" or one.options.get("metavar") in (
                "FILE",
                "FOLDER",
                "PATH",
            )
            if names_a_file and (name, one.flags[-1]) not in read:
                assert one.writes, f"{name} {one.flags[-1]}"
