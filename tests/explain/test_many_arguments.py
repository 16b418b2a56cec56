"""Explanations, the X-ray and what goes with them know facts of three and more arguments."""

from __future__ import annotations

import pytest

from neurallog_kernel import Session
from tests.explain.test_explanations import adds_up

FACTS = """flight(ann, bob, klm).
0.5::flight(bob, cid, klm).
2::flight(ann, cid, ba).
0.25::flight(ann, ann, ba).
good(klm). 0.3::good(ba)."""
RULES = """reach(X, Y) :- flight(X, Y, A), good(A).
twice(X, Z) :- flight(X, Y, A), reach(Y, Z).
round(X, A) :- flight(X, X, A).
bad(X, Y) :- good(A), not flight(X, Y, A).
from(X) :- flight(X, Y, A)."""


@pytest.fixture
def session() -> Session:
    session = Session()
    session.add(FACTS, source="facts")
    session.add(RULES, source="rules")
    return session


def test_the_fact_and_its_line_are_named(session: Session) -> None:
    assert str(session.explain("reach(ann, cid)")).splitlines() == [
        "reach(ann, cid) = 0.6",
        "└─ 0.6  reach(X, Y) :- flight(X, Y, A), good(A).   [rules:1]",
        "   └─ A = ba: good(ba) 0.3 × flight(ann, cid, ba) 2 = 0.6   [facts:5, facts:3]",
    ]


@pytest.mark.parametrize("rule", ["reach", "twice", "bad", "round", "from"])
def test_the_parts_add_up(session: Session, rule: str) -> None:
    arity = 1 if rule == "from" else 2
    answers = session.query(f"{rule}({', '.join(['X', 'Y'][:arity])})")
    assert len(answers)
    for names in answers.weights:
        assert adds_up(session, f"{rule}({', '.join(names)})")


def test_a_fact_itself_and_one_that_is_not_there(session: Session) -> None:
    text = str(session.explain("flight(bob, cid, klm)"))
    assert "0.5  flight(bob, cid, klm)   [facts:2]" in text
    assert "(no such fact)" in str(session.explain("flight(bob, cid, ba)"))


def test_sensitivity_names_the_fact_and_is_the_difference(session: Session) -> None:
    slopes = {one.name: one for one in session.sensitivity("reach(ann, cid)")}
    slope = slopes["flight(ann, cid, ba)"]
    assert (slope.slope, slope.weight, slope.place) == (pytest.approx(0.3), 2.0, "facts:3")
    before = session.query("reach(ann, cid)").weight
    session.add("2.5::flight(ann, cid, ba).", source="more")
    after = session.query("reach(ann, cid)").weight
    assert (after - before) / 0.5 == pytest.approx(slope.slope)


def test_without_a_fact(session: Session) -> None:
    found = session.explain("reach(ann, cid)", without="flight(ann, cid, ba)")
    assert (found.before, found.weight) == (pytest.approx(0.6), 0.0)
    assert session.query("reach(ann, cid)").weight == pytest.approx(0.6)


def test_what_changed(session: Session) -> None:
    session.add(FACTS.replace("0.5::flight", "0.75::flight"), source="facts")
    moves = {move.query: move.change for move in session.diff()}
    assert moves["reach(bob, cid)"] == pytest.approx(0.25)


def test_the_inspector_lists_the_facts(session: Session) -> None:
    inspector = session.inspect()
    listed, count = inspector.facts(("flight", 3), 2)
    assert count == 4
    assert listed == [(("ann", "cid", "ba"), 2.0), (("ann", "bob", "klm"), 1.0)]
    about = inspector.predicate(("flight", 3))
    assert (about.facts, about.shape) == (4, (3, 3, 2))


def test_the_values_of_a_rule(session: Session) -> None:
    (view,) = session.rules("reach/2")
    trace = session.inspect().trace(view.rule, 1, {0: "ann"})
    assert dict(trace.answer.top) == session_weights(session)


def session_weights(session: Session) -> dict[str, float]:
    return {names[0]: weight for names, weight in session.query("reach(ann, Y)").weights.items()}


def test_check_and_profile(session: Session) -> None:
    assert "unknown_predicate" not in session.check().kinds
    assert session.profile("reach(ann, Y)").answers.weights


def test_a_number_among_the_arguments_is_written_as_the_program_does() -> None:
    session = Session()
    session.add("0.5::enrolled(ann, logic, 2024). old(X) :- enrolled(X, logic, 2024).")
    assert "enrolled(ann, logic, 2024) 0.5" in str(session.explain("old(ann)"))
    assert session.sensitivity("old(ann)")[0].name == "enrolled(ann, logic, 2024)"
