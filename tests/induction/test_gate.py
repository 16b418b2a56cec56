"""Weights that a table shows: fitted, chosen on held-out examples, and said so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from neurallog_kernel import Session
from neurallog_kernel.induction.aggregation import FITTED, MAX_PLUS, NOISY_OR, Figure, untrained
from neurallog_kernel.induction.gate import _chosen
from neurallog_kernel.induction.learner import WEIGHING

NOISE = "".join(f"n(a{i}, b{(i * 7 + 3) % 40})." for i in range(40))
LABELLED = "".join(
    f"p(a{i}, b{i}). {1.0 if i % 2 else 0.0}::example(h, a{i}, b{i})."
    + (f"q(a{i}, b{i})." if i % 2 else "")
    for i in range(40)
)


def learned(text: str, *heads: str, **options):
    session = Session()
    session.add(text)
    return session.learn_rules(*heads, **options)


def test_the_table_shows_fitted_weights_and_says_how_they_were_chosen() -> None:
    table = learned(LABELLED + NOISE, "h/2", length=1)
    rows = {row.text: row for row in table}
    (report,) = table.heads
    assert "ROC AUC on held-out examples: noisy-or" in report.why and FITTED in report.why
    assert report.aggregation in str(table)
    good, empty = rows["h(X, Y) :- q(X, Y)."], rows["h(X, Y) :- p(X, Y)."]
    assert good.weight > 1.0 and good.kept
    assert abs(empty.weight) < good.weight  # it holds for every example and every negative


def test_own_rules_are_measured_beside_what_was_found() -> None:
    own = "h(X, Y) :- p(X, Y). h(X, Y) :- q(X, Y)."
    (report,) = learned(LABELLED + own, "h/2", length=1).heads
    assert report.held_out_before == 1.0
    (report,) = learned(LABELLED, "h/2", length=1).heads
    assert report.held_out_before is None


def test_a_relation_that_excludes_the_head_speaks_against_it() -> None:
    people = range(30)
    kind = {(i, j): (i * 5 + j * j) % 3 for i in people for j in people if i != j and (i + j) % 2}
    text = "".join(f"{'mfu'[k]}(a{i}, a{j})." for (i, j), k in kind.items())
    text += "".join(f"near(a{i}, a{j})." for i, j in kind)
    table = learned(text, "m/2", length=1)
    against = {row.text: row for row in table if "speaks against it" in row.notes}
    assert {"m(X, Y) :- f(X, Y).", "m(X, Y) :- u(X, Y)."} <= set(against)
    assert all(row.weight <= 0 for row in against.values())
    assert against["m(X, Y) :- u(X, Y)."].weight < -1 and against["m(X, Y) :- u(X, Y)."].kept
    assert "rule" in str(table.accept())


def test_an_interrupt_while_weights_are_fitted_keeps_the_rows() -> None:
    session = Session()
    session.add(LABELLED + NOISE)
    table = session.rule_table("h/2", length=1)
    learner, stages = table.learner, []
    for snapshot in learner.run():
        stages.append(snapshot.stage)
        if snapshot.stage == WEIGHING:
            learner.should_stop = lambda: True
    assert WEIGHING in stages and snapshot.stopped == "interrupted"
    assert snapshot.candidates.rows
    assert FITTED not in snapshot.candidates.heads[0].why
    learner.should_stop = lambda: False
    assert FITTED in learner.refit().heads[0].why


def test_the_same_seed_gives_the_same_text() -> None:
    texts = {learned(LABELLED + NOISE, "h/2", length=2).text() for _ in range(2)}
    assert len(texts) == 1


@pytest.mark.parametrize(("own", "expected"), [(2, FITTED), (200, NOISY_OR)])
def test_few_held_out_examples_follow_the_other_heads(own: int, expected: str) -> None:
    def figures(number: int, first: float, second: float) -> dict[str, Figure | None]:
        return {
            NOISY_OR: Figure("MRR", first, number),
            FITTED: Figure("MRR", second, number),
        }

    heads = [figures(400, 0.5, 0.8), figures(own, 0.9, 0.7)]
    assert _chosen(heads, [(NOISY_OR, FITTED)] * 2)[1] == expected


def test_programs_read_back_what_was_accepted() -> None:
    session = Session()
    session.add(LABELLED + NOISE)
    session.learn_rules("h/2", length=2).accept(source="learned")
    again = Session()
    again.add(session.program())
    for entity in ("a1", "a7", "a30"):
        first, second = (s.query(f"h({entity}, Y)").weights for s in (session, again))
        assert first.keys() == second.keys()
        assert np.allclose(list(first.values()), list(second.values()))


def test_why_no_rule_names_the_nearest_and_the_limit_that_cut_it() -> None:
    text = "".join(f"p(a{i}, b{i})." for i in range(3)) + "h(a0, b0). h(c, d). h(e, f)."
    said = str(learned(text, "h/2", length=1, held_out=0))
    assert "1 of 3 right, min_support asks for 2: h(X, Y) :- p(X, Y)." in said
    said = str(learned(LABELLED, "h/2", length=1, metarules=("P(X, Y) :- Q(Y, X).",)))
    assert "no metarule allows it: h(X, Y) :- q(X, Y)." in said


def test_the_small_weights_of_max_plus_are_weights() -> None:
    """They order what no better rule reaches; taken for 0, they left most examples without a
    score."""
    text = "".join(f"p(a{i}, b{i}). {float(i % 2)}::example(h, a{i}, b{i})." for i in range(40))
    text += "".join(f"q(a{i}, b{i})." for i in range(40) if i % 20 != 1)
    table = learned(text + "".join(f"c(a{i})." for i in range(1, 40, 4)), "h/2", length=1)
    (found,) = table.learner.ranked.values()
    steep = untrained(found.judged, found.judged.counts())[MAX_PLUS]
    kept = replace(found, weights=steep * 1e-12, way=MAX_PLUS).kept
    assert len(kept) == np.count_nonzero(steep) > 1
