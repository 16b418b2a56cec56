"""The best few parts: OR as the noisy-or of the k largest, as in `top_5`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from neurallog_kernel.functions.function import Array, Function, FunctionKind

_NAME = re.compile(r"top_([1-9][0-9]{0,3})")
PATTERN = "top_K (as top_5: the noisy-or of the 5 best)"  # how the family is named in lists


@dataclass(frozen=True, slots=True)
class Top:
    """1 - (1 - a)(1 - b)... over the k largest parts; of equal ones, the first.

    It looks at all parts at once, so it is no pairwise combiner but a function of so many values
    as there are parts.
    """

    k: int

    @property
    def name(self) -> str:
        return f"top_{self.k}"

    def of(self, parts: int) -> Function:
        """The function of so many values; equal ones are one object, so that plans stay equal."""
        return _function(self.k, parts)


@cache
def top_named(name: str) -> Top | None:
    """What a name stands for; None if it is none of the family.

    >>> top_named("top_5"), top_named("top_0"), top_named("add")
    (Top(k=5), None, None)
    """
    found = _NAME.fullmatch(name)
    return None if found is None else Top(int(found[1]))


@cache
def _function(k: int, parts: int) -> Function:
    def numpy(*values: Array) -> Array:
        stacked = _stacked(values)
        if parts > k:
            stacked = np.partition(stacked, parts - k, axis=0)[parts - k :]
        return 1.0 - np.prod(1.0 - stacked, axis=0)

    def slopes(*values: Array) -> tuple[Array, ...]:
        stacked = _stacked(values)
        order = np.argsort(-stacked, axis=0, kind="stable")[:k]
        rest = 1.0 - np.take_along_axis(stacked, order, axis=0)
        found = np.zeros_like(stacked)
        for place in range(len(order)):
            others = np.prod(np.delete(rest, place, axis=0), axis=0)
            np.put_along_axis(found, order[place : place + 1], others[None], axis=0)
        return tuple(found)

    return Function(
        f"top_{k}",
        FunctionKind.ELEMENTWISE,
        numpy,
        f"1 - (1 - a)(1 - b)... of the {k} largest",
        inputs=parts,
        derivative=slopes,
        with_tensorflow=lambda tf: _tensors(tf, k, parts),
    )


def _stacked(values: tuple[Array, ...]) -> Array:
    return np.stack(np.broadcast_arrays(*(np.asarray(value, dtype=float) for value in values)))


def _tensors(tf: Any, k: int, parts: int) -> Callable[..., Any]:
    def of_tensors(*values: Any) -> Any:
        stacked = tf.stack(values, axis=-1)
        best = tf.math.top_k(stacked, k=min(k, parts), sorted=False).values
        return 1 - tf.reduce_prod(1 - best, axis=-1)

    return of_tensors
