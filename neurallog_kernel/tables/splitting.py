"""Train, validation and test sets: seeded, and stratified by label."""

from __future__ import annotations

import zlib
from collections.abc import Mapping

import numpy as np

from neurallog_kernel.language.syntax import Signature


def split_rows(
    labels: np.ndarray, shares: Mapping[str, float], seed: int, signature: Signature
) -> dict[str, np.ndarray]:
    """The rows of each set, ascending. Every label is in every set as often as its share says,
    up to a row; the same labels and seed give the same sets.

    >>> labels = np.array([1.0] * 8 + [0.0] * 4)
    >>> parts = split_rows(labels, {"train": 0.75, "test": 0.25}, 7, ("p", 2))
    >>> {name: (len(rows), int((rows < 8).sum())) for name, rows in parts.items()}
    {'train': (9, 6), 'test': (3, 2)}
    """
    own = zlib.crc32(f"{signature[0]}/{signature[1]}".encode())
    generator = np.random.default_rng([seed, own, 3])
    parts: dict[str, list[np.ndarray]] = {name: [] for name in shares}
    carried = np.zeros(len(shares))  # so that many small strata do not all round the same way
    for label in np.unique(labels):
        rows = generator.permutation(np.flatnonzero(labels == label))
        wanted = np.array(list(shares.values())) * len(rows) + carried
        counts = _whole(wanted, len(rows))
        carried = wanted - counts
        for name, part in zip(shares, np.split(rows, np.cumsum(counts)[:-1]), strict=True):
            parts[name].append(part)
    return {
        name: np.sort(np.concatenate(found)) if found else np.zeros(0, dtype=np.int64)
        for name, found in parts.items()
    }


def _whole(wanted: np.ndarray, total: int) -> np.ndarray:
    """Whole numbers near these that add up to the total: the largest remainders get the rest."""
    counts = np.maximum(np.floor(wanted), 0).astype(np.int64)
    rest = total - int(counts.sum())
    if rest > 0:
        counts[np.argsort(-(wanted - counts), kind="stable")[:rest]] += 1
    for _ in range(-rest):
        counts[np.argmax(counts - wanted)] -= 1
    return counts
