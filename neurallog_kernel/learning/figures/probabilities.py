"""Figures of listed examples: their order, and how good predictions are as probabilities."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neurallog_kernel.functions.keras_names import HIGHER, LOWER

DIRECTIONS: Mapping[str, str] = {
    "roc_auc": HIGHER,
    "average_precision": HIGHER,
    "brier": LOWER,
    "log_loss": LOWER,
}
NEAREST = 1e-7  # to 0 and 1, so that one wrong certainty does not make a mean infinite


def listed_figures(labels: np.ndarray, predictions: np.ndarray) -> dict[str, float]:
    """All figures of `DIRECTIONS`."""
    return classification(labels, predictions) | probability_figures(labels, predictions)


def classification(labels: np.ndarray, predictions: np.ndarray) -> dict[str, float]:
    """ROC AUC and average precision; not defined without both positive and negative examples, nor
    where a prediction is no number.

    >>> figures = classification(np.array([1.0, 1.0, 0.0, 0.0]), np.array([0.9, 0.4, 0.5, 0.1]))
    >>> figures["roc_auc"], round(figures["average_precision"], 4)
    (0.75, 0.8333)
    """
    truth = labels > 0
    if truth.all() or not truth.any() or np.isnan(predictions).any():
        return {"roc_auc": float("nan"), "average_precision": float("nan")}
    true, false = _up_to_each_prediction(truth, predictions)
    more_true, more_false = np.diff(true, prepend=0), np.diff(false, prepend=0)
    in_order = more_false @ (true - more_true / 2)  # a tie is half in order
    return {
        "roc_auc": float(in_order / (true[-1] * false[-1])),
        "average_precision": float(more_true @ (true / (true + false)) / true[-1]),
    }


def _up_to_each_prediction(
    truth: np.ndarray, predictions: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """How many true and how many false examples have a prediction at least as high as each, from
    the highest prediction down; equal ones count once."""
    downwards = np.argsort(-predictions)
    ordered = predictions[downwards]
    last = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), len(ordered) - 1)
    true = np.cumsum(truth[downwards])[last]
    return true, last + 1 - true


def probability_figures(labels: np.ndarray, probabilities: np.ndarray) -> dict[str, float]:
    """The Brier score and the log loss."""
    return {"brier": brier(labels, probabilities), "log_loss": log_loss(labels, probabilities)}


def brier(labels: np.ndarray, predictions: np.ndarray) -> float:
    """The mean squared distance of a prediction from what is so.

    >>> round(brier(np.array([1.0, 0.0]), np.array([0.8, 0.4])), 4)
    0.1
    """
    return float(np.mean((predictions - (labels > 0)) ** 2))


def log_loss(labels: np.ndarray, predictions: np.ndarray) -> float:
    """The mean of minus the logarithm of what the prediction gave to what is so; predictions
    outside of 0 and 1 count as these.

    >>> round(log_loss(np.array([1.0, 0.0]), np.array([0.8, 0.4])), 4)
    0.367
    """
    probability = np.clip(predictions, NEAREST, 1 - NEAREST)
    given = np.where(labels > 0, probability, 1 - probability)
    return float(-np.mean(np.log(given)))
