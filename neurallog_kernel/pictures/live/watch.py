"""Watching training: curves, the learned weights that move, and the network with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any

import numpy as np

from neurallog_kernel.knowledge.program import Program

PAUSE = 0.2  # seconds between two pictures
SHARE = 10  # of the time that a training takes, at most one part is spent on the network's numbers
SERIES = 8  # weights that are drawn
NAMED = 64  # weights of one predicate that are kept one by one; the mean stands for more


class WeightWatch:
    """A training callback that tells what has been learned so far.

    It needs nothing of training but a state with `epoch`, `epochs`, `logs`, `weights()` and
    `names(key)`. Where it has a `history`, that says whether the training was interrupted.
    """

    def __init__(
        self,
        show: Callable[[dict[str, Any]], None],
        follow: Callable[[Program], None] | None = None,
    ) -> None:
        """`follow` is given the program with the weights so far, now and then."""
        self.show, self.follow = show, follow
        self._again = 0.0  # when it is the turn of `follow`
        self.curves: dict[str, list[float]] = {}
        self.weights: dict[str, list[float]] = {}
        self._names: dict[Any, Sequence[str]] = {}
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
        program = getattr(state, "program", None)
        if self.follow is not None and program is not None and monotonic() >= self._again:
            begun = monotonic()
            self.follow(program())
            self._again = monotonic() + max(PAUSE, (SHARE - 1) * (monotonic() - begun))

    def on_end(self, state: Any) -> None:
        self._tell(state, "end")

    def _look(self, state: Any) -> None:
        for key, array in state.weights().items():
            numbers = np.asarray(array, dtype=float).reshape(-1)
            for name, value in self._named(state, key, numbers):
                self.weights.setdefault(name, []).append(value)

    def _named(self, state: Any, key: Any, array: np.ndarray) -> list[tuple[str, float]]:
        """Each weight by its fact or rule where they are few, else the mean of all."""
        predicate = "/".join(map(str, key)) if isinstance(key, tuple) else str(key)
        if len(array) == 1:
            return [(predicate, float(array[0]))]
        if len(array) > NAMED:
            return [(f"{predicate} (mean of {len(array):,})", float(array.mean()))]
        if key not in self._names:
            self._names[key] = state.names(key)
        return list(zip(self._names[key], array.tolist(), strict=True))

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
                "interrupted": bool(getattr(getattr(state, "history", None), "interrupted", False)),
            }
        )
