"""at_least(A, 50) and at_most(A, 50): which owners they let through, in every place of a rule."""

from __future__ import annotations

import pytest

from neurallog_kernel import NeuralLogError, Session
from tests.reference import Reference

FACTS = """
age(ann, 60). 0.5::age(bob, 40). age(eve, 50). age(kim, -3). age(max, 0).
height(170, ann). height(150, eve).
knows(ann, bob). knows(bob, eve). knows(eve, ann). knows(ann, kim). 0.5::knows(kim, max).
knows(ann, zoe).
knows(ann, eve). likes(eve, ann). likes(bob, kim). likes(kim, max). likes(max, eve).
"""
RULES = {
    "a concept": "h(X) :- age(X, A), at_least(A, 50).",
    "zero is a value, and no fact is none": "h(X) :- age(X, A), at_most(A, 0).",
    "an interval": "h(X, Y) :- knows(X, Y), age(Y, A), at_least(A, 45), at_most(A, 55).",
    "at the input": "h(X, Y) :- age(X, A), at_least(A, 50), knows(X, Y).",
    "in the middle": "h(X, Y) :- knows(X, Z), age(Z, A), at_least(A, 40), likes(Z, Y).",
    "the owner last": "h(X, Y) :- knows(X, Y), height(H, Y), at_least(H, 160).",
    "the value in the head": "h(X, A) :- age(X, A), at_least(A, 45).",
    "the value in a function": "h(X) :- age(X, A), at_least(A, 45), tanh(A).",
    "a given owner": "h(X) :- knows(X, Y), age(ann, A), at_least(A, 60).",
    "a given owner who does not fit": "h(X) :- knows(X, Y), age(ann, A), at_most(A, 59).",
    "without a head's term": "h :- knows(X, Y), age(Y, A), at_most(A, 0).",
}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_answers_are_the_reference_s(rule: str) -> None:
    session, reference = Session(), Reference(FACTS + rule)
    session.add(FACTS + rule)
    head = rule.partition(" :-")[0].replace("A", "Y")
    questions = [head, head.replace("Y", "eve"), head.replace("X", "ann")]
    for question in dict.fromkeys(questions):
        expected = reference.query(question)
        assert session.query(question).weights == pytest.approx(expected), question
        read_again = Session()
        read_again.add(session.program())
        assert read_again.query(question).weights == session.query(question).weights


def test_the_size_and_weight_of_the_value_do_not_count() -> None:
    session = Session()
    session.add("0.25::age(bob, 40). h(X) :- age(X, A), at_least(A, 40).")
    assert session.query("h(X)").weights == {("bob",): 1.0}


def test_explanations_show_the_fact_with_its_line() -> None:
    session = Session()
    session.add(FACTS + RULES["in the middle"], source="facts")
    text = str(session.explain("h(ann, kim)"))
    assert "age(bob, 40) is at least 40 1" in text and "facts:5" not in text
    session.add("g(X) :- age(X, A), at_least(A, 50).", source="rule")
    assert session.explain("g(bob)").part.value == 0


def test_a_rule_may_come_before_the_attribute_s_facts() -> None:
    session = Session()
    session.add("h(X) :- p(X), age(X, A), at_least(A, 50). p(ann). p(bob).", source="rules")
    assert len(session.query("h(X)")) == 0
    session.add("age(ann, 60). age(bob, 20).", source="facts")
    assert session.query("h(X)").weights == {("ann",): 1.0}
    session.add("age(ann, 10). age(bob, 70).", source="facts")
    assert session.query("h(X)").weights == {("bob",): 1.0}
    session.remove("facts")
    assert len(session.query("h(X)")) == 0


def test_nothing_is_learned_through_it() -> None:
    session = Session()
    session.add("age(ann, 60). age(bob, 20). h(X) :- age(X, A), at_least(A, 50). learn(age).")
    slopes = session.sensitivity("h(ann)").slopes
    assert [slope.kind for slope in slopes] == ["rule"]


def test_facts_of_that_name_hide_it() -> None:
    session = Session()
    session.add("at_least(a, b). h(X, Y) :- at_least(X, Y).")
    assert session.query("h(X, Y)").weights == {("a", "b"): 1.0}


@pytest.mark.parametrize(
    ("rule", "column", "said"),
    [
        ("h(X) :- at_least(X, 50).", 9, "X is not the value of an attribute"),
        ("h(X) :- knows(X, A), at_least(A, 50).", 22, "A is not the value of an attribute"),
        ("h(X) :- age(X, A), at_least(A, bob).", 32, "bob, which is not a number"),
        ("h(X) :- age(X, A), at_least(bob, 3).", 29, "bob, which is not a variable"),
        ("h(X) :- age(X, A), age(Y, B), at_least(A, B).", 43, "B, which is not a number"),
        ("h(X) :- age(X, A), at_least(A).", 20, "it compares an attribute with one number"),
        ("h(X) :- age(X, A), not at_least(A, 3).", 20, "a comparison cannot be negated"),
        ("h(X) :- age(X, A), height(A, X), at_least(A, 3).", 34, "the value of 2 attributes"),
        ("h(X, Y) :- age(X, A), age(Y, A), at_least(A, 3).", 23, "cannot connect two literals"),
    ],
)
def test_mistakes_point_at_their_place(rule: str, column: int, said: str) -> None:
    session = Session()
    session.add(FACTS, source="facts")
    with pytest.raises(NeuralLogError, match=said) as caught:
        session.add(rule, source="rule")
    assert caught.value.span is not None and caught.value.span.column == column
    assert caught.value.hint
    assert session.sources == ("facts",)
