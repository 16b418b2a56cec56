"""Clauses that a newcomer from Prolog or Python writes, and that would be taken without a word."""

from __future__ import annotations

import pytest

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.errors import NotGroundError

FAMILY = "parent(ann, bob). parent(bob, cid). age(ann, 31)."


def remarks(text: str, before: str = FAMILY) -> dict[str, str]:
    session = Session()
    session.add(before, source="family")
    return {notice.kind: str(notice) for notice in session.add(text, source="cell").notices}


COMMANDS = [
    ("listing(parent).", "%neurallog program"),
    ("listing.", "%neurallog program"),
    ("halt.", "leave this line out"),
    ("quit.", "leave this line out"),
    ("consult(file).", "%neurallog load"),
    ("consult('file.pl').", "%neurallog load"),
    ("write(hello).", "?-"),
    ("print(ann).", "?-"),
    ("trace.", "%neurallog explain"),
]


@pytest.mark.parametrize(("text", "advice"), COMMANDS)
def test_a_command_of_prolog_is_taken_as_a_fact_and_says_so(text: str, advice: str) -> None:
    said = remarks(text)["command_as_fact"]
    assert said.startswith("cell:1:1: ")
    assert "is read as a fact, not as a command" in said
    assert advice in said


def test_a_command_with_a_variable_says_what_to_do_instead() -> None:
    with pytest.raises(NotGroundError) as caught:
        remarks("write(X).")
    assert "cannot print" in caught.value.hint


def test_the_place_of_a_command_is_its_line() -> None:
    assert remarks("likes(ann, bob).\n\nlisting(parent).")["command_as_fact"].startswith("cell:3:")


DIRECTIVES = [
    ("lern(w).\nh(X) :- p(X), w(one).", "learn"),
    ('learn_rule_weight("p/1").', "learn_rule_weights"),
    ("set_paramter(epochs, 3).", "set_parameter"),
    ("set_predicat_parameter(p, loss_function, logistic).", "set_predicate_parameter"),
    ("exmple(p, a). exmple(p, b).", "example"),
    ("mega_exampel(1, p, a).", "mega_example"),
    ("example_sets(test).", "example_set"),
]


@pytest.mark.parametrize(("text", "meant"), DIRECTIVES)
def test_a_misspelt_directive_is_taken_as_a_fact_and_says_so(text: str, meant: str) -> None:
    said = remarks(f"p(a).\n{text}")["misspelt_directive"]
    assert said.startswith("cell:2:1: ")
    assert "is read as a fact, not as a directive" in said
    assert f"did you mean {meant}?" in said


@pytest.mark.parametrize(
    "text",
    [
        "earn(ann, money).",
        "learns(ann, logic). learns(bob, logic).",
        "lern(p). p(a). h(X) :- lern(X).",  # a rule uses it
        "member(ann, chess).",  # a good predicate, though Prolog has one of that name
        "write(ann, letter).",
        "length(rope, 3).",
        "print(p1). print(p2).",  # two facts are no command
    ],
)
def test_good_predicates_are_not_remarked_on(text: str) -> None:
    assert remarks(text) == {}


def test_a_fact_with_an_argument_too_few() -> None:
    said = remarks("parent(dora).")["other_arity"]
    assert "parent/1 is new: it is another predicate than parent/2" in said
    assert "write 2 arguments" in said


def test_a_method_call_is_two_facts_and_says_so() -> None:
    assert "other_arity" in remarks("ann.parent(bob).")


def test_a_predicate_of_two_arities_is_remarked_on_once_at_most() -> None:
    session = Session()
    session.add(FAMILY, source="family")
    assert session.add("parent(dora).", source="one").notices
    assert not session.add("parent(dora). parent(eva).", source="one").notices
    assert not session.add("parent(finn).", source="two").notices


def test_small_letters_for_variables() -> None:
    said = remarks("grandparent(x, z) :- parent(x, y), parent(y, z).")["no_variable"]
    assert "x, y, z are names, which no fact mentions" in said
    assert "write X, Y, Z" in said


@pytest.mark.parametrize(
    "text",
    [
        "proud(ann) :- parent(ann, bob), age(ann, 31).",  # about known people
        "grandparent(X, Z) :- parent(X, Y), parent(Y, Z).",
        "likes(X, y) :- parent(X, y), parent(y, z).",
    ],
)
def test_rules_about_known_people_and_with_variables_are_not(text: str) -> None:
    assert "no_variable" not in remarks(text)


def test_remarks_do_not_stop_anything_and_do_not_come_from_training() -> None:
    session = Session()
    session.add(FAMILY + "learn(listing). near(X, Y) :- parent(X, Y), listing(one).")
    session.add("example(near, ann, bob).", source="examples")
    session.train(epochs=1, seed=1)
    assert session.query("near(ann, Y)").weights


