"""A head that repeats a variable keeps its weight on the diagonal (LANGUAGE 4.4)."""

from __future__ import annotations

import pytest

from neurallog_kernel import Session

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
