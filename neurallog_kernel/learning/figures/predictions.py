"""Predictions for examples, as a question gives them: evaluation needs no TensorFlow."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.rows import Rows, look_up
from neurallog_kernel.learning.examples.targets import Target


def predict_rows(evaluator: Evaluator, target: Target) -> Iterator[tuple[np.ndarray, Rows]]:
    """The output vectors of a target's rows, in batches: which rows, and their values."""
    layer = evaluator.layer(target.signature, target.output)
    return evaluator.batches(layer, target.columns)


def predict(evaluator: Evaluator, target: Target) -> np.ndarray:
    """The prediction for every listed example of a target; of an ensemble the mean of its
    members."""
    if evaluator.members:
        return np.mean([predict(member, target) for member in evaluator.members], axis=0)
    if target.signature[1] < 2:
        found = evaluator.value(evaluator.layer(target.signature).result)
        if isinstance(found, np.ndarray):
            return np.full(len(target.labels), float(found[0]))
        return look_up(found, target.columns[0][target.rows], 1)
    result = np.zeros(len(target.labels))
    order = np.argsort(target.rows, kind="stable")
    rows = target.rows[order]
    for chosen, values in predict_rows(evaluator, target):
        first, last = np.searchsorted(rows, [chosen[0], chosen[-1] + 1])
        examples = order[first:last]
        if values.batch == 1:
            keys, batch = target.outputs[examples], 1
        else:
            keys = (rows[first:last] - chosen[0]) * target.size + target.outputs[examples]
            batch = values.batch
        result[examples] = look_up(values, keys, batch)
    return result
