"""The proximal step of an L1 penalty: after each update weights move towards 0, or an anchor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from neurallog_kernel.network.arrays import arrays_of


@dataclass(frozen=True, eq=False)
class Proximal:
    """Moves every weight by `by` towards its anchor and no further: most arrive, and stay there.

    A gradient step followed by this minimises the loss plus the penalty, with weights that are
    exactly the anchor; a penalty inside the loss would only come near. No weight leaves the range
    from `least` to `most`.
    """

    by: np.ndarray  # one number for each weight, as in the others
    anchor: np.ndarray
    least: np.ndarray
    most: np.ndarray

    def step(self, weights: Any) -> Any:
        """The weights after the step."""
        arrays = arrays_of(weights)
        anchor, by, least, most = (
            arrays.constant(one, weights.dtype)
            for one in (self.anchor, self.by, self.least, self.most)
        )
        # what is left of a weight that is moved so far is what the cut does not take
        away = weights - anchor
        moved = anchor + (away - arrays.clip(away, -by, by))
        return arrays.clip(moved, least, most)

    def ordered(self, order: np.ndarray) -> Proximal:
        """The same for weights in another order."""
        return Proximal(self.by[order], self.anchor[order], self.least[order], self.most[order])


class Accelerated:
    """Proximal steps that look ahead: the next gradient is taken beyond the point that was reached,
    in the direction of the last move (FISTA), and a group that begins to turn back starts anew.

    Momentum inside the optimiser is not the same: it does not know of the proximal step, and keeps
    pushing weights away from an anchor that they have reached. The variable of the network, one of
    NumPy, holds the point ahead; `point` is what was learned.
    """

    def __init__(self, proximal: Proximal, start: np.ndarray, groups: np.ndarray) -> None:
        """`groups` numbers the weights that go together, from 0."""
        self.proximal, self.groups = proximal, groups
        self.number = int(groups.max(initial=-1)) + 1
        self.point = self._ahead = np.array(start)
        self._pace = np.ones(self.number)

    def step(self, weights: np.ndarray) -> np.ndarray:
        """The weights at which the next gradient is taken."""
        reached = self.proximal.step(weights)
        moved = reached - self.point
        turns = np.bincount(self.groups, (self._ahead - reached) * moved, self.number)
        pace = np.where(turns > 0, 1.0, self._pace)
        self._pace = (1 + np.sqrt(1 + 4 * pace * pace)) / 2
        further = ((pace - 1) / self._pace)[self.groups] * moved
        self.point, self._ahead = reached, (reached + further).astype(reached.dtype)
        return self._ahead
