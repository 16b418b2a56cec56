"""Dense vectors: every entry written out, or one for each class of equal entities."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from neurallog_kernel.network.autodiff import DENSE, Tensor, add_up, reshaped
from neurallog_kernel.network.deferred import (
    BatchStep,
    DeferredVector,
    Make,
    column_feed,
    constant_number,
    entries_at,
    number_at,
    row_feed,
)
from neurallog_kernel.network.equal_entities import Classes
from neurallog_kernel.network.row_operations import across, picked


def dense(vector: DeferredVector) -> DeferredVector:
    """The vector with every entry written out."""
    if vector.is_dense and vector.classes is None:
        return vector
    if vector.written is None:
        vector.written = _write_out(vector)
    return vector.written


def _write_out(vector: DeferredVector) -> DeferredVector:
    size, rest, classes = vector.size, vector.rest, vector.classes
    if classes is not None:
        return DeferredVector(vector.frame, size, entity_rows(vector, classes.of))
    if vector.flat:
        number = rest or constant_number(np.zeros(1), None)
        return DeferredVector(number.frame, size, lambda step: across(step.get(number), size))
    pattern = vector.pattern
    assert pattern is not None
    rows, columns = row_feed(pattern), column_feed(pattern)
    rest_at = None if rest is None else number_at(rest, pattern)
    listed = entries_at(vector, pattern)

    def scatter(step: BatchStep) -> Tensor:
        values = listed(step) if rest_at is None else listed(step) - rest_at(step)
        where = step.feeds[columns] * step.batch[pattern.frame] + step.feeds[rows]
        flat = add_up(values, where, step.batch[pattern.frame] * size)
        result = reshaped(flat, DENSE, size)
        return result if rest is None else result + step.get(rest)

    return DeferredVector(pattern.frame, size, scatter)


def entity_rows(vector: DeferredVector, index: np.ndarray) -> Make:
    """The entries of a vector that has classes, by their numbers."""
    assert vector.classes is not None
    count = vector.classes.count
    return pick(vector, index, count)


def pick(vector: DeferredVector, index: np.ndarray, entries: int) -> Make:
    """Some of the `entries` of a dense vector, by position."""
    number = len(index)
    matrix = sp.csr_array((np.ones(number), (index, np.arange(number))), shape=(entries, number))
    return lambda step: picked(step.get(vector), step.constant(index), step.matrix(matrix))


def in_classes(vector: DeferredVector, classes: Classes | None) -> Make:
    """The entries of a dense vector for these classes, which divide its own further."""
    if classes is None:
        written = dense(vector)
        return lambda step: step.get(written)
    own = vector.classes
    assert own is not None
    if own.same(classes):
        return lambda step: step.get(vector)
    found = next((one for one in vector.divided if classes.same(one.classes)), None)
    if found is None:
        entries = entity_rows(vector, own.of[classes.first])
        found = DeferredVector(vector.frame, vector.size, entries, classes=classes)
        vector.divided.append(found)
    return lambda step: step.get(found)
