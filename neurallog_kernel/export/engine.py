"""The exported graph as an engine: plans computed by TensorFlow, and which of them it can do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.evaluate.engine import Bindings, EngineValue
from neurallog_kernel.evaluate.rows import Rows, from_dense
from neurallog_kernel.export.graph import GraphMaker, has_too_many_cells
from neurallog_kernel.knowledge.storage import Storage
from neurallog_kernel.network import functions
from neurallog_kernel.network.tensorflow import tensorflow
from neurallog_kernel.plan.exprs import Aggregate, Apply, Call, Expr


@dataclass(frozen=True, eq=False)
class TensorFlowEngine:
    """Runs the operations of a graph at once, as they would run in an exported model."""

    graph: GraphMaker

    @property
    def storage(self) -> Storage:
        return self.graph.storage

    def bind(self, storage: Storage) -> TensorFlowEngine:
        """The same for another program; what was still to be trained in this one is not its own."""
        return TensorFlowEngine(GraphMaker(self.graph.engine.bind(storage), self.graph.dtype))

    def evaluate(
        self, expr: Expr, bindings: Bindings | None = None, key: object = None
    ) -> EngineValue:
        """The value for these inputs; nothing is kept, whatever the key."""
        inputs = {place: self._given(rows) for place, rows in (bindings or {}).items()}
        found = self.graph.value(expr, inputs).numpy().astype(np.float64)
        return found if expr.domain is None else from_dense(found.T)

    def _given(self, rows: Rows) -> Any:
        """Single entities by their index, as models are given them, other vectors in columns."""
        tf = tensorflow()
        single = rows.is_sparse and np.array_equal(rows.rows(), np.arange(rows.batch))
        if single and (rows.values == 1.0).all():
            return tf.constant(rows.columns())
        return tf.constant(rows.dense().T, self.graph.dtype)

    def supports(self, expr: Expr) -> str | None:
        """The first part that has no form in TensorFlow. What depends on no input is folded by
        another engine, and needs none."""
        for node in self._made(expr):
            if isinstance(node, Apply | Aggregate) and not _has_tensors(node, self.graph):
                return f"the function {node.function.name}: it is defined for NumPy only"
            if isinstance(node, Call) and has_too_many_cells(self.graph, node):
                name, arity = node.signature
                return f"the calls of {name}/{arity}: their table would be too large"
        return None

    def _made(self, root: Expr) -> Iterator[Expr]:
        """The nodes that become operations."""
        seen: set[Expr] = set()
        stack = [root]
        while stack:
            node = stack.pop()
            if node not in seen and not self.graph.is_constant(node):
                seen.add(node)
                yield node
                stack += reversed(node.children)


def _has_tensors(node: Apply | Aggregate, graph: GraphMaker) -> bool:
    """Whether a function can be computed with tensors: one that is registered is traced to see."""
    function = node.function
    if function.with_tensorflow is not None or function.model is not None:
        return True
    tf = tensorflow()
    width = next((graph.size(a) for a in node.operands if a.domain is not None), 1)
    rows = [tf.TensorSpec([None, width], graph.dtype)] * function.inputs
    traced = tf.function(lambda *x: functions.apply(function, x), autograph=False)
    try:
        traced.get_concrete_function(*rows)
    except NeuralLogError:
        return False
    return True
