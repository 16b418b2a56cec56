"""The values of a rule in the X-ray are those of the network."""

from __future__ import annotations

import pytest

from neurallog_kernel import Session


@pytest.mark.parametrize(("negation", "factor"), [("complement", 0.75), ("negative", -0.25)])
def test_ground_literals_follow_the_negation_function(negation: str, factor: float) -> None:
    session = Session()
    session.add(
        f"set_parameter(literal_negation_function, {negation})."
        "p(a, b). 0.25::w(w0). h(X, Y) :- p(X, Y), not w(w0)."
    )
    (view,) = session.rules("h/2")
    trace = session.inspect().trace(view.rule, 1, {0: "a"})
    assert list(trace.grounded.values()) == [factor]
    assert session.query("h(a, b)").weights == {(): factor}


def test_ground_literals_of_an_empty_predicate() -> None:
    session = Session()
    session.add("p(a, b). h(X, Y) :- p(X, Y), not none(c).")
    (view,) = session.rules("h/2")
    trace = session.inspect().trace(view.rule, 1, {0: "a"})
    assert list(trace.grounded.values()) == [1.0]
    assert session.query("h(a, b)").weights == {(): 1.0}
