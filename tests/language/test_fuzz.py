"""Whatever the text, the answer is clauses or an error with a place inside the text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.language import expand, format_program, parse, parse_query
from tests.language.generators import examples, mutated, soups


def assert_in_text(error: NeuralLogError, text: str) -> None:
    span = error.span
    assert span is not None
    lines = text.split("\n")
    assert 1 <= span.line <= span.end_line <= len(lines)
    assert 1 <= span.column <= len(lines[span.line - 1]) + 1
    assert 1 <= span.end_column <= len(lines[span.end_line - 1]) + 1
    assert (span.line, span.column) <= (span.end_line, span.end_column)
    assert error.message
    assert "^" in str(error)


def check(text: str) -> None:
    try:
        clauses = expand(parse(text))
    except NeuralLogError as error:
        assert_in_text(error, text)
    else:
        assert expand(parse(format_program(clauses))) == clauses


@examples(300)
@given(st.text(max_size=60))
def test_arbitrary_text(text: str) -> None:
    check(text)


@examples(300)
@given(soups)
def test_pieces_of_the_language(text: str) -> None:
    check(text)


@examples(300)
@given(mutated())
def test_mutated_programs(text: str) -> None:
    check(text)


@examples(300)
@given(st.one_of(soups, mutated("?- parent(ann, 'B c', X, _, 1.5e-3).")))
def test_questions(text: str) -> None:
    try:
        parse_query(text)
    except NeuralLogError as error:
        assert_in_text(error, text)


def test_deep_and_long_texts() -> None:
    for text in (
        "set_parameter(a, " + "[" * 20_000,
        "set_parameter(a, " + "[" * 20_000 + "b" + "]" * 20_000 + ").",
        "p(" * 20_000,
        "for i in a do " * 500 + "p({i}). " + "done " * 500,
        "p(" + "9" * 30_000 + ").",
        "for i in {1.." + "9" * 10_000 + "} do p(a). done",
        "p(" + "a" * 30_000 + "é).",
        '"' * 30_001,
        "/*" * 20_000,
        "{" * 20_000,
        "." * 20_001,
        "-" * 20_000,
        "p :- " + "q, " * 5_000 + "q.",
    ):
        check(text)
