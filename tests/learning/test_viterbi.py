"""Viterbi's algorithm against all sequences of labels, one by one."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from neurallog_kernel import NeuralLogError, viterbi
from tests.language.generators import examples as cases

# halves, so that sums are exact and many sequences are equally good
halves = st.integers(-4, 4).map(lambda n: n / 2)


@st.composite
def chains(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
    steps, labels = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    emissions = draw(arrays(float, (steps, labels), elements=halves))
    transitions = draw(st.none() | arrays(float, (labels, labels), elements=halves))
    initial = draw(st.none() | arrays(float, (labels,), elements=halves))
    return emissions, transitions, initial


def score(labels, emissions, transitions, initial) -> float:
    found = sum(emissions[t, label] for t, label in enumerate(labels))
    if initial is not None:
        found += initial[labels[0]]
    if transitions is not None:
        found += sum(transitions[a, b] for a, b in pairwise(labels))
    return float(found)


@cases(400)
@given(chains())
def test_no_sequence_is_better(chain) -> None:
    found = viterbi(*chain)
    emissions = chain[0]
    every = product(range(emissions.shape[1]), repeat=len(emissions))
    scores = {labels: score(labels, *chain) for labels in every}
    best = max(scores.values())
    assert found.score == best == scores[tuple(found.labels.tolist())]
    ties = [labels for labels, value in scores.items() if value == best]
    assert tuple(found.labels.tolist()) == min(ties, key=lambda labels: labels[::-1])


def test_a_sequence_without_steps() -> None:
    found = viterbi(np.zeros((0, 3)))
    assert found.labels.tolist() == [] and found.score == 0.0


def test_what_is_impossible_is_avoided() -> None:
    never = -np.inf
    found = viterbi([[0.0, 1.0], [0.0, 5.0]], [[0.0, never], [0.0, never]])
    assert found.labels.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (([1.0, 2.0],), "a row for each step"),
        (([[1.0, 2.0]], [[1.0]]), r"transitions has the shape \(2, 2\), not \(1, 1\)"),
        (([[1.0, 2.0]], None, [1.0]), r"initial has the shape \(2,\), not \(1,\)"),
        (([[1.0, float("nan")]],), "not a number"),
    ],
)
def test_tables_that_do_not_fit(arguments, says: str) -> None:
    with pytest.raises(NeuralLogError, match=says):
        viterbi(*arguments)
