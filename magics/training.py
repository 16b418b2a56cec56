"""Training in the notebook: one live output, an interrupt that loses nothing, tables of metrics."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from IPython.display import display

from neurallog_kernel import Notice
from neurallog_magics.context import NotebookContext
from neurallog_magics.display.curves import Frame
from neurallog_magics.display.notes import notices_note
from neurallog_magics.widgets import refresh, watchers


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
    _handle: Any = None
    _shown: float = 0.0

    def start(self) -> None:
        """Before TensorFlow is there: its first import takes seconds, and this says so."""
        self._show("starting")

    def on_begin(self, info: Any) -> None:
        self.epochs = int(getattr(info, "epochs", 0) or 0)
        self._show("training")

    def on_batch(self, state: Any) -> None:
        self._take(state)
        self._show_sometimes()

    def on_epoch(self, state: Any) -> None:
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

    def _put(self, frame: Frame) -> None:
        self._shown = time.monotonic()
        if self._handle is None:
            self._handle = display(frame, display_id=True)
        else:
            self._handle.update(frame)

    def frame(self, stage: str) -> Frame:
        return Frame(
            stage,
            self.epoch,
            self.epochs,
            self.batch,
            self.batches,
            self.seconds,
            {name: tuple(values) for name, values in self.curves.items()},
            self.settings,
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
    """Train and show; `_` holds the history."""
    live = context.live
    output = LiveOutput(context.settings.updates, context.has_kernel)
    output.start()
    try:
        callbacks = [output, *watchers(live.session)]
        history = live.session.train(callbacks=callbacks, **options)
    except BaseException:
        output.fail()
        raise
    live.done(1, dict(live.owners))
    refresh(live.session)
    output.finish(history, resumed=bool(options.get("resume")))
    if getattr(history, "notes", ()):
        notes = [Notice("training", note) for note in history.notes]
        context.show(notices_note(notes))
    context.keep(history)
