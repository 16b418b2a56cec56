"""What is minimised: the loss of each target over the rows of a batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from neurallog_kernel.learning.choices.settings import Loss
from neurallog_kernel.learning.examples.labelling import Labelling
from neurallog_kernel.learning.examples.targets import Target
from neurallog_kernel.network import arithmetic, autodiff, deferred
from neurallog_kernel.network.arrays import Arrays
from neurallog_kernel.network.autodiff import FLAT, ONE, Tensor
from neurallog_kernel.network.deferred import BatchStep, DeferredNumber, DeferredVector
from neurallog_kernel.network.dense_vectors import dense
from neurallog_kernel.network.rowsets import Frame
from neurallog_kernel.network.sparsity import SparsityPattern


def row_losses(
    value: DeferredNumber | DeferredVector,
    target: Target,
    frame: Frame,
    loss: Loss,
    labelling: Labelling,
    arrays: Arrays,
) -> DeferredNumber:
    """The loss of each row of the batch."""
    if isinstance(value, DeferredNumber):
        return _of_numbers(value, target, frame, loss, labelling)
    if not loss.elementwise:
        return _of_whole_rows(value, target, frame, loss, labelling)
    order = np.lexsort((target.outputs, target.rows))
    keys = target.rows[order] * target.size + target.outputs[order]
    listed = SparsityPattern.of_keys(frame, target.size, keys)
    return _of_entries(value, listed, target.labels[order], loss, labelling, arrays)


def _loss(loss: Loss, labels: Any, predictions: Tensor) -> Tensor:
    """The loss of single entries against labels of the same shape."""
    arrays, shape = predictions.arrays, predictions.shape
    if loss.squared:
        return autodiff.apply(
            lambda x: arrays.squared_difference(x, labels),
            [predictions],
            shape,
            lambda x, _, g: 2 * g * (x - labels),
        )
    back = loss.back
    if back is not None and loss.elementwise:
        return autodiff.apply(
            lambda x: loss.function(labels, x),
            [predictions],
            shape,
            lambda x, _, g: back(labels, x, g).astype(x.dtype, copy=False),
        )

    def function(x: Any) -> Any:
        # Keras averages over the last axis, which is made one entry long
        flat = loss.function(arrays.reshape(labels, -1, 1), arrays.reshape(x, -1, 1))
        return arrays.reshape_like(flat, x)

    if back is None:
        return autodiff.apply(function, [predictions], shape)

    def slopes(x: Any, _: Any, g: Any) -> Any:
        found = back(arrays.reshape(labels, -1, 1), arrays.reshape(x, -1, 1), g.reshape(-1))
        return arrays.reshape_like(found.astype(x.dtype, copy=False), x)

    return autodiff.apply(function, [predictions], shape, slopes)


def _of_numbers(
    value: DeferredNumber, target: Target, frame: Frame, loss: Loss, labelling: Labelling
) -> DeferredNumber:
    labels = np.zeros(frame.rows)
    labels[target.rows] = target.labels
    feed = frame.feed(data=labelling.labels(labels), pointers=None)
    raw = frame.feed(data=labels**2, pointers=None) if labelling.mask else None
    weighing = None
    if loss.positive_weight != 1.0:
        weighing = frame.feed(data=_weights(labels, loss), pointers=None)

    def make(step: BatchStep) -> Tensor:
        predictions = autodiff.spread(step.get(value), step.batch[frame])
        if raw is not None:
            predictions = predictions * step.fed(raw)
        found = _loss(loss, step.feeds[feed], predictions)
        return found if weighing is None else found * step.fed(weighing)

    return DeferredNumber(frame, make)


def _weights(labels: np.ndarray, loss: Loss) -> np.ndarray:
    """How much each listed example counts."""
    return np.where(labels > 0, loss.positive_weight, 1.0)


def _of_entries(
    value: DeferredVector,
    listed: SparsityPattern,
    labels: np.ndarray,
    loss: Loss,
    labelling: Labelling,
    arrays: Arrays,
) -> DeferredNumber:
    """Listed entries by their labels; all others, in closed form, as false."""
    frame, size = listed.frame, listed.size
    label_feed = deferred.item_feed(listed, labelling.labels(labels))
    mask_feed = deferred.item_feed(listed, labels**2) if labelling.mask else None
    weighing = None
    if loss.positive_weight != 1.0:
        weighing = deferred.item_feed(listed, _weights(labels, loss))
    at_listed = deferred.entries_at(value, listed)

    def zero_loss(x: Tensor) -> Tensor:
        if loss.squared:
            return autodiff.apply(lambda x: x * x, [x], x.shape, lambda x, _, g: 2 * g * x)
        return _loss(loss, arrays.zeros_like(x.x), x)

    def of_listed(step: BatchStep) -> Tensor:
        found = autodiff.spread(at_listed(step), step.size(label_feed))
        seen = found if mask_feed is None else found * step.fed(mask_feed)
        result = _loss(loss, step.feeds[label_feed], seen)
        if weighing is not None:
            result = result * step.fed(weighing)
        alone = labelling.unknown or mask_feed is not None
        return result if alone else result - zero_loss(found)

    own = arithmetic.total(DeferredVector(frame, size, of_listed, listed))
    if labelling.unknown:
        counts = 1.0 / np.maximum(listed.counts, 1)
        feed = frame.feed(data=counts, pointers=None)
        return DeferredNumber(frame, lambda step: step.get(own) * step.fed(feed))
    at_zero = float(zero_loss(Tensor(arrays.zeros(1, "float64"), ONE)).x[0])
    if mask_feed is not None:
        unlisted = frame.feed(data=(size - listed.counts) * at_zero, pointers=None)
        return DeferredNumber(
            frame, lambda step: (step.get(own) + step.fed(unlisted)).scaled(1.0 / size)
        )
    base = deferred.moved(
        arithmetic.total(arithmetic.elementwise(zero_loss, at_zero, value)), frame
    )
    return DeferredNumber(frame, lambda step: (step.get(own) + step.get(base)).scaled(1.0 / size))


def _of_whole_rows(
    value: DeferredVector, target: Target, frame: Frame, loss: Loss, labelling: Labelling
) -> DeferredNumber:
    """Losses such as categorical cross-entropy compare whole rows."""
    rows = dense(value)
    labels = np.zeros((frame.rows, target.size))
    labels[target.rows, target.outputs] = labelling.labels(target.labels)
    listed = np.zeros_like(labels)
    listed[target.rows, target.outputs] = 1.0
    label_feed = frame.feed(data=labels, pointers=None)
    mask_feed = frame.feed(data=listed, pointers=None) if labelling.unknown else None
    place_feed = None if rows.frame is None else deferred.place_feed(frame, rows.frame)

    def make(step: BatchStep) -> Tensor:
        truth = step.feeds[label_feed]
        mask = None if mask_feed is None else step.feeds[mask_feed]
        places = None if place_feed is None else step.feeds[place_feed]

        seen = _SeenRows(step.arrays, truth, mask, places)
        counts = [seen.counts] if loss.of_listed else []

        def function(x: Any) -> Any:
            return loss.function(truth, seen.of(x, masked=not loss.of_listed), *counts)

        def derivative(x: Any, _: Any, g: Any) -> Any:
            assert loss.back is not None
            found = loss.back(truth, seen.of(x, masked=not loss.of_listed), g, *counts)
            return seen.back(x, found, masked=not loss.of_listed)

        rules = None if loss.back is None else derivative
        return autodiff.apply(function, [step.get(rows)], FLAT, rules)

    return DeferredNumber(frame, make)


@dataclass(frozen=True)
class _SeenRows:
    """The predictions as a loss of whole rows sees them, `[rows, outputs]`, and the way back."""

    arrays: Arrays
    truth: Any
    mask: Any
    places: Any

    @property
    def counts(self) -> Any:
        """Which outputs count."""
        return self.arrays.ones_like(self.truth) > 0 if self.mask is None else self.mask > 0

    def of(self, x: Any, masked: bool) -> Any:
        arrays = self.arrays
        found = arrays.transpose(x)
        if self.places is not None:
            found = arrays.gather(found, self.places)
        found = arrays.broadcast_like(found, self.truth)
        return found * self.mask if masked and self.mask is not None else found

    def back(self, x: Any, adjoint: Any, masked: bool) -> Any:
        """In NumPy: TensorFlow finds it by itself."""
        found = adjoint.astype(x.dtype, copy=False)
        if masked and self.mask is not None:
            found = found * self.mask
        if self.places is not None:
            found = self.arrays.add_up(found, self.places, x.shape[1])
        elif x.shape[1] == 1 and len(found) != 1:
            found = found.sum(axis=0, keepdims=True)
        return found.T
