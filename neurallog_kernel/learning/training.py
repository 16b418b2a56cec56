"""One training of a live program: start weights in, learned facts out, all or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import fields, replace
from typing import Any, Protocol

import numpy as np

from neurallog_kernel.errors import ParameterError, UnknownNameError, did_you_mean
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.functions import Registry, put_in_place, values_of
from neurallog_kernel.interrupts import Interrupts
from neurallog_kernel.knowledge.learned import LEARNED, kept_by_edits
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.update import with_functions, with_source, without_source
from neurallog_kernel.learning.assembly import make_trainer
from neurallog_kernel.learning.choices.callbacks import watching
from neurallog_kernel.learning.choices.option_checks import TRAINING, check_options
from neurallog_kernel.learning.choices.options import TrainOptions, TrainSettings, decide
from neurallog_kernel.learning.examples.division import Share
from neurallog_kernel.learning.examples.targets import Examples
from neurallog_kernel.learning.figures.metrics import HIGHER, LOWER, check_mode
from neurallog_kernel.learning.formulas.numpy_optimizers import class_name_of
from neurallog_kernel.learning.history import History
from neurallog_kernel.learning.measures import Measures
from neurallog_kernel.learning.one_sided import listed_are_true, one_sided
from neurallog_kernel.learning.range import check_range
from neurallog_kernel.learning.sharing.checks import check_alone, check_measured
from neurallog_kernel.learning.sharing.workers import Workers
from neurallog_kernel.learning.start.learned_facts import initial_contents, trained_contents
from neurallog_kernel.learning.start.start_weights import StartWeights
from neurallog_kernel.learning.trainer import Trainer


class Keeping(Protocol):
    """What a training asks of its checkpoint."""

    def take_up(self) -> str: ...
    def keep(self, last: bool) -> None: ...


class Training:
    """One training of a program, which stays as it is: others may edit the session meanwhile."""

    def __init__(
        self,
        evaluator: Evaluator,
        options: Mapping[str, Any],
        earlier: Trainer | None = None,
        given: Sequence[Examples] | None = None,
        workers: Workers | None = None,
    ) -> None:
        """Make ready, with weights to start from; `given` examples stand for the training set.

        With an `earlier` trainer of the same program the optimiser goes on where it was, and so
        does the history; a program that changed in between starts a new optimiser from the learned
        weights. With `workers` this process leads a training that they share.
        """
        program, storage = evaluator.program, evaluator.storage
        self._begun_with = (evaluator, options, given)
        self.evaluator = evaluator
        self.program = program
        self.symbols = storage.symbols
        self.options = _options(options)
        share = None if workers is None else workers.share
        self.plan = replace(decide(program, self.options), given=given, share=share)
        if share is not None:
            check_alone(self.plan.seeds, self.plan.restarts)
        self.ready, drawn = _ready(evaluator, self.options)
        self.trainer = make_trainer(evaluator.of(self.ready), self.plan, workers)
        self.trainer.program = lambda: self.learned_in(self.program)
        self.measures = Measures(self.ready, self.trainer, self.plan)
        if share is not None and self.measures.reads_training:
            check_measured()
        self.mode = _mode(self.plan, self.measures.directions)
        if earlier is not None:
            _go_on(self.trainer, earlier)
        self.trainer.history.settings = _settings(self.plan, self.trainer, self.measures, drawn)
        self.begun = self.variables()  # of Keras models, which are trained in place

    def anew(self, seed: int) -> Training:
        """The same training with other start weights, which have nothing of what was learned."""
        evaluator, options, given = self._begun_with
        return Training(without_learned(evaluator), {**options, "seed": seed}, given=given)

    def run(
        self,
        callbacks: list[Any],
        interrupts: Interrupts | None = None,
        checkpoint: Keeping | None = None,
    ) -> History:
        """Train for the epochs of the plan. One that breaks off gives models back what they had."""
        try:
            if checkpoint is None:
                history = self._run(self.plan.epochs, callbacks, interrupts, None)
            else:
                history = self._go_on(callbacks, interrupts, checkpoint)
        except BaseException:
            self.put_back(self.begun)
            raise
        history.notes = (*history.notes, *self._reached(), *self._one_sided())
        return history

    def _one_sided(self) -> tuple[str, ...]:
        """What follows where all examples of a predicate are true, or all are false."""
        objective = self.trainer.objective
        return tuple(one_sided(objective.whole_targets, objective.losses, self.plan.labelling))

    def _reached(self) -> tuple[str, ...]:
        """How much of the attached tables the training needed."""
        relations = self._begun_with[0].storage.relations
        reached, count = relations.reached(self.ready)
        return (f"{reached:,} of {count:,} facts reached",) if count else ()

    def _go_on(
        self, callbacks: list[Any], interrupts: Interrupts | None, checkpoint: Keeping
    ) -> History:
        """Take up what the checkpoint holds: the epochs are those of the whole training."""
        note = checkpoint.take_up()
        done, stopped = self.trainer.history.epochs, self.trainer.history.stopped_early
        left = 0 if stopped else max(0, self.plan.epochs - done)
        history = self._run(left, callbacks, interrupts, checkpoint.keep)
        history.stopped_early |= stopped
        history.notes = (*([note] if note else []), *history.notes)
        return history

    def _run(
        self,
        epochs: int,
        callbacks: list[Any],
        interrupts: Interrupts | None,
        keep: Callable[[bool], None] | None,
    ) -> History:
        return self.trainer.run(
            epochs,
            callbacks,
            self.plan.monitor,
            self.mode,
            self.plan.options.patience,
            self.plan.options.keep_best,
            self.measures.measure if self.measures else None,
            interrupts,
            keep,
        )

    def learned_in(self, program: Program) -> Program:
        """A program with the weights as they are now. It may have been edited since the training
        began: the weights are what they would be if the training had ended before the edits."""
        learned = trained_contents(self.ready, self.trainer.network.parameters)
        contents = kept_by_edits(learned, self.program, program)
        registry = self._registry(program, self.variables())
        if not contents.signatures and LEARNED not in program.sources:
            return with_functions(program, registry, self.symbols)
        return with_source(program, contents, self.symbols, strict=False, registry=registry)

    def begun_in(self, program: Program) -> Program:
        """A program with the variables that models had when the training began."""
        return with_functions(program, self._registry(program, self.begun), self.symbols)

    def put_back(self, values: Mapping[str, tuple[np.ndarray, ...]]) -> None:
        """Give Keras models, which are trained in place, these variables."""
        for name, model in self.trainer.network.models.items():
            put_in_place(model, values[name])

    def variables(self) -> dict[str, tuple[np.ndarray, ...]]:
        """Of Keras models, as they are now."""
        return {name: values_of(model) for name, model in self.trainer.network.models.items()}

    def _registry(self, program: Program, values: Mapping[str, tuple[np.ndarray, ...]]) -> Registry:
        """The program's functions with these variables, where the models are still the same."""
        models = self.trainer.network.models
        found = program.registry
        same = [name for name in values if name in found and found[name].model is models[name]]
        return found.with_variables({name: values[name] for name in same})


