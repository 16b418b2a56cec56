"""`undo` of an edit gives back what was learned before it; `undo` of a training goes no further."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from neurallog_kernel import NeuralLogError, Session

LEARNS = "learn(w). learn_rule_weights(k)."
FACTS = "p(a, b). p(a, c)."
RULES = (
    "h(X, Y) :- p(X, Y), w(one). k(X, Y) :- h(X, Y). 0.3::example(h, a, b). 0.7::example(k, a, b)."
)

EDITS: dict[str, Callable[[Session], object]] = {
    "the fact stated anew": lambda s: s.add("0.9::w(one).", source="more"),
    "another weight by hand": lambda s: s.reweigh({"w(one)": 0.5}),
    "no learn any more": lambda s: s.remove("learns"),
    "learn of something else": lambda s: s.add("learn(v).", source="learns"),
    "no rule to learn": lambda s: s.remove("rules"),
    "another rule": lambda s: s.add("k(X, Y) :- p(X, Y).", source="rules"),
    "other facts": lambda s: s.add("p(a, d).", source="facts"),
}


def trained() -> Session:
    session = Session()
    for source, text in (("learns", LEARNS), ("facts", FACTS), ("rules", RULES)):
        session.add(text, source=source)
    session.train(epochs=20, learning_rate=0.1)
    return session


def said(session: Session) -> tuple:
    answers = [answer(session, question) for question in ("w(X)", "h(a, Y)", "k(a, Y)")]
    return session.program(), answers, session.sources


def answer(session: Session, question: str) -> object:
    try:
        return session.query(question).weights
    except NeuralLogError as error:
        return error.message


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_what_was_learned_comes_back_with_the_text(edit: Callable[[Session], object]) -> None:
    session = trained()
    before, history = said(session), session.history
    edit(session)
    assert said(session) != before
    session.undo()
    assert said(session) == before
    assert session.history is history


def test_two_trainings_and_an_edit_between_them_are_taken_back_one_by_one() -> None:
    session = trained()
    states = [(said(session), session.history)]
    session.add("0.9::w(two). 0.2::w(one).", source="more")
    states.append((said(session), session.history))
    session.train(epochs=3, learning_rate=0.1)
    for state in reversed(states):
        session.undo()
        assert (said(session), session.history) == state


def test_a_training_that_was_taken_back_is_not_gone_on_from() -> None:
    session = trained()
    first = session.history
    session.train(epochs=5, learning_rate=0.1, optimizer="adam")
    session.undo()
    assert session.history is first
    session.undo()
    assert session.history is None
    again, new = session.train(epochs=4, resume=True, learning_rate=0.1), trained()
    new.undo()
    assert again.epochs == 4
    assert again.logs["loss"] == new.train(epochs=4, learning_rate=0.1).logs["loss"]


def test_a_failed_training_between_an_edit_and_its_undo_changes_nothing() -> None:
    session = trained()
    before = said(session)
    session.add("0.9::w(one).", source="more")
    edited = said(session)
    with pytest.raises(NeuralLogError):
        session.train(optimizer="adma")
    assert said(session) == edited
    session.undo()
    assert said(session) == before
