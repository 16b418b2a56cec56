"""The regularisers in NumPy: penalties of the sizes and of the squares of weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from neurallog_kernel.functions.keras_names import REGULARIZERS
from neurallog_kernel.knowledge.configured import Configured

_STRENGTHS: Mapping[str, Mapping[str, float]] = {
    "L1": {"l1": 0.01},
    "L2": {"l2": 0.01},
    "L1L2": {"l1": 0.0, "l2": 0.0},
}


@dataclass(frozen=True)
class NumpyPenalty:
    """So much for the size of each weight, so much for its square."""

    l1: float = 0.0
    l2: float = 0.0

    def __call__(self, weights: np.ndarray) -> np.ndarray:
        return self.l1 * np.abs(weights).sum() + self.l2 * np.square(weights).sum()

    def derivative(self, weights: np.ndarray, _: Any, g: np.ndarray) -> np.ndarray:
        return g * (self.l1 * np.sign(weights) + 2 * self.l2 * weights)


def penalty_in_numpy(chosen: Configured) -> NumpyPenalty | None:
    """A regulariser with its strengths; None if one of its settings is not here."""
    known = _STRENGTHS[REGULARIZERS.class_name(chosen.name)]
    old = {"l": next(iter(known))} if len(known) == 1 else {}  # what Keras once called it
    given = {old.get(name, name): value for name, value in chosen.config.items()}
    plain = all(isinstance(v, int | float) and not isinstance(v, bool) for v in given.values())
    if not plain or set(given) - set(known):
        return None
    return NumpyPenalty(**{**known, **given})
