"""The trainings of a session in a notebook: tick two to compare them, or go back to one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import anywidget
import traitlets

from neurallog_kernel.answers import format_weight
from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.learning.runs import Run, RunComparison, Runs
from neurallog_kernel.pictures.beside import show_alive, show_still, still_class
from neurallog_kernel.pictures.explorer.shown import refresh
from neurallog_kernel.pictures.page import framed, module, page, read

MOVES = 6  # answers that are shown with their rules
SCRIPTS = ("explorer/shapes.js", "training/charts.js", "runs/runs.js")
STYLE = ("explorer/text.css", "training/charts.css", "runs/runs.css")


class Trained(Protocol):
    """What the table asks of a session."""

    @property
    def runs(self) -> Runs: ...

    def compare_runs(self, first: int, second: int) -> RunComparison: ...

    def back_to(self, number: int) -> None: ...


class RunsView(anywidget.AnyWidget):
    """The table of runs. `ticked` holds the numbers of those that are compared."""

    _esm = module("runsTable", *SCRIPTS)
    _css = read(*STYLE)

    runs = traitlets.List().tag(sync=True)
    ticked = traitlets.List().tag(sync=True)
    comparison = traitlets.Dict().tag(sync=True)
    said = traitlets.Unicode().tag(sync=True)
    still = traitlets.Unicode().tag(sync=True)

    def __init__(self, session: Trained, changed: Callable[[], None] = lambda: None) -> None:
        """`changed` is told when the session went back to a run."""
        self.session, self.changed = session, changed
        super().__init__(runs=[shown_run(run) for run in session.runs], still=still_class())
        self.observe(self._ticks, names="ticked")
        self.on_msg(self._heard)

    def _ticks(self, change: Any) -> None:
        chosen = [number for number in change["new"] if isinstance(number, int)]
        self.comparison = {}
        if len(chosen) != 2:
            return
        try:
            self.comparison = shown_comparison(self.session.compare_runs(*sorted(chosen)))
            self.said = ""
        except NeuralLogError as error:
            self.said = error.message

    def _heard(self, widget: Any, content: Any, buffers: Any) -> None:
        match content:
            case {"type": "back", "run": int(number)}:
                self.back(number)

    def back(self, number: int) -> None:
        """Take the weights of a run again, as its button does."""
        try:
            self.session.back_to(number)
        except NeuralLogError as error:
            self.said = error.message
            return
        self.changed()
        refresh(self.session)  # type: ignore[arg-type]
        self.said = f"the weights are those of run {number} again; %neurallog undo takes it back"

    def html(self) -> str:
        """The table as a page that needs no kernel."""
        names = ("runs", "ticked", "comparison")
        data = {**{name: getattr(self, name) for name in names}, "said": "", "still": ""}
        return page("runs", data, "runsTable", SCRIPTS, read(*STYLE))

    def _ipython_display_(self) -> None:
        show_alive(self, str(self.session.runs))
        said = str(self.session.runs)
        kept = framed(self.html(), self.still, 260, said)
        show_still({"text/html": kept, "text/plain": said})


def shown_run(run: Run) -> dict[str, Any]:
    """A run as the browser shows it."""
    history = run.history
    return {
        "number": run.number,
        "options": ", ".join(f"{k.replace('_', ' ')} {v}" for k, v in run.options.items()),
        "data": ", ".join(f"{name} {count:,}" for name, count in run.data.items()),
        "epochs": history.epochs,
        "seconds": history.seconds,
        "interrupted": history.interrupted,
        "last": run.losses,
        "curves": {
            name: [v if v == v and abs(v) != float("inf") else None for v in values]
            for name, values in history.logs.items()
            if name != "seconds"
        },
        "weights": len(run.weights),
    }


def shown_comparison(found: RunComparison) -> dict[str, Any]:
    """Two runs beside each other: dumbbells of weights, and answers with the rules behind them."""
    return {
        "runs": [found.first.number, found.second.number],
        "weights": [list(one) for one in found.weights],
        "total": found.answers.total,
        "changed_places": found.answers.changed_places,
        "moves": [
            {
                "answer": move.query,
                "before": move.before,
                "after": move.after,
                "places": list(move.places),
                "rules": [
                    [f"{format_weight(a)} → {format_weight(b)}", label]
                    for label, a, b in move.parts
                ],
            }
            for move in list(found.answers)[:MOVES]
        ],
    }
