"""Profiling a training: what comes before the first step, the epochs, and each rule by itself."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from statistics import median
from time import perf_counter
from typing import Any

from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.executor import Executor
from neurallog_kernel.functions import put_in_place
from neurallog_kernel.interrupts import held_back
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.relations import Relations
from neurallog_kernel.knowledge.storage import Storage
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.learning.trainer import Trainer
from neurallog_kernel.learning.training import Training
from neurallog_kernel.network.tensorflow import keras
from neurallog_kernel.observing import EVALUATE, GRAPHS, MATRICES, PLAN
from neurallog_kernel.plan.planner import Planner
from neurallog_kernel.profiling.alone import epochs_alone
from neurallog_kernel.profiling.clock import Clock, resident
from neurallog_kernel.profiling.profile import Profile, StageCost, time_text
from neurallog_kernel.profiling.rules import rule_costs

IMPORT, FOLD, NETWORK = "import TensorFlow", "fold constants", "examples and network"
TRACE, FIRST, LATER = "trace, first batches", "rest of the first epoch", "later epochs"
_STAGES = (GRAPHS, PLAN, MATRICES, EVALUATE, NETWORK, TRACE, FIRST, LATER)
_SHOWN = {EVALUATE: FOLD}  # what training evaluates is what no learned weight reaches
_EPOCHS = 3


def profile_training(
    program: Program,
    symbols: SymbolTable,
    relations: Relations,
    options: Mapping[str, Any],
    loading: tuple[StageCost, ...] = (),
) -> Profile:
    """Train as `train` does, with nothing remembered but the matrices of facts, and throw away what
    was learned."""
    clock = Clock(resident)
    storage = Storage(program, symbols, relations.observed_by(clock))
    planner = Planner(observer=clock)
    watch = _Watch(clock)
    with clock.stage(IMPORT):
        keras()
    with clock.stage(NETWORK), held_back() as interrupts:
        chosen = {"epochs": _EPOCHS, **options}
        training = Training(Evaluator(planner, Executor(storage, clock)), chosen, None)
        with interrupts.bearing(inf):
            history = training.run([watch], interrupts)
    trainer = training.trainer
    for name, model in trainer.network.models.items():
        put_in_place(model, training.begun[name])
    if history.interrupted:
        raise KeyboardInterrupt
    planner.observer = storage.relations.observer = None  # what follows is not of the run
    alone = epochs_alone(trainer)
    rules = rule_costs(clock.asked, clock.costs, alone.seconds)
    memory = resident() > 0
    stages = [
        StageCost(_SHOWN.get(name, name), times.seconds, times.kept if memory else None)
        for name in _STAGES
        if (times := clock.stages.get(name)) is not None
    ]
    return Profile(
        _title(trainer, history.epochs, watch),
        sum(stage.seconds for stage in stages),
        tuple(stages),
        rules,
        FOLD,
        loading=loading,
        notes=(
            f"together the rules alone take {time_text(sum(alone.seconds.values()))} per epoch, "
            f"the whole network with loss and optimiser {time_text(median(watch.later or [0.0]))}",
            "folding, facts and entries: the work on what no learned weight reaches, done once for "
            "all examples; memory of a stage: how much the process grew",
            alone.note,
            f"TensorFlow: {time_text(clock.stages[IMPORT].seconds)} to import, not counted",
        ),
    )


def _title(trainer: Trainer, epochs: int, watch: _Watch) -> str:
    rows, batches = trainer.objective.plan.total, trainer.objective.plan.count
    title = f"training: {rows:,} inputs in {batches:,} batches, {epochs} epochs"
    return f"{title}; a later epoch {time_text(median(watch.later))}" if watch.later else title


class _Watch:
    """A callback that changes the stage when the training does."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.later: list[float] = []  # seconds of each epoch after the first
        self._since = 0.0
        self._traced = False

    def on_begin(self, state: Any) -> None:
        self.clock.begin(TRACE)

    def on_batch(self, state: Any) -> None:
        if not self._traced:
            self._traced = True
            self._change(FIRST)

    def on_epoch(self, state: Any) -> None:
        if state.epoch > 1:
            self.later.append(perf_counter() - self._since)
        self._change(LATER)

    def on_end(self, state: Any) -> None:
        self.clock.end()

    def _change(self, stage: str) -> None:
        self.clock.end()
        self.clock.begin(stage)
        self._since = perf_counter()
