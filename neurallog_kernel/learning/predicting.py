"""Predictions of the network that is being trained, for all rows of a target."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from neurallog_kernel.learning.gradient_step import Objective
from neurallog_kernel.network import arithmetic, deferred
from neurallog_kernel.network.batch_feeds import Feeding
from neurallog_kernel.network.deferred import BatchStep, DeferredNumber
from neurallog_kernel.network.dense_vectors import dense
from neurallog_kernel.network.rowsets import Batches, Frame
from neurallog_kernel.network.sparsity import SparsityPattern

_ROWS_AT_ONCE = 256  # of predictions of all outputs


def row_predictor(
    objective: Objective, place: int
) -> Callable[[], Iterator[tuple[int, np.ndarray]]]:
    """Predictions of all outputs, some rows at a time, each part with its first row."""
    arrays = objective.network.arrays
    output, size = objective.outputs[place], objective.targets[place].size
    frame = output.frame
    value = output.value
    vector = value if not isinstance(value, DeferredNumber) else arithmetic.as_vector(value, size)
    rows = dense(vector)
    places = None if rows.frame is None else deferred.place_feed(frame, rows.frame)
    batches = Batches(
        np.arange(frame.rows), np.append(np.arange(0, frame.rows, _ROWS_AT_ONCE), frame.rows)
    )
    feeding = _feeding(objective, frame, batches)

    def predict(batch: Any) -> Any:
        step = feeding.step(batch)
        found = arrays.transpose(step.get(rows).x)
        if places is not None:
            found = arrays.gather(found, step.feeds[places])
        return arrays.broadcast(found, step.batch[frame], size)

    compiled = arrays.compiled(predict)

    def parts() -> Iterator[tuple[int, np.ndarray]]:
        for number, first in enumerate(batches.starts[:-1].tolist()):
            yield first, compiled(number)

    return parts


def listed_predictor(
    objective: Objective, place: int
) -> Callable[[], tuple[np.ndarray, np.ndarray]]:
    """Predictions of one target for all its rows at once, by the compiled network."""
    arrays = objective.network.arrays
    output, target = objective.outputs[place], objective.targets[place]
    order = np.lexsort((target.outputs, target.rows))
    if isinstance(output.value, DeferredNumber):
        number: DeferredNumber = output.value
        rows = target.rows

        def numbers(step: BatchStep) -> Any:
            return arrays.broadcast(step.get(number).x, output.frame.rows)

        make_tensor, chosen = numbers, rows
        labels = target.labels
    else:
        keys = target.rows[order] * target.size + target.outputs[order]
        listed = SparsityPattern.of_keys(output.frame, target.size, keys)
        entries = deferred.entries_at(output.value, listed)
        labels = target.labels[order]

        def listed_entries(step: BatchStep) -> Any:
            return arrays.broadcast(entries(step).x, len(labels))

        make_tensor, chosen = listed_entries, np.arange(len(labels))
    feeding = _feeding(objective, output.frame, Batches.single(output.frame.rows))
    compiled = arrays.compiled(lambda batch: make_tensor(feeding.step(batch)))
    return lambda: (labels, compiled(0)[chosen])


def _feeding(objective: Objective, frame: Frame, batches: Batches) -> Feeding:
    """The feeds of one target's rows, in batches of their own."""
    frames = objective.network.compiler.frames
    others = [f for f in frames if not f.sliced or f.parent is frame]
    feeding = Feeding([*others, frame], objective.network.dtype, objective.network.arrays)
    feeding.set_batches({frame: batches})
    return feeding
