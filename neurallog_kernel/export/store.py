"""What an exported network keeps: facts and folded values as tensors, made once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from neurallog_kernel.evaluate.rows import Rows as FoldedRows
from neurallog_kernel.network.parameters import Parameter
from neurallog_kernel.network.relation_product import relation_matrix
from neurallog_kernel.network.tensorflow import tensorflow
from neurallog_kernel.plan.exprs import Product

_SMALL = 1024  # bytes up to which an array stands in the graph itself


@dataclass(frozen=True, eq=False)
class Rows:
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

    dtype: str
    variables: list[Any] = field(default_factory=list)
    _made: dict[Any, Any] = field(default_factory=dict)

    def numbers(self, key: Any, array: np.ndarray) -> Any:
        """Floating point numbers."""
        return self._tensor(key, array.astype(self.dtype))

    def positions(self, key: Any, array: np.ndarray) -> Any:
        """Whole numbers that are used as positions."""
        return self._tensor(key, array.astype(np.int64))

    def value(self, key: Any, found: FoldedRows | np.ndarray) -> Any:
        """A folded value: a number as [1], a vector as [size, 1]."""
        if isinstance(found, np.ndarray):
            return self.numbers(key, found)
        if not len(found.keys):
            return tensorflow().fill([found.size, 1], self.numbers((key, "rest"), found.rest)[0])
        return self.numbers(key, found.dense().reshape(-1, 1))

    def rows(self, product: Product, parameter: Parameter | None) -> Rows:
        """What a product with one entity looks at. `data` are the weights of the facts or, if they
        are learned, their places in the variable."""

        def make() -> Rows:
            matrix = relation_matrix(product.relation, product.inverted, _shape(product), parameter)
            return Rows(
                self.positions((key, "starts"), matrix.indptr),
                self.positions((key, "columns"), matrix.indices),
                self._data(key, matrix.data, parameter),
                _shape(product)[1],
            )

        key = ("rows", product.relation, product.inverted, _shape(product))
        return self._once(key, make)

    def cells(self, product: Product, parameter: Parameter | None) -> Cells:
        """What a product with whole columns multiplies by."""

        def make() -> Cells:
            size, result = _shape(product)
            shape = (result, size)
            matrix = relation_matrix(product.relation, not product.inverted, shape, parameter)
            rows = np.repeat(np.arange(shape[0]), np.diff(matrix.indptr))
            places = np.column_stack([rows, matrix.indices])
            data = self._data(key, matrix.data, parameter)
            return Cells(self.positions((key, "cells"), places), data, shape, len(places))

        key = ("cells", product.relation, product.inverted, _shape(product))
        return self._once(key, make)

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


def _shape(product: Product) -> tuple[int, int]:
    assert product.vector.domain is not None
    assert product.domain is not None
    return len(product.vector.domain), len(product.domain)
