"""What a training uses, by name: the optimiser, the loss of a target, penalties, bounds."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

from neurallog_kernel.errors import ParameterError
from neurallog_kernel.functions import Function, FunctionKind
from neurallog_kernel.knowledge.configured import Configured, configured, configured_function
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.learning.choices.options import TrainOptions, first_said
from neurallog_kernel.learning.choices.setting_place import set_in
from neurallog_kernel.learning.choices.settings import LossFunction


def chosen_optimizer(program: Program, options: TrainOptions) -> Configured:
    """The optimiser of the call or of the program, with the rate and the clipping that are said
    beside it."""
    chosen = configured(program.parameters, "optimizer") or Configured("sgd")
    if options.optimizer is not None:
        chosen = _given(options.optimizer, chosen.name)
    rate = first_said(options.learning_rate, program.parameters.get("learning_rate"))
    if rate is not None:
        chosen = replace(chosen, config={**chosen.config, "learning_rate": float(rate)})
    clip = first_said(options.clip_norm, program.parameters.get("clip_norm"))
    if clip is not None:
        chosen = replace(chosen, config={**chosen.config, "global_clipnorm": float(clip)})
    return chosen


def chosen_loss(
    program: Program, options: TrainOptions, target: Signature
) -> Configured | LossFunction:
    """The loss of a target: from the call, its own parameter, the one below the global, the
    global, or mean squared error."""
    name, arity = target
    if isinstance(options.loss, Mapping):
        found = options.loss.get(f"{name}/{arity}", options.loss.get(name))
        if found is not None:
            return _named(found)
    elif options.loss is not None:
        return _named(options.loss)
    below = program.parameters.below("loss_function")
    for key in ((f"{name}/{arity}",), (name,)):
        if isinstance(below.get(key), str):
            return Configured(str(below[key]))
    found = configured(program.parameters, "loss_function", target)
    return found or Configured("mean_squared_error")


def _named(said: str | LossFunction) -> Configured | LossFunction:
    return Configured(said) if isinstance(said, str) else said


def loss_place(
    program: Program, options: TrainOptions, target: Signature
) -> AbstractContextManager[Any]:
    """Where an error in the loss is: in the program's text, or in the call."""
    name, arity = target
    said = options.loss
    if isinstance(said, Mapping):
        said = said.get(f"{name}/{arity}", said.get(name))
    return set_in(program, "loss_function") if said is None else nullcontext()


def chosen_regularizer(
    program: Program, options: TrainOptions, signature: Signature
) -> Configured | None:
    """The penalty of a learned predicate."""
    chosen = configured(program.parameters, "regularizer", signature)
    given = options.regularizer
    if given is not None:
        chosen = None if given == "none" else _given(given, "l2")
    if chosen is not None and chosen.name.lower() in ("l1_l2", "l1l2") and not chosen.config:
        return replace(chosen, config={"l1": 0.01, "l2": 0.01})  # Keras 3 would do nothing
    return chosen


def chosen_constraint(program: Program, signature: Signature) -> Function | None:
    """What bounds the weights of a learned predicate."""
    with set_in(program, "value_constraint"):
        function = configured_function(
            program.parameters, program.registry, "value_constraint", signature
        )
        if function is not None and function.kind is not FunctionKind.ELEMENTWISE:
            raise ParameterError(
                f"value_constraint {function.name}: each weight is bounded separately, with a "
                "function of single entries"
            )
    return function


def _given(said: str | Mapping[str, Any], otherwise: str) -> Configured:
    """A name, or a table with `class_name` and the settings."""
    if isinstance(said, str):
        return Configured(said)
    config = dict(said)
    return Configured(str(config.pop("class_name", otherwise)), config)
