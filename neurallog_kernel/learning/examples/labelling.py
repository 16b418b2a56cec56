"""What the labels of examples mean to a loss."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Labelling:
    """What a label, and the lack of one, means.

    `unknown`: outputs that are not listed do not count. `mask` and `clip` are the original's
    mask_predictions (a label of 0 is unknown) and clip_labels.
    """

    unknown: bool = False
    mask: bool = False
    clip: bool = False

    def labels(self, labels: np.ndarray) -> np.ndarray:
        return np.clip(labels, 0.0, 1.0) if self.clip else labels
