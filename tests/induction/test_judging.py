"""What a head's bodies hold for is bounded: past that, they are compared from some entities."""

from __future__ import annotations

import numpy as np
import pytest

from neurallog_kernel import Session
from neurallog_kernel.induction import judging
from neurallog_kernel.induction.columns import Columns
from neurallog_kernel.induction.judging import judge
from neurallog_kernel.induction.learner import RuleLearner
from neurallog_kernel.induction.options import LearnOptions

FACTS = "".join(
    f"p(a{i}, b{i % 7}). q(b{i % 7}, c{i % 5}). r(a{i}, c{(i * i) % 5}). h(a{i}, c{i % 5})."
    for i in range(35)
)


def learner() -> RuleLearner:
    session = Session()
    session.add(FACTS)
    return RuleLearner(session._evaluator, LearnOptions(heads=("h/2",), budget=100.0))


def cells(judged: judging.Judged) -> set[tuple]:
    """Which body holds for which pair: examples and others."""
    keys = judged.places[0].astype(np.int64) * judged.size + judged.places[1]
    found = set()
    for kind, part, of_row in (
        ("right", judged.right, keys),
        ("other", judged.others, judged.keys),
    ):
        rows, bodies = part.tocoo().coords
        found |= {(kind, int(of_row[r]), int(b)) for r, b in zip(rows, bodies, strict=True)}
    return found


def test_some_rows_are_judged_as_they_are_among_all() -> None:
    one = learner()
    for _ in one.search_only():
        pass
    head, found = one.heads[0], one.findings.best(0)
    whole = cells(judge(one.columns, head, found))
    rows = np.arange(0, one.graph.size, 3)
    some = cells(judge(Columns(one.graph, rows), head, found))
    assert some == {cell for cell in whole if cell[1] // one.graph.size in set(rows.tolist())}
    assert some and some != whole


def test_past_the_bound_a_sample_judges_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "MOST_PAIRS", 100)
    first, second = learner(), learner()
    for one in (first, second):
        for _ in one.run():
            pass
    rows = first.candidates().rows
    assert rows and rows == second.candidates().rows
    (said,) = [line for line in first.candidates().cut if "compared" in line]
    assert said.startswith("rules of h/2: compared with each other from ")
    judged = first.ranked[0].judged
    assert judged.fires.sum() < 2 * 100 and len(judged.places[0]) < 35


def test_below_the_bound_all_entities_judge() -> None:
    one = learner()
    for _ in one.run():
        pass
    assert len(one.ranked[0].judged.places[0]) == 35
    assert not [line for line in one.candidates().cut if "compared" in line]
