"""Figures during training: metrics of each target after each epoch, and what callbacks ask for."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from neurallog_kernel.knowledge.example_sets import set_names
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.learning.assembly import objective_for
from neurallog_kernel.learning.choices.callbacks import SETS, LinkPrediction, RocAuc, callbacks_of
from neurallog_kernel.learning.choices.options import TrainSettings
from neurallog_kernel.learning.choices.setting_place import set_in
from neurallog_kernel.learning.choices.settings import Loss
from neurallog_kernel.learning.examples.targets import Target
from neurallog_kernel.learning.figures.metrics import LOWER, Metric, metrics_for
from neurallog_kernel.learning.predicting import listed_predictor, row_predictor
from neurallog_kernel.learning.set_figures import LinkRanks, Separated, SetFigures
from neurallog_kernel.learning.trainer import Objective, Trainer


class Measures:
    """The figures that are recorded besides the losses.

    `directions`: all that a training can watch, with the way that is better. `without_examples`:
    the callbacks whose set the program does not have.
    """

    def __init__(self, program: Program, trainer: Trainer, plan: TrainSettings) -> None:
        self.trainer = trainer
        self.directions: dict[str, str | None] = {"loss": LOWER}
        if len(trainer.objective.targets) > 1:
            self.directions |= {f"{t.name} loss": LOWER for t in trainer.objective.targets}
        self.parts = [_Measured(program, trainer.objective, "", plan)]
        if trainer.validation is not None:
            self.directions["val_loss"] = LOWER
            self.parts.append(_Measured(program, trainer.validation, "val_", plan))
        for part in self.parts:
            self.directions |= part.directions()
        self.without_examples: list[str] = []
        self.figures = self._set_figures(program, plan)
        for figures in self.figures:
            self.directions |= figures.directions()

    def _set_figures(self, program: Program, plan: TrainSettings) -> list[SetFigures]:
        objectives = {plan.examples: self.trainer.objective}
        if plan.validation is not None and self.trainer.validation is not None:
            objectives[plan.validation] = self.trainer.validation
        found: list[SetFigures] = []
        for asked in callbacks_of(program.parameters):
            if not isinstance(asked, LinkPrediction | RocAuc):
                continue
            name = SETS.get(asked.dataset, asked.dataset)
            if asked.dataset == "train_set":
                name = plan.examples
            if name not in objectives and name not in set_names(program):
                self.without_examples.append(f"{asked.name} ({asked.dataset})")
                continue
            if name not in objectives:
                objectives[name] = objective_for(program, self.trainer.network, plan, name)
            if isinstance(asked, LinkPrediction):
                found.append(LinkRanks(asked, objectives[name], name))
            else:
                found.append(Separated(asked, objectives[name]))
        return found

    def __bool__(self) -> bool:
        return bool(self.figures) or any(any(part.metrics.values()) for part in self.parts)

    @property
    def reads_training(self) -> bool:
        """Whether a figure is of the training examples."""
        own = [figures.objective for figures in self.figures]
        return self.trainer.objective in own or any(self.parts[0].metrics.values())

    def measure(self) -> dict[str, float]:
        """The figures of the current weights, at the end of an epoch."""
        logs: dict[str, float] = {}
        for part in self.parts:
            logs |= part.measure()
        epoch = self.trainer.history.epochs + 1
        for figures in self.figures:
            if epoch % figures.asked.period == 0:
                logs |= figures.measure()
        return logs


class _Measured:
    """The metrics of one set's targets, and the predictions they are of."""

    def __init__(
        self, program: Program, objective: Objective, prefix: str, plan: TrainSettings
    ) -> None:
        self.objective = objective
        self.prefix = prefix
        pairs = enumerate(zip(objective.targets, objective.losses, strict=True))
        self.metrics: dict[int, list[Metric]] = {
            place: _metrics_of(program, target, loss, plan) for place, (target, loss) in pairs
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
            make = _of_rows if of_rows else listed_predictor
            self._predict[key] = make(self.objective, place)
        return self._predict[key]()


def _metrics_of(program: Program, target: Target, loss: Loss, plan: TrainSettings) -> list[Metric]:
    given = plan.options.metrics
    with nullcontext() if given is not None else set_in(program, "metrics"):
        return metrics_for(program.parameters, target, loss, given)


def _of_rows(objective: Objective, place: int) -> Callable[[], tuple[np.ndarray, np.ndarray]]:
    """The labels and predictions of all outputs of each row."""
    target = objective.targets[place]
    labels = np.zeros((len(target.keys), target.size))
    labels[target.rows, target.outputs] = target.labels
    rows = row_predictor(objective, place)
    return lambda: (labels, np.concatenate([part for _, part in rows()]))
