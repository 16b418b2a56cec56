"""Functions on batches of rows that are sparse plus a constant elsewhere."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from neurallog_kernel.evaluate.rows import (
    Numbers,
    Rows,
    combine,
    elementwise,
    from_dense,
    row_counts,
    row_sums,
    total,
)
from neurallog_kernel.functions import BUILTIN_FUNCTIONS, Function, FunctionKind

Value = Rows | Numbers


def apply(function: Function, arguments: list[Value]) -> Value:
    """Any function of the registry."""
    if all(isinstance(argument, np.ndarray) for argument in arguments):
        return _of_numbers(function, arguments)  # type: ignore[arg-type]
    if len(arguments) > 1:
        return _of_several(function, arguments)
    (rows,) = arguments
    assert isinstance(rows, Rows)
    if function.kind is FunctionKind.ELEMENTWISE:
        return elementwise(function.numpy, rows)
    if function is BUILTIN_FUNCTIONS.get(function.name) and function.name in _SPARSE:
        return _SPARSE[function.name](rows)
    result = function.numpy(rows.dense())
    return from_dense(result) if function.kind is FunctionKind.ROWWISE else result


def aggregate(name: str, rows: Rows) -> Numbers:
    """An aggregation of `any`, by name."""
    return _AGGREGATES[name](rows)


def _of_numbers(function: Function, arguments: list[Numbers]) -> Numbers:
    if function.kind is FunctionKind.ELEMENTWISE:
        return function.numpy(*arguments)
    columns = [argument.reshape(-1, 1) for argument in arguments]  # rows of one entry
    return function.numpy(*columns).reshape(-1)


def _of_several(function: Function, arguments: list[Value]) -> Value:
    size = next(a.size for a in arguments if isinstance(a, Rows))
    rows = [a if isinstance(a, Rows) else _constant(size, a) for a in arguments]
    if function.kind is FunctionKind.ELEMENTWISE and len(rows) == 2:
        return combine(function.numpy, function.name, rows[0], rows[1])
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


_AGGREGATES: dict[str, Callable[[Rows], Numbers]] = {
    "sum": total,
    "count": _count,
    "mean": _mean,
    "max": lambda rows: _extreme(rows, np.maximum, -np.inf),
    "min": lambda rows: _extreme(rows, np.minimum, np.inf),
    "reduce_max": lambda rows: _extreme(rows, np.maximum, -np.inf, listed_only_nonzero=False),
    "reduce_min": lambda rows: _extreme(rows, np.minimum, np.inf, listed_only_nonzero=False),
    "reduce_mean": lambda rows: total(rows) / max(rows.size, 1),
}
_SPARSE: dict[str, Callable[[Rows], Value]] = {
    **{name: _AGGREGATES[name] for name in ("sum", "count", "mean", "max", "min")},
    "softmax": _softmax,
    "normalize": _normalize,
}
