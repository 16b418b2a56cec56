"""Functions (LANGUAGE 5) and the settable combinations (LANGUAGE 4.7), on dense arrays.

A value is a row vector (one dimension) or a scalar (no dimension).

Choices where the text leaves one:

* `normalize` of a vector whose sum is 0 is 0, as `inverse` has 1/0 = 0;
* a function is 0 where it has no value (`square_root` and `logarithm` of what is not positive), as
  `inverse` has 1/0 = 0; so is `divide` by 0;
* the rowwise functions keep a scalar (3.2): it is a row of one entry, so both give 1
  (`normalize(0)` gives 0);
* every aggregate keeps a scalar as it is (3.2, "its sum is itself"), except `count`, which is 1.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Array = np.ndarray


def _elu(x: Array) -> Array:
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)))


def _inverse(x: Array) -> Array:
    return np.where(x == 0, 0.0, 1.0 / np.where(x == 0, 1.0, x))


def _softmax(x: Array) -> Array:
    if x.size == 0:
        return x
    e = np.exp(x - x.max())
    return e / e.sum()


def _normalize(x: Array) -> Array:
    total = x.sum()
    return x / total if total != 0 else np.zeros_like(x)


def _over_non_zero(reduce: Callable[[Array], float]) -> Callable[[Array], Array]:
    """An aggregate over the non-zero entries, 0 if there are none; a scalar stays as it is."""

    def aggregate(x: Array) -> Array:
        if x.ndim == 0:
            return x
        entries = x[x != 0]
        return np.asarray(reduce(entries) if entries.size else 0.0)

    return aggregate


def _count(x: Array) -> Array:
    return np.asarray(1.0 if x.ndim == 0 else float(np.count_nonzero(x)))


SELU_SCALE, SELU_ALPHA = 1.0507009873554805, 1.6732632423543772

ELEMENTWISE: dict[str, Callable[[Array], Array]] = {
    "tanh": np.tanh,
    "sigmoid": lambda x: 1.0 / (1.0 + np.exp(-x)),
    "relu": lambda x: np.maximum(x, 0.0),
    "softplus": lambda x: np.logaddexp(x, 0.0),
    "exponential": np.exp,
    "square_root": lambda x: np.where(x > 0, np.sqrt(np.abs(x)), 0.0),
    "logarithm": lambda x: np.where(x > 0, np.log(np.abs(x)), 0.0),
    "inverse": _inverse,
    "hard_sigmoid": lambda x: np.clip(0.2 * x + 0.5, 0.0, 1.0),
    "softsign": lambda x: x / (1.0 + np.abs(x)),
    "elu": _elu,
    "selu": lambda x: SELU_SCALE * np.where(x > 0, x, SELU_ALPHA * np.expm1(np.minimum(x, 0))),
    "linear": lambda x: x,
    "relu6": lambda x: np.minimum(np.maximum(x, 0.0), 6.0),
    "leaky_relu": lambda x: np.maximum(x, 0.2 * x),
    "gelu": lambda x: x * (1.0 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x * x * x))) / 2,
    "silu": lambda x: x / (1.0 + np.exp(-x)),
    "square": lambda x: x * x,
    "absolute": lambda x: np.where(x < 0, -x, x),
    "negative": lambda x: 0.0 - x,
    "step": lambda x: np.where(x > 0, 1.0, 0.0),
}
ROWWISE: dict[str, Callable[[Array], Array]] = {"softmax": _softmax, "normalize": _normalize}
AGGREGATES: dict[str, Callable[[Array], Array]] = {
    "sum": lambda x: np.asarray(x.sum()),
    "mean": _over_non_zero(np.mean),
    "max": _over_non_zero(np.max),
    "min": _over_non_zero(np.min),
    "count": _count,
}
# 4.7: TensorFlow's reductions, which look at zeros too
REDUCTIONS: dict[str, Callable[[Array], Array]] = {
    "reduce_sum": lambda x: np.asarray(x.sum()),
    "reduce_mean": lambda x: np.asarray(x.mean() if x.size else 0.0),
    "reduce_max": lambda x: np.asarray(x.max() if x.size else 0.0),
    "reduce_min": lambda x: np.asarray(x.min() if x.size else 0.0),
}
FUNCTIONS = {**ELEMENTWISE, **ROWWISE, **AGGREGATES}

COMBINATIONS: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "subtract": np.subtract,
    "divide": lambda a, b: a * _inverse(np.asarray(b, dtype=float)),
    "average": lambda a, b: 0.5 * a + 0.5 * b,
    "probabilistic_sum": lambda a, b: 1.0 - (1.0 - a) * (1.0 - b),
    "lukasiewicz_and": lambda a, b: np.maximum(0.0, a + b - 1.0),
    "lukasiewicz_or": lambda a, b: np.minimum(1.0, a + b),
}


def apply(name: str, value: Array) -> Array:
    """Section 5: the function of that name on a row vector or a scalar."""
    with np.errstate(all="ignore"):
        return np.asarray(FUNCTIONS[name](value), dtype=float)


def bare(name: str) -> str:
    """Section 4.7: the original's `tf.*` names stand for the names of the registry."""
    return name.removeprefix("tf.").removeprefix("math.")


def combination(name: str) -> Callable[[Array, Array], Array]:
    """Section 4.7: the two-place function that AND, OR or the paths are set to."""
    return COMBINATIONS[bare(name)]


def aggregation(name: str) -> Callable[[Array], Array]:
    """Section 4.7: what `any` does to each of its terms; its default is the sum over the row."""
    name = bare(name)
    return {**AGGREGATES, **REDUCTIONS}["sum" if name == "any_aggregation_function" else name]
