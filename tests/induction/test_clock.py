"""The budget is a promise: what is too much for it is left out or sampled, and that is said."""

from __future__ import annotations

import numpy as np
import pytest

from neurallog_kernel import Session
from neurallog_kernel.induction import clock, comparing
from neurallog_kernel.induction.clock import Deadline, Ended
from neurallog_kernel.induction.columns import Columns
from neurallog_kernel.induction.learner import RuleLearner
from neurallog_kernel.induction.options import LearnOptions
from neurallog_kernel.induction.table import RuleTable


def dense(relations: int = 12, entities: int = 40) -> Session:
    """Everybody is related to nearly everybody: three steps lead along very many paths."""
    draw = np.random.default_rng(3)
    session = Session()
    session.add(
        "".join(
            f"p{r}(e{a}, e{b})."
            for r in range(relations)
            for a in range(entities)
            for b in draw.permutation(entities)[: entities // 3].tolist()
        )
    )
    return session


def test_where_no_entity_is_affordable_a_length_is_left_out_and_more_time_looks_at_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("neurallog_kernel.induction.bit_walks.MOST_BITS", 0)  # as in a large graph
    session = dense()
    table = session.learn_rules("p0/2", budget=0.5)
    (said,) = [line for line in table.not_looked_at if "paths of length 3" in line]
    assert said == "paths of length 3: the budget does not pay for those of 20 entities"
    assert not table.is_complete and max(len(row.rule.body) for row in table) == 2
    table.more_time(300)
    assert table.is_complete and "length 3" not in str(table.not_looked_at)


class Late(Deadline):
    """A clock that is past everything after so many questions."""

    left = 0

    def is_past(self, part: float) -> bool:
        Late.left -= 1
        return Late.left < 0


@pytest.mark.parametrize("questions", [0, 1, 5, 40, 60, 80, 100, 150])
def test_whenever_the_clock_ends_a_search_there_is_a_table_that_says_what_it_lacks(
    questions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = dense(4, 12)
    table = session.rule_table("p0/2", "p1/2", length=2, held_out=0.3)
    with monkeypatch.context() as late:
        late.setattr("neurallog_kernel.induction.learner.Deadline", Late)
        late.setattr(Late, "left", questions)
        table.search()
    said = " ".join(table.notes)
    complete = table.stopped == "" and table.candidates.exact
    assert ("no time" in said or "the clock ended" in said) or complete
    assert table.finished and str(table)
    table.more_time(300)
    assert table.is_complete and not table.notes
    assert rows_of(table) == rows_of(session.learn_rules("p0/2", "p1/2", length=2, held_out=0.3))


def rows_of(table: RuleTable) -> list[tuple[str, float]]:
    return [(row.text, row.weight) for row in table]


def test_weights_are_fitted_on_a_sample_where_the_budget_does_not_pay_for_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(comparing, "fitted_within", lambda seconds: 4_000)
    tables = [dense(4, 30).learn_rules("p0/2", length=2, budget=60.0) for _ in range(2)]
    assert rows_of(tables[0]) == rows_of(tables[1]) and tables[0].notes == tables[1].notes
    sampled = [line for line in tables[0].notes if "weights were fitted on" in line]
    fitted = "fitted" in tables[0].heads[0].aggregation
    assert bool(sampled) == fitted
    assert not [line for line in tables[0].refit().notes if "weights were fitted on" in line]


def test_facts_are_read_while_there_is_time_and_the_rest_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = dense(6, 12)
    asked: list[float] = []
    monkeypatch.setattr(
        Deadline, "is_past", lambda self, part: asked.append(part) or len(asked) > 2
    )
    table = session.rule_table("p0/2", length=2)
    assert table.learner.graph.left_out == ("3 predicates: no time was left to read them",)
    assert {step.signature[0] for step in table.learner.graph.steps} == {"p0", "p1", "p2"}


def test_a_clock_counts_what_was_used_before_it_began(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "MOMENT", 0.0)
    late = Deadline(10.0, used=8.0)
    assert late.is_past(0.7) and not late.is_past(1.0)
    with pytest.raises(Ended):
        late.check(0.7)
    late.check(1.0)
    stopped = Deadline(should_stop=lambda: True)
    assert not stopped.is_past(1.0) and not stopped.is_bounded
    with pytest.raises(Ended):
        stopped.check(1.0)


def test_paths_that_are_walked_at_once_are_those_of_one_by_one() -> None:
    learner = RuleLearner(dense(3, 9)._evaluator, LearnOptions(heads=("p0/2",)))
    rows = np.array([1, 4, 5])
    steps = len(learner.graph.steps)
    paths = [(a, b) for a in range(steps) for b in range(steps)] + [(a,) for a in range(steps)]
    for columns in (Columns(learner.graph), Columns(learner.graph, rows)):
        seen = []
        for some, ways in columns.together(paths):
            whole = ways.toarray().reshape(len(some), -1, learner.graph.size)
            for number, one in zip(some.tolist(), whole, strict=True):
                seen.append(number)
                assert np.array_equal(one, columns.ways(paths[number]).toarray())
        assert sorted(seen) == list(range(len(paths)))
