"""Trainings from several seeds that stay together: an ensemble, whose answers are means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from neurallog_kernel.errors import ParameterError
from neurallog_kernel.interrupts import Interrupts
from neurallog_kernel.knowledge.learned import as_ensemble, kept_by_edits
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.sources import SourceContents
from neurallog_kernel.knowledge.update import with_source
from neurallog_kernel.learning.history import History
from neurallog_kernel.learning.restarts import final_loss
from neurallog_kernel.learning.start.learned_facts import initial_contents, trained_contents
from neurallog_kernel.learning.start.start_weights import StartWeights
from neurallog_kernel.learning.training import Training, without_learned
from neurallog_kernel.network.parameters import current_values


class Ensemble:
    """The trainings of `seeds` members, one after the other in one compiled network. Each member
    learns what a training with its own seed would learn. None begins with what was learned
    before."""

    def __init__(self, training: Training) -> None:
        first = training.plan.options.seed
        self.training = training.anew(first)
        if self.training.trainer.network.models:
            names = ", ".join(self.training.trainer.network.models)
            raise ParameterError(
                f"members of an ensemble differ in learned facts, and the program trains {names}",
                hint="leave out seeds, or train one session for each seed",
            )
        self.seeds = range(first, first + training.plan.seeds)
        self.members: list[SourceContents] = []
        self.histories: list[History] = []
        self.interrupted = False

    def run(self, callbacks: list[Any], interrupts: Interrupts) -> History:
        """Train all members. An interrupt keeps those that are done, and the one at hand."""
        fresh = [variable.numpy() for variable in self.training.trainer.optimizer.variables]
        for seed in self.seeds:
            one = self._with_seed(seed, fresh)
            history = one.run(callbacks, interrupts)
            self.members.append(trained_contents(one.ready, one.trainer.network.parameters))
            self.histories.append(history)
            if history.interrupted:
                self.interrupted = True
                break
        return self.history

    def _with_seed(self, seed: int, fresh: list[np.ndarray]) -> Training:
        """The training with another seed: the network that is there, unless the seed draws what
        it learns from as well."""
        plan, training = self.training.plan, self.training
        if plan.options.negatives is not None or plan.hold_out is not None:
            return training.anew(seed)
        if seed != self.seeds[0]:
            self._start_again(seed)
            for variable, value in zip(training.trainer.optimizer.variables, fresh, strict=True):
                variable.assign(value)
        return training

    def _start_again(self, seed: int) -> None:
        training = self.training
        evaluator = without_learned(training.evaluator)
        storage = evaluator.storage
        contents = initial_contents(StartWeights(storage, seed))
        ready = with_source(storage.program, contents, storage.symbols, strict=False)
        values = current_values(ready, storage.relations)
        parameters = training.trainer.network.parameters
        for parameter in parameters:
            parameter.variable.assign(values[parameter.key].astype(parameters.dtype))
        training.trainer.start_again(seed)

    @property
    def history(self) -> History:
        """The mean of the members' curves, as far as all of them go."""
        first = self.histories[0]
        shortest = min(history.epochs for history in self.histories)
        logs = {
            name: np.mean([h.logs[name][:shortest] for h in self.histories], axis=0).tolist()
            for name in first.logs
            if all(name in h.logs for h in self.histories)
        }
        return History(
            logs,
            {**first.settings, "seeds": len(self.seeds)},
            interrupted=self.interrupted,
            stopped_early=any(history.stopped_early for history in self.histories),
            seconds=sum(history.seconds for history in self.histories),
            notes=(self._losses(), *self._notes()),
        )

    def _losses(self) -> str:
        losses = [final_loss(history) for history in self.histories]
        said = f"{len(losses)} of {len(self.seeds)} members: "
        if not np.isfinite(losses).all():
            return f"{said}loss from {min(losses):.4g} to {max(losses):.4g}"
        return (
            f"{said}loss {np.mean(losses):.4g}, deviation {np.std(losses):.2g}, "
            f"from {min(losses):.4g} to {max(losses):.4g}"
        )

    def _notes(self) -> Iterator[str]:
        """What was said of members; what is not said of all of them with their numbers."""
        said: dict[str, list[str]] = {}
        for number, history in enumerate(self.histories, 1):
            for note in history.notes:
                said.setdefault(note, []).append(str(number))
        for note, members in said.items():
            if len(members) == len(self.histories):
                yield note
            else:
                yield f"member{'s' if len(members) > 1 else ''} {', '.join(members)}: {note}"

    def learned_in(self, program: Program) -> Program:
        """A program with what all members learned."""
        training = self.training
        kept = [kept_by_edits(member, training.program, program) for member in self.members]
        return with_source(program, as_ensemble(kept), training.symbols, strict=False)


def check_alone(restarts: int, resume: bool, checkpoint: object) -> None:
    """Members begin anew and all stay: what chooses or goes on is something else."""
    others = {"restarts": restarts > 1, "resume": resume, "checkpoint": checkpoint is not None}
    for name, given in others.items():
        if given:
            raise ParameterError(f"seeds and {name} cannot go together", hint=f"leave out {name}")
