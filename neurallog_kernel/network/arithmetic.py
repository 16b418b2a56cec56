"""Values combined entry by entry, functions of entries, and sums of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce

import numpy as np

from neurallog_kernel.evaluate.rows import look_up
from neurallog_kernel.functions import ADD, MULTIPLY, Combiner
from neurallog_kernel.network import autodiff
from neurallog_kernel.network.autodiff import Tensor, add_up
from neurallog_kernel.network.deferred import (
    BatchStep,
    DeferredNumber,
    DeferredVector,
    Make,
    constant_number,
    entries_at,
    everywhere,
    keys_for,
    row_feed,
)
from neurallog_kernel.network.dense_vectors import in_classes
from neurallog_kernel.network.equal_entities import Classes, joint
from neurallog_kernel.network.functions import combiner
from neurallog_kernel.network.row_operations import row_sums, weighted_row_sums
from neurallog_kernel.network.sparsity import SparsityPattern, relative, union


def combine_numbers(
    operation: Combiner, left: DeferredNumber, right: DeferredNumber
) -> DeferredNumber:
    if _is(left, operation.left_identity):
        return right
    if _is(right, operation.right_identity):
        return left
    together = combiner(operation)
    frame = left.frame or right.frame
    return DeferredNumber(frame, lambda step: together(step.get(left), step.get(right)))


def _is(number: DeferredNumber, value: float | None) -> bool:
    """Whether a number is this one for every row."""
    return number.const is not None and value is not None and bool((number.const == value).all())


def combine_all_numbers(operation: Combiner, numbers: Sequence[DeferredNumber]) -> DeferredNumber:
    """Numbers pairwise from the left."""
    return reduce(lambda left, right: combine_numbers(operation, left, right), numbers)


def as_vector(value: DeferredNumber | DeferredVector, size: int) -> DeferredVector:
    """A number as the vector that has it everywhere."""
    if isinstance(value, DeferredVector):
        return value
    zero = value.const is not None and not value.const.any()
    return everywhere(None if zero else value, size)


def combine(operation: Combiner, left: DeferredVector, right: DeferredVector) -> DeferredVector:
    """Two vectors entry by entry, on as few entries as can be."""
    if operation is MULTIPLY:
        for side, other in ((left, right), (right, left)):
            if side.flat and side.rest is None:
                return side
            if side.is_sparse:
                return _masked(side, other)
            if side.is_dense and side.const is not None and not other.flat:
                return _together(autodiff.times_constant, [other, side])
    if left.is_dense or right.is_dense:
        return _together(combiner(operation), [left, right])
    return _on_union(operation, left, right)


def _masked(side: DeferredVector, other: DeferredVector) -> DeferredVector:
    """A product where one factor is zero outside its pattern."""
    pattern = side.pattern
    assert pattern is not None
    if other.const is not None:
        values = look_up(other.const, keys_for(other, pattern), other.const.batch)
        pattern = _restricted(pattern, values != 0)
    elif other.is_sparse:
        assert other.pattern is not None
        pattern = _restricted(pattern, relative(other.pattern, pattern.keys)[1])
    first, second = entries_at(side, pattern), entries_at(other, pattern)
    return DeferredVector(side.frame, side.size, lambda step: first(step) * second(step), pattern)


def _restricted(pattern: SparsityPattern, keep: np.ndarray) -> SparsityPattern:
    return (
        pattern
        if keep.all()
        else SparsityPattern.of_keys(pattern.frame, pattern.size, pattern.keys[keep])
    )


def add_all(vectors: Sequence[DeferredVector]) -> DeferredVector:
    """A sum; dense ones are brought to common classes once."""
    dense = [vector for vector in vectors if vector.is_dense]
    others = [vector for vector in vectors if not vector.is_dense]
    parts = [*dense, *([reduce(partial(combine, ADD), others)] if others else [])]
    return _together(combiner(ADD), parts) if dense else parts[0]


def _together(
    operation: Callable[[Tensor, Tensor], Tensor], vectors: Sequence[DeferredVector]
) -> DeferredVector:
    """Vectors, at least one of them dense, pairwise from the left."""
    listed = [vector for vector in vectors if not vector.flat]
    classes = joint([vector.classes for vector in listed])
    frame = next((v.frame for v in vectors if v.frame is not None), None)
    makes = [_in_shape(vector, classes) for vector in vectors]
    return DeferredVector(
        frame,
        vectors[0].size,
        lambda step: step.reduced(operation, [make(step) for make in makes]),
        classes=classes,
    )


def _in_shape(vector: DeferredVector, classes: Classes | None) -> Make:
    """A vector in a form that combines with dense ones: a flat one stays one number per row."""
    if not vector.flat:
        return in_classes(vector, classes)
    number = vector.rest or constant_number(np.zeros(1), None)
    return lambda step: step.get(number)


def _on_union(operation: Combiner, left: DeferredVector, right: DeferredVector) -> DeferredVector:
    together = combiner(operation)
    rest = _combine_rests(operation, left, right)
    patterns = [v.pattern for v in (left, right) if v.pattern is not None]
    if not patterns:
        return everywhere(rest, left.size)
    pattern = patterns[0]
    assert pattern is not None
    if len(patterns) == 2:
        both = union([p.keys for p in patterns if p is not None])
        if len(both) > len(pattern):
            pattern = SparsityPattern.of_keys(pattern.frame, left.size, both)
    first, second = entries_at(left, pattern), entries_at(right, pattern)
    return DeferredVector(
        pattern.frame, left.size, lambda step: together(first(step), second(step)), pattern, rest
    )


def _combine_rests(
    operation: Combiner, left: DeferredVector, right: DeferredVector
) -> DeferredNumber | None:
    if left.rest is None and right.rest is None:
        value = float(operation(np.zeros(1), np.zeros(1))[0])
        return None if value == 0 else constant_number(np.array([value]), None)
    zero = constant_number(np.zeros(1), None)
    return combine_numbers(operation, left.rest or zero, right.rest or zero)


def elementwise(
    function: Callable[[Tensor], Tensor], at_zero: float, vector: DeferredVector
) -> DeferredVector:
    """A function of each entry; `at_zero` is what it makes of zero."""
    rest: DeferredNumber | None = None
    if vector.rest is not None:
        own = vector.rest
        rest = DeferredNumber(own.frame, lambda step: function(step.get(own)))
    elif at_zero != 0 and not vector.is_dense:
        rest = constant_number(np.array([at_zero]), None)
    if vector.flat:
        return everywhere(rest, vector.size)
    if vector.pattern is None:
        return DeferredVector(
            vector.frame,
            vector.size,
            lambda step: function(step.get(vector)),
            classes=vector.classes,
        )
    listed = entries_at(vector, vector.pattern)
    return DeferredVector(
        vector.frame, vector.size, lambda step: function(listed(step)), vector.pattern, rest
    )


def total(vector: DeferredVector) -> DeferredNumber:
    """The sum of each row."""
    size = vector.size
    if vector.is_dense:
        return _dense_total(vector)
    rest = vector.rest
    if vector.flat:
        if rest is None:
            return constant_number(np.zeros(1), None)
        return DeferredNumber(rest.frame, lambda step: step.get(rest).scaled(float(size)))
    pattern = vector.pattern
    assert pattern is not None
    rows, frame, entries = row_feed(pattern), pattern.frame, entries_at(vector, pattern)

    def listed(step: BatchStep) -> Tensor:
        values = autodiff.spread(entries(step), step.size(rows))
        return add_up(values, step.feeds[rows], step.batch[frame])

    if rest is None:
        return DeferredNumber(frame, listed)
    unlisted = frame.feed(data=(size - pattern.counts).astype(np.float64), pointers=None)
    return DeferredNumber(frame, lambda step: listed(step) + step.get(rest) * step.fed(unlisted))


def _dense_total(vector: DeferredVector) -> DeferredNumber:
    if vector.classes is None:
        return DeferredNumber(vector.frame, lambda step: row_sums(step.get(vector)))
    members = vector.classes.members[:, None].astype(np.float64)
    return DeferredNumber(
        vector.frame, lambda step: weighted_row_sums(step.get(vector), step.constant(members))
    )
