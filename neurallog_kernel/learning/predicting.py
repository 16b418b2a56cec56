"""Predictions of the network that is being trained, for all rows of a target."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from neurallog_kernel.learning.gradient_step import Objective
from neurallog_kernel.network import arithmetic, deferred
from neurallog_kernel.network.batch_feeds import Feeding
from neurallog_kernel.network.deferred import BatchStep, DeferredNumber
from neurallog_kernel.network.rowsets import Batches, Frame
from neurallog_kernel.network.sparsity import SparsityPattern
from neurallog_kernel.network.tensorflow import tensorflow

_ROWS_AT_ONCE = 256  # of predictions of all outputs


def row_predictor(
    objective: Objective, place: int
) -> Callable[[], Iterator[tuple[int, np.ndarray]]]:
    """Predictions of all outputs, some rows at a time, each part with its first row."""
    tf = tensorflow()
    output, size = objective.outputs[place], objective.targets[place].size
    frame = output.frame
    value = output.value
    vector = value if not isinstance(value, DeferredNumber) else arithmetic.as_vector(value, size)
    rows = deferred.dense(vector)
    places = None if rows.frame is None else deferred.place_feed(frame, rows.frame)
    batches = Batches(
        np.arange(frame.rows), np.append(np.arange(0, frame.rows, _ROWS_AT_ONCE), frame.rows)
    )
    feeding = _feeding(objective, frame, batches)

    def predict(batch: Any) -> Any:
        step = feeding.step(batch)
        found = tf.transpose(step.get(rows).x)
        if places is not None:
            found = tf.gather(found, step.feeds[places])
        return tf.broadcast_to(found, [step.batch[frame], size])

    compiled = tf.function(predict, autograph=False)

    def parts() -> Iterator[tuple[int, np.ndarray]]:
        for number, first in enumerate(batches.starts[:-1].tolist()):
            yield first, compiled(tf.constant(number)).numpy()

    return parts


def listed_predictor(
    objective: Objective, place: int
) -> Callable[[], tuple[np.ndarray, np.ndarray]]:
    """Predictions of one target for all its rows at once, by the compiled network."""
    tf = tensorflow()
    output, target = objective.outputs[place], objective.targets[place]
    order = np.lexsort((target.outputs, target.rows))
    if isinstance(output.value, DeferredNumber):
        number: DeferredNumber = output.value
        rows = target.rows

        def numbers(step: BatchStep) -> Any:
            return tf.broadcast_to(step.get(number).x, [output.frame.rows])

        make_tensor, chosen = numbers, rows
        labels = target.labels
    else:
        keys = target.rows[order] * target.size + target.outputs[order]
        listed = SparsityPattern.of_keys(output.frame, target.size, keys)
        entries = deferred.entries_at(output.value, listed)
        labels = target.labels[order]

        def listed_entries(step: BatchStep) -> Any:
            return tf.broadcast_to(entries(step).x, [len(labels)])

        make_tensor, chosen = listed_entries, np.arange(len(labels))
    step_of = _whole_step(objective, output.frame)
    compiled = tf.function(lambda: make_tensor(step_of()), autograph=False)
    return lambda: (labels, compiled().numpy()[chosen])


def _whole_step(objective: Objective, frame: Frame) -> Callable[[], BatchStep]:
    """A step in which all rows of the frame are one batch."""
    feeding = _feeding(objective, frame, Batches.single(frame.rows))
    return lambda: feeding.step(tensorflow().constant(0))


def _feeding(objective: Objective, frame: Frame, batches: Batches) -> Feeding:
    """The feeds of one target's rows, in batches of their own."""
    frames = objective.network.compiler.frames
    others = [f for f in frames if not f.sliced or f.parent is frame]
    feeding = Feeding([*others, frame], objective.network.dtype)
    feeding.set_batches({frame: batches})
    return feeding
