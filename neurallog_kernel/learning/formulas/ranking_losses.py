"""Losses that Keras does not have: for outputs of tanh, and for the order of answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from neurallog_kernel.network.tensorflow import tensorflow

_NEAREST = 1e-7  # how near to its bounds an output of tanh is taken, as Keras does


def logistic(labels: Any, outputs: Any) -> Any:
    """Cross-entropy for outputs from -1 to 1: (1 + x) / 2 is the probability."""
    tf = tensorflow()
    probability = tf.clip_by_value((1 + outputs) / 2, _NEAREST, 1 - _NEAREST)
    truth = tf.cast(labels > 0, outputs.dtype)
    found = truth * tf.math.log(probability) + (1 - truth) * tf.math.log(1 - probability)
    return -tf.reduce_mean(found, axis=-1)


def pairwise_ranking(labels: Any, outputs: Any, listed: Any) -> Any:
    """How much worse each true answer of a row is than its false ones: the mean of
    log(1 + exp(false - true)) over all pairs; 0 for a row without one of the two."""
    tf = tensorflow()
    true = labels > 0
    false = tf.cast(listed & ~true, outputs.dtype)
    places = tf.where(true)
    rows = places[:, 0]
    difference = tf.gather(outputs, rows) - tf.gather_nd(outputs, places)[:, None]
    against = tf.gather(false, rows)
    pairs = tf.reduce_sum(tf.math.softplus(difference) * against, axis=1)
    means = tf.math.divide_no_nan(pairs, tf.reduce_sum(against, axis=1))
    return _mean_by_row(means, rows, true, outputs)


def softmax_ranking(labels: Any, outputs: Any, listed: Any) -> Any:
    """Minus the logarithm of a true answer's share in a softmax over it and all false ones, as a
    mean over the true answers of the row."""
    tf = tensorflow()
    true = labels > 0
    lowest = tf.constant(outputs.dtype.min / 2, outputs.dtype)
    false = tf.where(listed & ~true, outputs, lowest)
    against = tf.reduce_logsumexp(false, axis=1)
    places = tf.where(true)
    rows = places[:, 0]
    losses = tf.math.softplus(tf.gather(against, rows) - tf.gather_nd(outputs, places))
    return _mean_by_row(losses, rows, true, outputs)


def _mean_by_row(values: Any, rows: Any, true: Any, outputs: Any) -> Any:
    tf = tensorflow()
    total = tf.math.unsorted_segment_sum(values, rows, tf.shape(outputs)[0])
    number = tf.reduce_sum(tf.cast(true, outputs.dtype), axis=1)
    return tf.math.divide_no_nan(total, number)


RANKING: Mapping[str, Callable[[Any, Any, Any], Any]] = MappingProxyType(
    {"pairwise_ranking": pairwise_ranking, "softmax_ranking": softmax_ranking}
)
