"""Training: the compiled loop over batches, epochs, validation, and stopping at any time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from time import perf_counter
from typing import Any

import numpy as np

from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.learning.batches import RowPlan
from neurallog_kernel.learning.examples import Target
from neurallog_kernel.learning.history import History, TrainingState, call
from neurallog_kernel.learning.objective import Labelling, row_losses
from neurallog_kernel.learning.settings import Loss
from neurallog_kernel.network import ops
from neurallog_kernel.network.functions import apply as apply_function
from neurallog_kernel.network.model import Feeding, Network
from neurallog_kernel.network.ops import Tensor
from neurallog_kernel.network.tensorflow import tensorflow
from neurallog_kernel.network.values import Number, Step

CHUNK_SECONDS = 0.1  # about how long the compiled loop runs before it looks for an interrupt


@dataclass
class Objective:
    """The targets of one example set with their losses, ready to be fed."""

    network: Network
    targets: Sequence[Target]
    losses: Sequence[Loss]
    labelling: Labelling
    batch_size: int
    per_row: list[Number] = field(default_factory=list)

    def __post_init__(self) -> None:
        first = len(self.network.compiler.frames)
        self.outputs = []
        for target, loss in zip(self.targets, self.losses, strict=True):
            output = self.network.add(
                target.signature, target.output, target.columns, len(target.keys)
            )
            self.outputs.append(output)
            self.per_row.append(
                row_losses(output.value, target, output.frame, loss, self.labelling)
            )
        self.plan = RowPlan(self.targets, self.batch_size)
        frames = self.network.compiler.frames
        shared = [frame for frame in frames[:first] if not frame.sliced]
        self.feeding = Feeding([*shared, *frames[first:]], self.network.dtype)
        self.divide(None)

    def divide(self, generator: np.random.Generator | None) -> None:
        """Set the batches, shuffled if there is a generator."""
        batches = self.plan.batches(generator)
        frames = [output.frame for output in self.outputs]
        self.feeding.set_batches(dict(zip(frames, batches, strict=True)))

    def batch_losses(self, step: Step) -> list[Tensor]:
        """For each target the sum of its rows' losses in the batch."""
        return [
            ops.total(ops.spread(step.get(number), step.batch[output.frame]))
            for number, output in zip(self.per_row, self.outputs, strict=True)
        ]


