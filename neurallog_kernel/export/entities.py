"""Names to indexes inside a graph, with what is said of a name that is not known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from neurallog_kernel.errors import ParameterError, did_you_mean
from neurallog_kernel.export.question import ExportedQuestion
from neurallog_kernel.network.tensorflow import tensorflow

UNKNOWN = ("error", "zero")


def check_unknown(unknown: str) -> None:
    """Refuse a rule for unknown names that does not exist."""
    if unknown not in UNKNOWN:
        hint = did_you_mean(unknown, UNKNOWN) or "it can be error or zero"
        raise ParameterError(f"unknown names cannot be {unknown}", hint=hint)


class Entities:
    """The inputs of a question. A name that is not in the type of its place is an error, as it is
    for a session; or, if so chosen, all weights of its row are 0."""

    def __init__(self, question: ExportedQuestion, unknown: str) -> None:
        tf = tensorflow()
        self.unknown = unknown
        self.sizes = [len(names) for names in question.inputs]
        self._places = [f"place {place + 1} of {question.predicate}" for place in question.places]
        self.tables = [
            tf.lookup.StaticHashTable(
                tf.lookup.KeyValueTensorInitializer(
                    tf.constant(names, tf.string, shape=[len(names)]),
                    tf.constant(np.arange(len(names), dtype=np.int64)),
                ),
                default_value=-1,
            )
            for names in question.inputs
        ]

    def indexes(self, given: Sequence[Any]) -> tuple[list[Any], Any]:
        """The index of each input's entity, 0 where it is unknown, and which rows are known."""
        tf = tensorflow()
        found = [self._found(place, values) for place, values in enumerate(given)]
        known = tf.reduce_all(tf.stack([index >= 0 for index in found]), axis=0)
        if self.unknown == "error":
            checks = [self._check(place, given[place], index) for place, index in enumerate(found)]
            with tf.control_dependencies(checks):
                found = [tf.identity(index) for index in found]
        return [tf.maximum(index, 0) for index in found], known

    def _found(self, place: int, values: Any) -> Any:
        tf = tensorflow()
        if values.dtype == tf.string:
            return self.tables[place].lookup(values)
        index = tf.cast(values, tf.int64)
        inside = tf.logical_and(index >= 0, index < self.sizes[place])
        return tf.where(inside, index, -tf.ones_like(index))

    def _check(self, place: int, values: Any, index: Any) -> Any:
        tf = tensorflow()
        missing = tf.boolean_mask(values, index < 0)
        told = [f"unknown entity at {self._places[place]}:", missing]
        return tf.debugging.Assert(tf.equal(tf.size(missing), 0), told, summarize=3)

    def without_unknown(self, weights: Any, known: Any) -> Any:
        """The weights, all 0 in the rows of unknown entities."""
        tf = tensorflow()
        if self.unknown == "error":
            return weights
        kept = known if len(weights.shape) == 1 else known[:, None]
        return tf.where(kept, weights, tf.zeros([], weights.dtype))
