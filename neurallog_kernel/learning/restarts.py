"""Several trainings from other start weights, of which the one with the lowest loss is kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurallog_kernel.errors import ParameterError
from neurallog_kernel.interrupts import Interrupts
from neurallog_kernel.learning.history import History
from neurallog_kernel.learning.training import Training


def check_alone(resume: bool, checkpoint: object) -> None:
    """Restarts begin anew, so there is nothing that they could go on from."""
    for name, given in (("resume", resume), ("checkpoint", checkpoint is not None)):
        if given:
            raise ParameterError(
                f"restarts and {name} cannot go together: each restart begins from new weights",
                hint=f"leave out {name}, or say restarts=1",
            )


def best_of(training: Training, callbacks: list[Any], interrupts: Interrupts) -> Training:
    """Run all restarts one after the other, and give the best. An interrupt ends them, and the best
    so far is kept. None of them begins with what was learned before."""
    best, values, losses = training, training.begun, []
    seed, number = training.plan.options.seed, training.plan.restarts
    for restart in range(number):
        one = training.anew(seed + restart)
        history = one.run(callbacks, interrupts)
        losses.append(final_loss(history))
        if restart == 0 or losses[-1] < min(losses[:-1]):
            best, values = one, one.variables()
        one.put_back(training.begun)
        if history.interrupted:
            best.trainer.history.interrupted = True
            break
    best.put_back(values)
    history = best.trainer.history
    history.notes = (*history.notes, _note(losses, number))
    return best


def final_loss(history: History) -> float:
    """The training loss of the weights that a training ends with."""
    losses = history.logs.get("loss") or [float("inf")]
    found = losses[history.best_epoch - 1] if history.best_epoch else losses[-1]
    return float("inf") if np.isnan(found) else found


def _note(losses: list[float], wanted: int) -> str:
    best = min(losses)
    others = ", ".join(f"{loss:.4g}" for loss in losses if loss is not best)
    cut = "" if len(losses) == wanted else f" ({wanted - len(losses)} were not run)"
    rest = f"; the others: {others}" if others else ""
    return f"restart {losses.index(best) + 1} of {wanted} is kept: loss {best:.4g}{rest}{cut}"
