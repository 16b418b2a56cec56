"""What is minimised: the loss of each target over the rows of a batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from neurallog_kernel.learning.examples import Target
from neurallog_kernel.learning.settings import Loss
from neurallog_kernel.network import values
from neurallog_kernel.network.frames import Frame, Pattern
from neurallog_kernel.network.tensorflow import tensorflow
from neurallog_kernel.network.values import Number, Step, Vector


@dataclass(frozen=True)
class Labelling:
    """What a label, and the lack of one, means.

    `unknown`: outputs that are not listed do not count. `mask` and `clip` are the original's
    mask_predictions (a label of 0 is unknown) and clip_labels.
    """

    unknown: bool = False
    mask: bool = False
    clip: bool = False

    def labels(self, labels: np.ndarray) -> np.ndarray:
        return np.clip(labels, 0.0, 1.0) if self.clip else labels


def row_losses(
    value: Number | Vector, target: Target, frame: Frame, loss: Loss, labelling: Labelling
) -> Number:
    """The loss of each row of the batch."""
    if isinstance(value, Number):
        return _of_numbers(value, target, frame, loss, labelling)
    if not loss.elementwise:
        return _of_whole_rows(value, target, frame, loss, labelling)
    order = np.lexsort((target.outputs, target.rows))
    keys = target.rows[order] * target.size + target.outputs[order]
    listed = Pattern.of_keys(frame, target.size, keys)
    return _of_entries(value, listed, target.labels[order], loss, labelling)


def _pairwise(loss: Loss) -> Callable[[Any, Any], Any]:
    """The loss of single entries: Keras averages over the last axis, which is one entry long."""

    def function(labels: Any, predictions: Any) -> Any:
        return loss.function(labels[:, None], predictions[:, None])

    return function


def _of_numbers(
    value: Number, target: Target, frame: Frame, loss: Loss, labelling: Labelling
) -> Number:
    tf = tensorflow()
    labels = np.zeros(frame.rows)
    labels[target.rows] = target.labels
    feed = frame.feed(data=labelling.labels(labels), pointers=None)
    raw = frame.feed(data=labels, pointers=None)
    function = _pairwise(loss)

    def make(step: Step) -> Any:
        predictions = tf.broadcast_to(step.get(value), tf.shape(step.feeds[feed]))
        if labelling.mask:
            predictions = predictions * step.feeds[raw] ** 2
        return function(step.feeds[feed], predictions)

    return Number(frame, make)


def _of_entries(
    value: Vector, listed: Pattern, labels: np.ndarray, loss: Loss, labelling: Labelling
) -> Number:
    """Listed entries by their labels; all others, in closed form, as false."""
    tf = tensorflow()
    function = _pairwise(loss)
    label_feed = values.item_feed(listed, labelling.labels(labels))
    raw_feed = values.item_feed(listed, labels)
    at_listed = values.entries_at(value, listed)

    def predictions(step: Step) -> Any:
        return tf.broadcast_to(at_listed(step), tf.shape(step.feeds[label_feed]))

    def zero_loss(x: Any) -> Any:
        flat = tf.reshape(x, [-1])
        return tf.reshape(function(tf.zeros_like(flat), flat), tf.shape(x))

    def of_listed(step: Step) -> Any:
        found = predictions(step)
        if labelling.mask:
            found = found * step.feeds[raw_feed] ** 2
        result = function(step.feeds[label_feed], found)
        if labelling.unknown or labelling.mask:
            return result
        return result - zero_loss(predictions(step))

    own = values.total(Vector(listed.frame, listed.size, of_listed, listed))
    if labelling.unknown:
        counts = np.maximum(listed.counts, 1).astype(np.float64)
        feed = listed.frame.feed(data=counts, pointers=None)
        return Number(listed.frame, lambda step: step.get(own) / step.feeds[feed])
    at_zero = float(zero_loss(tf.zeros([1], "float64"))[0])
    size = listed.size
    if labelling.mask:
        unlisted = listed.frame.feed(
            data=(size - listed.counts).astype(np.float64) * at_zero, pointers=None
        )
        return Number(
            listed.frame, lambda step: (step.get(own) + step.feeds[unlisted]) / size
        )
    base = values.total(values.elementwise(zero_loss, at_zero, value))
    return Number(listed.frame, lambda step: (step.get(own) + step.get(base)) / size)


def _of_whole_rows(
    value: Vector, target: Target, frame: Frame, loss: Loss, labelling: Labelling
) -> Number:
    """Losses such as categorical cross-entropy compare whole rows."""
    tf = tensorflow()
    rows = values.dense(value)
    labels = np.zeros((frame.rows, target.size))
    labels[target.rows, target.outputs] = labelling.labels(target.labels)
    listed = np.zeros_like(labels)
    listed[target.rows, target.outputs] = 1.0
    label_feed = frame.feed(data=labels, pointers=None)
    mask_feed = frame.feed(data=listed, pointers=None) if labelling.unknown else None

    def make(step: Step) -> Any:
        found = tf.broadcast_to(step.get(rows), tf.shape(step.feeds[label_feed]))
        if mask_feed is not None:
            found = found * step.feeds[mask_feed]
        return loss.function(step.feeds[label_feed], found)

    return Number(frame, make)
