"""Plain questions are read without the grammar, to the same atom with the same spans."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.language.parser import TextInput, _run
from neurallog_kernel.language.plain import plain_question
from neurallog_kernel.language.syntax import Literal


def by_grammar(text: str) -> Literal | None:
    try:
        return _run(TextInput(text, "query", fast=False), "question")
    except NeuralLogError:
        return None


def spans(atom: Literal) -> list:
    return [atom.span, *(term.span for term in atom.terms)]


QUESTIONS = [
    "p(a, Y)",
    "?- p(a,Y).",
    "  p( a , _ , _ )  . ",
    "p-q(a-b)",
    "p(_Z, _, X)",
    "?-p(A1)",
]


@pytest.mark.parametrize("text", QUESTIONS)
def test_a_plain_question_is_read_as_the_grammar_reads_it(text: str) -> None:
    plain, full = plain_question(text, "query"), by_grammar(text)
    assert plain is not None and plain == full
    assert spans(plain) == spans(full)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.text(alphabet="pqinAY_a-1(), .?:'\n\tfordo", max_size=16))
def test_what_it_takes_the_grammar_takes(text: str) -> None:
    plain = plain_question(text, "query")
    if plain is not None:
        full = by_grammar(text)
        assert plain == full
        assert full is not None and spans(plain) == spans(full)


@pytest.mark.parametrize(
    "text", ["not(a)", "learn(p)", "p(in)", "p(1)", "p('a')", "p(a", "p()", "p"]
)
def test_everything_else_is_left_to_the_grammar(text: str) -> None:
    assert plain_question(text, "query") is None
