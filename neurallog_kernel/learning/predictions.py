"""Predictions for examples, by the SciPy executor: evaluation needs no TensorFlow."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from neurallog_kernel.evaluate.executor import Executor, batch_size
from neurallog_kernel.evaluate.rows import Rows, look_up, one_hot
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.learning.examples import Target
from neurallog_kernel.plan.build import Planner


def predict_rows(
    program: Program, planner: Planner, executor: Executor, target: Target
) -> Iterator[tuple[np.ndarray, Rows]]:
    """The output vectors of a target's rows, in batches: which rows, and their values."""
    layer = planner.question(program, target.signature, target.output)
    sizes = {
        place: len(program.entity_type((*target.signature, place))) for place in target.columns
    }
    step = batch_size(max([target.size, *sizes.values()]))
    for start in range(0, len(target.keys), step):
        chosen = np.arange(start, min(start + step, len(target.keys)))
        bindings = {
            place: one_hot(sizes[place], columns[chosen])
            for place, columns in target.columns.items()
        }
        found = executor.evaluate(layer.result, bindings)
        assert isinstance(found, Rows)
        yield chosen, found


def predict(program: Program, planner: Planner, executor: Executor, target: Target) -> np.ndarray:
    """The prediction for every listed example of a target."""
    if target.signature[1] == 0:
        layer = planner.proposition(program, target.signature, ())
        number = executor.evaluate(layer.result)
        return np.full(len(target.labels), float(np.asarray(number)[0]))
    if target.signature[1] == 1:
        concept = planner.concept(program, target.signature, ())
        found = executor.evaluate(concept.result)
        assert isinstance(found, Rows)
        return look_up(found, target.columns[0][target.rows], 1)
    result = np.zeros(len(target.labels))
    order = np.argsort(target.rows, kind="stable")
    rows = target.rows[order]
    for chosen, values in predict_rows(program, planner, executor, target):
        first, last = np.searchsorted(rows, [chosen[0], chosen[-1] + 1])
        examples = order[first:last]
        if values.batch == 1:
            keys, batch = target.outputs[examples], 1
        else:
            keys = (rows[first:last] - chosen[0]) * target.size + target.outputs[examples]
            batch = values.batch
        result[examples] = look_up(values, keys, batch)
    return result
