"""What a training says to a terminal: one line that is updated, and nothing when nobody looks."""

from __future__ import annotations

import sys
from pathlib import Path
from time import monotonic
from typing import IO

from neurallog_kernel import Progress, ScoreProgress
from neurallog_kernel.learning.history import TrainingState

_EVERY = 0.1  # seconds between two updates
_WIDTH = 79


class ProgressLog:
    """A training callback. On a terminal it keeps one line up to date; `verbose` adds a line for
    each epoch; a log file gets the lines too."""

    def __init__(self, verbose: bool, log: Path | None, stream: IO[str] | None = None) -> None:
        self.stream = stream or sys.stderr
        self.live = self.stream.isatty()
        self.verbose = verbose
        self._log = log
        self._shown = 0.0

    def say(self, text: str, always: bool = False) -> None:
        """A line of its own: to the log, and to the reader if wanted."""
        if always or self.verbose:
            self._clear()
            print(text, file=self.stream)
        if self._log is not None:
            with self._log.open("a", encoding="utf-8") as file:
                file.write(text + "\n")

    def starting(self) -> None:
        self._update("starting TensorFlow ...")

    def on_batch(self, state: TrainingState) -> None:
        if monotonic() - self._shown >= _EVERY:
            self._update(_line(state))

    def on_epoch(self, state: TrainingState) -> None:
        self.say(_line(state))
        if not self.verbose:
            self._update(_line(state))

    def on_end(self, state: TrainingState) -> None:
        self._clear()

    def _update(self, text: str) -> None:
        if self.live:
            self._shown = monotonic()
            self.stream.write("\r" + text[:_WIDTH].ljust(_WIDTH))
            self.stream.flush()

    def _clear(self) -> None:
        if self.live:
            self.stream.write("\r" + " " * _WIDTH + "\r")


class TableLine:
    """The progress of a table that is being loaded, or of a score, on a terminal only."""

    def __init__(self, stream: IO[str] | None = None) -> None:
        self.stream = stream or sys.stderr
        self._shown = monotonic() + _EVERY  # what is done at once needs no progress

    def __call__(self, progress: Progress | ScoreProgress) -> None:
        if self.stream.isatty() and monotonic() - self._shown >= _EVERY:
            self._shown = monotonic()
            self.stream.write("\r" + str(progress)[:_WIDTH].ljust(_WIDTH))
            self.stream.flush()

    def clear(self) -> None:
        if self.stream.isatty():
            self.stream.write("\r" + " " * _WIDTH + "\r")


def _line(state: TrainingState) -> str:
    figures = ", ".join(f"{name} {value:.4g}" for name, value in list(state.logs.items())[:3])
    epoch = min(state.epoch + (state.batch < state.batches), state.epochs)
    return f"epoch {epoch}/{state.epochs}, {state.seconds:.1f} s: {figures}"
