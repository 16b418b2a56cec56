"""Plan to TensorFlow for any inputs: dense vectors, one column an input, in plain operations.

Training compiles a plan for the support of its examples; here nothing is known of the inputs but
their types. What does not depend on them, and on nothing that is still to be trained, is folded by
another engine and kept as numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, assert_never

import numpy as np

from neurallog_kernel.errors import BoundError, NeuralLogError
from neurallog_kernel.evaluate.calls import batch_size
from neurallog_kernel.evaluate.engine import Engine
from neurallog_kernel.export.operations import aggregate, combiner, together
from neurallog_kernel.export.store import RelationRows, Store
from neurallog_kernel.functions import Function, FunctionKind
from neurallog_kernel.knowledge.references import FactForm
from neurallog_kernel.network import functions
from neurallog_kernel.network.compiler import MOST_CELLS, Compiler
from neurallog_kernel.network.matchers import operands
from neurallog_kernel.network.parameters import Key, Parameter, entries
from neurallog_kernel.network.tensorflow import tensorflow
from neurallog_kernel.plan import exprs
from neurallog_kernel.plan.exprs import Expr

# For each place the index of its entity in each column, [batch], or the columns, [entities, batch]
BatchInputs = Mapping[int, Any]


@dataclass(eq=False)
class GraphMaker:
    """Makes operations of expressions.

    A vector is a tensor [entities, batch], a number [batch]; what is the same for every input has a
    batch of 1. `compiler` says what is learned, and `variables` holds the weights of those
    predicates; without a compiler everything is as it is now, for good.
    """

    engine: Engine
    dtype: str
    compiler: Compiler | None = None
    variables: Mapping[Key, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.storage = self.engine.storage
        self.store = Store(self.storage, self.dtype)

    def size(self, expr: Expr) -> int:
        """How many entries a vector has."""
        assert expr.domain is not None
        return self.storage.size(expr.domain)

    def value(self, expr: Expr, inputs: BatchInputs) -> Any:
        """The value of an expression for a batch of inputs."""
        return _Emission(self, inputs).value(expr)

    def at(self, expr: Expr, indexes: Any) -> Any:
        """The entries of a vector that depends on no input at some entities, without the others
        where it can be had: [number of indexes]."""
        tf = tensorflow()
        if not self.is_constant(expr):
            if isinstance(expr, exprs.ForEach):
                return tf.broadcast_to(self.value(expr.body, {0: indexes}), tf.shape(indexes))
            if isinstance(expr, exprs.Combine):
                parts = [self._at(part, indexes) for part in operands(expr)]
                return reduce(combiner(expr.operation), parts)
            if isinstance(expr, exprs.Apply) and expr.function.kind is FunctionKind.ELEMENTWISE:
                parts = [self._at(part, indexes) for part in expr.arguments]
                return self.apply(expr.function, parts)
        return tf.gather(self.value(expr, {})[:, 0], indexes)

    def _at(self, part: Expr, indexes: Any) -> Any:
        return self.value(part, {}) if part.domain is None else self.at(part, indexes)

    def is_constant(self, expr: Expr) -> bool:
        """Whether nothing can change the value."""
        if expr.uses_input:
            return False
        return self.compiler is None or not self.compiler.learns(expr)

    def constant(self, expr: Expr) -> Any:
        with tensorflow().init_scope():  # Keras layers among its functions give numbers, not nodes
            found = self.engine.evaluate(expr)
        return self.store.value(expr, found)

    def parameter(self, expr: Expr) -> Parameter | None:
        return None if self.compiler is None else self.compiler.parameter(expr)

    def apply(self, function: Function, arguments: Sequence[Any]) -> Any:
        """A function of tensors as functions are written: rows [batch, entities]."""
        tf = tensorflow()
        try:
            return tf.cast(functions.apply(function, arguments), self.dtype)
        except NeuralLogError as error:
            raise NeuralLogError(
                f"the function {function.name} cannot be exported: it is defined for NumPy only",
                hint="register it with tensorflow=..., or write it with keras.ops",
            ) from error


class _Emission:
    """The operations for one batch of inputs."""

    def __init__(
        self, graph: GraphMaker, inputs: BatchInputs, matrices: dict[Expr, Any] | None = None
    ) -> None:
        self.graph = graph
        self.inputs = inputs
        self.matrices = {} if matrices is None else matrices  # of calls, by their bodies
        self.made: dict[Expr, Any] = {}

    def value(self, root: Expr) -> Any:
        """Children first, with a stack of our own: plans can be deeper than Python's."""
        stack = [root]
        while stack:
            node = stack[-1]
            if node not in self.made:
                if self.graph.is_constant(node):
                    self.made[node] = self.graph.constant(node)
                else:
                    missing = [child for child in self._needs(node) if child not in self.made]
                    if missing:
                        stack.extend(reversed(missing))
                        continue
                    self.made[node] = self._make(node)
            stack.pop()
        return self.made[root]

    def _make(self, node: Expr) -> Any:
        match node:
            case exprs.Combine():
                sides = [self._sized(side, node) for side in (node.left, node.right)]
                return combiner(node.operation)(*sides)
            case exprs.Product():
                return self._product(node)
            case exprs.Aggregate():
                return aggregate(
                    node.function, self.made[node.vector], self.graph.size(node.vector)
                )
            case exprs.Apply():
                return self._apply(node)
            case exprs.Expand():
                return tensorflow().repeat(
                    self.made[node.scalar][None, :], self.graph.size(node), axis=0
                )
            case exprs.ForEach():
                return self._for_each(node)
            case exprs.Call():
                return self._call(node)
            case exprs.Input():
                return self._input(node)
            case (
                exprs.FactWeight()
                | exprs.NumericFact()
                | exprs.Facts()
                | exprs.Attribute()
                | exprs.RuleWeight()
            ):
                return self._learned(node)
            case exprs.Ones() | exprs.Zero() | exprs.OneHot() | exprs.Weight() | exprs.Compared():
                raise AssertionError(f"{node} is constant")
            case _:
                assert_never(node)

    def _input(self, node: exprs.Input) -> Any:
        given = self.inputs[node.place]
        if given.shape.rank == 2:
            return given
        return tensorflow().one_hot(given, self.graph.size(node), axis=0, dtype=self.graph.dtype)

    def _entities(self, node: exprs.Product) -> Any | None:
        """The indexes that a product begins with, if its vector is an input of single entities."""
        if not isinstance(node.vector, exprs.Input):
            return None
        given = self.inputs[node.vector.place]
        return given if given.shape.rank == 1 else None

    def _needs(self, node: Expr) -> tuple[Expr, ...]:
        if isinstance(node, exprs.Product) and self._entities(node) is not None:
            return ()
        if isinstance(node, exprs.ForEach):
            return () if node.whole is None else (node.whole,)
        return node.operands

    def _sized(self, side: Expr, whole: Expr) -> Any:
        """A number beside a vector stands for every entry."""
        value = self.made[side]
        return value[None, :] if side.domain is None and whole.domain is not None else value

    # -- relations ------------------------------------------------------------------------------

    def _product(self, node: exprs.Product) -> Any:
        tf = tensorflow()
        parameter, store = self.graph.parameter(node), self.graph.store
        entities = self._entities(node)
        if entities is not None:
            return self._rows(store.rows(node, parameter), parameter, entities)
        cells, vector = store.cells(node, parameter), self.made[node.vector]
        weights = self._weights(cells.data, parameter)
        if self.graph.compiler is None and cells.count:
            # several times as fast for a batch; a matrix like this cannot be kept in the graph, and
            # is made anew in each call
            matrix = tf.raw_ops.SparseTensorToCSRSparseMatrix(
                indices=cells.places, values=weights, dense_shape=cells.shape
            )
            return tf.raw_ops.SparseMatrixMatMul(a=matrix, b=vector)
        matrix = tf.SparseTensor(cells.places, weights, cells.shape)
        return tf.sparse.sparse_dense_matmul(matrix, vector)

    def _weights(self, data: Any, parameter: Parameter | None) -> Any:
        tf = tensorflow()
        if parameter is None:
            return tf.convert_to_tensor(data)
        return tf.gather(self.graph.variables[parameter.key], data)

    def _rows(self, found: RelationRows, parameter: Parameter | None, indexes: Any) -> Any:
        """One entity times a relation: only its own facts are looked at."""
        tf = tensorflow()
        indexes = tf.cast(indexes, tf.int64)
        batch = tf.shape(indexes, tf.int64)[0]
        first = tf.gather(found.starts, indexes)
        lengths = tf.gather(found.starts, indexes + 1) - first
        before = tf.cumsum(lengths, exclusive=True)
        at = tf.range(tf.reduce_sum(lengths)) + tf.repeat(first - before, lengths)
        column = tf.repeat(tf.range(batch), lengths)
        places = tf.gather(found.columns, at) * batch + column
        weights = self._weights(tf.gather(found.data, at), parameter)
        flat = tf.math.unsorted_segment_sum(weights, places, found.size * batch)
        return tf.reshape(flat, tf.stack([found.size, batch]))

    def _call(self, node: exprs.Call) -> Any:
        """What the call makes of each entity, [results, entities], times the vector."""
        tf = tensorflow()
        if node.body not in self.matrices:
            _check_cells(self.graph, node)
            every = {node.place: tf.range(_shape(self.graph, node)[0], dtype=tf.int64)}
            found = _Emission(self.graph, every, self.matrices).value(node.body)
            self.matrices[node.body] = found
        return tf.matmul(
            self.matrices[node.body], self.made[node.vector], transpose_a=node.inverted
        )

    # -- functions ------------------------------------------------------------------------------

    def _apply(self, node: exprs.Apply) -> Any:
        tf = tensorflow()
        function = node.function
        domain = next((a.domain for a in node.arguments if a.domain is not None), None)
        values = [self.made[argument] for argument in node.arguments]
        if domain is None:
            if function.kind is FunctionKind.ELEMENTWISE:
                return self.graph.apply(function, values)
            rows = [value[:, None] for value in together(values)]  # rows of one entry
            return tf.reshape(self.graph.apply(function, rows), [-1])
        values = [
            value[None, :] if argument.domain is None else value
            for value, argument in zip(values, node.arguments, strict=True)
        ]
        values = together(values)
        if function.kind is FunctionKind.ELEMENTWISE:
            return self.graph.apply(function, values)
        rows = [tf.transpose(value) for value in values]
        result = self.graph.apply(function, rows)
        return result if function.kind is FunctionKind.AGGREGATE else tf.transpose(result)

    # -- concepts -------------------------------------------------------------------------------

    def _for_each(self, node: exprs.ForEach) -> Any:
        """The body for every entity, so many at once that memory is bounded."""
        tf = tensorflow()
        if node.whole is not None:
            return self.made[node.whole]
        size = self.graph.size(node)
        step = batch_size(size)
        graph = self.graph
        if size <= step:
            return graph.at(node, tf.range(size, dtype=tf.int64))[:, None]
        chunks = -(-size // step)
        indexes = np.minimum(np.arange(chunks * step), size - 1).reshape(chunks, step)
        found = tf.map_fn(
            lambda some: graph.at(node, some),
            graph.store.positions((node, "chunks"), indexes),
            fn_output_signature=tf.TensorSpec([step], graph.dtype),
            parallel_iterations=1,
        )
        return tf.reshape(found, [-1, 1])[:size]

    # -- learned predicates ---------------------------------------------------------------------

    def _learned(self, node: exprs.Learnable) -> Any:
        parameter = self.graph.parameter(node)
        assert parameter is not None
        variable = tensorflow().convert_to_tensor(self.graph.variables[parameter.key])
        if isinstance(node, exprs.RuleWeight):
            place = parameter.place(node.rule)
            return variable[place : place + 1]
        if isinstance(node, exprs.FactWeight):
            return variable
        if isinstance(node, exprs.NumericFact):
            return self._numeric(node, variable)
        if isinstance(node, exprs.Attribute):
            return self._attribute(node, variable)
        if node.scan.form is FactForm.VECTOR:
            indexes = self.graph.storage.vector(node.scan).indexes
            return self._written_out(node, indexes, variable)
        found = entries(self.graph.storage.relation(node.scan))
        diagonal = np.flatnonzero(found.rows == found.columns)
        return self._written_out(node, found.rows[diagonal], self._chosen(node, variable, diagonal))

    def _numeric(self, node: exprs.NumericFact, variable: Any) -> Any:
        value = node.value_of(self.graph.storage.number(node.scan)[1])
        if value is None:
            return tensorflow().zeros([1], self.graph.dtype)
        number = self.graph.store.numbers((node, "value"), np.array([value]))
        return combiner(node.combiner)(variable, number)

    def _attribute(self, node: exprs.Attribute, variable: Any) -> Any:
        facts = self.graph.storage.vector(node.scan)
        values = facts.values
        assert values is not None
        chosen = np.arange(len(values))
        if node.number is not None:
            chosen = np.flatnonzero(values == node.number)
        numbers = self.graph.store.numbers((node, "values"), values[chosen])
        weights = self._chosen(node, variable, chosen)
        weighted = combiner(node.combiner)(weights, numbers)
        return self._written_out(node, facts.indexes[chosen], weighted)

    def _chosen(self, node: Expr, variable: Any, chosen: np.ndarray) -> Any:
        return tensorflow().gather(variable, self.graph.store.positions((node, "chosen"), chosen))

    def _written_out(self, node: Expr, places: np.ndarray, values: Any) -> Any:
        tf = tensorflow()
        where = self.graph.store.positions((node, "places"), places)
        return tf.math.unsorted_segment_sum(values, where, self.graph.size(node))[:, None]


def has_too_many_cells(graph: GraphMaker, node: exprs.Call) -> bool:
    """Whether a call has too many pairs of entities to write them all out."""
    inputs, results = _shape(graph, node)
    return inputs * results > MOST_CELLS


def _check_cells(graph: GraphMaker, node: exprs.Call) -> None:
    if has_too_many_cells(graph, node):
        inputs, results = _shape(graph, node)
        raise BoundError(
            f"the rules below {node.signature[0]}/{node.signature[1]} call each other too "
            f"often to be exported over {inputs:,} times {results:,} entities",
            hint="set a smaller recursion_depth",
        )


def _shape(graph: GraphMaker, node: exprs.Call) -> tuple[int, int]:
    """Entities of the input and of the result of a call that is not turned round."""
    given, result = (node, node.vector) if node.inverted else (node.vector, node)
    return graph.size(given), graph.size(result)
