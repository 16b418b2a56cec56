"""A straightforward TensorFlow port of how the paper's program computes: the baseline of training.

Every activation is a dense [batch, n] tensor, concepts included; every relation is a SparseTensor
multiplied by `tf.sparse.sparse_dense_matmul`; every target is computed for every row of a batch,
with the zero vector where it has no example; labels are dense; Keras' `fit` runs the steps over a
tf.data pipeline, and nothing is computed before the first one. It runs the same plan as the
product, so both learn the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.measuring import Seconds, Stopwatch
from neurallog_kernel import Session
from neurallog_kernel.functions import FunctionKind, Registry
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.references import Scan
from neurallog_kernel.knowledge.sources import ContentsBuilder
from neurallog_kernel.knowledge.storage import Storage
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.knowledge.update import with_source
from neurallog_kernel.language.parser import parse_by_grammar
from neurallog_kernel.learning.examples.batches import RowPlan
from neurallog_kernel.learning.examples.targets import Target, targets_of
from neurallog_kernel.learning.start.learned_facts import initial_contents
from neurallog_kernel.learning.start.start_weights import StartWeights
from neurallog_kernel.network.functions import apply
from neurallog_kernel.network.parameters import LearnedPredicates, entries
from neurallog_kernel.network.tensorflow import keras, tensorflow
from neurallog_kernel.plan import exprs
from neurallog_kernel.plan.exprs import Expr, walk


class DenseValues:
    """Dense evaluation of plans for one batch, with the learned weights as variables."""

    def __init__(
        self,
        storage: Storage,
        variables: dict[tuple[str, int], Any],
        inputs: dict[int, Any],
        batch: Any,
    ) -> None:
        self.storage = storage
        self.variables = variables
        self.inputs = inputs
        self.batch = batch  # how many rows
        self.made: dict[Expr, Any] = {}

    def value(self, expr: Expr) -> Any:
        for node in walk(expr):  # operands first: a thousand rules are a thousand sums deep
            if node not in self.made:
                self.made[node] = self._make(node)
        return self.made[expr]

    def wide(self, value: Any, expr: Expr) -> Any:
        """[batch, n], whatever was known to be the same for all rows or all entities."""
        return tensorflow().broadcast_to(value, [self.batch, self.size(expr)])

    def _make(self, expr: Expr) -> Any:
        tf = tensorflow()
        if isinstance(expr, exprs.Input):
            return self.inputs[expr.place]
        if isinstance(expr, exprs.Product):
            vector = self.wide(self.value(expr.vector), expr.vector)
            matrix = self._matrix(expr.scan, expr.inverted)
            return tf.transpose(tf.sparse.sparse_dense_matmul(matrix, vector, adjoint_b=True))
        if isinstance(expr, exprs.Combine):
            left, right = (self.value(e) for e in (expr.left, expr.right))
            return expr.operation.tensorflow(tf)(left, right)
        if isinstance(expr, exprs.Apply):
            result = apply(expr.function, [self.value(a) for a in expr.arguments])
            return result[:, None] if expr.function.kind is FunctionKind.AGGREGATE else result
        if isinstance(expr, exprs.Aggregate):
            vector = self.wide(self.value(expr.vector), expr.vector)
            return tf.reduce_sum(vector, axis=1, keepdims=True)
        if isinstance(expr, exprs.Expand):
            return self.value(expr.scalar)
        if isinstance(expr, exprs.ForEach):
            return self._for_each(expr)
        return self._leaf(expr)

    def _for_each(self, expr: exprs.ForEach) -> Any:
        tf = tensorflow()
        if expr.whole is not None:
            return self.value(expr.whole)
        size = self.size(expr)
        numbers = DenseValues(self.storage, self.variables, {0: tf.eye(size)}, size).value(
            expr.body
        )
        return tf.reshape(tf.broadcast_to(numbers, [size, 1]), [1, -1])

    def _leaf(self, expr: Expr) -> Any:
        tf = tensorflow()
        if isinstance(expr, exprs.Weight):
            return tf.constant([[expr.value]], "float32")
        if isinstance(expr, exprs.FactWeight | exprs.NumericFact):
            return self._number(expr)
        if isinstance(expr, exprs.Zero):
            return tf.zeros([1, 1])
        if isinstance(expr, exprs.Ones):
            return tf.ones([self.batch, self.size(expr)])
        if isinstance(expr, exprs.OneHot):
            assert expr.domain is not None
            index = self.storage.index(expr.domain, expr.name)
            return tf.one_hot([-1 if index is None else index], self.size(expr))
        assert isinstance(expr, exprs.Facts | exprs.Attribute)
        return self._vector(expr)

    def _number(self, expr: exprs.FactWeight | exprs.NumericFact) -> Any:
        tf = tensorflow()
        weight, numbers = self.storage.number(expr.scan)
        variable = self.variables.get(expr.scan.signature)
        found = tf.constant([[weight]], "float32") if variable is None else variable[None]
        if isinstance(expr, exprs.FactWeight):
            return found
        value = expr.value_of(numbers)
        return tf.zeros([1, 1]) if value is None else expr.combiner.tensorflow(tf)(found, value)

    def size(self, expr: Expr) -> int:
        assert expr.domain is not None
        return self.storage.size(expr.domain)

    def _vector(self, expr: exprs.Facts | exprs.Attribute) -> Any:
        tf = tensorflow()
        facts = self.storage.vector(expr.scan)
        weights = self.variables.get(facts.signature)
        if weights is None:
            weights = tf.constant(facts.weights, "float32")
        if isinstance(expr, exprs.Attribute):
            weights = weights * tf.constant(facts.values, "float32")
        return tf.scatter_nd(facts.indexes[:, None], weights, [self.size(expr)])[None, :]

    def _matrix(self, scan: Scan, inverted: bool) -> Any:
        """The matrix that multiplies a transposed batch from the left."""
        tf = tensorflow()
        relation = self.storage.relation(scan)
        found = entries(relation)
        shape = relation.parts[0].csr.shape
        weights = self.variables.get(relation.signature)
        values = tf.constant(found.values, "float32") if weights is None else weights
        rows, columns = (found.rows, found.columns) if inverted else (found.columns, found.rows)
        size = shape if inverted else shape[::-1]
        order = np.lexsort((columns, rows))
        cells = np.column_stack([rows, columns])[order]
        return tf.SparseTensor(cells, tf.gather(values, order), size)


# -- loading --------------------------------------------------------------------------------------


def load_by_grammar(texts: Mapping[str, str | None]) -> Program:
    """The program of some texts, each with the example set of its atoms, by our own steps except
    that every fact is parsed by the grammar, as the original does."""
    symbols, program = SymbolTable(), Program(Registry())
    for number, (text, examples) in enumerate(texts.items()):
        builder = ContentsBuilder(f"text-{number}", symbols)
        builder.add(parse_by_grammar(text), examples)
        program = with_source(program, builder.build(), symbols, strict=False)
    return program


# -- training -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Fed:
    """A target with what its rows are fed from."""

    target: Target
    result: Expr
    place: int  # of the input
    inputs: int  # entities of the input's type
    columns: np.ndarray  # the input of every row of the list all targets share; -1 for none
    outputs: Any  # ragged: the labelled outputs of every row
    labels: Any


class OriginalWay:
    """The targets of a session's training examples, ready to be trained step by step."""

    def __init__(self, session: Session, batch_size: int, learning_rate: float = 0.01) -> None:
        program, storage = session._program, session._evaluator.storage
        start = initial_contents(StartWeights(storage, 1))
        if start.facts:
            program = with_source(program, start, storage.symbols, strict=False)
        self.storage = storage.of(program)
        weights = LearnedPredicates(program, storage.relations, "float32").values()
        targets = targets_of(program, storage.symbols, "train")
        plan = RowPlan(targets, batch_size)
        self.batch_size, self.rows, self.steps = batch_size, plan.total, plan.count
        self._fed = [
            _feed(session, program, target, rows, plan.total)
            for target, rows in zip(targets, plan.rows, strict=True)
        ]
        self.model = self._model(weights, learning_rate)

    def _model(self, weights: dict[tuple[str, int], np.ndarray], learning_rate: float) -> Any:
        fed, storage = self._fed, self.storage

        class Port(keras().Model):
            def __init__(self) -> None:
                super().__init__()
                self.learned = [
                    keras().Variable(w.astype("float32"), name=f"learned_{i}")
                    for i, w in enumerate(weights.values())
                ]

            def call(self, inputs: Any) -> Any:
                by_name = {s: v.value for s, v in zip(weights, self.learned, strict=True)}
                return [
                    _output(one, storage, by_name, x) for one, x in zip(fed, inputs, strict=True)
                ]

        model = Port()
        model.compile(
            optimizer=keras().optimizers.Adagrad(learning_rate),
            loss=["mean_squared_error"] * len(fed),
            jit_compile=False,  # XLA refuses sparse products
        )
        return model

    def _dataset(self, steps: int) -> Any:
        tf = tensorflow()
        rows = tf.data.Dataset.range(min(self.rows, steps * self.batch_size)).batch(self.batch_size)

        def feed(batch: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
            inputs, labels = zip(*(_batch(one, batch) for one in self._fed), strict=True)
            return inputs, labels

        return rows.map(feed)

    def run(self, steps: int | None = None) -> Seconds:
        """Some steps of an epoch, or all: what Keras took for them."""
        count = min(steps or self.steps, self.steps)
        taken: list[Seconds] = []

        class Watch(keras().callbacks.Callback):
            def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
                self.watch = Stopwatch()

            def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
                taken.append(self.watch.read())

        self.model.fit(
            self._dataset(count), epochs=1, shuffle=False, verbose=0, callbacks=[Watch()]
        )
        return taken[0] * (self.steps / count)


def _feed(session: Session, program: Program, target: Target, rows: np.ndarray, total: int) -> _Fed:
    tf = tensorflow()
    layer = session._planner.question(program, target.signature, target.output)
    ((place, column),) = target.columns.items()
    columns = np.full(total, -1)
    columns[rows] = column
    row = rows[target.rows]
    order = np.argsort(row, kind="stable")
    splits = np.searchsorted(row[order], np.arange(total + 1))
    outputs = tf.RaggedTensor.from_row_splits(target.outputs[order], splits)
    labels = tf.RaggedTensor.from_row_splits(target.labels[order].astype("float32"), splits)
    size = len(program.entity_type((*target.signature, place)))
    return _Fed(target, layer.result, place, size, columns, outputs, labels)


def _batch(fed: _Fed, rows: Any) -> tuple[Any, Any]:
    """One-hot inputs and dense labels."""
    tf = tensorflow()
    inputs = tf.one_hot(tf.gather(tf.constant(fed.columns), rows), fed.inputs)
    outputs, labels = tf.gather(fed.outputs, rows), tf.gather(fed.labels, rows)
    cells = tf.stack([outputs.value_rowids(), outputs.values], axis=1)
    shape = tf.cast(tf.stack([tf.shape(rows)[0], fed.target.size]), cells.dtype)
    return inputs, tf.reshape(tf.scatter_nd(cells, labels.values, shape), [-1, fed.target.size])


def _output(fed: _Fed, storage: Storage, variables: dict[tuple[str, int], Any], inputs: Any) -> Any:
    tf = tensorflow()
    batch = tf.shape(inputs)[0]
    values = DenseValues(storage, variables, {fed.place: inputs}, batch)
    found = values.wide(values.value(fed.result), fed.result)
    if fed.target.signature[1] == 1:
        return tf.reduce_sum(inputs * found, axis=1, keepdims=True)
    return found
