"""The losses in NumPy, each with its derivative: what Keras computes, without TensorFlow.

Where a loss has a kink, the slope is the one that TensorFlow takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from neurallog_kernel.functions.function import Array
from neurallog_kernel.functions.keras_names import LOSSES
from neurallog_kernel.knowledge.configured import Configured

_NEAREST = 1e-7  # Keras' epsilon: how near to 0 and 1 a probability may be


@dataclass(frozen=True)
class NumpyLoss:
    """A loss of labels and predictions. An elementwise one gives a number for each of them, with
    `back(labels, x, g)` of the same shape; another, of rows, a number for each row.

    A ranking loss is told, as a third argument of `value` and a fourth of `back`, which outputs
    count.
    """

    value: Callable[..., Array]
    back: Callable[..., Array]
    settings: Mapping[str, Any] = field(default_factory=dict)


def _of_entries(
    value: Callable[..., Array], slope: Callable[..., Array], **settings: Any
) -> NumpyLoss:
    return NumpyLoss(value, lambda labels, x, g, **s: g * slope(labels, x, **s), settings)


# -- of single entries ----------------------------------------------------------------------------


def _percent(y: Array, x: Array) -> Array:
    return 100.0 * np.abs((y - x) / np.maximum(np.abs(y), _NEAREST))


def _percent_slope(y: Array, x: Array) -> Array:
    return 100.0 * np.sign(x - y) / np.maximum(np.abs(y), _NEAREST)


def _logarithmic(y: Array, x: Array) -> Array:
    return np.log(np.maximum(x, _NEAREST) + 1.0) - np.log(np.maximum(y, _NEAREST) + 1.0)


def _logarithmic_slope(y: Array, x: Array) -> Array:
    inner = np.where(x >= _NEAREST, 1.0 / (np.maximum(x, _NEAREST) + 1.0), 0.0)
    return 2.0 * _logarithmic(y, x) * inner


def _smoothed(y: Array, share: float) -> Array:
    return y * (1.0 - share) + 0.5 * share if share else y


def _sigmoid(x: Array) -> Array:
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, x.dtype.type(1), small) / (1.0 + small)


def _softplus(x: Array) -> Array:
    return np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))


def _inside(x: Array) -> Array:
    """Where a probability is not cut off."""
    return (x >= _NEAREST) & (x <= 1.0 - _NEAREST)


def _entropy(y: Array, x: Array) -> Array:
    p = np.clip(x, _NEAREST, 1.0 - _NEAREST)
    return -(y * np.log(p) + (1 - y) * np.log(1 - p))


def _entropy_slope(y: Array, x: Array) -> Array:
    p = np.clip(x, _NEAREST, 1.0 - _NEAREST)
    return _inside(x) * ((1 - y) / (1 - p) - y / p)


def _crossentropy(y: Array, x: Array, from_logits: bool, label_smoothing: float) -> Array:
    y = _smoothed(y, label_smoothing)
    return np.maximum(x, 0) - x * y + _softplus(-np.abs(x)) if from_logits else _entropy(y, x)


def _crossentropy_slope(y: Array, x: Array, from_logits: bool, label_smoothing: float) -> Array:
    y = _smoothed(y, label_smoothing)
    return _sigmoid(x) - y if from_logits else _entropy_slope(y, x)


def _focal_parts(
    y: Array, x: Array, balance: bool, alpha: float, gamma: float, from_logits: bool, smooth: float
) -> tuple[Array, Array]:
    """The focal cross-entropy and its slope."""
    y = _smoothed(y, smooth)
    p = _sigmoid(x) if from_logits else x
    inner = p * (1 - p) if from_logits else 1.0
    missing = 1.0 - (y * p + (1 - y) * (1 - p))
    weight = y * alpha + (1 - y) * (1 - alpha) if balance else 1.0
    factor, entropy = np.power(missing, gamma), _entropy(y, p)
    slope = -gamma * np.power(missing, gamma - 1) * (2 * y - 1) * entropy
    slope = slope + factor * _entropy_slope(y, p)
    return weight * factor * entropy, weight * slope * inner


def _focal(y: Array, x: Array, **settings: Any) -> Array:
    return _focal_parts(y, x, *settings.values())[0]


def _focal_slope(y: Array, x: Array, **settings: Any) -> Array:
    return _focal_parts(y, x, *settings.values())[1]


def _signs(y: Array) -> Array:
    """Labels 0 and 1 as -1 and 1, if there are no others."""
    return 2.0 * y - 1.0 if ((y == 0) | (y == 1)).all() else y


def _hinge(y: Array, x: Array) -> Array:
    return np.maximum(1.0 - _signs(y) * x, 0.0)


def _hinge_slope(y: Array, x: Array) -> Array:
    signs = _signs(y)
    return np.where(1.0 - signs * x >= 0, -signs, 0.0)


def _huber(y: Array, x: Array, delta: float) -> Array:
    far = np.abs(x - y)
    return np.where(far <= delta, 0.5 * np.square(x - y), delta * far - 0.5 * delta**2)


def _log_cosh(y: Array, x: Array) -> Array:
    return (x - y) + _softplus(-2.0 * (x - y)) - float(np.log(np.float32(2.0)))


def _logistic(y: Array, x: Array) -> Array:
    return _entropy((y > 0).astype(x.dtype), (1 + x) / 2)


def _logistic_slope(y: Array, x: Array) -> Array:
    return _entropy_slope((y > 0).astype(x.dtype), (1 + x) / 2) / 2


# -- of rows --------------------------------------------------------------------------------------


def _smoothed_row(y: Array, share: float) -> Array:
    return y * (1.0 - share) + share / y.shape[-1] if share else y


def _categorical(y: Array, x: Array, from_logits: bool, label_smoothing: float) -> Array:
    y = _smoothed_row(y, label_smoothing)
    if from_logits:
        return (y * (_log_sum(x)[:, None] - x)).sum(axis=-1)
    return -(y * np.log(_shares(x))).sum(axis=-1)


def _categorical_back(
    y: Array, x: Array, g: Array, from_logits: bool, label_smoothing: float
) -> Array:
    y = _smoothed_row(y, label_smoothing)
    if from_logits:
        weights = np.exp(x - _log_sum(x)[:, None])
        return g[:, None] * (weights * y.sum(axis=-1, keepdims=True) - y)
    total = x.sum(axis=-1, keepdims=True)
    adjoint = -g[:, None] * y / _shares(x) * _inside(x / total)
    return (adjoint - (adjoint * x).sum(axis=-1, keepdims=True) / total) / total


def _shares(x: Array) -> Array:
    return np.clip(x / x.sum(axis=-1, keepdims=True), _NEAREST, 1.0 - _NEAREST)


def _log_sum(x: Array) -> Array:
    top = x.max(axis=-1, keepdims=True)
    return np.log(np.exp(x - top).sum(axis=-1)) + top[:, 0]


def _divergence(y: Array, x: Array) -> Array:
    y, p = np.clip(y, _NEAREST, 1), np.clip(x, _NEAREST, 1)
    return (y * np.log(y / p)).sum(axis=-1)


def _divergence_back(y: Array, x: Array, g: Array) -> Array:
    inside = (x >= _NEAREST) & (x <= 1)
    return -g[:, None] * inside * np.clip(y, _NEAREST, 1) / np.clip(x, _NEAREST, 1)


def _row_hinge(y: Array, x: Array) -> Array:
    return np.maximum(((1.0 - y) * x).max(axis=-1) - (y * x).sum(axis=-1) + 1.0, 0.0)


def _row_hinge_back(y: Array, x: Array, g: Array) -> Array:
    others = (1.0 - y) * x
    best = others == others.max(axis=-1, keepdims=True)
    shared = best * (1.0 - y) / best.sum(axis=-1, keepdims=True)
    below = others.max(axis=-1) - (y * x).sum(axis=-1) + 1.0 >= 0
    return (g * below)[:, None] * (shared - y)


def _pairwise(y: Array, x: Array, listed: Array) -> Array:
    rows, differences, against = _pairs(y, x, listed)
    means = _over((_softplus(differences) * against).sum(axis=1), against.sum(axis=1))
    return _mean_by_row(means, rows, y)


def _pairwise_back(y: Array, x: Array, g: Array, listed: Array) -> Array:
    rows, differences, against = _pairs(y, x, listed)
    each = _over(g, (y > 0).sum(axis=1))[rows]
    slopes = _sigmoid(differences) * against * _over(each, against.sum(axis=1))[:, None]
    found = np.zeros_like(x)
    np.add.at(found, rows, slopes)
    found[y > 0] -= slopes.sum(axis=1)
    return found


def _pairs(y: Array, x: Array, listed: Array) -> tuple[Array, Array, Array]:
    """For each true answer: its row, how much larger all others are, and which of them are
    false."""
    true = y > 0
    rows = np.nonzero(true)[0]
    return rows, x[rows] - x[true][:, None], (listed & ~true)[rows].astype(x.dtype)


def _softmax_rank(y: Array, x: Array, listed: Array) -> Array:
    rows, differences, _ = _against_all(y, x, listed)
    return _mean_by_row(_softplus(differences), rows, y)


def _softmax_rank_back(y: Array, x: Array, g: Array, listed: Array) -> Array:
    rows, differences, false = _against_all(y, x, listed)
    slopes = _sigmoid(differences) * _over(g, (y > 0).sum(axis=1))[rows]
    to_false = np.bincount(rows, slopes, len(x)).astype(x.dtype)
    found = to_false[:, None] * np.exp(false - _log_sum(false)[:, None])
    found[y > 0] -= slopes
    return found


def _against_all(y: Array, x: Array, listed: Array) -> tuple[Array, Array, Array]:
    true = y > 0
    lowest = np.finfo(x.dtype).min / 2
    false = np.where(listed & ~true, x, lowest)
    rows = np.nonzero(true)[0]
    return rows, _log_sum(false)[rows] - x[true], false


def _mean_by_row(values: Array, rows: Array, y: Array) -> Array:
    total = np.bincount(rows, values, len(y)).astype(values.dtype)
    return _over(total, (y > 0).sum(axis=1))


def _over(values: Array, numbers: Array) -> Array:
    """0 where there is nothing to divide by."""
    return np.where(numbers > 0, values / np.maximum(numbers, 1), 0.0).astype(values.dtype)


# -- the table ------------------------------------------------------------------------------------

_BY_CLASS: Mapping[str, NumpyLoss] = MappingProxyType(
    {
        "MeanSquaredError": _of_entries(lambda y, x: np.square(x - y), lambda y, x: 2 * (x - y)),
        "MeanAbsoluteError": _of_entries(lambda y, x: np.abs(y - x), lambda y, x: np.sign(x - y)),
        "MeanAbsolutePercentageError": _of_entries(_percent, _percent_slope),
        "MeanSquaredLogarithmicError": _of_entries(
            lambda y, x: np.square(_logarithmic(y, x)), _logarithmic_slope
        ),
        "BinaryCrossentropy": _of_entries(
            _crossentropy, _crossentropy_slope, from_logits=False, label_smoothing=0.0
        ),
        "BinaryFocalCrossentropy": _of_entries(
            _focal,
            _focal_slope,
            apply_class_balancing=False,
            alpha=0.25,
            gamma=2.0,
            from_logits=False,
            label_smoothing=0.0,
        ),
        "Hinge": _of_entries(_hinge, _hinge_slope),
        "SquaredHinge": _of_entries(
            lambda y, x: np.square(_hinge(y, x)),
            lambda y, x: 2 * _hinge(y, x) * _hinge_slope(y, x),
        ),
        "Huber": _of_entries(_huber, lambda y, x, delta: np.clip(x - y, -delta, delta), delta=1.0),
        "LogCosh": _of_entries(_log_cosh, lambda y, x: np.tanh(x - y)),
        "Poisson": _of_entries(
            lambda y, x: x - y * np.log(x + _NEAREST), lambda y, x: 1 - y / (x + _NEAREST)
        ),
        "CategoricalCrossentropy": NumpyLoss(
            _categorical, _categorical_back, {"from_logits": False, "label_smoothing": 0.0}
        ),
        "KLDivergence": NumpyLoss(_divergence, _divergence_back),
        "CategoricalHinge": NumpyLoss(_row_hinge, _row_hinge_back),
    }
)
_OWN: Mapping[str, NumpyLoss] = MappingProxyType(
    {
        "logistic": _of_entries(_logistic, _logistic_slope),
        "pairwise_ranking": NumpyLoss(_pairwise, _pairwise_back),
        "softmax_ranking": NumpyLoss(_softmax_rank, _softmax_rank_back),
    }
)


def loss_in_numpy(chosen: Configured) -> NumpyLoss | None:
    """A loss with its settings; None if it, or one of them, is not here."""
    if chosen.name in LOSSES.own:
        return None if chosen.config else _OWN.get(chosen.name)
    found = _BY_CLASS.get(LOSSES.class_name(chosen.name))
    if found is None or any(not _fits(found, *one) for one in chosen.config.items()):
        return None
    settings = {**found.settings, **chosen.config}
    return NumpyLoss(partial(found.value, **settings), partial(found.back, **settings))


def _fits(loss: NumpyLoss, name: str, value: Any) -> bool:
    """Whether a setting is of the kind of its default; what is not, Keras explains."""
    if name not in loss.settings:
        return False
    if isinstance(loss.settings[name], bool):
        return isinstance(value, bool)
    return isinstance(value, int | float) and not isinstance(value, bool)
