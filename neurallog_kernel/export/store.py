"""What an exported network keeps: facts and folded values as tensors, made once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from neurallog_kernel.evaluate.rows import Rows
from neurallog_kernel.knowledge.storage import Storage
from neurallog_kernel.network.parameters import Parameter
from neurallog_kernel.network.relation_product import relation_matrix
from neurallog_kernel.network.tensorflow import tensorflow
from neurallog_kernel.plan.exprs import Product

_SMALL = 1024  # bytes up to which an array stands in the graph itself


@dataclass(frozen=True, eq=False)
class RelationRows:
    """A relation by its rows: where each starts, and the column of each fact."""

    starts: Any
    columns: Any
    data: Any
    size: int  # of the columns


@dataclass(frozen=True, eq=False)
class Cells:
    """A relation by its facts, turned: [facts, 2] with column and row, in ascending order."""

    places: Any
    data: Any
    shape: tuple[int, int]
    count: int


@dataclass(eq=False)
class Store:
    """Tensors by what they are of. Large arrays are variables: those are written beside the graph,
    whose own size is limited, and a graph cannot hold sparse matrices in any other form."""

    storage: Storage
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

    def rows(self, product: Product, parameter: Parameter | None) -> RelationRows:
        """What a product with one entity looks at. `data` are the weights of the facts or, if they
        are learned, their places in the variable."""

        def make() -> RelationRows:
            relation = self.storage.relation(product.scan)
            matrix = relation_matrix(relation, product.inverted, shape, parameter)
            return RelationRows(
                self.positions((key, "starts"), matrix.indptr),
                self.positions((key, "columns"), matrix.indices),
                self._data(key, matrix.data, parameter),
                shape[1],
            )

        shape = self._shape(product)
        key = ("rows", product.scan, product.inverted, shape)
        return self._once(key, make)

    def cells(self, product: Product, parameter: Parameter | None) -> Cells:
        """What a product with whole columns multiplies by."""

        def make() -> Cells:
            relation = self.storage.relation(product.scan)
            matrix = relation_matrix(relation, not product.inverted, shape, parameter)
            rows = np.repeat(np.arange(shape[0]), np.diff(matrix.indptr))
            places = np.column_stack([rows, matrix.indices])
            data = self._data(key, matrix.data, parameter)
            return Cells(self.positions((key, "cells"), places), data, shape, len(places))

        size, result = self._shape(product)
        shape = (result, size)
        key = ("cells", product.scan, product.inverted, shape)
        return self._once(key, make)

    def _shape(self, product: Product) -> tuple[int, int]:
        given, result = product.vector.domain, product.domain
        assert given is not None and result is not None
        return self.storage.size(given), self.storage.size(result)

    def _data(self, key: Any, data: np.ndarray, parameter: Parameter | None) -> Any:
        if parameter is None:
            return self.numbers((key, "weights"), data)
        return self.positions((key, "places"), data - 1)

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
