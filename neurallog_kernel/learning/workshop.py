"""One training of a live program: start weights in, learned facts out, all or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from neurallog_kernel.errors import ParameterError, UnknownNameError, did_you_mean
from neurallog_kernel.evaluate.executor import Executor
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.update import with_unit
from neurallog_kernel.learning.history import History
from neurallog_kernel.learning.initial import initial_unit, trained_unit
from neurallog_kernel.learning.measures import Measures
from neurallog_kernel.learning.metrics import HIGHER, LOWER, check_mode
from neurallog_kernel.learning.train import Plan, TrainOptions, decide, make_trainer
from neurallog_kernel.learning.trainer import Trainer
from neurallog_kernel.plan.build import Planner


def train(
    program: Program,
    planner: Planner,
    executor: Executor,
    options: Mapping[str, Any],
    callbacks: list[Any],
    earlier: Trainer | None,
) -> tuple[Program, History, Trainer]:
    """Train and give the program with its learned facts.

    With an `earlier` trainer of the same program the optimiser goes on where it was, and so does
    the history; a program that changed in between starts a new optimiser from the learned weights.
    """
    chosen = _options(options)
    plan = decide(program, chosen)
    start = initial_unit(program, planner.relations, chosen.seed)
    ready = program
    if start.facts:
        ready = with_unit(program, start, planner.symbols, strict=False)
    trainer = make_trainer(ready, planner, executor, plan)
    measures = Measures(ready, trainer, plan)
    mode = _mode(plan, measures.directions)
    if earlier is not None:
        _go_on(trainer, earlier)
    trainer.history.settings = _settings(plan, trainer)
    history = trainer.run(
        plan.epochs,
        callbacks,
        plan.monitor,
        mode,
        chosen.patience,
        chosen.keep_best,
        measures.measure if measures else None,
    )
    learned = trained_unit(ready, trainer.network.parameters)
    if learned.facts:
        ready = with_unit(ready, learned, planner.symbols, strict=False)
    return ready, history, trainer


def _settings(plan: Plan, trainer: Trainer) -> dict[str, Any]:
    """What the history says of the training; a unary target has no unlisted output."""
    settings = plan.describe()
    if all(target.signature[1] < 2 for target in trainer.objective.targets):
        del settings["unlisted"]
    return settings


def _mode(plan: Plan, directions: Mapping[str, str | None]) -> str:
    """Which way the monitored quantity is better: as the call says, else as it declares itself."""
    name, mode = plan.monitor, plan.options.mode
    if mode is not None:
        check_mode(mode)
    if name not in directions:
        hint = did_you_mean(name, directions) or f"there are: {', '.join(directions)}"
        raise UnknownNameError(f"{name} cannot be monitored: it is not recorded", hint=hint)
    found = mode or directions[name]
    watched = plan.options.patience is not None or plan.options.keep_best
    if found is None and watched:
        raise ParameterError(
            f"{name} does not say whether a high or a low value is better",
            hint=f"say it: mode='{HIGHER}' or mode='{LOWER}'",
        )
    return found or LOWER


def _options(given: Mapping[str, Any]) -> TrainOptions:
    known = [field.name for field in fields(TrainOptions)]
    for name in given:
        if name not in known:
            hint = did_you_mean(name, known) or f"known: {', '.join(known)}"
            raise UnknownNameError(f"unknown option {name} of train", hint=hint)
    return TrainOptions(**given)


def _go_on(trainer: Trainer, earlier: Trainer) -> None:
    """Take over history and the optimiser's state where the variables are the same ones."""
    trainer.history = earlier.history
    trainer.generator = earlier.generator
    mine, theirs = trainer.optimizer, earlier.optimizer
    if type(mine) is not type(theirs) or len(mine.variables) != len(theirs.variables):
        return
    pairs = list(zip(mine.variables, theirs.variables, strict=True))
    if all(own.shape == other.shape for own, other in pairs):
        for own, other in pairs:
            if own.path.split("/")[-1] != "learning_rate":
                own.assign(other)
