"""What two values make together, entry by entry: AND, OR and paths, each with all its forms."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from neurallog_kernel.functions.function import Array


@dataclass(frozen=True, eq=False, slots=True)
class Combiner:
    """An operation on two values.

    `slopes(a, b)` are the derivatives by the two sides. `tensorflow` is given the module and gives
    the operation on tensors, so that queries never import it. With `arithmetic` the operation is
    written with + - * alone, so that `numpy` takes any kind of number. An identity leaves the
    other side as it is. `sql` is the expression of {a} and {b}, `sign` how it is written in plans.
    """

    name: str
    numpy: Callable[[Any, Any], Any]
    slopes: Callable[[Array, Array], tuple[Array, Array]]
    tensorflow: Callable[[Any], Callable[[Any, Any], Any]]
    sql: str
    arithmetic: bool = False
    zero_annihilates: bool = False
    left_identity: float | None = None
    right_identity: float | None = None
    sign: str = ""

    def __call__(self, left: Any, right: Any) -> Any:
        return self.numpy(left, right)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, eq=False, slots=True)
class Negation:
    """`not`: the value taken from the total, or from nothing."""

    name: str
    of_total: bool

    def __str__(self) -> str:
        return self.name


def _divide(a: Array, b: Array) -> Array:
    a, b = np.broadcast_arrays(np.asarray(a, float), np.asarray(b, float))
    return np.divide(a, b, out=np.zeros(a.shape), where=b != 0)


def _divide_slopes(a: Array, b: Array) -> tuple[Array, Array]:
    a, b = np.broadcast_arrays(a, b)
    there = b != 0
    safe = np.where(there, b, 1.0)
    return np.where(there, 1.0 / safe, 0.0), np.where(there, -a / safe**2, 0.0)


def _constant(left: float, right: float) -> Callable[[Array, Array], tuple[Array, Array]]:
    def slopes(a: Array, b: Array) -> tuple[Array, Array]:
        shape = np.broadcast(a, b).shape
        return np.full(shape, left), np.full(shape, right)

    return slopes


def _choice(
    chosen: Callable[[Array, Array], Array],
) -> Callable[[Array, Array], tuple[Array, Array]]:
    """One of the two sides is the result; of equal ones the left."""

    def slopes(a: Array, b: Array) -> tuple[Array, Array]:
        left = np.broadcast_to(chosen(a, b), np.broadcast(a, b).shape)
        return left.astype(float), (~left).astype(float)

    return slopes


def _within(
    inside: Callable[[Array, Array], Array],
) -> Callable[[Array, Array], tuple[Array, Array]]:
    """A sum where it is not cut off."""

    def slopes(a: Array, b: Array) -> tuple[Array, Array]:
        both = inside(a, b).astype(float)
        return both, both

    return slopes


MULTIPLY = Combiner(
    "multiply",
    operator.mul,
    lambda a, b: tuple(np.broadcast_arrays(b, a)),  # type: ignore[return-value]
    lambda tf: tf.multiply,
    "{a} * {b}",
    arithmetic=True,
    zero_annihilates=True,
    left_identity=1.0,
    right_identity=1.0,
    sign="*",
)
ADD = Combiner(
    "add",
    operator.add,
    _constant(1.0, 1.0),
    lambda tf: tf.add,
    "{a} + {b}",
    arithmetic=True,
    left_identity=0.0,
    right_identity=0.0,
    sign="+",
)
SUBTRACT = Combiner(
    "subtract",
    operator.sub,
    _constant(1.0, -1.0),
    lambda tf: tf.subtract,
    "{a} - {b}",
    arithmetic=True,
    right_identity=0.0,
    sign="-",
)
MINIMUM = Combiner(
    "minimum", np.minimum, _choice(operator.le), lambda tf: tf.minimum, "least({a}, {b})"
)
_OTHERS = (
    Combiner(
        "divide",
        _divide,
        _divide_slopes,
        lambda tf: tf.math.divide_no_nan,
        "coalesce({a} / nullif({b}, 0e0), 0e0)",
    ),
    Combiner(
        "maximum", np.maximum, _choice(operator.ge), lambda tf: tf.maximum, "greatest({a}, {b})"
    ),
    MINIMUM,
    Combiner(
        "average",
        lambda a, b: (a + b) / 2.0,
        _constant(0.5, 0.5),
        lambda tf: lambda a, b: (a + b) / 2,
        "({a} + {b}) / 2e0",
    ),
    Combiner(
        "probabilistic_sum",
        lambda a, b: a + b - a * b,
        lambda a, b: (1.0 - b + 0.0 * a, 1.0 - a + 0.0 * b),
        lambda tf: lambda a, b: a + b - a * b,
        "{a} + {b} - {a} * {b}",
        arithmetic=True,
    ),
    Combiner(
        "lukasiewicz_and",
        lambda a, b: np.maximum(a + b - 1.0, 0.0),
        _within(lambda a, b: a + b >= 1.0),
        lambda tf: lambda a, b: tf.maximum(a + b - 1, 0),
        "greatest({a} + {b} - 1e0, 0e0)",
    ),
    Combiner(
        "lukasiewicz_or",
        lambda a, b: np.minimum(a + b, 1.0),
        _within(lambda a, b: a + b <= 1.0),
        lambda tf: lambda a, b: tf.minimum(a + b, 1),
        "least({a} + {b}, 1e0)",
    ),
)
COMBINERS: Mapping[str, Combiner] = MappingProxyType(
    {one.name: one for one in (MULTIPLY, ADD, SUBTRACT, *_OTHERS)}
)

COMPLEMENT = Negation("complement", of_total=True)
NEGATIVE = Negation("negative", of_total=False)
NEGATIONS: Mapping[str, Negation] = MappingProxyType(
    {one.name: one for one in (COMPLEMENT, NEGATIVE)}
)
