"""Metrics during training: by name, of the listed examples, after each epoch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.language.syntax import Value
from neurallog_kernel.learning.evaluation import classification
from neurallog_kernel.learning.examples import Target
from neurallog_kernel.learning.settings import Configured, make
from neurallog_kernel.learning.train import Plan
from neurallog_kernel.learning.trainer import Objective, Trainer
from neurallog_kernel.network import values
from neurallog_kernel.network.feeding import Feeding
from neurallog_kernel.network.frames import Batches, Pattern
from neurallog_kernel.network.tensorflow import keras, tensorflow
from neurallog_kernel.network.values import Number, Step

_OWN = ("roc_auc", "average_precision")


def metric_names(program: Program, target: Target) -> list[str]:
    """The metrics set for a target: `set_parameter(metrics, ...)`, global or by predicate."""
    found: list[str] = []
    table = program.parameters.below("metrics")
    name, arity = target.signature
    sources: list[Value | None] = [program.parameters.get("metrics", target.signature)]
    sources += [table.get(key) for key in (("all",), (name,), (f"{name}/{arity}",))]
    for source in sources:
        if isinstance(source, str):
            found.append(source)
        elif isinstance(source, tuple):
            found += [str(item) for item in source]
    return list(dict.fromkeys(n for n in found if n.lower() != "none"))


def make_measure(
    program: Program, trainer: Trainer, plan: Plan
) -> Callable[[], dict[str, float]] | None:
    """A function that gives the metrics of the current weights, or None if none are set."""
    parts = [_Measured(program, trainer.objective, "")]
    if trainer.validation is not None:
        parts.append(_Measured(program, trainer.validation, "val_"))
    active = [part for part in parts if part.metrics]
    if not active:
        return None

    def measure() -> dict[str, float]:
        logs: dict[str, float] = {}
        for part in active:
            logs |= part.measure()
        return logs

    return measure


def logged_names(program: Program, trainer: Trainer) -> list[str]:
    """What the history of a training will hold, so what it can be told to watch."""
    names = ["loss"]
    objectives = {"": trainer.objective}
    if trainer.validation is not None:
        names.append("val_loss")
        objectives["val_"] = trainer.validation
    if len(trainer.objective.targets) > 1:
        names += [f"{target.name} loss" for target in trainer.objective.targets]
    for prefix, objective in objectives.items():
        several = len(objective.targets) > 1
        for target in objective.targets:
            names += [_shown(prefix, target, n, several) for n in metric_names(program, target)]
    return names


def _shown(prefix: str, target: Target, name: str, several: bool) -> str:
    return f"{prefix}{target.name + ' ' if several else ''}{name}"


class _Measured:
    """The predictions of one set's listed examples, and the metrics over them."""

    def __init__(self, program: Program, objective: Objective, prefix: str) -> None:
        self.objective = objective
        self.prefix = prefix
        self.metrics = {
            place: names
            for place, target in enumerate(objective.targets)
            if (names := metric_names(program, target))
        }
        self._predict: dict[int, Any] = {}

    def measure(self) -> dict[str, float]:
        logs: dict[str, float] = {}
        several = len(self.objective.targets) > 1
        for place, names in self.metrics.items():
            target = self.objective.targets[place]
            labels, predictions = self._examples(place, target)
            for name in names:
                logs[_shown(self.prefix, target, name, several)] = _value(name, labels, predictions)
        return logs

    def _examples(self, place: int, target: Target) -> tuple[np.ndarray, np.ndarray]:
        if place not in self._predict:
            self._predict[place] = _predictor(self.objective, place, target)
        return self._predict[place]()


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


def _whole_step(objective: Objective, frame: Any) -> Callable[[], Step]:
    """A step in which all rows of the frame are one batch."""
    frames = objective.network.compiler.frames
    others = [f for f in frames if not f.sliced or f.parent is frame]
    feeding = Feeding([*others, frame], objective.network.dtype)
    feeding.set_batches({frame: Batches.single(frame.rows)})
    return lambda: feeding.step(tensorflow().constant(0))


def _value(name: str, labels: np.ndarray, predictions: np.ndarray) -> float:
    if name in _OWN:
        return classification(labels, predictions)[name]
    metric = make("metric", Configured(name), keras().metrics)
    metric.update_state(labels[:, None].astype("float32"), predictions[:, None].astype("float32"))
    return float(metric.result())
