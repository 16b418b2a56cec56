"""`for` loops: ranges, names, quoted values, nesting, and what they fill in."""

from __future__ import annotations

import pytest

from neurallog_kernel.language import format_program, parse


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("for i in {1..3} do p({i}). done", "p(1). p(2). p(3)."),
        ("for i in {-1..0} do p_{i}(a{i}). done", "p_-1(a-1). p_0(a0)."),
        ("for i in {2..1} do p({i}). done q.", "q."),
        ("for i in {2..2} do p(1{i}, -{i}). done", "p(12, -2)."),
        ("for v in red Blue 3 0.5 do p({v}). done", "p(red). p(Blue). p(3). p(0.5)."),
        ('for v in "dark blue" do p({v}, "a {v}"). done', 'p("dark blue", "a dark blue").'),
        ("for v in 'a' \"B\" do p({v}). q_{v}x(c). done", 'p(a). q_ax(c). p("B"). q_Bx(c).'),
        ('for v in "b c" do p(a_{v}). done', 'p("a_b c").'),
        (
            "for i in a b do p({i}). for j in {0..1} do q_{i}({j}). done r({i}). done",
            "p(a). q_a(0). q_a(1). r(a). p(b). q_b(0). q_b(1). r(b).",
        ),
        ("for i in a b do for i in c do p({i}). done done", "p(c). p(c)."),
        ('for i in a do for j in "x{i}" do p({j}). done done', "p(xa)."),
        ("for i in a do 0.5::h(X) :- p_{i}(X, _), not q(X, {i}). done",
         "0.5::h(X) :- p_a(X, _), not q(X, a)."),
        ("for i in 1 do h_{j}(X) :- p_{j}_{i}(X). done", "h_{j}(X) :- p_{j}_1(X)."),
        ("for i in 1 do set_parameter(m, [a, b{i}, [{i}]]). done",
         "set_parameter(m, [a, b1, [1]])."),
        ("for p in w v do learn({p}). 2::example({p}, a). done",
         "learn(w). 2::example(w, a). learn(v). 2::example(v, a)."),
        ("for d in learn do {d}(w). done", "learn(w)."),
        ("for i in a do ?- p({i}, X). done", "?- p(a, X)."),
        ('for i in a do p("{j}"). done', 'p("{j}").'),
        ("for v in _ do p({v}, _, {v}). done", "p(_, _, _)."),
        ("for X in a do p({X}, X). done", "p(a, X)."),
    ],
)  # fmt: skip
def test_expansion(text: str, expected: str) -> None:
    assert parse(text) == parse(expected)
    assert format_program(parse(text)).split("\n") == format_program(parse(expected)).split("\n")


def test_copies_keep_the_place_of_the_original() -> None:
    clauses = parse("for i in a b do\n  p({i}).\ndone")
    assert [(one.span.line, one.span.column) for one in clauses if one.span] == [(2, 3), (2, 3)]  # type: ignore[union-attr]
