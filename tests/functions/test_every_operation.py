"""Every function, combiner and aggregate through every engine: questions, training, gradients,
export, explanation and the reference say the same."""

from __future__ import annotations

import pytest

from neurallog_kernel import Session
from neurallog_kernel.functions import (
    AGGREGATIONS,
    BUILTIN_FUNCTIONS,
    COMBINERS,
    COMPARISONS,
    NEGATIONS,
)
from tests.export import test_graph as exported
from tests.learning import test_gradients as gradients
from tests.learning import test_parity as trained
from tests.learning.helpers import start
from tests.reference import Reference

# Numbers of both signs, and none at a corner of a function; what is learned is r.
FACTS = """
0.5::p(a, b). -0.8::p(a, c). 1.5::p(b, c). -0.7::p(c, a). 0.9::p(b, b).
1.2::q(a, a). -0.6::q(b, c). 0.4::q(c, b). 1.1::q(c, c). 0.35::q(a, b).
0.45::r(a, b). -0.3::r(b, c). 0.65::r(c, a). 0.85::r(a, c). 0.3::u(a). 0.9::u(b).
"""


def programs() -> dict[str, str]:
    found = {}
    for name in BUILTIN_FUNCTIONS:
        found[f"function {name}"] = (
            f"h(X, Y) :- r(X, Y), {name}(Y). h(X, Y) :- r(X, Z), {name}(Z), q(Z, Y)."
            f"k(X) :- r(X, Y), {name}(Y)."
        )
    rules = """h(X, Y) :- r(X, Y), q(X, Y).
    h(X, Y) :- r(X, Z), p(Z, W), q(X, W), u(W), r(W, Y), u(a).
    k(X) :- r(X, Y), u(Y), u(X). k(X) :- p(X, Y)."""
    for setting in ("and", "path", "edge", "literal"):
        for name in COMBINERS:
            found[f"{setting} {name}"] = (
                f"set_parameter({setting}_combining_function, {name}). {rules}"
            )
    for name in ("top_1", "top_2", "top_5"):
        found[f"literal {name}"] = (
            f"set_parameter(literal_combining_function, {name}). {rules}"
            "h(X, Y) :- p(X, Y). h(X, Y) :- q(X, Y), u(X). 0.1::h(a, b). 0.2::k(a). 0.4::k(c)."
        )
    for name in COMPARISONS:
        found[f"comparison {name}"] = (
            "age(a, 3). 0.5::age(b, 7). age(c, -2)."
            f"h(X, Y) :- r(X, Y), age(Y, A), {name}(A, 3)."
            f"h(X, Y) :- r(X, Z), age(Z, A), {name}(A, 2.5), q(Z, Y)."
            f"k(X) :- r(X, Y), age(X, A), {name}(A, 0), age(Y, B), {name}(B, 5), tanh(B)."
        )
    for name in AGGREGATIONS:
        found[f"any {name}"] = (
            f"set_parameter(any_aggregation_function, {name})."
            "h(X, Y) :- r(X, Z), u(Y). h(X, Y) :- p(X, Y), r(Z, W), q(W, V). k(X) :- r(X, Y)."
        )
    for name in NEGATIONS:
        found[f"not {name}"] = (
            f"set_parameter(literal_negation_function, {name})."
            "h(X, Y) :- p(X, Z), not r(Z, Y), not u(X), not u(a). k(X) :- not r(X, a)."
        )
    return found


PROGRAMS = programs()


@pytest.fixture(params=PROGRAMS)
def case(request: pytest.FixtureRequest) -> str:
    return request.param


def opened(case: str, learned: bool = False) -> Session:
    session = Session()
    session.add(f"{FACTS} {PROGRAMS[case]} {'learn(r).' if learned else ''}", source="program")
    return session


def test_questions_are_what_the_reference_says(case: str) -> None:
    session, reference = opened(case), Reference(f"{FACTS} {PROGRAMS[case]}")
    for question in ("h(X, Y)", "h(a, Y)", "h(X, c)", "k(X)"):
        expected = {key: w for key, w in reference.query(question).items() if abs(w) > 1e-12}
        found = {k: w for k, w in session.query(question).weights.items() if abs(w) > 1e-12}
        assert found == pytest.approx(expected), question


def test_network_and_exported_graph_are_what_questions_say(case: str, eager: None) -> None:
    session = opened(case, learned=True)
    start(session, 1)
    assert trained.differences(session) == []
    assert exported.differences(session) == []


def test_explanations_add_up_and_slopes_are_central_differences(case: str) -> None:
    session = opened(case)
    question = "h(a, c)"
    for part in session.explain(question, 1000).part.walk():
        computed = part.computed()
        assert computed is None or computed == pytest.approx(part.value), part
    step = 1e-5
    for slope in session.sensitivity(question).slopes:
        if slope.kind != "fact":
            continue
        sides = []
        for moved in (slope.weight - step, slope.weight + step):
            other = opened(case)
            other.add(f"{moved!r}::{slope.name}.", source="moved")
            sides.append(other.query(question).weight)
        across = (sides[1] - sides[0]) / (2 * step)
        assert slope.slope == pytest.approx(across, rel=1e-4, abs=1e-6), slope


def test_gradients_are_central_differences(case: str, eager: None) -> None:
    text = f"{FACTS} {PROGRAMS[case]} {gradients.EXAMPLES}"
    session = Session()
    session.add(f"{text} learn(r).")
    before = gradients.learned_weights(session, "r")
    expected = dict(gradients.central_differences(text, before, unknown=False))
    for backend in ("tensorflow", "numpy"):
        session.train(**gradients.one_step(backend))
        after = gradients.learned_weights(session, "r")
        session.undo()
        moved = {atom: before[atom] - after[atom] for atom in before}
        assert moved == pytest.approx(expected, rel=1e-5, abs=1e-7), backend
