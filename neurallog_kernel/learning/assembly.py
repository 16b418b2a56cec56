"""A training put together: objective, losses, optimiser, penalties and bounds, by its settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np

from neurallog_kernel.errors import (
    NeuralLogError,
    ParameterError,
    UnknownNameError,
    did_you_mean,
)
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.functions.keras_names import CRF, OPTIMIZERS, REGULARIZERS
from neurallog_kernel.knowledge.configured import Configured
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.learning.backends import choose_backend
from neurallog_kernel.learning.choices.chosen import (
    chosen_constraint,
    chosen_loss,
    chosen_optimizer,
    chosen_regularizer,
    loss_place,
)
from neurallog_kernel.learning.choices.options import HELD_OUT, TrainOptions, TrainSettings
from neurallog_kernel.learning.choices.setting_place import set_in
from neurallog_kernel.learning.choices.settings import Loss, crf_loss, loss_of, make
from neurallog_kernel.learning.examples.chains import INITIAL, TRANSITION
from neurallog_kernel.learning.examples.splits import held_out
from neurallog_kernel.learning.examples.targets import (
    Examples,
    Target,
    examples_of,
    targets_from,
)
from neurallog_kernel.learning.figures.predictions import predict
from neurallog_kernel.learning.formulas.numpy_optimizers import NumpyOptimizer
from neurallog_kernel.learning.formulas.numpy_penalties import penalty_in_numpy
from neurallog_kernel.learning.sampling import with_negatives
from neurallog_kernel.learning.sharing.checks import check_sum
from neurallog_kernel.learning.sharing.workers import Workers
from neurallog_kernel.learning.trainer import Objective, Trainer
from neurallog_kernel.network.arrays import NUMPY, TENSORFLOW
from neurallog_kernel.network.network import Network
from neurallog_kernel.network.tensorflow import tensorflow


def make_trainer(
    evaluator: Evaluator, plan: TrainSettings, workers: Workers | None = None
) -> Trainer:
    """Compile the targets and choose optimiser, losses and regularisers."""
    backend = choose_backend(evaluator, plan)
    if backend.name == TENSORFLOW:
        tensorflow().keras.utils.set_random_seed(plan.options.seed)  # of Keras' layers
    program = evaluator.program
    network = Network(evaluator, plan.options.dtype, backend.name)
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
        make_optimizer(program, plan.options, backend.name),
        _regularizers(program, network, plan.options),
        _constraints(program, network),
        plan.shuffle,
        plan.options.seed,
        int(period) if isinstance(period, float) else 1,
        plan.schedule,
        plan.average,
        backend.reason,
        workers,
        plan.anchor,
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
            groups=target.groups[:1],
        )
        predict(network.evaluator, one_row)


def objective_for(program: Program, network: Network, plan: TrainSettings, name: str) -> Objective:
    """The targets of a set with their losses, compiled into the network."""
    targets = targets_from(program, _examples(program, network, plan, name), plan.inverse)
    for target in targets:
        if (
            not program.definition(target.signature).rules
            and not program.definition(target.signature).fact_count
        ):
            raise NeuralLogError(
                f"the target {target.name} has neither rules nor facts, so it is always zero"
            )
    if isinstance(plan.options.loss, Mapping):
        known = [
            text for t in targets for text in (t.signature[0], f"{t.signature[0]}/{t.signature[1]}")
        ]
        for own in plan.options.loss:
            if own not in known:
                hint = did_you_mean(own, known) or f"targets: {', '.join(known)}"
                raise UnknownNameError(
                    f"a loss is given for {own}, which is not a target", hint=hint
                )
    losses = [
        weighted(
            loss_for(program, plan.options, target, network.arrays.name), program, plan, target
        )
        for target in targets
    ]
    share = plan.share if name == plan.examples else None
    if share is not None:
        for loss in losses:
            check_sum(loss)
    batch_size = max(1, plan.batch_size)
    return Objective(network, targets, losses, plan.labelling, batch_size, share=share)


def _examples(program: Program, network: Network, plan: TrainSettings, name: str) -> list[Examples]:
    symbols = network.evaluator.symbols
    if name in (plan.examples, HELD_OUT):
        listed = _learned_from(program, symbols, plan, name)
    else:
        listed = examples_of(program, symbols, name)
    number, seed = plan.options.negatives, plan.options.seed
    if number is None:
        return listed
    return [with_negatives(program, symbols, examples, number, seed) for examples in listed]


def _learned_from(
    program: Program, symbols: SymbolTable, plan: TrainSettings, name: str
) -> list[Examples]:
    """The training examples, without those that are held out, or only these."""
    listed = plan.given or examples_of(program, symbols, plan.examples)
    if plan.hold_out is None:
        return list(listed)
    split = held_out(program, listed, plan.hold_out, plan.groups, plan.options.seed)
    return list(split.held if name == HELD_OUT else split.kept)


def loss_for(program: Program, options: TrainOptions, target: Target, backend: str) -> Loss:
    """The loss of a target."""
    with loss_place(program, options, target.signature):
        chosen = chosen_loss(program, options, target.signature)
        if not isinstance(chosen, Configured) or chosen.name.lower() != CRF:
            return fitting(loss_of(chosen, backend), target)
        if chosen.config:
            hint = f'write set_parameter({TRANSITION}, "p/2") and set_parameter({INITIAL}, "q/1")'
            raise ParameterError(f"the loss {CRF} has no settings of its own", hint=hint)
        return fitting(crf_loss(program, target), target)


def fitting(loss: Loss, target: Target) -> Loss:
    """The loss, if it says something of what the target gives."""
    if loss.needs_many and target.signature[1] < 2:
        raise ParameterError(
            f"the loss {loss.name} compares the outputs of a row, and {target.name} has only one",
            hint="use binary_crossentropy; targets may have different losses, as in "
            f'loss={{"{target.signature[0]}": "binary_crossentropy"}}',
        )
    return loss


def weighted(loss: Loss, program: Program, plan: TrainSettings, target: Target) -> Loss:
    """The loss with the weight of true examples; balanced, they count as much as all false ones."""
    given = plan.options.positive_weight or program.parameters.get(
        "positive_weight", target.signature
    )
    if given is None:
        return loss
    if not loss.elementwise:
        raise ParameterError(
            f"positive_weight weighs single outputs, and the loss {loss.name} compares rows of them"
        )
    true = int((target.labels > 0).sum())
    unlisted = not plan.labelling.unknown and target.signature[1] > 1
    false = (len(target.keys) * target.size if unlisted else len(target.labels)) - true
    if isinstance(given, str) and not (true and false):
        raise NeuralLogError(
            f"the examples of {target.name} are all {'true' if true else 'false'}, so they cannot "
            "be balanced"
        )
    value = false / true if isinstance(given, str) else float(given)  # type: ignore[arg-type]
    return replace(loss, positive_weight=value)


def make_optimizer(program: Program, options: TrainOptions, backend: str) -> Any:
    """An optimiser of Keras, or the same in NumPy."""
    chosen = chosen_optimizer(program, options)
    with nullcontext() if options.optimizer is not None else set_in(program, "optimizer"):
        return NumpyOptimizer(chosen) if backend == NUMPY else make(OPTIMIZERS, chosen)


def _regularizers(
    program: Program, network: Network, options: TrainOptions
) -> dict[Signature, Any]:
    found: dict[Signature, Any] = {}
    in_numpy = network.arrays.name == NUMPY
    for parameter in network.parameters:
        with nullcontext() if options.regularizer is not None else set_in(program, "regularizer"):
            chosen = chosen_regularizer(program, options, parameter.signature)
            if chosen is not None:
                made = penalty_in_numpy(chosen) if in_numpy else make(REGULARIZERS, chosen)
                found[parameter.signature] = made
    return found


def _constraints(program: Program, network: Network) -> dict[Signature, Any]:
    chosen = {p.signature: chosen_constraint(program, p.signature) for p in network.parameters}
    return {signature: bound for signature, bound in chosen.items() if bound is not None}
