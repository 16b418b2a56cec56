"""Functions of deferred values: entry by entry, of whole rows, of numbers."""

from __future__ import annotations

from collections.abc import Sequence

from neurallog_kernel.functions import SUM, Function, FunctionKind
from neurallog_kernel.network import arithmetic, deferred, functions
from neurallog_kernel.network.autodiff import DENSE, FLAT, ONE, ROW, Tensor
from neurallog_kernel.network.deferred import DeferredNumber, DeferredVector
from neurallog_kernel.network.dense_vectors import dense


def apply(
    function: Function, arguments: Sequence[DeferredNumber | DeferredVector]
) -> DeferredNumber | DeferredVector:
    """A function of values, of which some may be numbers."""
    numbers = [argument for argument in arguments if isinstance(argument, DeferredNumber)]
    if len(numbers) == len(arguments):
        return apply_numbers(function, numbers)
    size = next(v.size for v in arguments if isinstance(v, DeferredVector))
    if function.kind is FunctionKind.ELEMENTWISE and len(arguments) == 1:
        (vector,) = arguments
        assert isinstance(vector, DeferredVector)
        return arithmetic.elementwise(
            lambda x: functions.elementwise(function, x), function.value_at_zero, vector
        )
    rows = [dense(arithmetic.as_vector(v, size)) for v in arguments]
    frame = next((r.frame for r in rows if r.frame is not None), None)
    whole, one = (ROW, ONE) if frame is None else (DENSE, FLAT)
    if function.kind is FunctionKind.ELEMENTWISE:
        return DeferredVector(
            frame,
            size,
            lambda step: functions.of_entries(function, [step.get(r) for r in rows], whole),
        )
    rowwise = function.kind is not FunctionKind.AGGREGATE

    def make(step: deferred.BatchStep) -> Tensor:
        return functions.of_rows(function, [step.get(r) for r in rows], whole if rowwise else one)

    return DeferredVector(frame, size, make) if rowwise else DeferredNumber(frame, make)


def apply_numbers(function: Function, parts: Sequence[DeferredNumber]) -> DeferredNumber:
    """A function of numbers."""
    frame = next((part.frame for part in parts if part.frame is not None), None)
    if function.kind is FunctionKind.ELEMENTWISE and len(parts) == 1:
        return DeferredNumber(
            frame, lambda step: functions.elementwise(function, step.get(parts[0]))
        )
    shape = ONE if frame is None else FLAT
    return DeferredNumber(
        frame, lambda step: functions.of_numbers(function, [step.get(p) for p in parts], shape)
    )


def aggregate(function: Function, vector: DeferredVector) -> DeferredNumber:
    """All entries of each row as one number."""
    if function is SUM:
        return arithmetic.total(vector)
    rows = dense(vector)
    shape = ONE if rows.frame is None else FLAT
    return DeferredNumber(
        rows.frame, lambda step: functions.aggregate(function, step.get(rows), shape)
    )
