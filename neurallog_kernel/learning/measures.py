"""Figures during training: the metrics of each target, after each epoch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.learning.examples import Target
from neurallog_kernel.learning.metrics import LOWER, Metric, metrics_for
from neurallog_kernel.learning.train import Plan
from neurallog_kernel.learning.trainer import Objective, Trainer
from neurallog_kernel.network import arithmetic, values
from neurallog_kernel.network.feeding import Feeding
from neurallog_kernel.network.frames import Batches, Frame, Pattern
from neurallog_kernel.network.tensorflow import tensorflow
from neurallog_kernel.network.values import Number, Step

_ROWS_AT_ONCE = 256  # of predictions of all outputs


class Measures:
    """The figures that are recorded besides the losses.

    `directions`: all that a training can watch, with the way that is better.
    """

    def __init__(self, program: Program, trainer: Trainer, plan: Plan) -> None:
        self.directions: dict[str, str | None] = {"loss": LOWER}
        if len(trainer.objective.targets) > 1:
            self.directions |= {f"{t.name} loss": LOWER for t in trainer.objective.targets}
        self.parts = [_Measured(program, trainer.objective, "", plan)]
        if trainer.validation is not None:
            self.directions["val_loss"] = LOWER
            self.parts.append(_Measured(program, trainer.validation, "val_", plan))
        for part in self.parts:
            self.directions |= part.directions()

    def __bool__(self) -> bool:
        return any(part.metrics for part in self.parts)

    def measure(self) -> dict[str, float]:
        """The figures of the current weights."""
        logs: dict[str, float] = {}
        for part in self.parts:
            logs |= part.measure()
        return logs


class _Measured:
    """The metrics of one set's targets, and the predictions they are of."""

    def __init__(self, program: Program, objective: Objective, prefix: str, plan: Plan) -> None:
        self.objective = objective
        self.prefix = prefix
        pairs = enumerate(zip(objective.targets, objective.losses, strict=True))
        self.metrics: dict[int, list[Metric]] = {
            place: metrics_for(program.parameters, target, loss, plan.options.metrics)
            for place, (target, loss) in pairs
        }
        self._predict: dict[tuple[int, bool], Any] = {}

    def directions(self) -> dict[str, str | None]:
        return {
            self._shown(place, metric): metric.direction
            for place, metrics in self.metrics.items()
            for metric in metrics
        }

    def measure(self) -> dict[str, float]:
        logs: dict[str, float] = {}
        for place, metrics in self.metrics.items():
            for metric in metrics:
                labels, predictions = self._examples(place, metric.of_rows)
                logs[self._shown(place, metric)] = metric.compute(labels, predictions)
        return logs

    def _shown(self, place: int, metric: Metric) -> str:
        targets = self.objective.targets
        owner = f"{targets[place].name} " if len(targets) > 1 else ""
        return f"{self.prefix}{owner}{metric.name}"

    def _examples(self, place: int, of_rows: bool) -> tuple[np.ndarray, np.ndarray]:
        key = (place, of_rows)
        if key not in self._predict:
            make = _of_rows if of_rows else _predictor
            self._predict[key] = make(self.objective, place, self.objective.targets[place])
        return self._predict[key]()


def _of_rows(
    objective: Objective, place: int, target: Target
) -> Callable[[], tuple[np.ndarray, np.ndarray]]:
    """The labels and predictions of all outputs of each row."""
    labels = np.zeros((len(target.keys), target.size))
    labels[target.rows, target.outputs] = target.labels
    rows = row_predictor(objective, place)
    return lambda: (labels, np.concatenate([part for _, part in rows()]))


def row_predictor(
    objective: Objective, place: int
) -> Callable[[], Iterator[tuple[int, np.ndarray]]]:
    """Predictions of all outputs, some rows at a time, each part with its first row."""
    tf = tensorflow()
    output, size = objective.outputs[place], objective.targets[place].size
    frame = output.frame
    value = output.value
    vector = value if not isinstance(value, Number) else arithmetic.as_vector(value, size)
    rows = values.dense(vector)
    places = None if rows.frame is None else values.place_feed(frame, rows.frame)
    batches = Batches(
        np.arange(frame.rows), np.append(np.arange(0, frame.rows, _ROWS_AT_ONCE), frame.rows)
    )
    feeding = _feeding(objective, frame, batches)

    def predict(batch: Any) -> Any:
        step = feeding.step(batch)
        found = tf.transpose(step.get(rows).x)
        if places is not None:
            found = tf.gather(found, step.feeds[places])
        return tf.broadcast_to(found, [step.batch[frame], size])

    compiled = tf.function(predict, autograph=False)

    def parts() -> Iterator[tuple[int, np.ndarray]]:
        for number, first in enumerate(batches.starts[:-1].tolist()):
            yield first, compiled(tf.constant(number)).numpy()

    return parts


def _predictor(
    objective: Objective, place: int, target: Target
) -> Callable[[], tuple[np.ndarray, np.ndarray]]:
    """Predictions of one target for all its rows at once, by the compiled network."""
    tf = tensorflow()
    output = objective.outputs[place]
    order = np.lexsort((target.outputs, target.rows))
    if isinstance(output.value, Number):
        number: Number = output.value
        rows = target.rows

        def numbers(step: Step) -> Any:
            return tf.broadcast_to(step.get(number).x, [output.frame.rows])

        make_tensor, chosen = numbers, rows
        labels = target.labels
    else:
        keys = target.rows[order] * target.size + target.outputs[order]
        listed = Pattern.of_keys(output.frame, target.size, keys)
        entries = values.entries_at(output.value, listed)
        labels = target.labels[order]

        def listed_entries(step: Step) -> Any:
            return tf.broadcast_to(entries(step).x, [len(labels)])

        make_tensor, chosen = listed_entries, np.arange(len(labels))
    step_of = _whole_step(objective, output.frame)
    compiled = tf.function(lambda: make_tensor(step_of()), autograph=False)
    return lambda: (labels, compiled().numpy()[chosen])


def _whole_step(objective: Objective, frame: Frame) -> Callable[[], Step]:
    """A step in which all rows of the frame are one batch."""
    feeding = _feeding(objective, frame, Batches.single(frame.rows))
    return lambda: feeding.step(tensorflow().constant(0))


def _feeding(objective: Objective, frame: Frame, batches: Batches) -> Feeding:
    """The feeds of one target's rows, in batches of their own."""
    frames = objective.network.compiler.frames
    others = [f for f in frames if not f.sliced or f.parent is frame]
    feeding = Feeding([*others, frame], objective.network.dtype)
    feeding.set_batches({frame: batches})
    return feeding
