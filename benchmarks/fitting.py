"""How a cost grows: the exponent of a power law, with its error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Growth:
    """cost = constant * size ** exponent, over the large half of the sizes."""

    sizes: tuple[float, ...]
    costs: tuple[float, ...]
    exponent: float
    error: float  # the standard error of the exponent
    constant: float

    def at(self, size: float) -> float:
        return self.constant * size**self.exponent


def large_half(number: int) -> int:
    """How many of the largest sizes count: half of them, but three where there are three."""
    return max(min(3, number), (number + 1) // 2)


def fit(sizes: Sequence[float], costs: Sequence[float]) -> Growth:
    """Least squares on both logarithms. Small sizes measure the fixed cost, so they do not count.

    >>> growth = fit([1, 10, 100, 1000, 10_000], [5.0, 5.1, 6.0, 60.0, 600.0])
    >>> round(growth.exponent, 6)
    1.0
    """
    if len(sizes) != len(costs) or len(sizes) < 2:
        raise ValueError("a fit needs two sizes or more, and a cost of each")
    order = np.argsort(sizes)
    x = np.log(np.asarray(sizes, float)[order])
    y = np.log(np.maximum(np.asarray(costs, float)[order], 1e-12))
    half = large_half(len(x))
    x, y = x[-half:], y[-half:]
    slope, start = np.polyfit(x, y, 1)
    rest = y - (start + slope * x)
    free = len(x) - 2
    width = ((x - x.mean()) ** 2).sum()
    error = float(np.sqrt((rest**2).sum() / free / width)) if free > 0 else 0.0
    return Growth(
        tuple(float(s) for s in np.asarray(sizes)[order]),
        tuple(float(c) for c in np.asarray(costs)[order]),
        float(slope),
        error,
        float(np.exp(start)),
    )
