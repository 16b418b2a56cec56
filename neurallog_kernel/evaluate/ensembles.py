"""Ensembles: the answers of several members as one, with their mean and their spread."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neurallog_kernel.answers import Answers
from neurallog_kernel.evaluate.rows import Rows, add_up, elementwise


def mean_rows(parts: Sequence[Rows]) -> Rows:
    """The mean of the vectors of all members."""
    number = len(parts)
    return elementwise(lambda x: x / number, add_up(parts))


def mean_answers(found: Sequence[Answers], top: int | None) -> Answers:
    """The answers of all members as one; what a member does not answer counts as 0 there."""
    keys = list(dict.fromkeys(key for answers in found for key in answers.weights))
    table = np.array([[answers.weights.get(key, 0.0) for key in keys] for answers in found])
    table = table.reshape(len(found), len(keys))
    first = found[0]
    columns = [[key[place] for key in keys] for place in range(len(first.variables))]
    answers = Answers(
        first.query,
        first.variables,
        columns,
        table.mean(axis=0),
        spread=table.std(axis=0),
    )
    return answers if top is None else answers.top(top)
