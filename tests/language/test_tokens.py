"""How characters become numbers, names, quoted constants and comments."""

from __future__ import annotations

import pytest

from neurallog_kernel.errors import Span
from neurallog_kernel.language import expand, parse, parse_query
from neurallog_kernel.language.syntax import (
    Constant,
    Fact,
    Literal,
    Number,
    Rule,
    Term,
    Variable,
)


def terms(text: str) -> tuple[Term, ...]:
    return parse_query(f"p({text})").terms


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("0", 0), ("-3", -3), ("1.5", 1.5), (".5", 0.5), ("-.5", -0.5), ("007", 7)),
        *(("1e-3", 0.001), ("2E5", 2e5), ("1.5e+2", 150), ("-.5E1", -5), ("1e5", 1e5)),
    ],
)
def test_numbers(text: str, value: float) -> None:
    assert terms(text) == (Number(float(value)),)
    (fact,) = parse(f"{text}::q.")
    assert fact == Fact(Literal("q"), float(value))


@pytest.mark.parametrize(
    ("text", "term"),
    [
        *(("a-b", Constant("a-b")), ("aB_1-", Constant("aB_1-")), ("format", Constant("format"))),
        *(("X", Variable("X")), ("_Name", Variable("_Name")), ("X-1", Variable("X-1"))),
        *(("'a'", Constant("a")), ('"a"', Constant("a")), ("''", Constant(""))),
        *((r'"a\"b"', Constant('a"b')), (r"'it\'s'", Constant("it's")), (r"'\\'", Constant("\\"))),
        *(
            (r'"\n\t\r"', Constant("\n\t\r")),
            (r'"\q\0"', Constant("q0")),
            (r'"\x41"', Constant("A")),
        ),
        *(('"a\nb"', Constant("a\nb")), ('"é % # /*"', Constant("é % # /*"))),
        ('"{i}"', Constant("{i}")),
    ],
)
def test_terms(text: str, term: Term) -> None:
    assert terms(text) == (term,)


@pytest.mark.parametrize("text", ["p(a).2::q(b).", "p(a).\n2::q(b).", "p(a). 2 :: q ( b ) ."])
def test_a_dot_after_a_bracket_ends_the_clause(text: str) -> None:
    assert [one.weight for one in parse(text) if isinstance(one, Fact)] == [1.0, 2.0]


@pytest.mark.parametrize(
    "text",
    [
        "p. q.",
        "p.q.",
        "p . % c\n q.",
        "p /* . \n * / */.# c\nq.",
        "\r\np.\r\n\tq.\r\n",
        "% only this line\n#and this\n/**/p./*//**/q.",
    ],
)
def test_blanks_and_comments(text: str) -> None:
    assert parse(text) == (Fact(Literal("p")), Fact(Literal("q")))


def test_an_empty_text_is_an_empty_program() -> None:
    assert parse("") == parse(" \n% nothing\n") == ()


def test_every_anonymous_variable_is_a_new_one() -> None:
    (rule, other) = parse("h(_) :- p(_, X), q(_). r(_).")
    assert isinstance(rule, Rule)
    names = [
        t.name for one in (rule.head, *rule.body) for t in one.terms if isinstance(t, Variable)
    ]
    assert names == ["_#1", "_#2", "X", "_#3"]
    assert isinstance(other, Fact)
    assert other.atom.terms == (Variable("_#1"),)


def test_questions_come_with_or_without_mark_and_stop() -> None:
    atom = Literal("p", (Constant("a"), Variable("Y")))
    for text in ("p(a, Y)", "p(a, Y).", "?- p(a, Y).", " ?-p(a,Y) % c"):
        assert parse_query(text) == atom
    assert parse_query("w") == Literal("w")


def test_rules() -> None:
    (rule,) = parse("0.7::h(X, Y) :- p(X, Z), not q(Z, Y).")
    assert isinstance(rule, Rule)
    assert rule.weight == 0.7
    assert [literal.negated for literal in rule.body] == [False, True]
    assert parse("h(X, Y) :- .") == (Rule(Literal("h", (Variable("X"), Variable("Y")))),)


def test_spans() -> None:
    (fact, rule) = expand(parse("p(a).\n 0.5::h(X) :-\n  not q('x\ny', X).", source="cell"))
    assert fact.span == Span("cell", 1, 1, 1, 5)
    assert isinstance(rule, Rule)
    assert rule.span == Span("cell", 2, 2, 4, 7)
    assert rule.head.span == Span("cell", 2, 7, 2, 11)
    (literal,) = rule.body
    assert literal.span == Span("cell", 3, 3, 4, 7)
    assert [term.span for term in literal.terms] == [
        Span("cell", 3, 9, 4, 3),
        Span("cell", 4, 5, 4, 6),
    ]


def test_line_separators_of_other_alphabets_are_no_line_breaks() -> None:
    (first, second) = expand(parse('p("a\u2028b\x0b\x85"). q(b).'))
    assert first.span is not None
    assert second.span is not None
    assert second.span.line == 1
