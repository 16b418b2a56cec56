"""Training in the notebook: one live output, an interrupt that loses nothing, tables of metrics."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from IPython.display import display

from neurallog_magics.display.curves import Frame
from neurallog_magics.display.tables import Table, format_weight
from neurallog_magics.state import Live

if TYPE_CHECKING:
    from neurallog_magics.magic import NeuralLogMagics


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
        for name, value in dict(getattr(state, "logs", {}) or {}).items():
            self.curves.setdefault(name, []).append(float(value))
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

    def finish(self, history: Any) -> None:
        """The last frame, which stays in the saved notebook."""
        logs = dict(getattr(history, "logs", {}) or {})
        self.curves = {name: [float(v) for v in values] for name, values in logs.items()}
        self._put(self.frame("interrupted" if getattr(history, "interrupted", False) else "done"))

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
        )


def run(magics: NeuralLogMagics, live: Live, options: dict[str, Any]) -> Any:
    """Train and show; the result is the history."""
    output = LiveOutput(magics.settings.updates, hasattr(magics.shell, "kernel"))
    output.start()
    try:
        history = live.session.train(callbacks=[output], **options)
    except BaseException:
        output.fail()
        raise
    output.finish(history)
    magics.user_ns["_history"] = history
    return None


def metrics_table(metrics: Any, name: str) -> Table:
    """Metrics over all targets, and target by target."""
    frame = metrics.to_pandas()
    columns = [str(column) for column in frame.columns]
    if frame.index.name or not isinstance(frame.index[0] if len(frame) else 0, int):
        frame = frame.reset_index()
        columns = [str(column) for column in frame.columns]
    numbers = {c for c in frame.columns if frame[c].dtype.kind in "fiu"}
    rows = [
        tuple(
            format_weight(float(value)) if column in numbers else str(value)
            for column, value in zip(frame.columns, row, strict=True)
        )
        for row in frame.itertuples(index=False)
    ]
    heads = [f"#{c}" if c in numbers else c for c in columns]
    return Table(heads, rows, title=f"set {name}", limit=200)