@dataclass
class Trainer:
    """Everything one training needs; `run` may be called again to go on."""

    objective: Objective
    validation: Objective | None
    optimizer: Any
    regularizers: Mapping[Signature, Any]
    constraints: Mapping[Signature, Any]
    shuffle: bool
    seed: int
    validation_period: int = 1

    def __post_init__(self) -> None:
        tf = tensorflow()
        self.network = self.objective.network
        self.variables = self.network.variables
        self.optimizer.build(self.variables)
        _alone(self.optimizer)
        self.generator = np.random.default_rng(self.seed)
        self._sizes = tf.constant(self.objective.plan.sizes(), dtype=self.network.dtype)
        self._loop = tf.function(self._run_batches, autograph=False)
        self._validate = None
        self.history = History()
        self._chunk = 1

    # -- the compiled part ----------------------------------------------------------------------

    def _run_batches(self, first: Any, last: Any) -> Any:
        """Batches `first` to `last`: gradient step each; gives the summed losses of each target."""
        tf = tensorflow()
        number = len(self.objective.targets)
        zeros = tf.zeros([number + 1], self.network.dtype)

        def body(batch: Any, sums: Any) -> tuple[Any, Any]:
            return batch + 1, sums + self._one_batch(batch)

        _, sums = tf.while_loop(
            lambda batch, _: batch < last, body, [first, zeros], parallel_iterations=1
        )
        return sums

    def _one_batch(self, batch: Any) -> Any:
        tf = tensorflow()
        step = self.objective.feeding.step(batch)
        losses = self.objective.batch_losses(step)
        rows = self._sizes[batch]
        together = reduce(lambda a, b: a + b, losses).scaled(1 / rows)
        penalty = self._penalty(step)
        if penalty is not None:
            together = together + penalty
        self.optimizer.apply(ops.gradients(together, self.variables), self.variables)
        self._constrain()
        own = tf.zeros([1], self.network.dtype) if penalty is None else penalty.x * rows
        return tf.concat([*(loss.x for loss in losses), own], 0)

    def _penalty(self, step: Step) -> Tensor | None:
        """Each regularised predicate counts once, however often it is used."""
        parts = [
            ops.apply(_one_number(self.regularizers[p.signature]), [step.leaf(p.variable)], ops.ONE)
            for p in self.network.parameters
            if p.signature in self.regularizers
        ]
        return reduce(lambda a, b: a + b, parts) if parts else None

    def _constrain(self) -> None:
        for parameter in self.network.parameters:
            function = self.constraints.get(parameter.signature)
            if function is not None:
                parameter.variable.assign(apply_function(function, [parameter.variable]))

    # -- epochs ---------------------------------------------------------------------------------

    def run(
        self,
        epochs: int,
        callbacks: list[Any],
        monitor: str,
        patience: int | None,
        keep_best: bool,
        measure: Any = None,
    ) -> History:
        """Train for some epochs; an interrupt ends it and keeps what was learned."""
        history, started = self.history, perf_counter()
        before = history.seconds
        history.interrupted = history.stopped_early = False
        best = _Best(monitor)
        goal = history.epochs + epochs
        state = TrainingState(
            history.epochs, goal, 0, self.objective.plan.count, {}, 0.0, history, self._weights
        )
        call(callbacks, "on_begin", state)
        try:
            while state.epoch < goal and not state.stop:
                state.logs = self._epoch(callbacks, state, started)
                if measure is not None:
                    state.logs |= measure()
                state.epoch, state.seconds = state.epoch + 1, perf_counter() - started
                history.add({**state.logs, "seconds": state.seconds})
                improved = best.look(state.logs, state.epoch, self._snapshot if keep_best else None)
                call(callbacks, "on_epoch", state)
                if patience is not None and not improved and best.since(state.epoch) >= patience:
                    history.stopped_early = True
                    break
        except KeyboardInterrupt:
            history.interrupted = True
        if keep_best and best.weights is not None:
            for variable, value in zip(self.variables, best.weights, strict=True):
                variable.assign(value)
            history.best_epoch = best.epoch
        history.seconds = before + perf_counter() - started
        state.seconds = history.seconds
        call(callbacks, "on_end", state)
        return history

    def _snapshot(self) -> list[np.ndarray]:
        """Everything that is trained, the variables of Keras models included."""
        return [variable.numpy().copy() for variable in self.variables]

    def _weights(self) -> dict[Signature, np.ndarray]:
        return self.network.parameters.values()

    def _epoch(
        self, callbacks: list[Any], state: TrainingState, started: float
    ) -> dict[str, float]:
        tf = tensorflow()
        if self.shuffle:
            self.objective.divide(self.generator)
        count = self.objective.plan.count
        sums = np.zeros(len(self.objective.targets) + 1)
        state.batch = 0
        while state.batch < count:
            last = min(count, state.batch + self._chunk)
            before = perf_counter()
            found = self._loop(tf.constant(state.batch), tf.constant(last))
            sums += found.numpy()
            self._adapt(perf_counter() - before, last - state.batch)
            state.batch, state.seconds = last, perf_counter() - started
            rows = self.objective.plan.sizes()[:last].sum()
            state.logs = {"loss": float(sums.sum() / rows)}
            call(callbacks, "on_batch", state)
        logs = self._logs(sums / self.objective.plan.total)
        if self.validation is not None and (state.epoch + 1) % self.validation_period == 0:
            logs["val_loss"] = self._validation_loss()
        return logs

    def _adapt(self, seconds: float, batches: int) -> None:
        """Choose how many batches run between two looks at the outside world."""
        if self.history.epochs == 0 and batches == 1 and self._chunk == 1:
            self._chunk = 8  # the first call was slow because it was traced
            return
        wanted = int(CHUNK_SECONDS * batches / max(seconds, 1e-6))
        self._chunk = max(1, min(wanted, 4 * self._chunk))

    def _logs(self, means: np.ndarray) -> dict[str, float]:
        logs = {"loss": float(means.sum())}
        if len(self.objective.targets) > 1:
            for target, mean in zip(self.objective.targets, means, strict=False):
                logs[f"{target.name} loss"] = float(mean)
        return logs

    def _validation_loss(self) -> float:
        tf = tensorflow()
        objective = self.validation
        assert objective is not None
        if self._validate is None:

            def sums(first: Any, last: Any) -> Any:
                zeros = tf.zeros([len(objective.targets)], self.network.dtype)
                return tf.while_loop(
                    lambda batch, _: batch < last,
                    lambda batch, s: (batch + 1, s + _values(objective, batch)),
                    [first, zeros],
                    parallel_iterations=1,
                )[1]

            self._validate = tf.function(sums, autograph=False)
        found = self._validate(tf.constant(0), tf.constant(objective.plan.count)).numpy()
        return float(found.sum() / objective.plan.total)


def _values(objective: Objective, batch: Any) -> Any:
    losses = objective.batch_losses(objective.feeding.step(batch))
    return tensorflow().concat([loss.x for loss in losses], 0)


def _alone(optimizer: Any) -> None:
    """Keras sums gradients over replicas even where there is one, through a function that
    TensorFlow registers for good with the whole graph of the step: every training would stay in
    memory. One process has nothing to sum."""
    if hasattr(optimizer, "_all_reduce_sum_gradients"):
        optimizer._all_reduce_sum_gradients = lambda pairs: pairs


def _one_number(regularizer: Any) -> Callable[[Any], Any]:
    return lambda x: tensorflow().reshape(regularizer(x), [1])


class _Best:
    """The best value of the monitored quantity and the weights that had it."""

    def __init__(self, monitor: str) -> None:
        self.monitor = monitor
        self.sign = (
            -1.0 if "loss" in monitor or "rank" in monitor.replace("reciprocal", "") else 1.0
        )
        self.value: float | None = None
        self.epoch = 0
        self.weights: list[np.ndarray] | None = None

    def look(self, logs: Mapping[str, float], epoch: int, weights: Any) -> bool:
        value = logs.get(self.monitor)
        if value is None or np.isnan(value):
            return False
        if self.value is not None and self.sign * value <= self.sign * self.value:
            return False
        self.value, self.epoch = value, epoch
        self.weights = weights() if weights is not None else None
        return True

    def since(self, epoch: int) -> int:
        return epoch - self.epoch
