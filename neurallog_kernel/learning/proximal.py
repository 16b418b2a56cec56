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
