"""Watching training: the learned weights of a rule, epoch by epoch, for the explorer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from time import monotonic
from typing import Any

import numpy as np

from neurallog_kernel.evaluate.inspection import Inspector
from neurallog_kernel.evaluate.rule_view import RuleView
from neurallog_kernel.pictures.rule import literal_id
from neurallog_kernel.rulegraph.graph import BodyLiteral, node_label

PAUSE = 0.25  # seconds between two pictures
THIN, THICK = 1.0, 7.0  # widths of an arrow for the weights 0 and the greatest seen
FRAMES = 400  # states kept for going back; of more, every second one is dropped


class Watch:
    """A training callback that tells an explorer what has been learned so far.

    It needs nothing of training but a state with `epoch`, `epochs`, `logs` and `weights()`.
    """

    def __init__(
        self, view: RuleView, inspector: Inspector, show: Callable[[dict[str, Any]], None]
    ) -> None:
        self.parts = learned_parts(view, inspector)
        self.show = show
        self.curves: dict[str, list[float]] = {}
        self.frames: list[dict[str, Any]] = []
        self.greatest = 1e-9
        self._shown = -PAUSE

    def on_begin(self, state: Any) -> None:
        self._look(state, 0)
        self._tell(state, "begin")

    def on_batch(self, state: Any) -> None:
        if monotonic() - self._shown >= PAUSE:
            self._tell(state, "batch", self._weights(state))

    def on_epoch(self, state: Any) -> None:
        for name, value in state.logs.items():
            if isinstance(value, int | float | np.floating):
                self.curves.setdefault(name, []).append(float(value))
        self._look(state, state.epoch)
        if monotonic() - self._shown >= PAUSE:
            self._tell(state, "epoch")

    def on_end(self, state: Any) -> None:
        if self.frames:  # the weights that are kept may be those of the best epoch
            self.frames[-1] = {**self.frames[-1], "weights": self._weights(state)}
        self._tell(state, "end")

    def _look(self, state: Any, epoch: int) -> None:
        self.frames.append({"epoch": epoch, "weights": self._weights(state)})
        if len(self.frames) > FRAMES:
            self.frames = [*self.frames[:-1:2], self.frames[-1]]

    def _weights(self, state: Any) -> dict[str, list[float]]:
        """For each learned part: the mean, the least and the greatest weight."""
        arrays: Mapping = state.weights()
        found = {}
        for name, signature, at in self.parts:
            if signature in arrays:
                array = np.asarray(arrays[signature], dtype=float).reshape(-1)
                chosen = array if at is None or at >= len(array) else array[at : at + 1]
                if len(chosen):
                    numbers = [float(chosen.mean()), float(chosen.min()), float(chosen.max())]
                    self.greatest = max(self.greatest, *map(abs, numbers))
                    found[name] = numbers
        return found

    def _tell(self, state: Any, phase: str, weights: dict | None = None) -> None:
        self._shown = monotonic()
        latest: dict = self.frames[-1]["weights"] if self.frames else {}
        self.show(
            {
                "phase": phase,
                "epoch": int(state.epoch),
                "epochs": int(state.epochs),
                "curves": self.curves,
                "looks": looks(latest if weights is None else weights, self.greatest),
                "frames": [
                    {"epoch": f["epoch"], "looks": looks(f["weights"], self.greatest)}
                    for f in self.frames
                ]
                if phase == "end"
                else [],
            }
        )


def looks(weights: Mapping[str, Iterable[float]], greatest: float) -> dict[str, list[Any]]:
    """Label, width and hover text of each part: its mean weight, also against the greatest."""
    found: dict[str, list[Any]] = {}
    for name, (mean, low, high) in weights.items():
        spread = f"{mean:.3g}" if low == high else f"{mean:.3g} ({low:.2g} to {high:.2g})"
        width = round(THIN + (THICK - THIN) * abs(mean) / greatest, 2)
        found[name] = [f"{mean:.3g}", width, spread]
    return found


def learned_parts(
    view: RuleView, inspector: Inspector
) -> list[tuple[str, tuple[str, int], int | None]]:
    """The learned literals of a rule: name in the picture, predicate, entry (None: all of them)."""
    dag = view.dag
    inner = [edge.literal for edge in dag.edges]
    inner += [literal for literals in dag.loops.values() for literal in literals]
    parts: list[tuple[str, tuple[str, int], int | None]] = []
    for literal in [*inner, *dag.grounded]:
        if inspector.predicate(literal.signature).learnable:
            at = _entry(literal, inspector) if literal in dag.grounded else None
            parts.append((literal_id(literal), literal.signature, at))
    return parts


def _entry(literal: BodyLiteral, inspector: Inspector) -> int | None:
    """Which entry of the vector a ground unary literal is."""
    if len(literal.nodes) != 1:
        return None
    name = getattr(literal.nodes[0], "name", node_label(literal.nodes[0]))
    return inspector.position(literal.signature, 0, name)
