"""Comparisons of an attribute with a number, as in `at_least(A, 50)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from neurallog_kernel.functions.function import Array


@dataclass(frozen=True, eq=False, slots=True)
class Comparison:
    """1 where a value stands so to a number, 0 elsewhere.

    It is about the values that facts state, which no training changes: its derivative is 0, and an
    engine that learns takes it as a constant. So it has no form in TensorFlow. `sql` is the sign in
    SQL, `sign` how it is written in plans, `words` in explanations, `opposite` what to use in place
    of `not`.
    """

    name: str
    formula: str
    sign: str
    words: str
    numpy: Callable[[Array, float], Array]
    sql: str
    opposite: str

    def __call__(self, values: Array, number: float) -> Array:
        return self.numpy(values, number).astype(float)

    def __str__(self) -> str:
        return self.name


AT_LEAST = Comparison(
    "at_least",
    "1 if the attribute's value is at least the number, else 0",
    "≥",
    "is at least",
    np.greater_equal,
    ">=",
    opposite="at_most",
)
AT_MOST = Comparison(
    "at_most",
    "1 if the attribute's value is at most the number, else 0",
    "≤",
    "is at most",
    np.less_equal,
    "<=",
    opposite="at_least",
)
COMPARISONS: Mapping[str, Comparison] = MappingProxyType(
    {one.name: one for one in (AT_LEAST, AT_MOST)}
)
