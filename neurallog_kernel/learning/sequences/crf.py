"""The loss of a linear-chain conditional random field: sequences of labels are learned as a whole.

The score of a sequence of labels is the sum of what the target gives to each label at its step,
what the transition predicate gives to each pair of neighbours, and what the initial predicate gives
to the first label. The loss is minus the logarithm of the share that the labelled sequence has
among all sequences, each with the exponential of its score (Lafferty, McCallum and Pereira, 2001).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from neurallog_kernel.learning.examples.chains import Chain, places_of
from neurallog_kernel.learning.examples.targets import Target
from neurallog_kernel.network import autodiff, deferred
from neurallog_kernel.network.autodiff import FLAT, Tensor
from neurallog_kernel.network.deferred import BatchStep, DeferredNumber, DeferredVector
from neurallog_kernel.network.dense_vectors import dense
from neurallog_kernel.network.network import Network
from neurallog_kernel.network.rowsets import Frame, Scope
from neurallog_kernel.network.tensorflow import tensorflow

_EXCLUDED = -1e9  # the score of a label that a step does not have: its exponential is 0

# A part of the score: its tensor in a step, and that tensor's values as the table that is wanted.
_ScorePart = tuple[Callable[[BatchStep], Tensor], Callable[[BatchStep, Any], Any]]


def chain_losses(
    network: Network,
    value: DeferredNumber | DeferredVector,
    target: Target,
    frame: Frame,
    chain: Chain,
) -> DeferredNumber:
    """The loss of each sequence, at its first row; 0 at the others. Rows of no mega example are
    sequences of one step."""
    emissions = _emissions(value, target, frame)
    transitions = _transitions(network, chain)
    initial = _initial(network, chain)
    parts = [part for part in (emissions, transitions, initial) if part is not None]
    starts = frame.feed(data=_starts(target.groups), pointers=None)
    excluded = frame.feed(data=_EXCLUDED * ~allowed(target), pointers=None)

    def make(step: BatchStep) -> Tensor:
        places = _Places(step.feeds[starts])
        labels = step.feeds[excluded]

        def function(*values: Any) -> Any:
            tables = iter(values)
            scores = emissions[1](step, next(tables))
            between = transitions[1](step, next(tables)) if transitions else None
            first = initial[1](step, next(tables)) if initial else None
            every = log_partition(places, scores, between, first)
            labelled = log_partition(places, scores + labels, between, first)
            return places.at_starts(every - labelled)

        return autodiff.apply(function, [part[0](step) for part in parts], FLAT)

    return DeferredNumber(frame, make)


def allowed(target: Target) -> np.ndarray:
    """Which labels each row may have: its positive ones, or, if it has none, all that it does not
    list as negative."""
    yes = np.zeros((len(target.keys), target.size), dtype=bool)
    no = np.zeros_like(yes)
    positive = target.labels > 0
    yes[target.rows[positive], target.outputs[positive]] = True
    no[target.rows[~positive], target.outputs[~positive]] = True
    return np.where(yes.any(axis=1, keepdims=True), yes, ~no)


def _starts(groups: np.ndarray) -> np.ndarray:
    """1 where a row is the first of its sequence."""
    found = np.ones(len(groups), dtype=np.int64)
    seen: set[int] = set()
    for row in np.flatnonzero(groups >= 0).tolist():
        found[row] = groups[row] not in seen
        seen.add(groups[row])
    return found


# -- what the network gives -----------------------------------------------------------------------


def _emissions(value: DeferredNumber | DeferredVector, target: Target, frame: Frame) -> _ScorePart:
    """Each row's score of each label, `[rows, labels]`."""
    assert isinstance(value, DeferredVector)
    rows = dense(value)
    place_feed = None if rows.frame is None else deferred.place_feed(frame, rows.frame)

    def table(step: BatchStep, x: Any) -> Any:
        tf = tensorflow()
        found = tf.transpose(x)
        if place_feed is not None:
            found = tf.gather(found, step.feeds[place_feed])
        return tf.broadcast_to(found, [step.batch[frame], target.size])

    return lambda step: step.get(rows), table


def _transitions(network: Network, chain: Chain) -> _ScorePart | None:
    """The score of each label after each label, `[labels, labels]`."""
    if chain.transition is None:
        return None
    before = places_of(network.program, chain, chain.transition, 0)
    after = places_of(network.program, chain, chain.transition, 1)
    known = np.flatnonzero(before >= 0)
    layer = network.layer(chain.transition, 1)
    frame = network.compiler.frame(len(known), sliced=False)
    scope = Scope(frame, {0: before[known].astype(np.int64)})
    rows = dense(network.compiler.vector(layer.result, scope))
    size = rows.size
    chosen_rows = _or_last(_numbered(before >= 0), len(known))
    chosen_columns = _or_last(after, size)

    def table(step: BatchStep, x: Any) -> Any:
        tf = tensorflow()
        found = tf.broadcast_to(tf.transpose(x), [len(known), size])
        padded = tf.pad(found, [[0, 1], [0, 1]])  # for labels that the predicate does not know
        return tf.gather(tf.gather(padded, chosen_rows), chosen_columns, axis=1)

    return lambda step: step.get(rows), table


