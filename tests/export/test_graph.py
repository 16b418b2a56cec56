"""The exported graph computes what queries compute, on generated programs, in every direction.

`NEURALLOG_FUZZ=3000` tries that many programs, from `NEURALLOG_SEED` on.
"""

from __future__ import annotations

import os
import warnings

import numpy as np
import pytest

from neurallog_kernel import Session
from neurallog_kernel.export.graph import GraphMaker
from neurallog_kernel.export.question import ExportedQuestion, question_of
from neurallog_kernel.network.compiler import Compiler
from neurallog_kernel.network.parameters import LearnedPredicates
from neurallog_kernel.network.tensorflow import tensorflow
from tests.learning.helpers import executor_predictions, full_target, start
from tests.learning.test_parity import no_differences, targets

PROGRAMS = int(os.environ.get("NEURALLOG_FUZZ", "0")) or 60
FIRST = int(os.environ.get("NEURALLOG_SEED", "0"))
AT_ONCE = 20  # programs of one test


def graphs(session: Session) -> dict[str, GraphMaker]:
    """The graph of weights that stay, and that of weights that can be trained."""
    program, planner, executor = session._program, session._planner, session._evaluator.engine
    parameters = LearnedPredicates(program, session._relations, "float64")
    variables = {parameter.signature: parameter.variable for parameter in parameters}
    compiler = Compiler(parameters, executor, planner.algebra)
    return {
        "frozen": GraphMaker(executor, "float64"),
        "trainable": GraphMaker(executor, "float64", compiler, variables),
    }


def computed(
    question: ExportedQuestion, graph: GraphMaker, columns: dict[int, np.ndarray]
) -> np.ndarray:
    tf = tensorflow()
    inputs = [tf.constant(columns[place]) for place in question.places]
    found = question.weights(graph, inputs).numpy()
    if not question.has_names:
        return found.reshape(-1, 1)
    unsorted = np.empty_like(found)
    unsorted[:, question.order] = found
    return unsorted


def differences(session: Session) -> list[str]:
    found = []
    for kind, graph in graphs(session).items():
        for signature, output in targets(session):
            target = full_target(session, signature, output)
            if target is None:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # overflow, on both sides
                expected = executor_predictions(session, target)
                question = question_of(session._evaluator, signature, output)
                weights = computed(question, graph, dict(target.columns))
            small = ~(np.abs(expected) >= 1e30)  # beyond, sums of either sign are all rounding
            same = np.isclose(weights, expected, rtol=1e-6, atol=1e-6, equal_nan=True)
            if not same[small].all():
                row, column = np.argwhere(small & ~same)[0]
                found.append(
                    f"{kind}, {signature} towards {output}: at row {row}, output {column} the "
                    f"graph has {weights[row, column]}, the executor {expected[row, column]}"
                )
    return found


@pytest.mark.parametrize("first", range(FIRST, FIRST + PROGRAMS, AT_ONCE))
def test_the_graph_computes_what_queries_compute(first: int) -> None:
    no_differences(range(first, first + AT_ONCE), differences)


def test_concepts_in_small_batches_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """A learned concept of many entities is computed some at a time; here already of four."""
    sizes = []

    def few(size: int) -> int:
        sizes.append(size)
        return 3

    monkeypatch.setattr("neurallog_kernel.export.graph.batch_size", few)
    session = Session()
    session.add(
        """
        p(a, b). 0.5::p(b, c). 2::p(c, d). p(d, a). 0.3::p(a, d). learn(l). learn(p).
        k(X) :- p(X, Y), l(Y), tanh(Y), p(Y, Z), sigmoid(Z).
        h(X, Z) :- p(X, Y), k(Y), p(Y, Z).
        m(X) :- h(X, Y), k(Y), tanh(Y).
        g(X, Y) :- m(X), m(Y).
        """
    )
    start(session, 1)
    assert differences(session) == []
    assert 4 in sizes
