"""Figures of listed examples: their order, and how good predictions are as probabilities."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neurallog_kernel.functions.keras_names import HIGHER, LOWER
from neurallog_kernel.packages import needed

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
    """ROC AUC and average precision; not defined without both positive and negative examples."""
    metrics = needed("sklearn.metrics", "evaluation", "learning")
    truth = labels > 0
    if truth.all() or not truth.any():
        return {"roc_auc": float("nan"), "average_precision": float("nan")}
    return {
        "roc_auc": float(metrics.roc_auc_score(truth, predictions)),
        "average_precision": float(metrics.average_precision_score(truth, predictions)),
    }


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
