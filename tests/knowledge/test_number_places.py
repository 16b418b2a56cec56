"""Places of three and more that are declared to hold numbers (LANGUAGE 2.5)."""

from __future__ import annotations

from math import tanh
from pathlib import Path

import pytest

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.errors import AttributeJoinError, NegationError, TypeConflictError

DECLARED = 'set_predicate_parameter("price/3", numeric, 3).'
FACTS = "price(ann, pen, 3). 0.5::price(ann, ink, 4). price(bob, pen, 2). 2::price(bob, ink, 4)."
KINDS = "kind(pen, tool). kind(ink, fluid)."


def session(*texts: str) -> Session:
    made = Session()
    for number, text in enumerate([FACTS + KINDS, DECLARED, *texts]):
        made.add(text, source=f"cell-{number}")
    return made


@pytest.mark.parametrize(
    ("rule", "question", "expected"),
    [
        ("h(X, Y) :- price(X, Y, A).", "h(ann, Y)", {("pen",): 3, ("ink",): 2}),
        ("h(X) :- price(X, Y, A).", "h(X)", {("ann",): 5, ("bob",): 10}),
        ("h(X, K) :- price(X, Y, A), kind(Y, K).", "h(X, tool)", {("ann",): 3, ("bob",): 2}),
        ("h(X, Y) :- price(X, Y, 4).", "h(X, Y)", {("ann", "ink"): 2, ("bob", "ink"): 8}),
        ("h(X) :- price(X, Y, A), price(X, Y, A).", "h(ann)", {(): 5}),
        ("h(X) :- price(X, Y, A), tanh(A).", "h(ann)", {(): tanh(3) + tanh(2)}),
        ("h(X) :- price(X, Y, A), tanh(A, B).", "h(bob)", {(): tanh(2) + tanh(8)}),
        ("h(K) :- kind(Y, K), price(bob, ink, 4).", "h(tool)", {(): 8}),
        ("h(K) :- kind(Y, K), price(bob, ink, 5).", "h(K)", {}),
        ("h(X, Z) :- price(X, Y, A), price(Z, Y, B).", "h(ann, bob)", {(): 3 * 2 + 2 * 8}),
    ],
)
def test_a_rule_multiplies_by_the_number_of_the_row(rule, question, expected) -> None:
    assert session(rule).query(question).weights == pytest.approx(expected)


def test_a_question_lists_the_facts_with_their_weights() -> None:
    asked = session()
    assert asked.query("price(ann, ink, P)").weights == {("4",): 0.5}
    assert asked.query("price(X, Y, 4)").weights == {("bob", "ink"): 2.0, ("ann", "ink"): 0.5}
    assert asked.query("price(ann, pen, 3)").weights == {(): 1.0}


def test_facts_that_differ_in_the_number_are_one_and_the_last_counts() -> None:
    asked = session("h(X, Y) :- price(X, Y, A).")
    (notice,) = asked.add("0.5::price(ann, pen, 10). price(ann, pen, 7).", source="more").notices
    assert notice.kind == "fact_again" and "2 facts" in notice.message
    assert asked.query("h(ann, pen)").weights == {(): 7.0}
    assert asked.query("price(ann, pen, P)").weights == {("7",): 1.0}
    asked.remove("more")
    assert asked.query("h(ann, pen)").weights == {(): 3.0}


def test_it_can_be_declared_late_and_taken_back() -> None:
    asked = session("h(X, Y) :- price(X, Y, A).")
    assert asked.query("h(ann, ink)").weights == {(): 2.0}
    asked.remove("cell-1")
    assert asked.query("h(ann, ink)").weights == {(): 0.5}
    asked.undo()
    assert asked.query("h(ann, ink)").weights == {(): 2.0}
    again = Session()
    again.add(asked.program())
    assert again.query("h(ann, ink)").weights == {(): 2.0}


def test_several_places_are_combined_as_the_program_says() -> None:
    asked = Session()
    asked.add(
        'set_predicate_parameter("s/4", numeric, [2, 4]). 0.5::s(a, 2, b, 3). s(a, 5, c, 1).'
        "h(X, Y) :- s(X, A, Y, B). k(X, Y) :- s(X, 2, Y, B)."
    )
    assert asked.query("h(a, Y)").weights == {("c",): 5.0, ("b",): 3.0}
    assert asked.query("k(a, Y)").weights == {("b",): 3.0}
    asked.add('set_predicate_parameter("s/4", attributes_combine_function, "add").')
    assert asked.query("h(a, Y)").weights == {("c",): 6.0, ("b",): 2.5}


