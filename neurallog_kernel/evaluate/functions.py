"""Functions on batches of rows that are sparse plus a constant elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from neurallog_kernel.evaluate.engine import EngineValue
from neurallog_kernel.evaluate.rows import (
    Numbers,
    Rows,
    combine_several,
    elementwise,
    from_dense,
    row_counts,
    row_sums,
    total,
)
from neurallog_kernel.functions import Function, FunctionKind
from neurallog_kernel.functions import rows as builtin


def apply(function: Function, arguments: list[EngineValue]) -> EngineValue:
    """Any function of the registry."""
    if all(isinstance(argument, np.ndarray) for argument in arguments):
        return _of_numbers(function, arguments)  # type: ignore[arg-type]
    if len(arguments) > 1:
        return _of_several(function, arguments)
    (rows,) = arguments
    assert isinstance(rows, Rows)
    if function.kind is FunctionKind.ELEMENTWISE:
        return elementwise(function.numpy, rows)
    if function in _SPARSE:
        return _SPARSE[function](rows)
    result = function.numpy(rows.dense())
    return from_dense(result) if function.kind is FunctionKind.ROWWISE else result


def aggregate(function: Function, rows: Rows) -> Numbers:
    """An aggregate of rows."""
    sparse = _SPARSE.get(function)
    found = function.numpy(rows.dense()) if sparse is None else sparse(rows)
    assert isinstance(found, np.ndarray)
    return found


def _of_numbers(function: Function, arguments: list[Numbers]) -> Numbers:
    if function.kind is FunctionKind.ELEMENTWISE:
        return function.numpy(*arguments)
    columns = [argument.reshape(-1, 1) for argument in arguments]  # rows of one entry
    return function.numpy(*columns).reshape(-1)


def _of_several(function: Function, arguments: list[EngineValue]) -> EngineValue:
    size = next(a.size for a in arguments if isinstance(a, Rows))
    rows = [a if isinstance(a, Rows) else _constant(size, a) for a in arguments]
    if function.kind is FunctionKind.ELEMENTWISE:
        return combine_several(function.numpy, rows)
    batch = max(r.batch for r in rows)
    dense = [np.broadcast_to(r.dense(), (batch, size)) for r in rows]
    result = function.numpy(*dense)
    return result if function.kind is FunctionKind.AGGREGATE else from_dense(result)


def _constant(size: int, rest: Numbers) -> Rows:
    return Rows(len(rest), size, np.zeros(0, dtype=np.int64), np.zeros(0), rest)


# -- rows -----------------------------------------------------------------------------------------


def _unlisted(rows: Rows) -> np.ndarray:
    """How many entries of each row are not listed."""
    return rows.size - row_counts(rows)


def _each(rows: Rows, numbers: Numbers) -> np.ndarray:
    """A number of each row, at each of its listed entries."""
    return numbers[rows.rows()]


def _softmax(rows: Rows) -> Rows:
    top = _extreme(rows, np.maximum, -np.inf, listed_only_nonzero=False)
    listed = np.exp(rows.values - _each(rows, top))
    rest = np.exp(rows.rest - top)
    sums = row_sums(rows, listed) + rest * _unlisted(rows)
    if not rows.size:  # a type without entities
        return rows
    return Rows(rows.batch, rows.size, rows.keys, listed / _each(rows, sums), rest / sums)


def _normalize(rows: Rows) -> Rows:
    sums = total(rows)
    scale = np.divide(1.0, sums, out=np.zeros_like(sums), where=sums != 0)
    return Rows(
        rows.batch, rows.size, rows.keys, rows.values * _each(rows, scale), rows.rest * scale
    )


# -- numbers --------------------------------------------------------------------------------------


def _count(rows: Rows) -> Numbers:
    listed = row_sums(rows, (rows.values != 0).astype(float))
    return listed + (rows.rest != 0) * _unlisted(rows)


def _mean(rows: Rows) -> Numbers:
    sums, number = total(rows), _count(rows)
    return np.divide(sums, number, out=np.zeros_like(sums), where=number != 0)


def _extreme(
    rows: Rows, better: np.ufunc, worst: float, listed_only_nonzero: bool = True
) -> Numbers:
    """The largest (or smallest) entry of each row; by default of its non-zero entries, else 0."""
    values, which = rows.values, rows.rows()
    if listed_only_nonzero:
        there = values != 0
        values, which = values[there], which[there]
    best = np.full(rows.batch, worst)
    better.at(best, which, values)
    counts = _unlisted(rows) > 0
    if listed_only_nonzero:
        counts &= rows.rest != 0
    best = np.where(counts, better(best, rows.rest), best)
    return np.where(np.isinf(best) & (best == worst), 0.0, best)


# Faster than the dense form, which any other function has: these never write out a row.
_SPARSE: Mapping[Function, Callable[[Rows], EngineValue]] = {
    builtin.SUM: total,
    builtin.COUNT: _count,
    builtin.MEAN: _mean,
    builtin.MAX: lambda rows: _extreme(rows, np.maximum, -np.inf),
    builtin.MIN: lambda rows: _extreme(rows, np.minimum, np.inf),
    builtin.REDUCE_MAX: lambda rows: _extreme(rows, np.maximum, -np.inf, False),
    builtin.REDUCE_MIN: lambda rows: _extreme(rows, np.minimum, np.inf, False),
    builtin.REDUCE_MEAN: lambda rows: total(rows) / max(rows.size, 1),
    builtin.SOFTMAX: _softmax,
    builtin.NORMALIZE: _normalize,
}
