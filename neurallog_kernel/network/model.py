"""The network of a program for its targets: one output a target, fed batch by batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from neurallog_kernel.errors import UnknownPredicateError
from neurallog_kernel.evaluate.executor import Executor
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.network.compiler import Compiler
from neurallog_kernel.network.frames import Batches, Feed, Frame, Scope, assemble
from neurallog_kernel.network.parameters import Parameters
from neurallog_kernel.network.tensorflow import tensorflow
from neurallog_kernel.network.values import Number, Step, Vector
from neurallog_kernel.plan.build import Planner
from neurallog_kernel.plan.exprs import Apply, Expr, ForEach, walk
from neurallog_kernel.plan.network import LiteralLayer


@dataclass(frozen=True, eq=False)
class Output:
    """A target's literal layer and its value for the rows of a frame, or for its distinct rows."""

    layer: LiteralLayer
    frame: Frame
    value: Number | Vector


class Network:
    """Values, their frames and the learned parameters."""

    def __init__(
        self, program: Program, planner: Planner, executor: Executor, dtype: str = "float32"
    ) -> None:
        self.program = program
        self.planner = planner
        self.dtype = dtype
        self.parameters = Parameters(program, planner.relations, dtype)
        self.compiler = Compiler(self.parameters, executor, planner.algebra)
        self.models: dict[str, Any] = {}  # Keras layers and models that the targets use

    def add(
        self, signature: Signature, output: int | None, columns: Mapping[int, np.ndarray], rows: int
    ) -> Output:
        """The value of a predicate for rows of one-hot inputs, to be computed in batches."""
        layer = self.layer(signature, output)
        frame = self.compiler.frame(rows, sliced=True)
        if signature[1] == 1:
            value: Number | Vector = self.compiler.at(layer.result, frame, columns[0])
        else:
            scope = self.compiler.distinct(layer.result, Scope(frame, columns))
            value = self.compiler.value(layer.result, scope)
        return Output(layer, frame, value)

    def layer(self, signature: Signature, output: int | None) -> LiteralLayer:
        """The plan of a predicate; the models it uses are trained as well."""
        layer = self._planned(signature, output)
        self._note_models(layer.result)
        return layer

    def _planned(self, signature: Signature, output: int | None) -> LiteralLayer:
        if not self.program.is_known(signature):
            raise UnknownPredicateError(f"unknown predicate {signature[0]}/{signature[1]}")
        if signature[1] == 0:
            return self.planner.proposition(self.program, signature, ())
        if signature[1] == 1:
            return self.planner.concept(self.program, signature, ())
        return self.planner.question(self.program, signature, output)

    def _note_models(self, root: Expr) -> None:
        for expr in walk(root):
            if isinstance(expr, Apply) and expr.function.model is not None:
                self.models[expr.function.name] = expr.function.model
            elif isinstance(expr, ForEach):
                self._note_models(expr.body)

    @property
    def variables(self) -> list[Any]:
        """Everything that is trained."""
        own = self.parameters.variables()
        return own + [v for model in self.models.values() for v in model.trainable_variables]


class Feeding:
    """The feeds of a network's frames as tensors, cut by batch."""

    def __init__(self, frames: Sequence[Frame], dtype: str) -> None:
        self.frames = list(frames)
        self.dtype = dtype
        self._whole = {
            feed: self._tensor(assemble(feed, {frame: Batches.single(frame.rows)}).data)
            for frame in self.frames
            if not frame.sliced
            for feed in frame.feeds
        }
        self._data: dict[Feed, Any] = {}
        self._places = [f for frame in self.frames if frame.sliced for f in frame.feeds]
        self._starts: dict[str, Any] = {}

    def set_batches(self, batches: Mapping[Frame, Batches]) -> None:
        """Put the rows of every sliced frame into the order of these batches."""
        tf = tensorflow()
        batches = dict(batches)
        for frame in self.frames:
            if frame.parent is not None and frame.of is not None:
                batches[frame] = batches[frame.parent].distinct(frame.of, frame.rows)
        starts: list[np.ndarray] = []
        for feed in self._places:
            fed = assemble(feed, batches)
            self._put(self._data, feed, self._tensor(fed.data))
            starts.append(fed.starts)
        starts += [batches[frame].starts for frame in self.frames if frame.sliced]
        table = np.stack(starts).astype(np.int32)[:, :, None]
        self._put(self._starts, "starts", tf.constant(table.transpose(1, 0, 2)))

    def _put(self, table: dict[Any, Any], key: Any, tensor: Any) -> None:
        """Variables, so that the compiled loop sees a new order of the rows without a new trace."""
        tf = tensorflow()
        if key in table:
            table[key].assign(tensor)
        else:
            shape = tf.TensorShape([None, *tensor.shape[1:]])
            table[key] = tf.Variable(tensor, trainable=False, shape=shape)

    def _tensor(self, data: np.ndarray) -> Any:
        tf = tensorflow()
        if data.dtype.kind == "f":
            return tf.constant(data, dtype=self.dtype)
        return tf.constant(data.astype(np.int32))

    def step(self, batch: Any) -> Step:
        """The feeds of one batch: where each starts and ends is read at once for them all."""
        tf = tensorflow()
        starts = self._starts["starts"]
        begin = starts[batch]
        length = starts[batch + 1] - begin
        begins, lengths = tf.unstack(begin), tf.unstack(length)
        feeds = dict(self._whole)
        for place, feed in enumerate(self._places):
            feeds[feed] = _slice(self._data[feed], begins[place], lengths[place])
        sizes: dict[Frame, Any] = {}
        place = len(self._places)
        for frame in self.frames:
            if frame.sliced:
                sizes[frame] = lengths[place][0]
                place += 1
            else:
                sizes[frame] = frame.rows
        return Step(feeds, sizes, self.dtype)


def _slice(data: Any, begin: Any, length: Any) -> Any:
    tf = tensorflow()
    if len(data.shape) == 1:
        return tf.slice(data, begin, length)
    return tf.slice(data, tf.pad(begin, [[0, 1]]), tf.concat([length, [data.shape[1]]], 0))