def test_only_rows_whose_places_agree_count_whatever_weighs_the_number() -> None:
    """A row that does not count had the weight 0, of which `subtract` made -2."""
    asked = Session()
    asked.add(
        'set_predicate_parameter("s/4", numeric, 2). s(a, 2, b, c). 4::s(b, 3, b, c).'
        'set_predicate_parameter("s/4", weighted_attribute_combining_function, subtract).'
        "h(X, Y) :- s(X, A, X, Y)."
    )
    assert asked.query("h(X, Y)").weights == {("b", "c"): 1.0}


@pytest.mark.parametrize(
    ("text", "kind", "column"),
    [
        ("price(ann, cup, cheap).", TypeConflictError, 17),
        ("h(X) :- price(X, Y, cheap).", TypeConflictError, 21),
        ("h(X, A) :- price(X, Y, A).", AttributeJoinError, 1),
        ("h(X) :- price(X, Y, A), kind(A, Z).", AttributeJoinError, 25),
        ("h(X) :- kind(A, Z), price(X, Y, A).", AttributeJoinError, 21),
        ("h(X) :- price(X, Y, A), price(X, Z, A).", AttributeJoinError, 25),
        ("h(X) :- price(X, Y, A), tanh(A, B), kind(B, Z).", AttributeJoinError, 37),
        ("h(X) :- price(X, Y, A), at_least(A, 3).", AttributeJoinError, 25),
        ("h(X, Y) :- not price(X, Y, A).", NegationError, 12),
        ("price(X, Y, Z) :- t(X, Y, Z).", TypeConflictError, 1),
        ('set_predicate_parameter("price/3", numeric, 4).', NeuralLogError, 1),
        ('set_predicate_parameter("price/3", numeric, [1, 2, 3]).', NeuralLogError, 1),
        ('set_predicate_parameter("kind/2", numeric, 2).', NeuralLogError, 1),
        ('set_predicate_parameter("price/3", numeric, third).', NeuralLogError, 1),
        ("set_parameter(numeric, 3).", NeuralLogError, 1),
        ('set_predicate_parameter("price/3", numeric, 2).', TypeConflictError, 1),
    ],
)
def test_a_mistake_is_refused_at_its_place_and_changes_nothing(text, kind, column) -> None:
    asked = session("g(X, Y) :- price(X, Y, A).")
    before = asked.program(), asked.query("g(X, Y)").weights
    with pytest.raises(kind) as caught:
        asked.add(text, source="wrong")
    assert caught.value.span is not None and caught.value.span.column == column
    assert (asked.program(), asked.query("g(X, Y)").weights) == before


def test_a_declaration_that_facts_contradict_names_them() -> None:
    asked = Session()
    asked.add("price(ann, pen, 3).\nprice(ann,\n ink, cheap).", source="facts")
    with pytest.raises(TypeConflictError, match="cheap at facts:2"):
        asked.add(DECLARED, source="declared")


def test_its_weights_are_learned_saved_explained_and_differentiated(tmp_path: Path) -> None:
    asked = session('learn("price/3"). h(X, K) :- price(X, Y, A), kind(Y, K).')
    slopes = {s.name: s.slope for s in asked.sensitivity("h(ann, fluid)") if s.kind == "fact"}
    assert slopes == pytest.approx({"price(ann, ink, 4)": 4.0, "kind(ink, fluid)": 2.0})
    text = str(asked.explain("h(ann, fluid)"))
    assert "price(ann, ink, 4) 2" in text and "A =" not in text
    asked.add("example(h, ann, fluid). 0::example(h, bob, tool).", source="examples")
    asked.train(epochs=60, seed=1, learning_rate=0.1)
    assert asked.query("h(ann, fluid)").weights[()] == pytest.approx(1.0, abs=1e-3)
    assert asked.query("price(ann, ink, 4)").weights[()] == pytest.approx(0.25, abs=1e-3)
    asked.save(tmp_path / "model.nlz")
    opened = Session.open(tmp_path / "model.nlz")
    assert opened.query("h(X, K)").weights == pytest.approx(asked.query("h(X, K)").weights)
    again = Session()
    again.add(asked.program())
    assert again.query("h(X, K)").weights == pytest.approx(asked.query("h(X, K)").weights)
