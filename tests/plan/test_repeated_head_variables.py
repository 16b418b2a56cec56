"""A head that repeats a variable keeps its weight on the diagonal (LANGUAGE 4.4)."""

from __future__ import annotations

from itertools import product

import pytest

from neurallog_kernel import Session
from tests.reference import Reference

PROGRAM = """
0.5::w(w0). e(a). e(b). 2::p(a, b). p(b, b). p(b, a).
t(X, X) :- e(X), w(w0).
s(X, Y, X) :- p(Y, X), w(w0).
"""


@pytest.mark.parametrize("function", ["maximum", "add", "minimum", "multiply"])
@pytest.mark.parametrize(
    ("question", "on", "off"),
    [("t(a, Y)", "a", "b"), ("t(Y, a)", "a", "b"), ("s(b, a, Y)", "b", "a")],
)
def test_nothing_beside_the_diagonal(function: str, question: str, on: str, off: str) -> None:
    session = Session()
    session.add(f"set_parameter(path_combining_function, {function}).{PROGRAM}")
    answers = session.query(question).weights
    assert (on,) in answers and (off,) not in answers


def test_path_function_on_the_diagonal() -> None:
    session = Session()
    session.add(f"set_parameter(path_combining_function, maximum).{PROGRAM}")
    assert session.query("t(a, Y)").weights == {("a",): 1.0}
    assert session.query("t(X, X)").weights == {("a",): 1.0, ("b",): 1.0}
    assert session.query("s(b, a, Y)").weights == {("b",): 2.0}


def test_explanation_of_the_diagonal_adds_up() -> None:
    session = Session()
    session.add(
        f"set_parameter(path_combining_function, maximum).{PROGRAM}"
        "0.25::q(a, a). q(a, b). h(X, Y) :- q(X, Z), t(Z, Y)."
    )
    assert session.query("h(a, Y)").weights == {("a",): 0.25, ("b",): 1.0}
    explained = session.explain("h(a, a)")
    for part in explained.part.walk():
        made = part.computed()
        assert made is None or not part.children or made == pytest.approx(part.value)


INPUTS = """
0.5::w(w0). e(a). e(b). e(c). 2::p(a, b). p(b, b). p(b, a). 3::p(a, c). 0.5::p(c, a).
0.25::q(a, b). 2::q(b, a). q(a, a). q(c, b).
"""
BODIES = [
    "h(X, X, Y) :- p(X, Y), w(w0), e(X), e(Y).",
    "h(X, X, Y) :- p(X, Y), sigmoid(Y), e(X), e(Y).",
    "h(X, X, Y) :- p(X, Z), p(Z, Y), softplus(Z), e(X), e(Y), e(Z).",
    "h(X, X, Y) :- e(Y), e(X), exponential(X).",
    "h(X, X, Y) :- not p(X, Y), w(w0), e(X), e(Y).",
    "0.5::h(X, X, Y) :- p(X, Y), softmax(Y), e(X), e(Y).",
]


@pytest.mark.parametrize("function", ["multiply", "maximum", "add", "minimum"])
@pytest.mark.parametrize("rule", BODIES)
def test_a_variable_repeated_among_the_inputs(function: str, rule: str) -> None:
    """`h(a, b, Y)` is nothing: no body, function or path function puts weight there."""
    text = f"set_parameter(path_combining_function, {function}).{INPUTS}{rule}"
    text += "g(X, Y) :- q(X, A), q(X, B), h(A, B, Y)."
    session, reference = Session(), Reference(text)
    session.add(text)
    for first, second in product("abc", repeat=2):
        question = f"h({first}, {second}, Y)"
        found = session.query(question).weights
        assert found == pytest.approx(reference.query(question))
        assert bool(found) == (first == second)
    for question in ("h(X, b, c)", "h(b, X, c)", "h(b, b, c)", "g(a, Y)", "g(c, Y)"):
        assert session.query(question).weights == pytest.approx(reference.query(question))


def test_a_variable_repeated_among_the_inputs_is_trained() -> None:
    """The network gives what the executor gives, and nothing is learned beside the diagonal."""
    session = Session()
    session.add(INPUTS + BODIES[1] + "learn(p). example(h, a, a, b). 0::example(h, a, b, c).")
    session.train(epochs=3, learning_rate=0.1, seed=1)
    assert session.query("h(a, b, Y)").weights == {}
    assert session.query("h(a, a, b)").weights[()] > 0.88
