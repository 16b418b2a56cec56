"""Training: the compiled loop over batches, epochs, validation, and stopping at any time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from neurallog_kernel.errors import ParameterError
from neurallog_kernel.interrupts import Interrupts
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.learning.formulas.schedules import CONSTANT, Schedule
from neurallog_kernel.learning.gradient_step import Objective, Updates
from neurallog_kernel.learning.history import History, TrainingState, call
from neurallog_kernel.learning.range import overflow
from neurallog_kernel.learning.sharing.workers import Workers
from neurallog_kernel.learning.start.learned_facts import parameter_names
from neurallog_kernel.learning.steps import Steps
from neurallog_kernel.network.parameters import Key

CHUNK_SECONDS = 0.1  # about how long the compiled loop runs before it looks for an interrupt


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
    schedule: Schedule = CONSTANT
    average: float | None = None  # the share of the last epochs whose weights are averaged
    reason: str = ""  # why it is computed by what computes it
    workers: Workers | None = None  # the other processes, where there are some
    anchor: float | None = None  # how strongly the weights are held where they begin
    program: Callable[[], Program] | None = None  # with the weights as they are now, for callbacks

    @property
    def backend(self) -> str:
        return f"{self.network.arrays.name} ({self.reason})"

    def __post_init__(self) -> None:
        self.network = self.objective.network
        self.variables = self.network.variables
        self.start_again(self.seed)
        self.updates = Updates(
            self.objective, self.optimizer, self.regularizers, self.constraints, self.anchor
        )
        if self.workers is None:
            self._steps = Steps(self.updates)
            self._loop = self._steps.run
        else:
            self.workers.agree(self.updates)
            self._loop = self.workers.loop(self.updates)
        self._validate = None
        self.full_rate = _full_rate(self.optimizer, self.schedule)
        self._chunk = 1

    def start_again(self, seed: int) -> None:
        """Forget the training so far, except for what is compiled; weights are the caller's."""
        settings = self.history.settings if hasattr(self, "history") else {}
        self.generator = np.random.default_rng(seed)
        self.history = History(settings=settings)
        self.best: BestEpoch | None = None  # of the run before, where a checkpoint goes on
        self.first_epoch = 0  # of this training, where it goes on with the history of another
        self.mean = Mean()
        self.objective.divide(None)
        if hasattr(self, "updates") and self.updates.anchor is not None:
            self.updates.anchor.here()

    def everything(self) -> list[Any]:
        """All variables that a step reads or writes: what is learned, the other state of Keras
        models (their random seeds among it) and that of the optimiser."""
        seen = {id(variable) for variable in self.variables}
        models = [v for model in self.network.models.values() for v in model.variables]
        others = [v for v in models if id(v) not in seen]
        return [*self.variables, *others, *self.optimizer.variables]

    # -- epochs ---------------------------------------------------------------------------------

    def run(
        self,
        epochs: int,
        callbacks: list[Any],
        monitor: str,
        mode: str,
        patience: int | None,
        keep_best: bool,
        measure: Any = None,
        interrupts: Interrupts | None = None,
        keep: Callable[[bool], None] | None = None,
    ) -> History:
        """Train for some epochs; an interrupt ends it and keeps what was learned, weights that are
        no longer numbers end it and the ones before that epoch are kept. `keep` is called after
        each epoch, and told whether it was the last."""
        interrupts = interrupts or Interrupts()
        history, started = self.history, perf_counter()
        before = history.seconds
        history.interrupted = history.stopped_early = False
        history.notes = ()
        best = self.best = self.best or BestEpoch(monitor, mode)
        goal = history.epochs + epochs
        watched = (monitor, mode)
        batches = self.objective.plan.count
        state = TrainingState(
            history.epochs, goal, 0, batches, {}, 0.0, history, self._weights, self._names
        )
        state.program = self.program
        if self.workers is None:
            self._steps.plan(epochs)
        finite = _Finite([*self.variables, *self.optimizer.variables])
        finite.keep()
        try:
            self._tell(callbacks, "on_begin", state, interrupts)
            while state.epoch < goal and not state.stop:
                finite.keep()
                self._set_rate(state.epoch, goal, *watched)
                state.logs = self._epoch(callbacks, state, started, interrupts)
                if measure is not None:
                    state.logs |= measure()
                state.epoch, state.seconds = state.epoch + 1, perf_counter() - started
                history.add({**state.logs, "seconds": state.seconds})
                self._average_in(state.epoch, goal)
                improved = best.look(state.logs, state.epoch, self._snapshot if keep_best else None)
                history.seconds = before + state.seconds
                with interrupts.bearing(1):
                    call(callbacks, "on_epoch", state)
                since = best.since(state.epoch)
                waited = patience is not None and not improved and since >= patience
                history.stopped_early = waited
                if keep is not None:
                    keep(waited or state.stop or state.epoch == goal)
                interrupts.check()
                if waited:
                    break
        except KeyboardInterrupt:
            history.interrupted = True
        except _DivergedError:
            history.stopped_early = True
        self._choose_weights(finite, state.epoch, best if keep_best else None)
        history.seconds = before + perf_counter() - started
        state.seconds = history.seconds
        call(callbacks, "on_end", state)
        return history

    def _choose_weights(self, finite: _Finite, epoch: int, best: BestEpoch | None) -> None:
        """The weights that a training ends with: those of its last epoch unless it has better."""
        if not self._is_finite():
            finite.restore()
            self.history.notes = (_diverged(epoch, self.network.dtype),)
        elif self.mean.epochs:
            self._put(self.mean.weights)
            self.history.notes = (self.mean.describe(epoch),)
        if best is not None and best.weights is not None:
            self._put(best.weights)
            self.history.best_epoch = best.epoch

    def _tell(
        self, callbacks: list[Any], method: str, state: TrainingState, interrupts: Interrupts
    ) -> None:
        """Call the callbacks, which a second interrupt leaves at once, and look for the first."""
        with interrupts.bearing(1):
            call(callbacks, method, state)
        interrupts.check()

    def _put(self, weights: Sequence[np.ndarray]) -> None:
        for variable, value in zip(self.variables, weights, strict=True):
            variable.assign(value)

    def _set_rate(self, epoch: int, goal: int, monitor: str, mode: str) -> None:
        """The learning rate of the next epoch, as the schedule has it."""
        if self.full_rate is None:
            return
        first, sign = self.first_epoch, 1.0 if mode == "min" else -1.0
        losses = [sign * value for value in self.history.logs.get(monitor, [])[first:]]
        factor = self.schedule.factor(epoch - first, goal - first, losses)
        self.optimizer.learning_rate.assign(self.full_rate * factor)

    def _average_in(self, epoch: int, goal: int) -> None:
        """Take the weights after an epoch into the mean, if it is one of the last."""
        if self.average is None or not self._is_finite():
            return
        first = self.first_epoch
        if epoch - first > (1 - self.average) * (goal - first):
            self.mean.add(self._snapshot())

    def _is_finite(self) -> bool:
        return all(np.isfinite(variable.numpy()).all() for variable in self.variables)

    def _snapshot(self) -> list[np.ndarray]:
        """Everything that is trained, the variables of Keras models included."""
        return [variable.numpy().copy() for variable in self.variables]

    def _weights(self) -> dict[Key, np.ndarray]:
        return self.network.parameters.values()

    def _names(self, key: Key) -> tuple[str, ...]:
        (found,) = [one for one in self.network.parameters if one.key == key]
        return parameter_names(self.network.program, self.network.evaluator.symbols, found)

    def _epoch(
        self,
        callbacks: list[Any],
        state: TrainingState,
        started: float,
        interrupts: Interrupts,
    ) -> dict[str, float]:
        if self.shuffle:
            self._divide()
        count = self.objective.plan.count
        sums = np.zeros(len(self.objective.targets) + 1)
        state.batch = 0
        while state.batch < count:
            last = min(count, state.batch + self._chunk)
            before = perf_counter()
            sums += self._loop(state.batch, last)
            if not self._is_finite():
                raise _DivergedError
            self._adapt(perf_counter() - before, last - state.batch)
            state.batch, state.seconds = last, perf_counter() - started
            rows = self.objective.plan.sizes[:last].sum()
            state.logs = {"loss": float(sums.sum() / rows)}
            self._tell(callbacks, "on_batch", state, interrupts)
        logs = self._logs(sums / self.objective.plan.total)
        if self.validation is not None and (state.epoch + 1) % self.validation_period == 0:
            logs["val_loss"] = self._validation_loss()
        return logs

    def _divide(self) -> None:
        """Shuffle the batches."""
        places = self.objective.plan.places(self.generator)
        if self.workers is None:
            self.objective.divide_at(places)
        else:
            self.workers.divide(places)

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
        arrays, objective = self.network.arrays, self.validation
        assert objective is not None
        if self._validate is None:

            def sums(first: Any, last: Any) -> Any:
                zeros = arrays.zeros(len(objective.targets), self.network.dtype)
                return arrays.loop(
                    first, last, zeros, lambda batch, found: found + objective.values(batch)
                )

            self._validate = arrays.compiled_loops(sums)
        found = self._validate(0, objective.plan.count)
        return float(found.sum() / objective.plan.total)


