"""Slopes are what central differences say."""

from __future__ import annotations

import math

import pytest

from neurallog_kernel import Session
from tests.explain.ground import ground_questions
from tests.programs import Drawn, program

STEP = 1e-4


def with_weight(text: str, name: str, kind: str, weight: float) -> Session:
    session = Session()
    session.add(text, source="program")
    if kind == "fact":
        session.add(f"{weight!r}::{name}.", source="moved")
    return session


def differences(text: str, question: str, name: str, weight: float) -> tuple[float, float, float]:
    """Slopes below, above and across; they differ at a corner."""
    values = [
        with_weight(text, name, "fact", weight + step).query(question).weight
        for step in (-STEP, 0.0, STEP)
    ]
    below, above = (values[1] - values[0]) / STEP, (values[2] - values[1]) / STEP
    return below, above, (values[2] - values[0]) / (2 * STEP)


@pytest.mark.parametrize("seed", range(14))
def test_slopes_of_facts_are_central_differences(seed: int) -> None:
    text = str(program(Drawn(seed)))
    session = Session()
    session.add(text, source="program")
    for question, _ in list(ground_questions(session, 2))[:8]:
        for slope in session.sensitivity(question).slopes[:4]:
            if slope.kind != "fact" or abs(slope.slope) > 1e4:
                continue
            below, above, across = differences(text, question, slope.name, slope.weight)
            if not math.isfinite(across) or abs(below - above) > 1e-2 * max(1, abs(across)):
                continue  # a corner, or far from straight
            expected = pytest.approx(across, rel=2e-3, abs=1e-3)
            assert slope.slope == expected, (question, slope)


def test_slopes_of_rules_are_central_differences() -> None:
    def text(first: float, second: float) -> str:
        return (
            "0.5::p(a, b). 2::p(b, c). 0.3::q(a, c)."
            f"{first}::r(X, Z) :- p(X, Y), p(Y, Z), tanh(Z)."
            f"{second}::r(X, Z) :- q(X, Z). s(X, Z) :- r(X, Z), sigmoid(Z)."
        )

    def answer(first: float, second: float) -> float:
        session = Session()
        session.add(text(first, second))
        return session.query("s(a, c)").weight

    session = Session()
    session.add(text(0.7, 0.7))
    slopes = {
        s.name.split(" :- ")[1]: s.slope for s in session.sensitivity("s(a, c)") if s.kind == "rule"
    }
    first = (answer(0.7 + STEP, 0.7) - answer(0.7 - STEP, 0.7)) / (2 * STEP)
    second = (answer(0.7, 0.7 + STEP) - answer(0.7, 0.7 - STEP)) / (2 * STEP)
    assert slopes["p(X, Y), p(Y, Z), tanh(Z)."] == pytest.approx(first, rel=1e-5)
    assert slopes["q(X, Z)."] == pytest.approx(second, rel=1e-5)


def test_the_text_ranks_and_names_the_place() -> None:
    session = Session()
    session.add("2::p(a, b). 3::q(b, c).\nr(X, Z) :- p(X, Y), q(Y, Z).", source="program")
    lines = str(session.sensitivity("r(a, c)")).splitlines()
    assert lines[0].startswith("r(a, c) = 6; ")
    assert lines[1] == "  6  r(X, Z) :- p(X, Y), q(Y, Z).  (weight 1)   [program:2]"
    assert lines[2] == "  3  p(a, b)  (weight 2)   [program:1]"
    table = session.sensitivity("r(a, c)").to_pandas()
    assert list(table.slope) == [6.0, 3.0, 2.0]
