"""What an exported network keeps: facts and folded values as tensors, made once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from neurallog_kernel.evaluate.rows import Rows
from neurallog_kernel.knowledge.relations import Relation
from neurallog_kernel.network.parameters import Parameter
from neurallog_kernel.network.products import relation_matrix
from neurallog_kernel.network.tensorflow import tensorflow

_SMALL = 1024  # bytes up to which an array stands in the graph itself


@dataclass(frozen=True, eq=False)
class Entries:
    """A relation by its facts, row after row: where each row starts, the column of each fact, and
    `weights`, which gives the weights of some of them (None: of all)."""

    starts: Any
    columns: Any
    cells: Any  # [facts, 2]: column and row, as the transposed matrix has them
    weights: Callable[[Any], Any]
    shape: tuple[int, int]


@dataclass(eq=False)
class Store:
    """Tensors by what they are of. Large arrays are variables: those are written beside the graph,
    whose own size is limited, and a graph cannot hold sparse matrices in any other form."""

    dtype: str
    variables: list[Any] = field(default_factory=list)
    _made: dict[Any, Any] = field(default_factory=dict)

    def numbers(self, key: Any, array: np.ndarray) -> Any:
        """Floating point numbers."""
        return self._tensor(key, array.astype(self.dtype))

    def positions(self, key: Any, array: np.ndarray) -> Any:
        """Whole numbers that are used as positions."""
        return self._tensor(key, array.astype(np.int64))

    def value(self, key: Any, found: Rows | np.ndarray) -> Any:
        """A folded value: a number as [1], a vector as [size, 1]."""
        if isinstance(found, np.ndarray):
            return self.numbers(key, found)
        if not len(found.keys):
            return tensorflow().fill([found.size, 1], self.numbers((key, "rest"), found.rest)[0])
        return self.numbers(key, found.dense().reshape(-1, 1))

    def relation(
        self,
        relation: Relation,
        inverted: bool,
        shape: tuple[int, int],
        parameter: Parameter | None,
        variable: Any,
    ) -> Entries:
        """A relation's facts; their weights are those of `variable`, if they are learned."""
        key = (relation, inverted, shape)
        starts, columns, cells, data = self._once(
            key,
            lambda: self._arrays(
                key, relation_matrix(relation, inverted, shape, parameter), parameter is not None
            ),
        )

        def weights(some: Any) -> Any:
            tf = tensorflow()
            chosen = data if some is None else tf.gather(data, some)
            if parameter is None:
                return tf.convert_to_tensor(chosen)
            return tf.gather(variable, chosen)

        return Entries(starts, columns, cells, weights, shape)

    def _arrays(self, key: Any, matrix: Any, learned: bool) -> tuple[Any, Any, Any, Any]:
        rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        if learned:  # the matrix holds 1 + the place of each fact in its variable
            data = self.positions((key, "places"), matrix.data - 1)
        else:
            data = self.numbers((key, "weights"), matrix.data)
        return (
            self.positions((key, "starts"), matrix.indptr),
            self.positions((key, "columns"), matrix.indices),
            self.positions((key, "cells"), np.column_stack([matrix.indices, rows])),
            data,
        )

    def _tensor(self, key: Any, array: np.ndarray) -> Any:
        def make() -> Any:
            tf = tensorflow()
            with tf.init_scope():  # outside of whatever function is being traced
                if array.nbytes <= _SMALL:
                    return tf.constant(array)
                variable = tf.Variable(array, trainable=False, name="facts")
            self.variables.append(variable)
            return variable

        return self._once((key, array.dtype.kind), make)

    def _once(self, key: Any, make: Callable[[], Any]) -> Any:
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]
