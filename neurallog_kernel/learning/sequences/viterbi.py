"""The best sequence of labels, where each label has a score and so has each pair of neighbours."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from neurallog_kernel.errors import ParameterError


class BestPath(NamedTuple):
    """The labels of the best sequence, by their columns, and its score."""

    labels: np.ndarray
    score: float


def viterbi(
    emissions: np.ndarray, transitions: np.ndarray | None = None, initial: np.ndarray | None = None
) -> BestPath:
    """The sequence of labels with the highest sum of scores (Viterbi's algorithm).

    `emissions[t, j]` is the score of label j at step t, `transitions[i, j]` that of label j after
    label i, `initial[j]` that of label j at the first step. Give the logarithms of probabilities:
    then the sum is the logarithm of the product. Of equally good sequences the one with the
    smallest last label is taken, then with the smallest label before it, and so on.

    >>> emissions = [[2.0, 1.0], [1.0, 1.5], [1.0, 1.5]]
    >>> viterbi(emissions).labels.tolist()
    [0, 1, 1]
    >>> viterbi(emissions, transitions=[[1.0, 0.0], [0.0, 0.0]])
    BestPath(labels=array([0, 0, 0]), score=6.0)
    """
    scores, between, first = _checked(emissions, transitions, initial)
    steps = len(scores)
    if not steps:
        return BestPath(np.zeros(0, dtype=np.int64), 0.0)
    best = scores[0] + first
    came_from = np.zeros(scores.shape, dtype=np.int64)
    for step in range(1, steps):
        candidates = best[:, None] + between
        came_from[step] = candidates.argmax(axis=0)
        best = candidates.max(axis=0) + scores[step]
    labels = np.zeros(steps, dtype=np.int64)
    labels[-1] = best.argmax()
    for step in range(steps - 1, 0, -1):
        labels[step - 1] = came_from[step, labels[step]]
    return BestPath(labels, float(best.max()))


def _checked(
    emissions: np.ndarray, transitions: np.ndarray | None, initial: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    scores = np.asarray(emissions, dtype=float)
    if scores.ndim != 2 or not scores.shape[1]:
        raise ParameterError(
            "emissions is a table with a row for each step and a column for each label, "
            f"not of the shape {scores.shape}"
        )
    labels = scores.shape[1]
    between = np.zeros((labels, labels)) if transitions is None else np.asarray(transitions, float)
    first = np.zeros(labels) if initial is None else np.asarray(initial, float)
    for name, table, shape in (
        ("transitions", between, (labels, labels)),
        ("initial", first, (labels,)),
    ):
        if table.shape != shape:
            raise ParameterError(
                f"there are {labels} labels, so {name} has the shape {shape}, not {table.shape}"
            )
    if any(np.isnan(table).any() for table in (scores, between, first)):
        raise ParameterError("a score is not a number")
    return scores, between, first
