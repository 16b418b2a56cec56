"""Facts of three and more arguments through a session: questions, edits and what is printed."""

from __future__ import annotations

import pytest

from neurallog_kernel import NeuralLogError, Session

GIFTS = "gave(ann, bob, book). 0.5::gave(ann, cid, pen). gave(bob, bob, cup)."


@pytest.fixture
def session() -> Session:
    made = Session()
    made.add(GIFTS, source="gifts")
    return made


def test_open_places(session: Session) -> None:
    ask = session.query
    assert ask("gave(ann, Who, What)").weights == {("bob", "book"): 1.0, ("cid", "pen"): 0.5}
    assert ask("gave(X, X, What)").weights == {("bob", "cup"): 1.0}
    assert ask("gave(ann, _, pen)").weights == {("cid",): 0.5}
    assert ask("gave(_, bob, _)").weights == {("ann", "book"): 1.0, ("bob", "cup"): 1.0}


def test_rules_with_several_open_places_are_listed(session: Session) -> None:
    session.add("gave(ann, ann, pen) . passed(X, Y, Z) :- gave(X, Y, Z). 2::passed(bob, ann, cup).")
    everything = session.query("passed(X, Y, Z)").weights
    assert everything.pop(("bob", "ann", "cup")) == 2.0
    assert everything == session.query("gave(X, Y, Z)").weights
    assert session.query("passed(Q, Q, pen)").weights == {("ann",): 1.0}


def test_edits(session: Session) -> None:
    change = session.add("2::gave(ann, bob, book). gave(dan, ann, 7).", source="more")
    assert "1 fact of gave/3 defined more than once" in str(change.notices[0])
    assert session.query("gave(ann, bob, book)").weights == {(): 2.0}
    assert session.query("gave(dan, ann, What)").weights == {("7",): 1.0}
    again = Session()
    again.add(session.program())
    asked = "gave(X, Y, Z)"
    assert again.query(asked).weights == session.query(asked).weights
    session.undo()
    assert session.query("gave(ann, bob, book)").weights == {(): 1.0}
    session.add("gave(ann, cid, cup).", source="gifts")
    assert session.query(asked).weights == {("ann", "cid", "cup"): 1.0}


def test_an_unknown_entity_is_named_with_its_place(session: Session) -> None:
    with pytest.raises(NeuralLogError, match="unknown entity book at place 2 of gave/3"):
        session.query("gave(ann, book, What)")
