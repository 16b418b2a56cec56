"""Watching training: curves and the learned weights that move, for the living network."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

import numpy as np

from neurallog_kernel.evaluate.inspection import Inspector

PAUSE = 0.2  # seconds between two pictures
SERIES = 8  # weights that are drawn
NAMED = 64  # weights of one predicate that are kept one by one; the mean stands for more


class WeightWatch:
    """A training callback that tells what has been learned so far.

    It needs nothing of training but a state with `epoch`, `epochs`, `logs` and `weights()`.
    """

    def __init__(self, inspector: Inspector, show: Callable[[dict[str, Any]], None]) -> None:
        self.inspector = inspector
        self.show = show
        self.curves: dict[str, list[float]] = {}
        self.weights: dict[str, list[float]] = {}
        self._shown = -PAUSE

    def most_moved(self) -> dict[str, list[float]]:
        """The weights that moved most, not more than can be told apart."""

        def moved(values: list[float]) -> float:
            return max(values) - min(values)

        best = sorted(self.weights, key=lambda name: -moved(self.weights[name]))[:SERIES]
        return {name: self.weights[name] for name in self.weights if name in best}

    def on_begin(self, state: Any) -> None:
        self._look(state)
        self._tell(state, "begin")

    def on_epoch(self, state: Any) -> None:
        for name, value in state.logs.items():
            if isinstance(value, int | float | np.floating) and name != "seconds":
                self.curves.setdefault(name, []).append(float(value))
        self._look(state)
        if monotonic() - self._shown >= PAUSE:
            self._tell(state, "epoch")

    def on_end(self, state: Any) -> None:
        self._tell(state, "end")

    def _look(self, state: Any) -> None:
        for key, array in state.weights().items():
            for name, value in self._named(key, np.asarray(array, dtype=float).reshape(-1)):
                self.weights.setdefault(name, []).append(value)

    def _named(self, key: Any, array: np.ndarray) -> list[tuple[str, float]]:
        """Each weight by its fact where they are few, else the mean of all."""
        predicate = "/".join(map(str, key)) if isinstance(key, tuple) else str(key)
        if len(array) == 1:
            return [(predicate, float(array[0]))]
        if len(array) > NAMED:
            return [(f"{predicate} (mean of {len(array):,})", float(array.mean()))]
        short = predicate.rpartition("/")[0] or predicate
        return [(f"{short}({name})", float(w)) for name, w in self._entries(key, array)]

    def _entries(self, key: Any, array: np.ndarray) -> list[tuple[str, float]]:
        unary = isinstance(key, tuple) and len(key) == 2 and key[1] == 1
        names = self.inspector.entities(key, 0, len(array)) if unary else ()
        if len(names) != len(array):
            names = tuple(str(number + 1) for number in range(len(array)))
        return list(zip(names, array.tolist(), strict=True))

    def _tell(self, state: Any, phase: str) -> None:
        self._shown = monotonic()
        self.show(
            {
                "phase": phase,
                "epoch": int(state.epoch),
                "epochs": int(state.epochs),
                "curves": {name: list(values) for name, values in self.curves.items()},
                "weights": {name: list(v) for name, v in self.most_moved().items()},
                "seconds": float(getattr(state, "seconds", 0.0)),
            }
        )
