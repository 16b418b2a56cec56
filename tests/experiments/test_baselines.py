"""The practitioner's baselines on small folders: they find what is there, and no label leaks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from experiments import baselines
from experiments.relational import Columns, Labelled, evidence_of_training, pair_table


def folder(root: Path, signal: bool) -> Path:
    """People with two of ten things: the first three of these decide, or a coin does."""
    drawn = np.random.default_rng(3)
    facts, lines = [], []
    for person in range(80):
        things = set(drawn.integers(10, size=2).tolist())
        facts += [f"reviewed(t{thing}, p{person})." for thing in things]
        true = min(things) < 3 if signal else drawn.random() < 0.5
        lines.append(f"{'' if true else '0.0::'}mexican(p{person}).")
    (root / "yelp").mkdir()
    (root / "yelp" / "facts.pl").write_text("\n".join(facts), encoding="utf-8")
    for fold in range(1, 6):
        own = root / "yelp" / f"fold{fold}"
        own.mkdir()
        test = lines[fold - 1 :: 5]
        train = [line for line in lines if line not in test]
        (own / "train.pl").write_text("\n".join(train), encoding="utf-8")
        (own / "test.pl").write_text("\n".join(test), encoding="utf-8")
    return root


@pytest.mark.parametrize(("signal", "low", "high"), [(True, 0.9, 1.0), (False, 0.25, 0.75)])
def test_what_is_there_is_found_and_a_coin_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture, signal: bool, low: float, high: float
) -> None:
    assert baselines.main(["yelp", "--data", str(folder(tmp_path, signal))]) == 0
    cells = capsys.readouterr().out.splitlines()[-1].split("|")
    assert all(low <= float(cell) <= high for cell in cells[2:4])


def test_evidence_of_a_training_example_does_not_know_it(tmp_path: Path) -> None:
    """Everybody has a thing of their own: it tells the label of nobody else."""
    file = tmp_path / "facts.pl"
    file.write_text("\n".join(f"has(p{i}, t{i})." for i in range(50)), encoding="utf-8")
    columns, truth = Columns([file]), np.arange(50) % 2 == 0
    table = evidence_of_training(columns.bags([f"p{i}" for i in range(50)]), truth)
    assert np.abs(table[truth].mean(axis=0) - table[~truth].mean(axis=0)).max() < 0.3


def test_pairs_share_what_both_reach(tmp_path: Path) -> None:
    file = tmp_path / "facts.pl"
    file.write_text("word(a, x). word(a, y). word(b, x). word(c, z).", encoding="utf-8")
    file.write_text(file.read_text("utf-8").replace(". ", ".\n"), encoding="utf-8")
    pairs = Labelled([("a", "b"), ("a", "c"), ("a", "nobody")], np.array([True, False, False]))
    table = pair_table(Columns([file]), pairs)
    assert np.log1p(1.0) in table[0]
    assert 0.5 in table[0]
    assert np.isfinite(table).all()


def test_a_folder_that_is_not_there_is_told(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    assert baselines.main(["uwcse", "--data", str(tmp_path)]) == 1
    assert "--data" in capsys.readouterr().err
