"""What a row of the table is worth: the order of the rows, and the few that a reader sees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neurallog_kernel.induction.aggregation import MAX_PLUS, NOISY_OR, TOP, start_weights
from neurallog_kernel.induction.judging import Counts, Judged


def row_columns(
    judged: Judged, weights: np.ndarray, way: str, counts: Counts | None = None
) -> list[np.ndarray]:
    """The bodies of each row, best first: one, or those of a rule with a weight for each entity.
    What such a rule is worth grows with its bodies as a deviation does. `counts` are those of all
    examples, or of some."""
    worth = _worth(judged, weights, way, counts or judged.counts())
    own = judged.rows
    if len(own) == len(worth):
        total = worth
    else:
        total = np.array(
            [np.sqrt((worth[n] ** 2).sum()) if len(n) > 1 else worth[n[0]] for n in own]
        )
    return [own[n] for n in np.argsort(-total, kind="stable").tolist()]


def _worth(judged: Judged, weights: np.ndarray, way: str, counts: Counts) -> np.ndarray:
    """A weight counts by how often it speaks. By confidence alone the first rows would say the same
    of a few examples again and again."""
    if way in (NOISY_OR, MAX_PLUS, TOP):  # the weights of max+ tell too little apart
        weights = np.where(judged.against, 0.0, start_weights(counts.confidence))
    wrong = np.minimum(counts.wrong, judged.head.count)
    often = np.where(weights < 0, wrong, counts.hits)
    return np.abs(weights) * np.sqrt(often)


def joined(columns: Sequence[np.ndarray]) -> np.ndarray:
    """The bodies of some rows."""
    return np.concatenate([np.zeros(0, dtype=np.int64), *columns])


def only(weights: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The weights of some bodies, all others 0."""
    found = np.zeros_like(weights)
    found[chosen] = weights[chosen]
    return found
