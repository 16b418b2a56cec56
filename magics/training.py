"""Training in the notebook: one live output, an interrupt that loses nothing, tables of metrics."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from IPython.display import display

from neurallog_kernel import History, Notice, Session
from neurallog_kernel.pictures.explorer.shown import refresh, watchers
from neurallog_kernel.pictures.live.watch import WeightWatch
from neurallog_magics.context import NotebookContext
from neurallog_magics.display.curves import TrainingFigure
from neurallog_magics.display.notes import notices_note


@dataclass
class LiveOutput:
    """A callback of the training: shows progress and curves in one output of the cell."""

    updates: float  # a second
    live: bool  # a terminal gets the last frame only
    epoch: int = 0
    epochs: int = 0
    batch: int = 0
    batches: int = 0
    seconds: float = 0.0
    curves: dict[str, list[float]] = field(default_factory=dict)
    settings: str = ""
    watch: WeightWatch | None = None  # keeps the learned weights of each epoch
    _handle: Any = None
    _shown: float = 0.0

    def start(self) -> None:
        """Before TensorFlow is there: its first import takes seconds, and this says so."""
        self._show("starting")

    def on_begin(self, info: Any) -> None:
        if self.watch is not None:
            self.watch.on_begin(info)
        self.epochs = int(getattr(info, "epochs", 0) or 0)
        self._show("training")

    def on_batch(self, state: Any) -> None:
        self._take(state)
        self._show_sometimes()

    def on_epoch(self, state: Any) -> None:
        if self.watch is not None:
            self.watch.on_epoch(state)
        self._take(state)
        self._keep(getattr(getattr(state, "history", None), "logs", None) or {})
        self._show_sometimes()

    def on_end(self, state: Any) -> None:
        self._take(state)

    def _take(self, state: Any) -> None:
        for name in ("epoch", "epochs", "batch", "batches", "seconds"):
            value = getattr(state, name, None)
            if value is not None:
                setattr(self, name, value)

    def _show_sometimes(self) -> None:
        if time.monotonic() - self._shown >= 1 / self.updates:
            self._show("training")

    def _show(self, stage: str) -> None:
        if self.live:
            self._put(self.frame(stage))

    def finish(self, history: Any, resumed: bool = False) -> None:
        """The last frame, which stays in the saved notebook."""
        self._keep(history.logs)
        self.epoch, self.seconds = history.epochs, history.seconds
        self.settings = _in_words(getattr(history, "settings", {}), resumed)
        self._put(self.frame("interrupted" if getattr(history, "interrupted", False) else "done"))

    def _keep(self, logs: Mapping[str, Sequence[float]]) -> None:
        self.curves = {
            name: [float(v) for v in values] for name, values in logs.items() if name != "seconds"
        }

    def fail(self) -> None:
        """An error ended the training: the frame says no more."""
        if self._handle is not None:
            self._put(self.frame("stopped"))

    def _put(self, frame: TrainingFigure) -> None:
        self._shown = time.monotonic()
        if self._handle is None:
            self._handle = display(frame, display_id=True)
        else:
            self._handle.update(frame)

    def frame(self, stage: str) -> TrainingFigure:
        return TrainingFigure(
            stage,
            self.epoch,
            self.epochs,
            self.batch,
            self.batches,
            self.seconds,
            {name: tuple(values) for name, values in self.curves.items()},
            self.settings,
            {} if self.watch is None else self.watch.most_moved(),
        )


def _in_words(settings: Mapping[str, Any], resumed: bool) -> str:
    """What the training was, in one line: above all what outputs without an example counted as."""
    names = {"examples": "set", "batch_size": "batch size"}
    if not resumed:  # else the seed was that of the beginning
        names["seed"] = "seed"
    said = [f"{word} {settings[name]}" for name, word in names.items() if name in settings]
    if "unlisted" in settings:
        said.append(f"outputs without an example count as {settings['unlisted']}")
    return ", ".join(said)


def run(context: NotebookContext, options: dict[str, Any]) -> None:
    """Train, which shows itself; `_` holds the history."""
    live = context.live
    fitted = live.session.is_calibrated  # to the weights before: a training ends it
    history = live.session.train(**options)
    live.done(2 if fitted else 1, dict(live.owners))
    context.keep(history)


class NotebookView:
    """What a training in a notebook shows, whoever called it: `%neurallog train` or Python."""

    def __init__(self, context: NotebookContext, session: Session, resumed: bool) -> None:
        self.context, self.session, self.resumed = context, session, resumed
        watch = WeightWatch(lambda state: None)
        self.output = LiveOutput(context.settings.updates, context.has_kernel, watch=watch)
        self.callbacks = [self.output, *watchers(session)]

    def __enter__(self) -> NotebookView:
        self.output.start()
        return self

    def done(self, history: History) -> None:
        refresh(self.session)
        self.output.finish(history, self.resumed)
        notes = [Notice("training", note) for note in history.notes]
        if notes:
            self.context.show(notices_note(notes))

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is not None:
            refresh(self.session)  # what was shown on the way is not kept
            self.output.fail()