def part_of(evaluator: Evaluator, options: Mapping[str, Any], share: Share) -> Trainer:
    """What a worker needs of a training: gradients of its share. The process that leads it
    validates, measures and steps."""
    chosen = _options(options)
    plan = replace(decide(evaluator.program, chosen), share=share, validation=None)
    ready, _ = _ready(evaluator, chosen)
    return make_trainer(evaluator.of(ready), plan)


def _ready(evaluator: Evaluator, options: TrainOptions) -> tuple[Program, str]:
    """The program with weights to start from, and what is said of those that were drawn."""
    program, storage = evaluator.program, evaluator.storage
    drawing = StartWeights(storage, options.seed)
    start = initial_contents(drawing)
    if start.signatures:
        program = with_source(program, start, storage.symbols, strict=False)
    check_range(program, options.dtype)
    return program, drawing.report()


def without_learned(evaluator: Evaluator) -> Evaluator:
    """The program without what was learned."""
    program = evaluator.program
    if LEARNED not in program.sources:
        return evaluator
    return evaluator.of(without_source(program, LEARNED, evaluator.symbols))


def _settings(
    plan: TrainSettings, trainer: Trainer, measures: Measures, drawn: str
) -> dict[str, Any]:
    """What the history says of the training; a unary target has no unlisted output, and for a
    sequence of labels it makes no difference."""
    settings = plan.describe() | {"backend": trainer.backend}
    if plan.hold_out is not None:
        settings["held out"] = _held_out(plan, trainer)
    targets, losses = trainer.objective.whole_targets, trainer.objective.losses
    pairs = zip(targets, losses, strict=True)
    if all(target.signature[1] < 2 or loss.chain is not None for target, loss in pairs):
        del settings["unlisted"]
    elif not plan.labelling.unknown and listed_are_true(targets, losses):
        settings["unlisted"] += ", and nothing else does"
    if drawn:
        settings["initial values"] = drawn
    if measures.without_examples:
        settings["callbacks without examples"] = ", ".join(measures.without_examples)
    prefix = watching(trainer.network.program.parameters).prefix
    if prefix is not None:
        settings["best model"] = prefix  # how the command line begins the names of its files
    return settings


def _held_out(plan: TrainSettings, trainer: Trainer) -> str:
    """How many examples validate, and what was kept together."""
    assert trainer.validation is not None
    held, kept = (
        sum(len(target.labels) for target in objective.whole_targets)
        for objective in (trainer.validation, trainer.objective)
    )
    return f"{held} of {held + kept} examples (groups: {plan.groups})"


def _mode(plan: TrainSettings, directions: Mapping[str, str | None]) -> str:
    """Which way the monitored quantity is better: as the call says, else as it declares itself."""
    name, mode = plan.monitor, plan.options.mode
    if mode is not None:
        check_mode(mode)
    if name not in directions:
        hint = did_you_mean(name, directions) or f"there are: {', '.join(directions)}"
        if plan.validation is None and name.removeprefix("val_") in directions:
            hint = "give examples of the set validation, or hold_out=0.2 for a part of these"
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
    left_open = {field.name for field in fields(TrainOptions) if field.default is None}
    chosen = {k: v for k, v in given.items() if v is not None or k not in left_open}
    check_options(TRAINING, chosen, "train")
    whole = {k: int(v) for k, v in chosen.items() if isinstance(v, np.integer)}  # Keras wants int
    return TrainOptions(**{**chosen, **whole})


def _go_on(trainer: Trainer, earlier: Trainer) -> None:
    """Take over history and the optimiser's state where the variables are the same ones."""
    trainer.history = deepcopy(earlier.history)  # theirs stays as it is if this training fails
    trainer.first_epoch = trainer.history.epochs
    trainer.generator = deepcopy(earlier.generator)
    mine, theirs = trainer.optimizer, earlier.optimizer
    if class_name_of(mine) != class_name_of(theirs):
        return
    if len(mine.variables) != len(theirs.variables):
        return
    pairs = list(zip(mine.variables, theirs.variables, strict=True))
    if all(tuple(own.shape) == tuple(other.shape) for own, other in pairs):
        for own, other in pairs:
            if own.path.split("/")[-1] != "learning_rate":
                own.assign(np.asarray(other))