def _initial(network: Network, chain: Chain) -> _ScorePart | None:
    """The score of each label at the first step, `[labels]`."""
    if chain.initial is None:
        return None
    places = places_of(network.program, chain, chain.initial, 0)
    known = np.flatnonzero(places >= 0)
    layer = network.layer(chain.initial, None)
    frame = network.compiler.frame(len(known), sliced=False)
    number = network.compiler.at(layer.result, frame, places[known].astype(np.int64))
    chosen = _or_last(_numbered(places >= 0), len(known))

    def table(step: BatchStep, x: Any) -> Any:
        tf = tensorflow()
        padded = tf.pad(tf.broadcast_to(x, [len(known)]), [[0, 1]])
        return tf.gather(padded, chosen)

    return lambda step: step.get(number), table


def _numbered(there: np.ndarray) -> np.ndarray:
    """0, 1, 2, ... where it is so, else -1."""
    return np.where(there, np.cumsum(there) - 1, -1)


def _or_last(places: np.ndarray, last: int) -> np.ndarray:
    return np.where(places >= 0, places, last).astype(np.int32)


# -- sums over all sequences of labels ------------------------------------------------------------


class _Places:
    """Where the rows of a batch stand: which sequence, which step of it."""

    def __init__(self, starts: Any) -> None:
        tf = tensorflow()
        self.rows = tf.size(starts)
        index = tf.range(self.rows)
        self.first = tf.boolean_mask(index, starts > 0)
        self.sequence = tf.cumsum(starts) - 1
        step = index - tf.gather(self.first, self.sequence)
        self.count = tf.size(self.first)
        self.length = 1 + tf.maximum(tf.reduce_max(step), 0)  # one, if there is no row at all
        self.index = tf.stack([step, self.sequence], axis=1)

    def spread(self, rows: Any) -> Any:
        """`[rows, labels]` as `[steps, sequences, labels]`, with 0 behind the end of a sequence."""
        tf = tensorflow()
        shape = tf.stack([self.length, self.count, tf.shape(rows)[1]])
        return tf.scatter_nd(self.index, rows, shape)

    def there(self, dtype: Any) -> Any:
        """`[steps, sequences]`: 1 where a sequence has a step."""
        tf = tensorflow()
        ones = tf.ones([self.rows], dtype)
        return tf.scatter_nd(self.index, ones, tf.stack([self.length, self.count]))

    def at_starts(self, numbers: Any) -> Any:
        """A number of each sequence as one of each row: at the first, else 0."""
        tf = tensorflow()
        return tf.scatter_nd(self.first[:, None], numbers, [self.rows])


def log_partition(places: _Places, scores: Any, between: Any, first: Any) -> Any:
    """For each sequence the logarithm of the sum over all sequences of labels of the exponential of
    their score, by the forward algorithm; its gradient is by the backward algorithm."""
    tf = tensorflow()
    labels = tf.shape(scores)[1]
    if between is None:
        between = tf.zeros([labels, labels], scores.dtype)
    if first is None:
        first = tf.zeros([labels], scores.dtype)
    there = places.there(scores.dtype) > 0

    @tf.custom_gradient
    def function(steps: Any, between: Any, first: Any) -> Any:
        forward = _forward(steps, there, between, first)
        total = tf.reduce_logsumexp(forward[-1], axis=-1)

        def gradient(g: Any) -> Sequence[Any]:
            return _gradients(g, forward, total, steps, there, between)

        return total, gradient

    return function(places.spread(scores), between, first)


def _forward(steps: Any, there: Any, between: Any, first: Any) -> Any:
    """`[steps, sequences, labels]`: the sum over all beginnings that end in a label."""
    tf = tensorflow()
    length = tf.shape(steps)[0]
    start = first + steps[0]
    kept = tf.TensorArray(steps.dtype, size=length, element_shape=[None, None]).write(0, start)

    def body(t: Any, before: Any, kept: Any) -> Any:
        ways = tf.reduce_logsumexp(before[:, :, None] + between, axis=1) + steps[t]
        now = tf.where(there[t][:, None], ways, before)
        return t + 1, now, kept.write(t, now)

    *_, kept = tf.while_loop(lambda t, *_: t < length, body, [tf.constant(1), start, kept])
    return kept.stack()


def _gradients(
    g: Any, forward: Any, total: Any, steps: Any, there: Any, between: Any
) -> tuple[Any, Any, Any]:
    """How likely each label is at each step, and each pair of neighbours, times `g`."""
    tf = tensorflow()
    length = tf.shape(steps)[0]
    backward = tf.zeros_like(forward[0])
    kept = tf.TensorArray(steps.dtype, size=length, element_shape=[None, None])
    weight = g[:, None]

    def likely(t: Any, backward: Any) -> Any:
        found = weight * tf.exp(forward[t] + backward - total[:, None])
        return tf.where(there[t][:, None], found, tf.zeros_like(found))

    def body(t: Any, backward: Any, kept: Any, pairs: Any) -> Any:
        kept = kept.write(t, likely(t, backward))
        onwards = (steps[t] + backward)[:, None, :] + between
        both = weight[:, :, None] * tf.exp(
            forward[t - 1][:, :, None] + onwards - total[:, None, None]
        )
        here = there[t][:, None]
        pairs += tf.reduce_sum(tf.where(here[:, :, None], both, tf.zeros_like(both)), axis=0)
        back = tf.where(here, tf.reduce_logsumexp(onwards, axis=2), backward)
        return t - 1, back, kept, pairs

    start = [length - 1, backward, kept, tf.zeros_like(between)]
    _, backward, kept, pairs = tf.while_loop(lambda t, *_: t > 0, body, start)
    kept = kept.write(0, likely(0, backward))
    by_step = kept.stack()
    return by_step, pairs, tf.reduce_sum(by_step[0], axis=0)
