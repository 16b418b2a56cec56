"""Real interrupt signals at random moments of a training: it stops, and the next one goes on."""

from __future__ import annotations

import os
import random
import signal
import threading
from typing import Any

from neurallog_kernel import Session
from tests.faults.kills import PROGRAM


class SignalSoon:
    """Sends the signal from another thread, a random while after an epoch."""

    def __init__(self, seconds: float) -> None:
        self.timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))

    def on_epoch(self, state: Any) -> None:
        if not self.timer.is_alive() and state.epoch == state.history.epochs:
            self.on_epoch = lambda state: None  # type: ignore[method-assign]
            self.timer.start()


def signalled(times: int, seed: int) -> list[str]:
    """What went wrong in so many trainings, each ended by a signal, all in one process."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    draw, wrong = random.Random(seed), []
    session = Session()
    session.add(PROGRAM)
    for number in range(times):
        try:
            history = session.train(
                epochs=10**9,
                learning_rate=1e-6,
                seed=number,
                callbacks=[SignalSoon(draw.uniform(0, 0.05))],
            )
            if not history.interrupted:
                wrong.append(f"{number}: not interrupted")
        except BaseException as error:
            wrong.append(f"{number}: {type(error).__name__}: {error}")
    return wrong
