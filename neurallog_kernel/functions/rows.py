"""The built-in functions of a whole row and the aggregates, each with all its forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from neurallog_kernel.functions.function import Array, Function, FunctionKind

RowDerivative = Callable[
    [Array, Array], Array
]  # rows and the adjoint of each result, to those of the rows


def _made(
    name: str,
    formula: str,
    kind: FunctionKind,
    numpy: Callable[[Array], Array],
    back: RowDerivative,
    tensorflow: Callable[[Any], Callable[[Any], Any]],
    sql: str | None = None,
    of_number: float | None = None,
) -> Function:
    """All forms are asked for here: one that is missing is seen when the module is read."""
    return Function(
        name,
        kind,
        numpy,
        formula,
        derivative=back,
        with_tensorflow=tensorflow,
        of_number=of_number,
        sql=sql,
    )


# -- rows to rows ---------------------------------------------------------------------------------


def _softmax(rows: Array) -> Array:
    if rows.shape[-1] == 0:
        return rows
    shifted = np.exp(rows - rows.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


def _softmax_back(x: Array, adjoint: Array) -> Array:
    y = _softmax(x)
    return y * (adjoint - (adjoint * y).sum(axis=-1, keepdims=True))


def _normalize(rows: Array) -> Array:
    total = rows.sum(axis=-1, keepdims=True)
    return np.divide(rows, total, out=np.zeros_like(rows, dtype=float), where=total != 0)


def _normalize_back(x: Array, adjoint: Array) -> Array:
    total = x.sum(axis=-1, keepdims=True)
    there = total != 0
    safe = np.where(there, total, 1.0)
    mean = (adjoint * x).sum(axis=-1, keepdims=True) / safe
    return np.where(there, (adjoint - mean) / safe, 0.0)


# -- rows to numbers ------------------------------------------------------------------------------


def _count(rows: Array) -> Array:
    return (rows != 0).sum(axis=-1).astype(float)


def _mean(rows: Array) -> Array:
    total, number = rows.sum(axis=-1), _count(rows)
    return np.divide(total, number, out=np.zeros_like(total, dtype=float), where=number != 0)


def _extreme(reduce: Callable[..., Array], worst: float) -> Callable[[Array], Array]:
    """Over the non-zero entries; 0 if there are none."""

    def aggregate(rows: Array) -> Array:
        there = rows != 0
        best = reduce(rows, axis=-1, initial=worst, where=there)
        return np.where(there.any(axis=-1), best, 0.0)

    return aggregate


def _extreme_of_all(reduce: Callable[..., Array]) -> Callable[[Array], Array]:
    return lambda rows: reduce(rows, axis=-1) if rows.shape[-1] else np.zeros(rows.shape[:-1])


def _to_each(weights: Callable[[Array], Array]) -> RowDerivative:
    """The adjoint of an aggregate is a number for each row; each entry gets its share of it."""
    return lambda x, adjoint: weights(x) * adjoint[..., None]


def _share_of_mean(x: Array) -> Array:
    number = (x != 0).sum(axis=-1, keepdims=True)
    return np.where(number, 1.0 / np.maximum(number, 1), 0.0) + np.zeros_like(x)


def _at_best(sign: float, zeros_count: bool) -> Callable[[Array], Array]:
    """1 at the extreme entry; several that are equal share it."""

    def weights(x: Array) -> Array:
        if not x.shape[-1]:
            return np.zeros_like(x)
        counts = np.ones_like(x, dtype=bool) if zeros_count else x != 0
        seen = np.where(counts, sign * x, -np.inf)
        best = counts & (seen == seen.max(axis=-1, keepdims=True))
        return best / np.maximum(best.sum(axis=-1, keepdims=True), 1)

    return weights


# -- tensors --------------------------------------------------------------------------------------


def _count_tensors(tf: Any) -> Callable[[Any], Any]:
    return lambda x: tf.reduce_sum(tf.cast(tf.not_equal(x, 0), x.dtype), -1)


def _mean_tensors(tf: Any) -> Callable[[Any], Any]:
    return lambda x: tf.math.divide_no_nan(tf.reduce_sum(x, -1), _count_tensors(tf)(x))


def _extreme_tensors(largest: bool) -> Callable[[Any], Callable[[Any], Any]]:
    def with_tensorflow(tf: Any) -> Callable[[Any], Any]:
        def aggregate(x: Any) -> Any:
            worst = x.dtype.min if largest else x.dtype.max
            reduce = tf.reduce_max if largest else tf.reduce_min
            there = tf.not_equal(x, 0)
            best = reduce(tf.where(there, x, worst * tf.ones_like(x)), -1)
            return tf.where(tf.reduce_any(there, -1), best, tf.zeros_like(best))

        return aggregate

    return with_tensorflow


# -- SQL ------------------------------------------------------------------------------------------

_UNLISTED = "CASE WHEN n > count(v) THEN n - count(v) ELSE 0 END"
_TOTAL = (
    f"coalesce(sum(v), 0e0) + CASE WHEN n > count(v) THEN any_value(r) * {_UNLISTED} ELSE 0e0 END"
)
_COUNTED = (
    f"count(v) FILTER (WHERE v <> 0) + CASE WHEN any_value(r) <> 0 THEN {_UNLISTED} ELSE 0 END"
)


def _extreme_sql(best: str, pick: str, zeros_count: bool) -> str:
    """The extreme entry, 0 if there is none."""
    listed = f"{best}(v)" if zeros_count else f"{best}(v) FILTER (WHERE v <> 0)"
    counts = "n > count(v)" if zeros_count else "n > count(v) AND any_value(r) <> 0"
    return f"coalesce({pick}({listed}, CASE WHEN {counts} THEN any_value(r) END), 0e0)"


# -- the table ------------------------------------------------------------------------------------

SOFTMAX = _made(
    "softmax",
    "e^x / sum of e^x over the row",
    FunctionKind.ROWWISE,
    _softmax,
    _softmax_back,
    lambda tf: lambda x: tf.nn.softmax(x, axis=-1),
    "exp({x} - {top})",
)
NORMALIZE = _made(
    "normalize",
    "x / sum of the row, and 0 where that is 0",
    FunctionKind.ROWWISE,
    _normalize,
    _normalize_back,
    lambda tf: lambda x: tf.math.divide_no_nan(x, tf.reduce_sum(x, -1, keepdims=True)),
    "{x}",
)
SUM = _made(
    "sum",
    "sum of the entries",
    FunctionKind.AGGREGATE,
    lambda rows: rows.sum(axis=-1),
    _to_each(np.ones_like),
    lambda tf: lambda x: tf.reduce_sum(x, -1),
    _TOTAL,
)
COUNT = _made(
    "count",
    "number of non-zero entries",
    FunctionKind.AGGREGATE,
    _count,
    _to_each(np.zeros_like),
    _count_tensors,
    f"CAST({_COUNTED} AS DOUBLE)",
    of_number=1.0,
)
MEAN = _made(
    "mean",
    "mean of the non-zero entries, 0 if there are none",
    FunctionKind.AGGREGATE,
    _mean,
    _to_each(_share_of_mean),
    _mean_tensors,
    f"coalesce(({_TOTAL}) / nullif({_COUNTED}, 0), 0e0)",
)
MAX = _made(
    "max",
    "largest non-zero entry, 0 if there are none",
    FunctionKind.AGGREGATE,
    _extreme(np.max, -np.inf),
    _to_each(_at_best(1.0, zeros_count=False)),
    _extreme_tensors(largest=True),
    _extreme_sql("max", "greatest", zeros_count=False),
)
MIN = _made(
    "min",
    "smallest non-zero entry, 0 if there are none",
    FunctionKind.AGGREGATE,
    _extreme(np.min, np.inf),
    _to_each(_at_best(-1.0, zeros_count=False)),
    _extreme_tensors(largest=False),
    _extreme_sql("min", "least", zeros_count=False),
)
ROWWISE: tuple[Function, ...] = (SOFTMAX, NORMALIZE)
AGGREGATES: tuple[Function, ...] = (SUM, COUNT, MEAN, MAX, MIN)

# Over all entries, zeros included, for programs that name TensorFlow's reductions as what `any`
# does; a program cannot call them.
REDUCE_MAX = _made(
    "reduce_max",
    "largest entry",
    FunctionKind.AGGREGATE,
    _extreme_of_all(np.max),
    _to_each(_at_best(1.0, zeros_count=True)),
    lambda tf: lambda x: tf.reduce_max(x, -1),
    _extreme_sql("max", "greatest", zeros_count=True),
)
REDUCE_MIN = _made(
    "reduce_min",
    "smallest entry",
    FunctionKind.AGGREGATE,
    _extreme_of_all(np.min),
    _to_each(_at_best(-1.0, zeros_count=True)),
    lambda tf: lambda x: tf.reduce_min(x, -1),
    _extreme_sql("min", "least", zeros_count=True),
)
REDUCE_MEAN = _made(
    "reduce_mean",
    "mean of all entries",
    FunctionKind.AGGREGATE,
    lambda rows: rows.sum(axis=-1) / max(rows.shape[-1], 1),
    _to_each(lambda x: np.full(x.shape, 1.0 / max(x.shape[-1], 1))),
    lambda tf: lambda x: tf.reduce_mean(x, -1),
    f"({_TOTAL}) / greatest(n, 1)",
)
REDUCTIONS: tuple[Function, ...] = (REDUCE_MAX, REDUCE_MIN, REDUCE_MEAN)
