"""Many rules, one answer: ways to put them together, and how well they do on held-out examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from neurallog_kernel.induction.judging import Counts, Judged
from neurallog_kernel.learning.figures.ranks import expected_reciprocals

NOISY_OR, MAX_PLUS, TOP = "noisy-or", "max+", "noisy-or of the top 5"
EVIDENCE = "weights of evidence"
UNTRAINED = (NOISY_OR, MAX_PLUS, TOP, EVIDENCE)
FITTED, SIGNED = "fitted weights", "fitted weights, some against"
ANCHORED = "weights of evidence, fitted"
FEW = 5
STEEP = 8  # a power that lets the best rule decide, and further ones where the best are equal
PRIOR = 5.0  # examples that a rule is taken to have had before, with the share of all


def start_weights(confidence: np.ndarray) -> np.ndarray:
    """Weights whose sum says what noisy-or says: 1 - exp(-sum)."""
    return -np.log1p(-np.minimum(confidence, 1 - 1e-9))


def evidence(counts: Counts) -> np.ndarray:
    """By how much a rule raises the odds of an example, as a logarithm; below 0 it lowers them.

    >>> counts = Counts(np.array([30.0, 0.0]), np.array([0.0, 30.0]), 50, 50)
    >>> evidence(counts).round(2).tolist()
    [2.56, -2.56]
    """
    share = np.clip(counts.right / max(1, counts.right + counts.others), 1e-6, 1 - 1e-6)
    odds = (counts.hits + PRIOR * share) / (counts.wrong + PRIOR * (1 - share))
    return np.log(odds) - np.log(share / (1 - share))


def untrained(judged: Judged, counts: Counts) -> dict[str, np.ndarray]:
    """The weights of every way that needs no training."""
    plain = np.where(judged.against, 0.0, start_weights(counts.confidence))
    largest = plain.max(initial=0.0) or 1.0
    found = {
        NOISY_OR: plain,
        MAX_PLUS: largest * (plain / largest) ** STEEP,
        TOP: plain,
        EVIDENCE: evidence(counts),
    }
    if any(one.body.each is not None for one in judged.found):
        del found[TOP]  # such a rule is one of the five, whatever number of weights it adds up
    return found


def scores(matrix: Any, weights: np.ndarray, way: str) -> np.ndarray:
    """A number for each row of a matrix of pairs and bodies."""
    if way != TOP:
        return matrix @ weights
    order = np.argsort(-weights, kind="stable")
    ordered = sp.csr_array(sp.csc_array(matrix)[:, order])
    ordered.sort_indices()
    place = np.arange(ordered.nnz) - np.repeat(ordered.indptr[:-1], np.diff(ordered.indptr))
    ordered.data = np.where(place < FEW, ordered.data, 0.0)
    return ordered @ weights[order]


@dataclass(frozen=True)
class Figure:
    """How well some rules do on held-out examples."""

    measure: str
    value: float
    examples: int = 1


def held_out_figure(judged: Judged, weights: np.ndarray, way: str) -> Figure | None:
    """ROC AUC where negatives are listed or entities are ranked at once, else the filtered MRR of
    both arguments, expected over random ties; None without held-out examples."""
    chosen = judged.held_right
    if not chosen.any():
        return None
    right = scores(judged.right[chosen], weights, way)
    others = scores(judged.others, weights, way)
    number = len(right)
    if judged.head.is_listed:
        if not judged.held_others.any():
            return None
        return Figure("ROC AUC", area(right, others[judged.held_others], 0), number)
    if len(judged.places) == 1:
        return Figure("ROC AUC", area(right, others, 0), number)
    return Figure("MRR", _mrr(judged, right, others), number)


def area(right: np.ndarray, wrong: np.ndarray, zeros: int) -> float:
    """The chance that an example scores above a negative; a tie counts half. `zeros` are further
    negatives of score 0."""
    ordered = np.sort(wrong)
    below = np.searchsorted(ordered, right, side="left").astype(float)
    equal = np.searchsorted(ordered, right, side="right") - below
    below += zeros * (right > 0)
    equal += zeros * (right == 0)
    number = len(wrong) + zeros
    return float((below + equal / 2).mean() / number) if number else float("nan")


def _mrr(judged: Judged, right: np.ndarray, others: np.ndarray) -> float:
    """Of each held-out example among the pairs that are no examples, for both arguments."""
    size = judged.size
    values, codes = np.unique(np.concatenate([right, others]), return_inverse=True)
    own, codes = codes[: len(right)], codes[len(right) :]
    total = []
    for place in (0, 1):
        fixed = judged.places[place][judged.held_right].astype(np.int64)
        of_key = judged.keys // size if place == 0 else judged.keys % size
        rivals = np.sort(of_key * len(values) + codes)  # by entity, then by score
        start, below, upto, end = (
            np.searchsorted(rivals, fixed * len(values) + more)
            for more in (0, own, own + 1, len(values))
        )
        known = np.bincount(judged.places[place], minlength=size)[fixed]
        unreached = size - known - (end - start) - judged.head.is_irreflexive
        higher = end - upto + np.where(right < 0, unreached, 0)
        equal = np.maximum(upto - below + np.where(right == 0, unreached, 0), 0)
        total.append(expected_reciprocals(higher, equal))
    return float(np.concatenate(total).mean())
