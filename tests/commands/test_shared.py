"""A shared command says the same in a shell and in a notebook."""

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from neurallog_kernel.cli import main
from neurallog_kernel.commands import SHARED

PROGRAM = """parent(ann, bob). 0.5::parent(bob, cid). learn("likes/2").
grandparent(X, Z) :- parent(X, Y), parent(Y, Z).
example(likes, ann, bob).
"""


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """A notebook's shell with the program in it, without a history file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "family.pl").write_text(PROGRAM)
    InteractiveShell.clear_instance()
    config = Config()
    config.HistoryManager.enabled = False
    made = InteractiveShell.instance(config=config)
    made.run_line_magic("load_ext", "neurallog_magics")
    made.run_line_magic("neurallog", "load family.pl")
    yield made
    made.run_line_magic("neurallog", "reset")
    made.run_line_magic("unload_ext", "neurallog_magics")
    InteractiveShell.clear_instance()


SAME = {
    "rules": ["rules", "family.pl"],
    "program": ["program", "family.pl"],
    "functions tanh": ["functions", "--name", "tanh"],
    "explain grandparent(ann, cid)": ["explain", "family.pl", "grandparent(ann, cid)"],
    "sensitivity grandparent(ann, cid)": ["sensitivity", "family.pl", "grandparent(ann, cid)"],
    "check": ["check", "family.pl"],
    "weights parent": ["weights", "family.pl", "-p", "parent"],
    "examples": ["examples", "family.pl"],
    "query grandparent(ann, Who)": ["query", "family.pl", "grandparent(ann, Who)"],
    "score grandparent/2": ["score", "family.pl", "-p", "grandparent/2"],
    "sql grandparent/2 --top 3": ["sql", "family.pl", "-p", "grandparent/2", "--top", "3"],
}


@pytest.mark.parametrize("line", SAME)
def test_both_front_ends_say_the_same(shell, capsys, line):
    assert line.split()[0] in SHARED.commands
    plain, _ = shell.display_formatter.format(shell.run_line_magic("neurallog", line))
    capsys.readouterr()
    assert main(SAME[line]) == 0
    assert plain["text/plain"].split() == capsys.readouterr().out.split()


def test_a_score_by_parts(shell, capsys, tmp_path):
    """The shell writes a part, the notebook the others, into the same folder."""
    words = ["score", "family.pl", "-p", "grandparent/2", "-o", "best"]
    assert main([*words, "--part", "2/3"]) == 0
    said = capsys.readouterr().out
    assert "grandparent/2: 3 questions, at most 3 paths" in said
    assert "best: grandparent/2, " in said and "in 1 of 3 parts" in said
    line = "score grandparent/2 --parts 3 --output best"
    assert "in 3 of 3 parts (1 were there)" in str(shell.run_line_magic("neurallog", line))
    files = sorted(path.name for path in (tmp_path / "best").iterdir())
    assert files == ["_score.json"] + [f"part-{part}-of-3.parquet" for part in (1, 2, 3)]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-p", "grandparent/2", "--part", "4/3"], "4/3 is not a part"),
        (["-p", "grandparent/2", "--part", "1/3"], "a part needs a folder"),
        (["-p", "granparent/2"], "granparent"),
        (["-p", "grandparent/2", "--budget", "1", "-o", "best"], "more than the budget of 1"),
        ([], "score what?"),
    ],
)
def test_a_score_that_cannot_be(shell, capsys, tmp_path, words, said):
    try:
        code = main(["score", "family.pl", *words])
    except SystemExit as ended:
        code = ended.code
    assert code != 0 and said in capsys.readouterr().err
    assert not (tmp_path / "best").exists()
