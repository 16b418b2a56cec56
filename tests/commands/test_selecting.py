"""`select` and `cross_validate` on the shell: tables, and only training examples."""

from __future__ import annotations

from pathlib import Path

import pytest

from neurallog_kernel.cli import main

TEXT = """
learn(w). good(X) :- f(X, K), w(K).
f(a1, yes). f(a2, yes). f(a3, yes). f(b1, no). f(b2, no). f(b3, no).
example(good, a1). example(good, a2). example(good, a3).
0::example(good, b1). 0::example(good, b2). 0::example(good, b3).
example_set(test).
example(good, b1). 0::example(good, a1).
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "good.pl"
    path.write_text(TEXT)
    return str(path)


def test_the_setting_that_learns_is_the_best(program: str, capsys: pytest.CaptureFixture[str]):
    """The test examples say the opposite of the training examples: they are not looked at."""
    values = ["--values", "epochs=0,30", "learning_rate=0.3"]
    assert main(["select", program, *values, "--folds", "2", "--metric", "brier"]) == 0
    shown = capsys.readouterr().out
    lines = shown.splitlines()
    assert lines[0].split() == ["epochs", "learning_rate", "brier", "deviation", "folds"]
    assert lines[1].split()[0] == "30" and lines[2].split()[0] == "0"
    assert "set_parameter(epochs, 30)." in shown


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "select from what"),
        (("--values", "epochs"), "not an option with its values"),
        (("--values", "epochs=1", "epochs=2"), "given twice"),
        (("--values", "epoch=1"), "unknown option epoch"),
        (("--values", "epochs=-1"), "epochs"),
        (("--values", "epochs=1", "--metric", "auc"), "auc is not a metric"),
        (("--values", "epochs=1", "--folds", "7"), "7 folds need at least 7 groups"),
    ],
)
def test_what_cannot_be_selected_from(
    program: str, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
):
    assert main(["select", program, *words]) == 1
    assert said in capsys.readouterr().err


def test_cross_validation_is_a_table_of_folds(
    program: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    """The test examples say the opposite of the training examples: they are not looked at."""
    words = ["cross-validate", program, "--values", "epochs=30", "learning_rate=0.3"]
    assert main([*words, "--folds", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[:4]] == [
        ["fold", "held", "out", "roc_auc"],
        *([str(fold), "2", "1.0000"] for fold in (1, 2, 3)),
    ]
    assert lines[4].strip() == "mean 1.0000, deviation 0.0000"
    assert main([*words, "--folds", "3", "--to", str(tmp_path / "folds.csv")]) == 0
    assert "held out,roc_auc" in (tmp_path / "folds.csv").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--values", "epochs=1,2"), "epochs has several values"),
        (("--values", "epochs=1..2"), "epochs has several values"),
        (("--values", "epoch=1", "--folds", "3"), "unknown option epoch"),
        (("--folds", "7"), "7 folds need at least 7 groups"),
        (("--metric", "auc"), "auc is not a metric"),
        (("--groups", "school/2"), "unknown predicate school/2"),
    ],
)
def test_what_cannot_be_validated(
    program: str, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
):
    assert main(["cross-validate", program, *words]) == 1
    assert said in capsys.readouterr().err
