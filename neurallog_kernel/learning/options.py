"""From a program and its examples to a trainer: every choice by name, from the call or the text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from neurallog_kernel.errors import (
    NeuralLogError,
    ParameterError,
    UnknownNameError,
    did_you_mean,
)
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.functions import FunctionKind
from neurallog_kernel.functions.keras_names import OPTIMIZERS, REGULARIZERS
from neurallog_kernel.knowledge.configured import Configured, configured, configured_function
from neurallog_kernel.knowledge.example_sets import set_names, training_set
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.language.syntax import Signature, Value
from neurallog_kernel.learning.callbacks import Watching, watching
from neurallog_kernel.learning.examples import (
    Examples,
    Target,
    examples_of,
    targets_from,
)
from neurallog_kernel.learning.losses import Labelling
from neurallog_kernel.learning.predictions import predict
from neurallog_kernel.learning.sampling import with_negatives
from neurallog_kernel.learning.setting_place import set_in
from neurallog_kernel.learning.settings import Loss, loss_of, make
from neurallog_kernel.learning.trainer import Objective, Trainer
from neurallog_kernel.network.network import Network
from neurallog_kernel.network.tensorflow import tensorflow

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
    loss: str | Mapping[str, str] | None = None
    regularizer: str | None = None
    unlisted: str | None = None  # "false" or "unknown"
    negatives: int | None = None  # drawn for each subject; unlisted is then "unknown" by default
    shuffle: bool | None = None
    seed: int = 0
    dtype: str = "float32"
    patience: int | None = None
    keep_best: bool = False
    monitor: str | None = None
    mode: str | None = None  # "min" or "max": which way the monitored quantity is better
    metrics: Sequence[str | Callable[..., float]] | None = None
    inverse_relations: bool | None = None


@dataclass(frozen=True)
class Plan:
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

    def describe(self) -> dict[str, Any]:
        unlisted = "unknown" if self.labelling.unknown else "false (closed world)"
        return {
            "examples": self.examples,
            "validation": self.validation,
            "epochs": self.epochs,
            "batch_size": self.batch_size,
            "unlisted": unlisted,
            "negatives": self.options.negatives,
            "seed": self.options.seed,
        }


def decide(program: Program, options: TrainOptions) -> Plan:
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
            else "write example(p, a, b). or load a file with set='train'",
        )
    validation = options.validation or ("validation" if "validation" in sets else None)
    by_default = "unknown" if options.negatives else "false"
    unlisted = options.unlisted or settings.get("unlisted") or by_default
    labelling = Labelling(
        unlisted == "unknown",
        bool(settings.get("mask_predictions")),
        bool(settings.get("clip_labels")),
    )
    return Plan(
        options,
        examples,
        validation,
        _whole(options.epochs, settings.get("epochs"), 10),
        min(_whole(options.batch_size, settings.get("batch_size"), 1), _ALL),
        bool(_first(options.shuffle, settings.get("shuffle"), False)),
        labelling,
        bool(_first(options.inverse_relations, settings.get("inverse_relations"), False)),
        options.monitor or ("val_loss" if validation else "loss"),
    )


def _with_callbacks(options: TrainOptions, watched: Watching) -> TrainOptions:
    """The call goes before what the program's callbacks say."""
    monitored = options.monitor is not None
    return replace(
        options,
        monitor=options.monitor or watched.monitor,
        mode=options.mode or (None if monitored else watched.mode),
        patience=_first(options.patience, watched.patience),
        keep_best=options.keep_best or watched.keep_best,
    )


def _first(*choices: Any) -> Any:
    return next((choice for choice in choices if choice is not None), None)


def _whole(given: int | None, value: Value | None, default: int) -> int:
    if given is not None:
        return int(given)
    return int(value) if isinstance(value, float) else default


def make_trainer(evaluator: Evaluator, plan: Plan) -> Trainer:
    """Compile the targets and choose optimiser, losses and regularisers."""
    tensorflow().keras.utils.set_random_seed(plan.options.seed)
    program = evaluator.program
    network = Network(evaluator, plan.options.dtype)
    objective = objective_for(program, network, plan, plan.examples)
    _build_models(network, objective.targets)
    if not network.variables:
        raise NeuralLogError(
            "the program has nothing to learn",
            hint="say which predicates have learned weights, as in learn(w).",
        )
    validation = None
    if plan.validation is not None:
        validation = objective_for(program, network, plan, plan.validation)
    period = program.parameters.get("validation_period")
    return Trainer(
        objective,
        validation,
        make_optimizer(program, plan.options),
        _regularizers(program, network, plan.options),
        _constraints(program, network),
        plan.shuffle,
        plan.options.seed,
        int(period) if isinstance(period, float) else 1,
    )


def _build_models(network: Network, targets: Sequence[Target]) -> None:
    """A Keras model that was never called has no variables yet: ask each target for one row."""
    if all(getattr(model, "built", True) for model in network.models.values()):
        return
    for target in targets:
        own = np.flatnonzero(target.rows == 0)[:1]
        one_row = replace(
            target,
            columns={place: column[:1] for place, column in target.columns.items()},
            keys=target.keys[:1],
            rows=target.rows[own],
            outputs=target.outputs[own],
            labels=target.labels[own],
        )
        predict(network.evaluator, one_row)


