"""What an engine keeps by node stays right: what is edited is another node, the rest the same."""

from __future__ import annotations

import pytest

from neurallog_kernel import NeuralLogError, Session

RULES = """
g(X, Z) :- p(X, Y), p(Y, Z), on.
loop(X) :- p(X, X).
old(X) :- age(X, A).
just(X) :- age(X, 4).
grown(X) :- age(X, A), at_least(A, 5).
scaled(X) :- t(X), w(2, B).
to(X) :- p(X, c).
"""
FACTS = "0.5::p(a, b). p(b, c). p(c, c). 2::t(b). 0.3::on. age(a, 4). 3::age(b, 7). w(2, 0.5)."
ASKED = ["g(a, Y)", "g(X, c)", "loop(X)", "old(X)", "just(X)", "grown(X)", "scaled(X)", "to(X)"]
EDITS = {
    "a weight of a relation": FACTS.replace("0.5::p(a, b)", "0.25::p(a, b)"),
    "the diagonal": FACTS.replace("p(c, c)", "0.1::p(c, c)"),
    "a fact comes": FACTS + " p(d, b).",
    "a fact goes": FACTS.replace("p(b, c).", ""),
    "a weight of a concept": FACTS.replace("2::t(b)", "4::t(b)"),
    "a concept's entity": FACTS.replace("t(b)", "t(c)"),
    "a number without arguments": FACTS.replace("0.3::on", "0.6::on"),
    "an attribute's value": FACTS.replace("age(a, 4)", "age(a, 6)"),
    "an attribute's weight": FACTS.replace("3::age", "5::age"),
    "a number of numbers": FACTS.replace("w(2, 0.5)", "w(2, 0.75)"),
    "a number that is compared": FACTS.replace("w(2, 0.5)", "w(3, 0.5)"),
    "a constant's entity": FACTS.replace("p(b, c). p(c, c).", "p(b, d)."),
}


def answers(session: Session) -> dict[str, object]:
    return {asked: session.query(asked).weights for asked in ASKED}


def fresh(facts: str) -> dict[str, object]:
    session = Session()
    session.add(facts, source="facts")
    session.add(RULES, source="rules")
    return answers(session)


def asked(facts: str = FACTS) -> Session:
    session = Session()
    session.add(facts, source="facts")
    session.add(RULES, source="rules")
    answers(session)
    return session


@pytest.mark.parametrize("edit", EDITS)
def test_edit_fail_ask_undo_ask(edit: str) -> None:
    session, before = asked(), fresh(FACTS)
    session.add(EDITS[edit], source="facts")
    with pytest.raises(NeuralLogError):
        session.add(FACTS + " p(a, 3).", source="facts")
    assert answers(session) == fresh(EDITS[edit])
    session.undo()
    assert answers(session) == before
    session.add(EDITS[edit], source="facts")
    session.undo()
    assert answers(session) == before


@pytest.mark.parametrize("edit", EDITS)
def test_an_interrupted_edit_leaves_what_was_kept_right(
    edit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new state is there, and nothing that follows it."""
    session = asked()

    def interrupted(*_) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(type(session), "_storage", interrupted)
        with pytest.raises(KeyboardInterrupt):
            session.add(EDITS[edit], source="facts")
    assert answers(session) == fresh(EDITS[edit])


def test_an_edit_leaves_the_nodes_of_other_predicates() -> None:
    session = asked()
    before = session._evaluator.layer(("loop", 1)).result
    session.add("0.9::other(x). 4::t(b).", source="more")
    session.add("p(X, Y) :- nothing(X, Y).", source="rule")
    assert session._evaluator.layer(("loop", 1)).result is before, "p's facts are what they were"


@pytest.mark.parametrize("edit", ["a weight of a relation", "a fact comes", "a constant's entity"])
def test_a_plan_of_another_version_is_refused(edit: str) -> None:
    """An old plan is an error with the new facts, and never an answer from the wrong ones."""
    session = asked()
    evaluator = session._evaluator
    plan = evaluator.layer(("g", 2)).result
    inputs = evaluator.given(("g", 2), {0: 0})
    expected = evaluator.value(plan, inputs)
    session.add(EDITS[edit], source="facts")
    with pytest.raises(LookupError, match="another version"):
        session._evaluator.engine.bind(session._evaluator.storage).evaluate(plan, inputs)
    found = evaluator.value(plan, inputs)  # with the storage that it was made for
    assert found.dense().tolist() == expected.dense().tolist()  # type: ignore[union-attr]
