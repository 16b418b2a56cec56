"""The network of a program for its targets: one output a target, fed batch by batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from neurallog_kernel.errors import UnknownPredicateError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.network.arrays import TENSORFLOW, arrays_named
from neurallog_kernel.network.compiler import Compiler
from neurallog_kernel.network.deferred import DeferredNumber, DeferredVector
from neurallog_kernel.network.parameters import LearnedPredicates
from neurallog_kernel.network.rowsets import Frame, Scope
from neurallog_kernel.plan.exprs import Apply, Expr, everything
from neurallog_kernel.plan.layers import LiteralLayer


@dataclass(frozen=True, eq=False)
class Output:
    """A target's literal layer and its value for the rows of a frame, or for its distinct rows."""

    layer: LiteralLayer
    frame: Frame
    value: DeferredNumber | DeferredVector


class Network:
    """Values, their frames and the learned parameters."""

    def __init__(
        self, evaluator: Evaluator, dtype: str = "float32", backend: str = TENSORFLOW
    ) -> None:
        self.evaluator = evaluator
        self.program = evaluator.program
        self.planner = evaluator.planner
        self.dtype = dtype
        self.arrays = arrays_named(backend)
        self.parameters = LearnedPredicates(
            self.program, evaluator.storage.relations, dtype, self.arrays
        )
        self.compiler = Compiler(self.parameters, evaluator.engine, self.planner.algebra)
        self.models: dict[str, Any] = {}  # Keras layers and models that the targets use

    def add(
        self, signature: Signature, output: int | None, columns: Mapping[int, np.ndarray], rows: int
    ) -> Output:
        """The value of a predicate for rows of one-hot inputs, to be computed in batches."""
        layer = self.layer(signature, output)
        frame = self.compiler.frame(rows, sliced=True)
        if signature[1] == 1:
            value: DeferredNumber | DeferredVector = self.compiler.at(
                layer.result, frame, columns[0]
            )
        else:
            scope = self.compiler.distinct(layer.result, Scope(frame, columns))
            value = self.compiler.value(layer.result, scope)
        return Output(layer, frame, value)

    def layer(self, signature: Signature, output: int | None) -> LiteralLayer:
        """The plan of a predicate; the models it uses are trained as well."""
        if not self.program.is_known(signature):
            raise UnknownPredicateError(f"unknown predicate {signature[0]}/{signature[1]}")
        layer = self.evaluator.layer(signature, output)
        self._note_models(layer.result)
        return layer

    def _note_models(self, root: Expr) -> None:
        for expr in everything([root]):
            if isinstance(expr, Apply) and expr.function.model is not None:
                self.models[expr.function.name] = expr.function.model

    @property
    def variables(self) -> list[Any]:
        """Everything that is trained."""
        own = self.parameters.variables()
        return own + [v for model in self.models.values() for v in model.trainable_variables]
