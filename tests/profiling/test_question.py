"""Profiles of questions: what is counted is exact, and what is timed adds up."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neurallog_kernel import NeuralLogError, Profile, Session
from neurallog_kernel.plan import sharing
from neurallog_kernel.plan.exprs import Call, everything
from neurallog_kernel.plan.planner import Planner
from neurallog_kernel.profiling.clock import Clock, NodeCost
from neurallog_kernel.profiling.rules import rule_costs
from tests.programs import Hypothesis, live, query, sessions
from tests.reference import Reference

fast = settings(
    deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


def by_rule(profile: Profile) -> dict[str, tuple[int, int]]:
    """Facts gone through and entries of the results of each row."""
    return {row.rule: (row.facts, row.entries) for row in profile.rules}


def session_of(*texts: str) -> Session:
    session = Session()
    for text in texts:
        session.add(text)
    return session


# -- counts ---------------------------------------------------------------------------------------


def test_a_product_counts_the_facts_of_the_rows_it_meets() -> None:
    session = session_of("p(a, b). p(a, c). p(z, b). q(b, d). q(b, e). q(c, d). q(z, a).")
    session.add("r(X, Y) :- p(X, Z), q(Z, Y).")
    counts = by_rule(session.profile("r(a, Y)"))
    # two facts of p at a, then two of q at b and one at c; entries: {b, c} and {d, e}
    assert counts["r(X, Y) :- p(X, Z), q(Z, Y)."] == (2 + 3, 2 + 2)


def test_the_same_question_backwards_counts_columns() -> None:
    session = session_of("p(a, b). p(a, c). p(z, b). q(b, d). q(b, e). q(c, d). q(z, a).")
    session.add("r(X, Y) :- p(X, Z), q(Z, Y).")
    counts = by_rule(session.profile("r(X, d)"))
    # q at d: from b and c; p at b: from a and z, at c: from a
    assert counts["r(X, Y) :- p(X, Z), q(Z, Y)."] == (2 + 3, 2 + 2)


def test_a_shared_prefix_is_counted_with_each_rule_and_computed_once() -> None:
    session = session_of("p(a, b). q(b, c). q(b, d). s(b, c).")
    session.add("r(X, Y) :- p(X, Z), q(Z, Y). r(X, Y) :- p(X, Z), s(Z, Y).")
    profile = session.profile("r(a, Y)")
    counts = by_rule(profile)
    assert counts["r(X, Y) :- p(X, Z), q(Z, Y)."] == (1 + 2, 1 + 2)
    assert counts["r(X, Y) :- p(X, Z), s(Z, Y)."] == (1 + 1, 1 + 1)
    assert counts["facts and OR of r/2"] == (0, 2)
    # p(a, Z) once, then q and s, the sum, and the input
    assert sum(row.operations for row in profile.rules) - 1 == 5


def test_what_a_rule_calls_is_counted_with_the_rule_that_is_called() -> None:
    session = session_of("p(a, b). q(b, c). q(b, d). s(c, e). s(d, e). s(d, f).")
    session.add("r(X, Y) :- p(X, Z), q(Z, Y). t(X, Y) :- r(X, Z), s(Z, Y).")
    profile = session.profile("t(a, Y)")
    counts = by_rule(profile)
    assert counts["r(X, Y) :- p(X, Z), q(Z, Y)."] == (3, 3)
    assert counts["t(X, Y) :- r(X, Z), s(Z, Y)."] == (3, 2)
    rows = {row.rule: row for row in profile.rules}
    inner, outer = (rows[name] for name in sorted(counts) if ":-" in name)
    given = rows["inputs and answer"]
    together = outer.seconds + inner.seconds + given.seconds
    assert outer.with_calls == pytest.approx(together)


def test_rules_that_end_alike_make_one_product_as_a_question_does() -> None:
    session = session_of("p(a, b). s(a, c). q(b, d). q(c, e). q(c, f).")
    session.add("r(X, Y) :- p(X, Z), q(Z, Y). r(X, Y) :- s(X, Z), q(Z, Y).")
    profile = session.profile("r(a, Y)")
    rules = [row for row in profile.rules if ":-" in row.rule]
    for row in rules:  # its own fact, then those of q at b and at c for both together
        assert (row.operations, row.facts, row.entries) == (2, 1 + 3, 1 + 3)
    assert len(rules) == 2


def test_what_is_called_with_equal_arguments_has_its_own_row() -> None:
    session = session_of("p(a, b). p(b, b). q(b, c). q(c, b).")
    session.add("r(X, Y) :- q(X, Z), q(Z, Y). t(X, Y) :- p(X, Y), r(Y, Y).")
    counts = by_rule(session.profile("t(a, Y)"))
    assert counts["t(X, Y) :- p(X, Y), r(Y, Y)."] == (1, 2)  # p at a; b of p, and b where r is
    assert counts["r(X, Y) :- q(X, Z), q(Z, Y)."][0] > 0
    asked = by_rule(session.profile("r(X, X)"))
    assert list(asked) == ["r(X, Y) :- q(X, Z), q(Z, Y)."]


def test_a_call_that_is_planned_once_belongs_to_the_rules_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("SHARED_FROM", "OPENINGS_A_LEVEL", "SMALL"):
        monkeypatch.setattr(sharing, name, 0)
    session = session_of("p(a, b). s(a, b). s(b, b). q(b, c). q(b, d).")
    session.add("r(X, Y) :- q(X, Y). r(X, Y) :- p(X, Z), q(Z, Y).")
    session.add("t(X, Y) :- s(X, Z), r(Z, Y). t(X, Y) :- s(X, Z), s(Z, A), r(A, Y).")
    planner = Planner()
    layer = planner.question(session._program, ("t", 2), 1)
    nodes = everything([layer.result])
    (call,) = (node for node in nodes if isinstance(node, Call))
    below = everything([call.body])
    rows = rule_costs([layer], {(node,): NodeCost(1.0, 1) for node in below})
    assert {row.predicate for row in rows if row.operations} == {"r/2", ""}
    assert sum(row.seconds for row in rows) == pytest.approx(len(below))


def test_a_profile_counts_the_operations_of_a_question() -> None:
    """What an executor with an observer tells is what one without computes and keeps."""
    session = session_of("p(a, b). p(a, c). q(b, c). q(c, d). u(c). u(d).")
    session.add(
        "r(X, Y) :- p(X, Z), q(Z, Y). r(X, Y) :- q(X, Z), q(Z, Y). r(X, Y) :- p(X, Y), u(Y)."
    )
    answers = session.query("r(a, Y)")
    ((_, kept),) = session._executor.known.asked.items()
    profile = session.profile("r(a, Y)")
    assert profile.answers is not None and profile.answers.weights == answers.weights
    clock = Clock()
    session._planner.observer = session._executor.observer = clock
    session._executor.forget()
    session._executor.known.constants.clear()
    session.query("r(a, Y)")
    told = {nodes[0] for nodes in clock.costs if len(nodes) == 1}
    joint = [nodes for nodes in clock.costs if len(nodes) > 1]
    assert told == set(kept)
    assert [len(nodes) for nodes in joint] == [2]  # the two rules that end with q


@settings(fast, max_examples=12)
@given(st.integers(0, 2**32 - 1))
def test_counts_equal_degrees_on_random_bases(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, q = (np.unique(rng.integers(0, 9, (20, 2)), axis=0) for _ in "pq")
    session = Session()
    for name, pairs in (("p", p), ("q", q)):
        session.add("".join(f"{name}(e{a}, e{b}). " for a, b in pairs.tolist()))
    session.add("r(X, Y) :- p(X, Z), q(Z, Y).")
    start = int(p[0, 0])
    reached = p[p[:, 0] == start, 1]
    facts = len(reached) + sum(int((q[:, 0] == z).sum()) for z in reached)
    ends = {int(b) for a, b in q.tolist() if a in reached}
    found = by_rule(session.profile(f"r(e{start}, Y)"))["r(X, Y) :- p(X, Z), q(Z, Y)."]
    assert found == (facts, len(reached) + len(ends))


# -- sums -----------------------------------------------------------------------------------------


@settings(fast, max_examples=12)
@given(sessions(), st.data())
def test_parts_add_up_and_answers_are_those_of_the_query(edits: list, data: st.DataObject) -> None:
    session = Session()
    for edit in edits:
        if edit.text is None:
            session.remove(edit.source)
        else:
            session.add(edit.text, source=edit.source)
    question = query(Hypothesis(data.draw), Reference(*live(edits)))
    if question is None:
        return
    profile = session.profile(question)
    assert profile.answers is not None
    assert profile.answers.weights == pytest.approx(session.query(question).weights, nan_ok=True)
    assert profile.seconds == pytest.approx(sum(stage.seconds for stage in profile.stages))
    evaluated = sum(stage.seconds for stage in profile.stages if stage.stage == "evaluate")
    assert profile.of_rules <= evaluated
    for row in profile.rules:
        assert row.seconds >= 0
        assert row.with_calls >= row.seconds * 0.999 or row.layers == 0


def test_every_node_belongs_to_a_row_and_its_cost_is_given_once() -> None:
    """With a cost of one second a node the rows add up to the number of nodes."""
    session = session_of("p(a, b). q(b, c). s(c, d). u(a). u(b).")
    session.add(
        "r(X, Y) :- p(X, Z), q(Z, Y). r(X, Y) :- p(X, Z), q(Z, A), s(A, Y).\n"
        "v(X) :- r(X, Y), u(Y). t(X, Y) :- r(X, Z), v(Z), r(Z, Y). t(X, Y) :- p(X, Y), not u(Y).\n"
        "t(X, Y) :- p(X, Z), t(Z, Y)."
    )
    planner = Planner()
    layer = planner.question(session._program, ("t", 2), 1)
    nodes = everything([layer.result])
    rows = rule_costs([layer], {(node,): NodeCost(1.0, 1) for node in nodes})
    assert sum(row.seconds for row in rows) == pytest.approx(len(nodes))
    named = {row.rule for row in rows}
    assert "v(X) :- r(X, Y), u(Y)." in named
    outside = [row for row in rows if row.rule == "inputs and answer"]
    assert all(row.operations == 1 for row in outside)  # the input alone


# -- what it leaves alone -------------------------------------------------------------------------


def test_nothing_of_the_session_changes() -> None:
    session = session_of("p(a, b). q(b, c).", "r(X, Y) :- p(X, Z), q(Z, Y).")
    session.query("r(a, Y)")
    before = (session.version, session._planner.compiled, dict(session._executor.known.asked))
    session.profile("r(a, Y)")
    assert (
        session.version,
        session._planner.compiled,
        dict(session._executor.known.asked),
    ) == before
    assert not tracemalloc.is_tracing()


def test_mistakes_are_those_of_a_query() -> None:
    session = session_of("parent(a, b).")
    with pytest.raises(NeuralLogError) as asked:
        session.query("parnt(a, Y)")
    with pytest.raises(NeuralLogError) as profiled:
        session.profile("parnt(a, Y)")
    assert str(profiled.value) == str(asked.value)
    assert not tracemalloc.is_tracing()


def test_tables_and_text() -> None:
    session = session_of("p(a, b). q(b, c).", "r(X, Y) :- p(X, Z), q(Z, Y). r(X, Y) :- q(X, Y).")
    profile = session.profile("?- r(a, Y).")
    frame = profile.to_pandas()
    assert list(frame["rule"]) == [row.rule for row in profile.rules]
    assert frame["seconds"].is_monotonic_decreasing
    assert profile.stages_to_pandas()["stage"].iloc[0] == "parse the question"
    text = str(profile)
    assert text.startswith("?- r(a, Y).") and "input-2:1" in text and "%" in text
    assert sum(profile.shares) == pytest.approx(1.0)
    assert "1 more" in profile.to_text(rows=len(profile.rules) - 1)
