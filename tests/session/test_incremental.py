"""A session after any edits equals one that was never edited; what is refused leaves no trace."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from neurallog_kernel import NeuralLogError, Session
from tests.programs import Edit, Hypothesis, live, programs, query, sessions
from tests.reference import Reference

fast = settings(
    deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


def same(found: dict, expected: dict) -> bool:
    return all(
        found.get(key, 0.0)
        == pytest.approx(expected.get(key, 0.0), rel=1e-9, abs=1e-9, nan_ok=True)
        for key in {*found, *expected}
    )


def apply(session: Session, edit: Edit) -> None:
    if edit.text is None:
        session.remove(edit.source)
    else:
        session.add(edit.text, source=edit.source)


def fresh(texts: dict[str, str]) -> Session:
    session = Session()
    for source, text in texts.items():
        session.add(text, source=source)
    return session


def texts_after(edits: list[Edit]) -> dict[str, str]:
    """Source by source, in the order a session keeps: a replaced source stays where it was."""
    texts: dict[str, str] = {}
    for edit in edits:
        if edit.text is None:
            del texts[edit.source]
        else:
            texts[edit.source] = edit.text
    return texts


def questions(draw: Any, edits: list[Edit]) -> list[str]:
    reference = Reference(*live(edits))
    asked = [query(Hypothesis(draw), reference) for _ in range(3)]
    return [question for question in dict.fromkeys(asked) if question is not None]


@settings(fast, max_examples=15)
@given(sessions(), st.data())
def test_edited_session_equals_a_fresh_one(edits: list[Edit], data: st.DataObject) -> None:
    session = Session()
    for i, edit in enumerate(edits):
        note(f"{edit.source}: {edit.text}")
        apply(session, edit)
        unbroken = fresh(texts_after(edits[: i + 1]))
        listed = Session()
        listed.add(session.program())
        for question in questions(data.draw, edits[: i + 1]):
            weights = session.query(question).weights
            assert same(weights, unbroken.query(question).weights), question
            assert same(weights, listed.query(question).weights), f"{question}, from the listing"
    assert session.program() == unbroken.program()


@settings(fast, max_examples=12)
@given(sessions(), st.data())
def test_adding_the_same_text_again_changes_nothing(edits: list[Edit], data: st.DataObject) -> None:
    session = fresh(texts_after(edits))
    asked = questions(data.draw, edits)
    before = [session.query(question).weights for question in asked]
    compiled = session._planner.compiled
    for source, text in texts_after(edits).items():
        change = session.add(text, source=source)
        assert (change.facts_added, change.facts_removed) == (0, 0)
        assert (change.rules_added, change.rules_removed) == (0, 0)
    assert [session.query(question).weights for question in asked] == before
    if not any(edit.text and "{" in edit.text for edit in edits):
        assert session._planner.compiled >= compiled


BROKEN = {
    "syntax": "p(a, b",
    "not ground": "p(a, X).",
    "not ground, of three": "t(a, X, c).",
    "number for an entity": "p(1, b).",
    "entity for a number": "age(a, old).",
    "attribute join": "bad(X, Y) :- age(X, A), age(Y, A).",
    "rule for an attribute": "age(X, Y) :- p(X, Y).",
    "negated function": "bad(X) :- p(X, Y), not tanh(Y).",
    "function with too many terms": "bad(X, Y) :- p(X, Z), tanh(X, Z, Y).",
    "unknown parameter": "set_parameter(recursion_dept, 2).",
    "wrong value": "set_parameter(recursion_depth, many).",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=list(BROKEN))
def test_refused_text_leaves_everything_as_it_was(text: str) -> None:
    session = Session()
    session.add("p(a, b). 0.5::p(b, c). age(a, 10). age(b, 20).", source="facts")
    session.add("f(X, Y) :- p(X, Z), p(Z, Y). old(X) :- age(X, A), tanh(A).", source="rules")
    asked = ["f(a, Y)", "f(X, c)", "old(X)", "p(X, Y)", "age(X, A)"]
    answers = [session.query(question).weights for question in asked]
    listing, program, compiled = session.program(), session._program, session._planner.compiled
    for source in ("new", "rules", "facts"):
        good = "p(a, e). g(X, Y) :- p(X, Y).\n"
        with pytest.raises(NeuralLogError):
            session.add(good + text + ("\nage(a, 1)." if source == "facts" else ""), source=source)
    assert session.program() == listing and session._program is program
    assert [session.query(question).weights for question in asked] == answers
    assert session._planner.compiled == compiled, "nothing was forgotten"


def test_type_conflict_across_two_sources_names_the_earlier_place() -> None:
    session = Session()
    session.add("% ages\nage(a, 10).", source="cell-1")
    session.add("p(a, b).", source="cell-2")
    with pytest.raises(NeuralLogError) as caught:
        session.add("p(c, d).\n  age(b, old).", source="cell-3")
    error = caught.value
    assert str(error.span) == "cell-3:2:10"
    assert "cell-1:2:8" in error.message
    assert session.sources == ("cell-1", "cell-2")
    with pytest.raises(NeuralLogError, match="cell-2:1:3"):
        session.add("p(1, b).", source="cell-3")


@settings(fast, max_examples=12)
@given(programs(), st.data())
def test_a_broken_cell_after_any_program(program: Any, data: st.DataObject) -> None:
    session = Session()
    session.add(str(program), source="program")
    reference = Reference(str(program))
    asked = [q for q in (query(Hypothesis(data.draw), reference) for _ in range(2)) if q]
    before = session.program(), [session.query(question).weights for question in asked]
    with pytest.raises(NeuralLogError):
        session.add("p(a, fresh). p(1, b).", source=data.draw(st.sampled_from(["new", "program"])))
    after = session.program(), [session.query(question).weights for question in asked]
    assert after[0] == before[0]
    assert all(map(same, after[1], before[1]))


FACT = st.tuples(st.sampled_from("pq"), st.integers(0, 7), st.integers(0, 7))
CELL = st.tuples(st.integers(0, 3), st.lists(FACT, max_size=4))
RULES = (
    "f(X, Y) :- p(X, Z), p(Z, Y). f(X, Y) :- p(X, Z), q(Z, Y).\n"
    "g(X, Y) :- q(X, Z), not p(Z, Y). h(X) :- p(X, X). h(X) :- f(X, Y), q(Y, Z)."
)


@settings(fast, max_examples=40)
@given(st.lists(CELL, min_size=2, max_size=8))
def test_entities_come_and_go_beside_large_blocks(cells: list[tuple[int, list]]) -> None:
    """The matrix of a large block is kept while entities of other cells come and go."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("neurallog_kernel.knowledge.relations.LARGE_BLOCK", 1)
        session = Session()
        session.add("p(e0, e1). q(e1, e2). p(e2, e0).", source="base")
        session.add(RULES, source="rules")
        texts = {}
        for number, facts in cells:
            texts[f"cell-{number}"] = "".join(f"{p}(e{a}, e{b}). " for p, a, b in facts)
            session.add(texts[f"cell-{number}"], source=f"cell-{number}")
            after = [(q, session.query(q).weights) for q in ASKED]
    plain = Session()
    plain.add("p(e0, e1). q(e1, e2). p(e2, e0).", source="base")
    plain.add(RULES, source="rules")
    for source, text in texts.items():
        plain.add(text, source=source)
    for question, weights in after:
        assert weights == plain.query(question).weights, question


ASKED = ("p(X, Y)", "f(X, Y)", "f(X, e0)", "g(e1, Y)", "g(X, Y)", "h(X)", "p(X, X)")