def objective_for(program: Program, network: Network, plan: Plan, name: str) -> Objective:
    """The targets of a set with their losses, compiled into the network."""
    targets = targets_from(program, _examples(program, network, plan, name), plan.inverse)
    for target in targets:
        if (
            not program.definition(target.signature).rules
            and not program.definition(target.signature).facts
        ):
            raise NeuralLogError(
                f"the target {target.name} has neither rules nor facts, so it is always zero"
            )
    if isinstance(plan.options.loss, Mapping):
        known = [
            text for t in targets for text in (t.signature[0], f"{t.signature[0]}/{t.signature[1]}")
        ]
        for name in plan.options.loss:
            if name not in known:
                hint = did_you_mean(name, known) or f"targets: {', '.join(known)}"
                raise UnknownNameError(f"a loss is given for {name}, which is no target", hint=hint)
    losses = [loss_for(program, plan.options, target) for target in targets]
    return Objective(network, targets, losses, plan.labelling, max(1, plan.batch_size))


def _examples(program: Program, network: Network, plan: Plan, name: str) -> list[Examples]:
    symbols = network.planner.symbols
    listed = examples_of(program, symbols, name)
    number, seed = plan.options.negatives, plan.options.seed
    if number is None:
        return listed
    return [with_negatives(program, symbols, examples, number, seed) for examples in listed]


def loss_for(program: Program, options: TrainOptions, target: Target) -> Loss:
    """The loss of a target: from the call, its own parameter, the one below the global, the
    global, or mean squared error."""
    name, _ = target.signature
    if isinstance(options.loss, str):
        return fitting(loss_of(options.loss), target)
    if options.loss is not None:
        found = options.loss.get(f"{name}/{target.signature[1]}", options.loss.get(name))
        if found is not None:
            return fitting(loss_of(found), target)
    with set_in(program, "loss_function"):
        below = program.parameters.below("loss_function")
        for key in ((f"{name}/{target.signature[1]}",), (name,)):
            if isinstance(below.get(key), str):
                return fitting(loss_of(str(below[key])), target)
        chosen = configured(program.parameters, "loss_function", target.signature)
        return fitting(loss_of(chosen or "mean_squared_error"), target)


def fitting(loss: Loss, target: Target) -> Loss:
    """The loss, if it says something of what the target gives."""
    if loss.needs_many and target.signature[1] < 2:
        raise ParameterError(
            f"the loss {loss.name} compares the outputs of a row, and {target.name} has only one",
            hint="use binary_crossentropy; targets may have different losses, as in "
            f'loss={{"{target.signature[0]}": "binary_crossentropy"}}',
        )
    return loss


def make_optimizer(program: Program, options: TrainOptions) -> Any:
    """A Keras optimiser by name or by class name and configuration."""
    chosen = configured(program.parameters, "optimizer") or Configured("sgd")
    if isinstance(options.optimizer, str):
        chosen = Configured(options.optimizer)
    elif options.optimizer is not None:
        config = dict(options.optimizer)
        chosen = Configured(str(config.pop("class_name", chosen.name)), config)
    rate = _first(options.learning_rate, program.parameters.get("learning_rate"))
    if rate is not None:
        chosen = replace(chosen, config={**chosen.config, "learning_rate": float(rate)})
    if options.optimizer is not None:
        return make(OPTIMIZERS, chosen)
    with set_in(program, "optimizer"):
        return make(OPTIMIZERS, chosen)


def _regularizers(
    program: Program, network: Network, options: TrainOptions
) -> dict[Signature, Any]:
    found: dict[Signature, Any] = {}
    for parameter in network.parameters:
        chosen = configured(program.parameters, "regularizer", parameter.signature)
        given = options.regularizer
        if given is not None:
            chosen = None if given.lower() == "none" else Configured(given)
        if chosen is not None and chosen.name.lower() in ("l1_l2", "l1l2") and not chosen.config:
            chosen = replace(chosen, config={"l1": 0.01, "l2": 0.01})  # Keras 3 would do nothing
        if chosen is not None:
            with nullcontext() if given is not None else set_in(program, "regularizer"):
                found[parameter.signature] = make(REGULARIZERS, chosen)
    return found


def _constraints(program: Program, network: Network) -> dict[Signature, Any]:
    found: dict[Signature, Any] = {}
    for parameter in network.parameters:
        with set_in(program, "value_constraint"):
            function = configured_function(
                program.parameters, program.registry, "value_constraint", parameter.signature
            )
            if function is not None and function.kind is not FunctionKind.ELEMENTWISE:
                raise ParameterError(
                    f"value_constraint {function.name}: a weight is bounded by itself, with a "
                    "function of single entries"
                )
        if function is not None:
            found[parameter.signature] = function
    return found
