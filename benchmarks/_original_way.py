"""A straightforward TensorFlow port of how the paper's program computes: the baseline of training.

Every activation is a dense [batch, n] tensor, every relation a SparseTensor multiplied with
`tf.sparse.sparse_dense_matmul`, every step goes through TensorFlow's own gradients, and nothing is
computed before the first step. It runs the same plan as the product, so both learn the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neurallog_kernel.functions import FunctionKind
from neurallog_kernel.knowledge.relations import FactVector, Relation
from neurallog_kernel.learning.examples import Target
from neurallog_kernel.network.functions import apply
from neurallog_kernel.network.parameters import entries
from neurallog_kernel.network.tensorflow import keras, tensorflow
from neurallog_kernel.plan.exprs import (
    Aggregate,
    Apply,
    Attribute,
    Combine,
    Expand,
    Expr,
    Facts,
    FactWeight,
    ForEach,
    Input,
    OneHot,
    Ones,
    Product,
    Weight,
    Zero,
    walk,
)


class OriginalWay:
    """Dense evaluation of plans, with the weights of the learned predicates as variables."""

    def __init__(self, weights: dict[tuple[str, int], np.ndarray], learning_rate: float) -> None:
        tf = tensorflow()
        self.variables = {s: tf.Variable(w.astype("float32")) for s, w in weights.items()}
        self.optimizer = keras().optimizers.Adagrad(learning_rate)
        self.optimizer.build(list(self.variables.values()))

    # -- one expression -------------------------------------------------------------------------

    def value(self, expr: Expr, inputs: dict[int, Any], made: dict[Expr, Any]) -> Any:
        for node in walk(expr):  # operands first: a thousand rules are a thousand sums deep
            if node not in made:
                made[node] = self._make(node, inputs, made)
        return made[expr]

    def _make(self, expr: Expr, inputs: dict[int, Any], made: dict[Expr, Any]) -> Any:
        tf = tensorflow()
        if isinstance(expr, Input):
            return inputs[expr.place]
        if isinstance(expr, Product):
            vector = self._wide(self.value(expr.vector, inputs, made), expr.vector)
            matrix = self._matrix(expr.relation, expr.inverted)
            return tf.transpose(tf.sparse.sparse_dense_matmul(matrix, vector, adjoint_b=True))
        if isinstance(expr, Combine):
            left, right = (self.value(e, inputs, made) for e in (expr.left, expr.right))
            return getattr(tf, expr.operation)(left, right)
        if isinstance(expr, Apply):
            values = [self.value(a, inputs, made) for a in expr.arguments]
            result = apply(expr.function, values)
            return result[:, None] if expr.function.kind is FunctionKind.AGGREGATE else result
        if isinstance(expr, Aggregate):
            vector = self._wide(self.value(expr.vector, inputs, made), expr.vector)
            return tf.reduce_sum(vector, axis=1, keepdims=True)
        if isinstance(expr, Expand):
            return self.value(expr.scalar, inputs, made)
        if isinstance(expr, ForEach):
            return self._for_each(expr, made)
        return self._leaf(expr)

    def _for_each(self, expr: ForEach, made: dict[Expr, Any]) -> Any:
        tf = tensorflow()
        if expr.whole is not None:
            return self.value(expr.whole, {}, made)
        numbers = self.value(expr.body, {0: tf.eye(_size(expr))}, {})
        return tf.reshape(tf.broadcast_to(numbers, [_size(expr), 1]), [1, -1])

    def _leaf(self, expr: Expr) -> Any:
        tf = tensorflow()
        if isinstance(expr, Weight):
            return tf.constant([[expr.value]], "float32")
        if isinstance(expr, FactWeight):
            variable = self.variables.get(expr.signature)
            return tf.constant([[expr.value]], "float32") if variable is None else variable[None]
        if isinstance(expr, Zero):
            return tf.zeros([1, 1])
        if isinstance(expr, Ones):
            return tf.ones([1, _size(expr)])
        if isinstance(expr, OneHot):
            return tf.one_hot([expr.index], _size(expr))
        assert isinstance(expr, Facts | Attribute)
        return self._vector(expr)

    def _vector(self, expr: Facts | Attribute) -> Any:
        tf = tensorflow()
        facts = expr.facts
        assert isinstance(facts, FactVector)
        weights = self.variables.get(facts.signature)
        if weights is None:
            weights = tf.constant(facts.weights, "float32")
        if isinstance(expr, Attribute):
            weights = weights * tf.constant(facts.values, "float32")
        return tf.scatter_nd(facts.indexes[:, None], weights, [_size(expr)])[None, :]

    def _matrix(self, relation: Relation, inverted: bool) -> Any:
        """The matrix that multiplies a transposed batch from the left."""
        tf = tensorflow()
        found = entries(relation)
        shape = relation.parts[0].csr.shape
        weights = self.variables.get(relation.signature)
        values = tf.constant(found.values, "float32") if weights is None else weights
        rows, columns = (found.rows, found.columns) if inverted else (found.columns, found.rows)
        size = shape if inverted else shape[::-1]
        order = np.lexsort((columns, rows))
        cells = np.column_stack([rows, columns])[order]
        return tf.SparseTensor(cells, tf.gather(values, order), size)

    def _wide(self, value: Any, expr: Expr) -> Any:
        tf = tensorflow()
        return tf.broadcast_to(value, [tf.shape(value)[0], _size(expr)])

    # -- training -------------------------------------------------------------------------------

    def loss(self, target: Target, expr: Expr, rows: Any, labels: Any) -> Any:
        """Mean squared error over dense labels."""
        tf = tensorflow()
        (place,) = target.columns
        size = next(len(e.domain) for e in _inputs(expr, place)) if _inputs(expr, place) else None
        columns = tf.gather(target.columns[place], rows)
        if target.signature[1] == 1:
            everything = self.value(expr, {}, {})
            found = tf.gather(tf.broadcast_to(everything, [1, _size(expr)])[0], columns)[:, None]
        else:
            found = self.value(expr, {place: tf.one_hot(columns, size or 1)}, {})
        return tf.reduce_mean(tf.reduce_mean((found - labels) ** 2, axis=1))

    def trainer(self, targets: list[tuple[Target, Expr]]) -> Any:
        """A compiled step over one batch: rows and dense labels of each target."""
        tf = tensorflow()
        variables = list(self.variables.values())

        @tf.function(reduce_retracing=True, autograph=False)
        def step(batch: list[tuple[Any, Any]]) -> Any:
            with tf.GradientTape() as tape:
                losses = [
                    self.loss(target, expr, rows, labels)
                    for (target, expr), (rows, labels) in zip(targets, batch, strict=True)
                ]
                total = tf.add_n(losses)
            gradients = tape.gradient(total, variables)
            pairs = [(g, v) for g, v in zip(gradients, variables, strict=True) if g is not None]
            self.optimizer.apply_gradients(pairs)
            return total

        return step


def _inputs(expr: Expr, place: int) -> list[Input]:
    return [e for e in walk(expr) if isinstance(e, Input) and e.place == place]


def _size(expr: Expr) -> int:
    assert expr.domain is not None
    return len(expr.domain)
