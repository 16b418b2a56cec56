"""Folds in which groups of examples stay whole and each class has its share."""

from __future__ import annotations

import numpy as np

_NEAR = 1e-5  # shares that differ by less, of their size, are as even as each other


def fold_numbers(groups: np.ndarray, classes: np.ndarray, number: int, seed: int) -> np.ndarray:
    """The fold of each example, from the group and the class of each.

    Groups whose classes are most unequal come first, the others in an order that the seed draws.
    Each goes to the fold where the classes are then spread most evenly.

    >>> fold_numbers(np.array([0, 0, 1, 1, 2, 3]), np.array([0, 1, 0, 1, 0, 1]), 2, seed=1).tolist()
    [0, 0, 1, 1, 1, 0]
    """
    _, group = np.unique(groups, return_inverse=True)
    kinds, kind = np.unique(classes, return_inverse=True)
    size = len(kinds)
    counts = np.bincount(group * size + kind, minlength=(group.max() + 1) * size)
    counts = counts.reshape(-1, size).astype(float)
    order = np.random.RandomState(seed).permutation(len(counts))
    order = order[np.argsort(-counts[order].std(axis=1), kind="stable")]
    fold = np.zeros(len(counts), dtype=int)
    held = np.zeros((number, size))
    itself = np.eye(number)[:, :, None]
    total = counts.sum(axis=0)
    for one in order.tolist():
        shares = (held + itself * counts[one]) / total  # [where it would go, fold, class]
        fold[one] = _most_even(shares.std(axis=1).mean(axis=1), held.sum(axis=1))
        held[fold[one]] += counts[one]
    return fold[group]


def _most_even(unevenness: np.ndarray, sizes: np.ndarray) -> int:
    """The fold that leaves the shares most even; of folds that do so alike, the smaller one."""
    best, least, smallest = 0, float("inf"), float("inf")
    for fold, (uneven, size) in enumerate(zip(unevenness.tolist(), sizes.tolist(), strict=True)):
        alike = abs(uneven - least) <= _NEAR * least
        if uneven < least or (alike and size < smallest):
            best, least, smallest = fold, uneven, size
    return best
