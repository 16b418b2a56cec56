"""What would change an answer: every edit is one that does it, and a smaller one does not."""

from __future__ import annotations

import pytest

from neurallog_kernel import NeuralLogError, Session
from tests.pictures.test_live import FACTS, RULES


@pytest.fixture
def session() -> Session:
    s = Session()
    s.add(FACTS, source="facts")
    s.add(RULES, source="rules")
    return s


def first(s: Session, weights: dict[str, float], question: str) -> str:
    edited = Session()
    edited.add(FACTS, source="facts")
    edited.add(RULES, source="rules")
    edited.reweigh(weights)
    return edited.query(question)[0][0][0]


@pytest.mark.parametrize("instead", [None, "cid", "eve"])
def test_an_edit_does_it_and_a_smaller_one_does_not(session: Session, instead: str | None) -> None:
    found = session.what_would_change("knows(ann, Y)", instead)
    assert len(found) > 0
    assert list(found) == sorted(found, key=lambda edit: edit.size)
    for edit in found:
        winner = first(session, {edit.name: edit.to}, "knows(ann, Y)")
        assert edit.first == f"knows(ann, {winner})"
        assert instead in (None, winner)
        assert edit.tried == float(f"{edit.tried:.3g}")  # a number that a cell can show
        assert first(session, {edit.name: edit.tried}, "knows(ann, Y)") == winner
        nearly = edit.weight + 0.98 * (edit.to - edit.weight)
        assert first(session, {edit.name: nearly}, "knows(ann, Y)") == "bob"
    assert session.query("knows(ann, Y)")[0][0] == ("bob",)  # the session is as it was


def test_a_question_may_name_its_answer(session: Session) -> None:
    best, other = session.what_would_change("knows(ann, Y)"), "knows(ann, cid)"
    assert session.what_would_change("knows(ann, bob)").edits == best.edits  # bob is first
    named = session.what_would_change(other)
    assert named.edits == session.what_would_change("knows(ann, Y)", "cid").edits
    assert {edit.first for edit in named} == {other}


def test_what_cannot_be_changed_says_so(session: Session) -> None:
    with pytest.raises(NeuralLogError, match="one place must be open"):
        session.what_would_change("old(ann)")
    with pytest.raises(NeuralLogError, match="bob is first already"):
        session.what_would_change("knows(ann, Y)", "bob")
    session.add("alone(ann, bob).")
    assert "no change of a single weight" in str(session.what_would_change("alone(ann, Y)"))
