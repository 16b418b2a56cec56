"""The options of a training: every choice by name, from the call or the program's text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from neurallog_kernel.errors import (
    NeuralLogError,
    ParameterError,
)
from neurallog_kernel.knowledge.example_sets import set_names, training_set
from neurallog_kernel.knowledge.parameters import Parameters
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.language.syntax import ParameterValue
from neurallog_kernel.learning.choices.callbacks import Watching, watching
from neurallog_kernel.learning.choices.settings import LossFunction
from neurallog_kernel.learning.examples.division import Share
from neurallog_kernel.learning.examples.labelling import Labelling
from neurallog_kernel.learning.examples.splits import CONNECTED
from neurallog_kernel.learning.examples.targets import (
    Examples,
)
from neurallog_kernel.learning.formulas.schedules import CONSTANT, Schedule

HELD_OUT = "held out"  # the name of the validation set that `hold_out` makes
_ALL = 2**31 - 1  # a batch as large as this holds every example


@dataclass(frozen=True)
class TrainOptions:
    """What a call of `train` can set; None leaves it to the program's parameters, then to the
    defaults."""

    examples: str | None = None  # the set to learn from
    validation: str | None = None
    epochs: int | None = None
    batch_size: int | None = None
    optimizer: str | Mapping[str, Any] | None = None
    learning_rate: float | None = None
    schedule: str | None = None  # how the rate goes on: one of `schedules.SCHEDULES`
    warm_up: int | None = None  # epochs in which the rate grows to its full value
    clip_norm: float | None = None  # gradients of a step that are longer together are shortened
    average: float | None = None  # the share of the last epochs whose weights are averaged
    loss: str | LossFunction | Mapping[str, str | LossFunction] | None = None
    positive_weight: float | str | None = None  # of a true example; "balanced": as all false ones
    regularizer: str | Mapping[str, Any] | None = None
    unlisted: str | None = None  # "false" or "unknown"
    negatives: int | None = None  # drawn for each subject; unlisted is then "unknown" by default
    shuffle: bool | None = None
    seed: int = 0
    seeds: int | None = None  # members of an ensemble, from this seed and the next ones
    restarts: int | None = None  # trainings from other start weights; the lowest loss is kept
    dtype: str = "float32"
    patience: int | None = None
    keep_best: bool = False
    hold_out: float | None = None  # the share of the examples to validate with, where no set is
    groups: str | None = None  # what stays together then: see `splits.groups_of`
    monitor: str | None = None
    mode: str | None = None  # "min" or "max": which way the monitored quantity is better
    metrics: Sequence[str | Callable[..., float]] | None = None
    inverse_relations: bool | None = None
    backend: str | None = None  # what computes it: "numpy" or "tensorflow"
    anchor: float | None = None  # penalty on the squared distance from the start weights
    workers: str | None = None  # addresses of other processes that have a share of the examples


@dataclass(frozen=True)
class TrainSettings:
    """The options with every choice made."""

    options: TrainOptions
    examples: str
    validation: str | None
    epochs: int
    batch_size: int
    shuffle: bool
    labelling: Labelling
    inverse: bool
    monitor: str
    schedule: Schedule = CONSTANT
    average: float | None = None
    hold_out: float | None = None
    groups: str = CONNECTED
    restarts: int = 1
    seeds: int = 1
    given: Sequence[Examples] | None = None  # to learn from, in place of the whole set
    share: Share | None = None  # of the inputs, where several processes train
    anchor: float | None = None

    def describe(self) -> dict[str, Any]:
        unlisted = "unknown" if self.labelling.unknown else "false (closed world)"
        said = {
            "examples": self.examples,
            "validation": self.validation,
            "epochs": self.epochs,
            "batch_size": self.batch_size,
            "unlisted": unlisted,
            "negatives": self.options.negatives,
            "seed": self.options.seed,
        }
        if not self.schedule.is_constant:
            said["schedule"] = str(self.schedule)
        if self.average is not None:
            said["average"] = f"weights of the last {self.average:.0%} of the epochs"
        if self.anchor is not None:
            said["anchor"] = self.anchor
        if self.share is not None:
            said["processes"] = self.share.number
        return said


def decide(program: Program, options: TrainOptions) -> TrainSettings:
    """Fill in what the call left open."""
    settings = program.parameters
    options = _with_callbacks(options, watching(settings))
    sets = set_names(program)
    examples = options.examples or training_set(program)
    if examples not in sets:
        raise NeuralLogError(
            f"there are no examples to learn from in the set {examples}",
            hint=f"there are: {', '.join(sets)}"
            if sets
            else "write example(p, a, b)., or give a file of examples: load(FILE, set='train'), "
            "neurallog train -t FILE, or a cell with %%examples",
        )
    validation = options.validation or ("validation" if "validation" in sets else None)
    hold_out = first_said(options.hold_out, settings.get("hold_out"))
    if hold_out is not None:
        validation = _held_out_name(validation, options)
    by_default = "unknown" if options.negatives else "false"
    unlisted = options.unlisted or settings.get("unlisted") or by_default
    labelling = Labelling(
        unlisted == "unknown",
        bool(settings.get("mask_predictions")),
        bool(settings.get("clip_labels")),
    )
    return TrainSettings(
        options,
        examples,
        validation,
        _whole(options.epochs, settings.get("epochs"), 10),
        min(_whole(options.batch_size, settings.get("batch_size"), 1), _ALL),
        bool(first_said(options.shuffle, settings.get("shuffle"), False)),
        labelling,
        bool(first_said(options.inverse_relations, settings.get("inverse_relations"), False)),
        options.monitor or ("val_loss" if validation else "loss"),
        Schedule(
            str(options.schedule or settings.get("schedule") or "constant"),
            _whole(options.warm_up, settings.get("warm_up"), 0),
        ),
        _average(options, settings),
        hold_out,
        str(options.groups or settings.get("groups") or CONNECTED),
        _whole(options.restarts, settings.get("restarts"), 1),
        _whole(options.seeds, settings.get("seeds"), 1),
        anchor=first_said(options.anchor, settings.get("anchor")),
    )


def _held_out_name(validation: str | None, options: TrainOptions) -> str:
    """Part of the training examples is the validation set; a set that is there is not ignored."""
    if validation is not None:
        raise ParameterError(
            f"hold_out takes part of the training examples for validation, and there is the set "
            f"{validation} for it",
            hint=f"leave out {'validation' if options.validation else 'hold_out'}",
        )
    return HELD_OUT


def _average(options: TrainOptions, settings: Parameters) -> float | None:
    share = first_said(options.average, settings.get("average"))
    if share is not None and options.keep_best:
        raise ParameterError(
            "average and keep_best (or patience) each choose the weights in the end",
            hint="leave one of them out",
        )
    return share


def _with_callbacks(options: TrainOptions, watched: Watching) -> TrainOptions:
    """The call goes before what the program's callbacks say."""
    monitored = options.monitor is not None
    return replace(
        options,
        monitor=options.monitor or watched.monitor,
        mode=options.mode or (None if monitored else watched.mode),
        patience=first_said(options.patience, watched.patience),
        keep_best=options.keep_best or watched.keep_best,
    )


def first_said(*choices: Any) -> Any:
    """The first choice that somebody made."""
    return next((choice for choice in choices if choice is not None), None)


def _whole(given: int | None, value: ParameterValue | None, default: int) -> int:
    if given is not None:
        return int(given)
    return int(value) if isinstance(value, float) else default
