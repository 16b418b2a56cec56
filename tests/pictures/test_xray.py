"""The X-ray: the numbers of a question in the graph of a rule, and what it refuses."""

import pytest

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.pictures.show import show
from neurallog_kernel.pictures.svg import svg
from neurallog_kernel.pictures.xray import xrays

PROGRAM = """
target(X, Y) :- p0(X, Z), p1(X, Z), p2(Z, Y), p3(X, V), p4(U, Y), p5(Z), w.
p0(a, b). p0(a, c). p1(a, b). 0.5::p1(a, c). p2(b, d). p2(c, e). p3(a, v). 0.25::p3(a, r).
p4(u, d). p4(t, e). p5(b). 0.5::p5(c). 0.8::w.
wide(X, Y) :- many(X, Y).
"""


@pytest.fixture
def session() -> Session:
    session = Session()
    session.add(PROGRAM + " ".join(f"many(a, e{number})." for number in range(9)))
    return session


def test_it_writes_the_numbers_of_a_question_into_the_rule(session):
    (picture,) = xrays(session, "target(a, Y)")
    labels = {part.label for part in (*picture.marks, *picture.arrows)}
    assert {"Z\nb 1\nc 0.25", "any(V, Y)\nΣ 1.25", "p1(X, Z)\nb 1\nc 0.5", "w = 0.8"} <= labels
    assert picture.notes == ("the rule gives d 1, e 0.25",)
    assert session.query("target(a, Y)").weights == {("d",): 1.0, ("e",): 0.25}
    assert "any: the sum of V, 1.25, goes to all" in picture.text


def test_it_goes_both_ways_and_shows_few_of_many(session):
    (picture,) = xrays(session, "wide(a, e3)")
    assert "Y\ne0 1\ne1 1\ne2 1\n+ 6 more" in {mark.label for mark in picture.marks}
    (picture,) = xrays(session, "wide(Who, e3)")
    assert picture.notes == ("the rule gives a 1",)


def test_names_from_data_are_text_in_it(session):
    session.add("odd(X, Y) :- q(X, Y). q(a, '<b>&\"x').")
    (picture,) = xrays(session, "odd(a, Y)")
    drawn = svg(picture)
    assert drawn is not None
    assert "<b>" not in drawn
    assert "&lt;b&gt;&amp;" in drawn


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("p0(a, Y)", "p0/2 has facts only"),
        ("target(X, Y)", "name an entity at place 1 of target/2"),
        ("target(nobody, Y)", "unknown entity nobody"),
        ("targt(a, Y)", "unknown predicate targt/2"),
    ],
)
def test_what_cannot_be_followed_says_why(session, question, said):
    with pytest.raises(NeuralLogError, match=said):
        xrays(session, question)


def test_the_network_shows_the_numbers_a_rule_reads(session):
    session.add("age(a, 3). age(b, 4). older(X, Y) :- p0(X, Y), age(X, N).")
    drawing = show(session, "older/2", "network")
    assert not isinstance(drawing, list)
    assert "age\n2 numbers" in {mark.label for mark in drawing.picture.marks}