def test_a_weight_is_looked_up_by_a_tuple_of_names() -> None:
    session = Session()
    session.add(FAMILY)
    weights = session.query("parent(ann, Who)").weights
    assert weights == {("bob",): 1.0}
    assert repr(weights) == "{('bob',): 1.0}"
    with pytest.raises(KeyError, match="one name for each open place"):
        weights["bob"]  # type: ignore[index]
    with pytest.raises(TypeError, match=r"answers\.weights"):
        session.query("parent(ann, Who)")["bob"]  # type: ignore[call-overload]
    with pytest.raises(KeyError, match="cid"):
        weights[("cid",)]


def test_a_fact_that_hides_a_function_is_named_where_the_function_is_missed() -> None:
    session = Session()
    session.add("age(ann, 31). old(X) :- age(X, A), mean(A).", source="ages")
    with pytest.raises(NeuralLogError) as caught:
        session.add("mean(age).", source="cell")
    assert "mean has clauses of its own, so it is not the function" in caught.value.hint


WITHOUT_BRACKETS = [
    ("parent ann bob.", "arguments stand in brackets: parent(ann, bob)."),
    ("0.5::parent ann bob", "arguments stand in brackets: parent(ann, bob)."),
    ("learn w.", "arguments stand in brackets: learn(w)."),
    ("ann is a parent of bob.", "a fact is a predicate with its arguments in brackets"),
    ("learn(w(taste)).", "the name of the predicate is enough: learn(w)."),
    ("happy(X) :- 0.5 * parent(X, Y).", "a weight stands at the beginning of a rule: 0.5::p(X)"),
    ("happy(X) :- parent(X, Y), 0.5.", "a weight stands at the beginning of a rule: 0.5::p(X)"),
    ("age(ann) = 31.", "a weight is a number and stands first: 31::p(a)."),
    ("?- parent/2.", "a question has an argument for each place: ?- parent(X, Y)."),
    (":- use_module(library(lists)).", "there are no modules"),
    (":- initialization(main).", "a program runs nothing"),
    ("old(X) :- age(X, A), average(A).", "write mean(A)"),
    ("teen(X) :- age(X, A), between(13, 19, A).", "write at_least(A, 10), at_most(A, 20)"),
    ("older(X) :- age(X, A), plus(A, 1, B).", "there is no arithmetic"),
    ("not parent(ann, cid).", "a fact that is false has the weight 0: 0::p(a)."),
    ("\\+ parent(ann, cid).", "a fact that is false has the weight 0: 0::p(a)."),
    (":- learn(w).", "leave :- out: learn(w)."),
]


@pytest.mark.parametrize(("text", "advice"), WITHOUT_BRACKETS)
def test_what_is_refused_says_what_to_write(text: str, advice: str) -> None:
    with pytest.raises(NeuralLogError) as caught:
        remarks(text)
    assert advice in caught.value.hint


def test_a_full_stop_that_is_missing_is_not_taken_for_brackets() -> None:
    with pytest.raises(NeuralLogError) as caught:
        remarks("rain parent(ann, bob).")
    assert "full stop" in caught.value.hint


def test_a_function_by_another_name_is_named_as_a_notice_too() -> None:
    assert "did you mean count/1?" in remarks("n(X) :- parent(X, Y), len(Y).")["empty_predicate"]


def test_a_number_in_a_head_says_whose_place_it_is() -> None:
    said = remarks("mean_age(X, A) :- parent(X, Y), age(Y, A), mean(A).")["number_in_head"]
    assert "place 2 of mean_age/2 is the owner of the number" in said
    assert "the weight of mean_age(X) is the number" in said
    assert "number_in_head" not in remarks("mean_age(X) :- parent(X, Y), age(Y, A), mean(A).")


def test_a_weight_in_brackets() -> None:
    assert "for a weight write 0.5::w." in remarks("w(0.5).")["number_as_fact"]
    used = "h(X) :- parent(X, _), w."
    assert "for a weight write 2::w." in remarks("w(2).", FAMILY + used)["number_as_fact"]
    assert remarks("digit(2).") == {}


WEIGHTS = FAMILY + "learn(w). w(taste). w(unit_1)."


@pytest.mark.parametrize("name", ["tast", "tatse", "tastes"])
def test_a_learned_weight_that_is_nearly_a_stated_one(name: str) -> None:
    said = remarks(f"h(X) :- parent(X, _), w({name}).", WEIGHTS)["new_weight"]
    assert "did you mean w(taste)?" in said


@pytest.mark.parametrize("weight", ["w(unit_2)", "w(taste)", "w(price)", "v(tast)"])
def test_other_weights_are_not_remarked_on(weight: str) -> None:
    assert "new_weight" not in remarks(f"h(X) :- parent(X, _), {weight}.", WEIGHTS)


def test_a_learned_weight_without_its_name() -> None:
    said = remarks("h(X) :- parent(X, _), w.", WEIGHTS)["new_weight"]
    assert "w/1 has facts: name one of them, as in w(a)" in said
    assert "new_weight" not in remarks("w. h(X) :- parent(X, _), w.", WEIGHTS)
