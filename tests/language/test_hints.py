"""Every named mistake is recognised in its example, and by its own rule first."""

from __future__ import annotations

import pytest

from neurallog_kernel.errors import NeuralLogError, ProgramSyntaxError
from neurallog_kernel.language import parse
from neurallog_kernel.language.hints import (
    HINTS,
    Hint,
    hint_for,
    lower_case_variable,
)
from neurallog_kernel.language.parser import mistake_in


@pytest.mark.parametrize("hint", HINTS, ids=lambda hint: hint.name)
def test_example_gets_its_hint(hint: Hint) -> None:
    mistake = mistake_in(hint.example)
    assert mistake is not None
    advice = hint.rule(mistake)
    assert advice
    assert hint_for(mistake) == advice
    with pytest.raises(ProgramSyntaxError) as caught:
        parse(hint.example)
    assert caught.value.hint == advice


def test_names_are_unique() -> None:
    assert len({hint.name for hint in HINTS}) == len(HINTS)


def test_a_correct_text_holds_no_mistake() -> None:
    assert mistake_in("p(a). h(X) :- p(X).") is None


ADVICE = [
    ("h(X) :- tanh(sum(X)).", "write sum(X), tanh(X)"),
    ("h(X) :- p(X, f(X)).", "write a constant"),
    ("learn(vote_{i}/1).", '"vote_{i}/1"'),
    ("p(a)\nq(b).", "full stop"),
    ("h(X) :- p(X)\nq(a).", "full stop"),
    ("h(X) :- p(X), q(X", "not closed"),
    ("r(c\ns(d).", "the ( opened at line 1, column 2"),
    ("set_parameter(a, [b).", "write ]"),
    ("p(a).)", "closes nothing"),
    ("h(X) <= p(X).", "write :-"),
    ("h(X) => p(X).", "write :-"),
    ("h(X) = p(X).", "write :-"),
    ("h(X) \u2190 p(X).", "write :-"),
    ("h(X) :- p(X), X >= 3.", "at_least(A, 18)"),
    ("h(X) :- p(X), 3 > X.", "at_least(A, 18)"),
    ("h(X) :- p(X), Y is X.", "arithmetic"),
    ("h(X) :- p(X, Y), Y = a.", "no unification"),
    ("h(X) :- p(X), q(Y), X \\= Y.", "not same(X, Y)"),
    ("h(X) :- p(X), q(Y), X \\== Y.", "not same(X, Y)"),
    ("h(X) :- p(X, A), A =:= 3.", "at_least(A, 18)"),
    ("h(X) :- p(X), X @< b.", "at_least(A, 18)"),
    ("h(X) :- p(X), !, q(X).", "no cut"),
    ("h(X) :- !p(X).", "write not"),
    ("h(X) :- not(p(X)).", "not without brackets"),
    ("h([X|T]) :- p(X).", "no lists"),
    ("0.3::a ; 0.7::b.", "a clause of its own"),
    ("?- p(X);", "at once"),
    ("?- p(X), !.", "no cut"),
    ("p(X), !.", "no cut"),
    ("p(X), q(X).", "a question begins with ?-"),
    ("?- p(X) and q(X).", "?- both(X)."),
    ("[family].", "%neurallog load"),
    ("listing(p/2).", "%neurallog program"),
    ("h(X) :-> p(X).", "write the arrow of a rule as :-"),
    ("x = 3", "a fact, such as"),
    ("p(a) = 0.8", "0.8::p(a)."),
    ("p(a) == True", "end it with a full stop"),
    ("p(a) = False", "0::p(a)."),
    ("h(X) = p(X).", "write :-"),
    ("p[a].", "p(a, b)"),
    ("// a remark", "%"),
    ("p(a, X)?", "?- p(a, X)."),
    ("? p(a, X).", "?- p(a, X)."),
    ("?- p(a, ?).", "such as Who"),
    ('print("hello")', "cannot print"),
    ('print("hello")\np(a).', "cannot print"),
    ("price(3)", "full stop"),
    ("p(a, X)", "to ask, write ?- before it"),
    ("?- \\+ p(a).", "cannot be negated"),
    ("?- parent(ann, X), age(X, _), city(X, 'Big Y').", "?- both(X)."),
    ("?- p(a), q(b).", "?- both."),
    ("?- assertz(parent(a, b)).", "write the clause"),
    (":- use_module(library(lists)).", "leave this line out"),
    (":- consult(family).", "load"),
    ("h(X) :- format('~w', [X]).", "cannot print"),
    ("h(X) :- p(X) | q(X).", "second rule"),
    ("p(a | b).", "separate terms by commas"),
    ("Parent(ann, bob).", "write parent"),
    ("_(a).", "lower-case"),
    ("p(caf\u00e9s).", '"caf\u00e9s"'),
    ("p(-a-b).", '"-a-b"'),
    ("0.5::learn(p).", "weights"),
    ("p(a, [b]).", "one clause for every item"),
    ("p(a). .", "one full stop"),
    ("for i in {0..1} do for j in a do p(a). done", "line 1, column 1"),
    ("for i in {0..1}\n  p({i}). done", "write do"),
    ("for 3 in {0..1} do p(a). done", "starts with a name"),
    ("p_{i}(a).", "for i in"),
    ("0.5::", "write an atom after ::"),
    ("?- not p(a).", "cannot be negated"),
    ("for(a).", "starts with a name"),
]


@pytest.mark.parametrize(("text", "phrase"), ADVICE)
def test_advice(text: str, phrase: str) -> None:
    with pytest.raises(NeuralLogError) as caught:
        parse(text)
    assert phrase in caught.value.hint


def test_advice_for_mistakes_found_later() -> None:
    assert lower_case_variable("x") == "a variable starts with a capital letter: write X"