class _DivergedError(Exception):
    """A weight is infinite or not a number."""


def _diverged(epoch: int, dtype: str) -> str:
    kept = f"those after epoch {epoch}" if epoch else "those it began with"
    return (
        f"training diverged in epoch {epoch + 1}: {overflow(dtype)}. "
        f"The weights are {kept}; try a smaller learning_rate"
    )


class _Finite:
    """The last values of the variables, the optimiser's among them, from before an epoch."""

    def __init__(self, variables: Sequence[Any]) -> None:
        self.variables = variables
        self.values: list[np.ndarray] = []

    def keep(self) -> None:
        self.values = [variable.numpy().copy() for variable in self.variables]

    def restore(self) -> None:
        for variable, value in zip(self.variables, self.values, strict=True):
            variable.assign(value)


def _full_rate(optimizer: Any, schedule: Schedule) -> float | None:
    """The learning rate that a schedule changes; None where it stays as it is."""
    if schedule.is_constant:
        return None
    if not hasattr(optimizer.learning_rate, "assign"):
        raise ParameterError(
            f"the optimiser has a schedule of its own, and schedule={schedule.name} is another",
            hint="leave one of them out",
        )
    return float(optimizer.learning_rate)


class Mean:
    """The mean of the weights after some epochs."""

    def __init__(self) -> None:
        self.epochs = 0
        self.weights: list[np.ndarray] = []

    def add(self, weights: Sequence[np.ndarray]) -> None:
        self.epochs += 1
        known = self.weights or [np.zeros_like(one) for one in weights]
        pairs = zip(known, weights, strict=True)
        self.weights = [mean + (one - mean) / self.epochs for mean, one in pairs]

    def describe(self, last: int) -> str:
        if self.epochs == 1:
            return f"The weights are those after epoch {last}"
        return f"The weights are the mean of those after epochs {last - self.epochs + 1} to {last}"


class BestEpoch:
    """The best value of the monitored quantity and the weights that had it."""

    def __init__(self, monitor: str, mode: str) -> None:
        self.monitor = monitor
        self.sign = 1.0 if mode == "max" else -1.0
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
