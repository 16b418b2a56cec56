"""The engines: what one can do, and that both compute the same, asked by the protocol alone."""

from __future__ import annotations

import os
import warnings
from dataclasses import replace

import numpy as np
import pytest

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.evaluate.engine import Engine
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.executor import Executor
from neurallog_kernel.evaluate.questions import Questions
from neurallog_kernel.evaluate.rows import Rows, sparse
from neurallog_kernel.export.engine import TensorFlowEngine
from neurallog_kernel.export.graph import GraphMaker
from neurallog_kernel.language import parse_query
from neurallog_kernel.learning.figures.predictions import predict
from tests.learning.helpers import full_target
from tests.learning.test_parity import no_differences, targets

PROGRAMS = int(os.environ.get("NEURALLOG_FUZZ", "0")) or 40
FIRST = int(os.environ.get("NEURALLOG_SEED", "5000"))
AT_ONCE = 20

FAMILY = """
p(a, b). 0.5::p(b, c). 2::p(c, a). 0.3::t(b). t(c). on :- t(X).
g(X, Z) :- p(X, Y), p(Y, Z).
c(X) :- p(X, Y), t(Y), tanh(Y).
n(X, Y) :- g(X, Y), not t(Y).
"""


def engines(session: Session) -> dict[str, Engine]:
    scipy = Executor(session._evaluator.storage)
    return {"scipy": scipy, "tensorflow": TensorFlowEngine(GraphMaker(scipy, "float64"))}


def evaluators(session: Session) -> dict[str, Evaluator]:
    return {name: replace(session._evaluator, engine=one) for name, one in engines(session).items()}


def differences(session: Session) -> list[str]:
    found = []
    both = evaluators(session)
    for signature, output in targets(session):
        target = full_target(session, signature, output)
        if target is None:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # overflow, on both sides
            expected, computed = (predict(evaluator, target) for evaluator in both.values())
        layer = session._evaluator.layer(signature, output)
        for name, evaluator in both.items():
            if evaluator.engine.supports(layer.result) is not None:
                found.append(f"{name} does not support {signature}")
        small = ~(np.abs(expected) >= 1e30)  # beyond, sums of either sign are all rounding
        same = np.isclose(computed, expected, rtol=1e-6, atol=1e-6, equal_nan=True)
        if not same[small].all():
            at = int(np.flatnonzero(small & ~same)[0])
            found.append(f"{signature} towards {output}: {computed[at]} and {expected[at]}")
    return found


@pytest.mark.parametrize("first", range(FIRST, FIRST + PROGRAMS, AT_ONCE))
def test_both_engines_compute_the_same(first: int) -> None:
    no_differences(range(first, first + AT_ONCE), differences)


@pytest.mark.parametrize(
    "query", ["g(a, X)", "g(X, a)", "n(b, a)", "c(X)", "c(a)", "on", "g(X, Y)"]
)
def test_questions_are_answered_by_either_engine(query: str) -> None:
    session = Session()
    session.add(FAMILY)
    expected = session.query(query).weights
    for name, evaluator in evaluators(session).items():
        found = Questions(evaluator).answer(parse_query(query)).weights
        assert found == pytest.approx(expected), name


def test_a_vector_of_several_entities_is_an_input() -> None:
    session = Session()
    session.add(FAMILY)
    layer = session._evaluator.layer(("n", 2))
    size = len(session._evaluator.domain(("n", 2), 0))
    given = sparse(2, size, np.array([0, 1, size + 2]), np.array([0.5, 2.0, -1.0]))
    found = [engine.evaluate(layer.result, {0: given}) for engine in engines(session).values()]
    first, second = (one.dense() for one in found if isinstance(one, Rows))
    assert first.shape == (2, len(session._evaluator.domain(("n", 2), 1)))
    assert first.any()
    assert second == pytest.approx(first)


# -- what an engine can do ------------------------------------------------------------------------


def with_function() -> Session:
    session = Session()
    session.register("sawtooth", lambda x: np.asarray(x) - np.floor(np.asarray(x)))
    session.add("p(a, b). 1.5::p(b, c). 0.3::t(b). t(c).")
    session.add("h(X, Z) :- p(X, Y), sawtooth(Y), p(Y, Z). k(X) :- t(X), sawtooth(X).")
    session.add("q(X, Z) :- p(X, Y), p(Y, Z). r(X, Y) :- q(X, Y), h(X, Y).")
    return session


def test_an_engine_names_the_first_part_that_it_cannot_do() -> None:
    session = with_function()
    scipy, tensorflow = engines(session).values()
    for predicate, missing in (("h", True), ("r", True), ("q", False)):
        plan = session._evaluator.layer((predicate, 2)).result
        assert scipy.supports(plan) is None
        said = tensorflow.supports(plan)
        if missing:
            assert said == "the function sawtooth: it is defined for NumPy only"
            with pytest.raises(NeuralLogError, match="the function sawtooth cannot be exported"):
                session.to_keras(f"{predicate}/2")(["a"])
        else:
            assert said is None


def test_a_function_that_has_a_form_for_tensors_is_supported() -> None:
    session = Session()
    session.register("double", lambda x: x * 2)  # of whatever it is given
    session.register("half", lambda x: np.asarray(x) / 2, tensorflow=lambda x: x / 2)
    session.add("p(a, b). h(X, Y) :- p(X, Y), double(Y), half(Y).")
    plan = session._evaluator.layer(("h", 2)).result
    assert [engine.supports(plan) for engine in engines(session).values()] == [None, None]


def test_what_depends_on_no_input_needs_no_form_for_tensors() -> None:
    """It is folded: the graph holds its numbers."""
    session = with_function()
    plan = session._evaluator.layer(("k", 1)).result
    tensorflow = engines(session)["tensorflow"]
    assert tensorflow.supports(plan) is None
    found = tensorflow.evaluate(plan)
    assert isinstance(found, Rows)
    assert found.dense().any()
    assert found.dense() == pytest.approx(session._evaluator.rows(plan).dense())


def test_calls_with_too_large_a_table_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neurallog_kernel.export.graph.MOST_CELLS", 3)
    session = Session()
    rules = "".join(f"p{i}(X, Z) :- p{i - 1}(X, Y), p{i - 1}(Y, Z).\n" for i in range(1, 30))
    session.add("p0(a, b). p0(b, a). " + rules)
    plan = session._evaluator.layer(("p29", 2)).result
    said = engines(session)["tensorflow"].supports(plan)
    assert said is not None and said.endswith("their table would be too large")
    assert said.startswith("the calls of p")
