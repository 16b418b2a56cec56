"""One table (Markdown and CSV) and one plot: our figures beside the paper's."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments.paper import BY_NAME, Figure
from experiments.running import Run, folds


@dataclass(frozen=True)
class Row:
    """One figure: ours over the runs, and the paper's."""

    figure: Figure
    values: tuple[float, ...]  # one a run: the mean over its folds
    epoch_seconds: float
    setting: str

    @property
    def mean(self) -> float:
        return float(np.mean(self.values))

    @property
    def deviation(self) -> float | None:
        """Of a single run; None if there is but one."""
        return float(np.std(self.values, ddof=1)) if len(self.values) > 1 else None

    @property
    def reached(self) -> bool:
        """At least the better of the paper's two figures, at their four digits."""
        return round(self.mean, 4) >= self.figure.bar


def rows_of(runs: Sequence[Run]) -> list[Row]:
    """The figures of all experiments that have a run with all its folds."""
    rows = []
    for experiment in BY_NAME.values():
        own = [run for run in runs if run.experiment == experiment.name]
        by_run: dict[int, dict[int, Run]] = {}
        for run in own:
            by_run.setdefault(run.run, {})[run.fold] = run
        complete = [by_run[n] for n in sorted(by_run) if len(by_run[n]) == len(folds(experiment))]
        if not complete:
            continue
        seconds = float(np.median([r.epoch_seconds for one in complete for r in one.values()]))
        for figure in experiment.figures:
            values = tuple(
                float(np.mean([r.values[figure.name] for r in one.values()])) for one in complete
            )
            rows.append(Row(figure, values, seconds, own[0].setting))
    return rows


_HEADER = (
    *("figure (ROC AUC)", "ours", "deviation", "runs", "paper's NeuralLog", "paper's rival"),
    *("at least the better", "s/epoch", "setting"),
)


def _cells(row: Row) -> list[str]:
    figure = row.figure
    deviation = row.deviation
    return [
        figure.name,
        f"{row.mean:.4f}",
        "" if deviation is None else f"{deviation:.4f}",
        str(len(row.values)),
        f"{figure.paper:.4f}",
        f"{figure.rival:.4f} ({figure.rival_name})",
        "yes" if row.reached else "no",
        f"{row.epoch_seconds:.3g}",
        row.setting,
    ]


def markdown(rows: Sequence[Row]) -> str:
    """The table for people."""
    lines = [f"| {' | '.join(_HEADER)} |", "|---|" + "---:|" * 4 + "---|---|---:|---|"]
    lines += [f"| {' | '.join(_cells(row))} |" for row in rows]
    return "\n".join(lines) + "\n"


def comma_separated(rows: Sequence[Row]) -> str:
    """The table for programs."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(_HEADER)
    writer.writerows(_cells(row) for row in rows)
    return stream.getvalue()


def plot(rows: Sequence[Row], files: Sequence[Path]) -> bool:
    """Draw ours with its deviation and the paper's two marks; False without matplotlib."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure as Canvas
    except ImportError:
        return False
    canvas = Canvas(figsize=(8, 1.2 + 0.42 * len(rows)), layout="constrained")
    FigureCanvasAgg(canvas)
    axes = canvas.add_subplot()
    places = np.arange(len(rows))[::-1]
    errors = [row.deviation or 0.0 for row in rows]
    means = [row.mean for row in rows]
    axes.errorbar(means, places, xerr=errors, fmt="o", color="#1f6feb", label="ours", zorder=3)
    paper, rival = ([getattr(r.figure, side) for r in rows] for side in ("paper", "rival"))
    axes.scatter(paper, places, marker="|", s=160, color="#24292f", label="the paper's NeuralLog")
    axes.scatter(rival, places, marker="x", color="#bf5700", label="the paper's rival")
    axes.set_yticks(places, [row.figure.name for row in rows])
    axes.set_xlabel("area under the ROC curve, test examples")
    axes.grid(axis="x", alpha=0.3)
    axes.legend(loc="lower left", fontsize="small")
    for file in files:
        canvas.savefig(file, dpi=130)
    return True


def write(rows: Sequence[Row], out: Path) -> list[Path]:
    """Write table.md, table.csv and, where it can be drawn, plot.svg and plot.png."""
    out.mkdir(parents=True, exist_ok=True)
    files = [out / "table.md", out / "table.csv"]
    files[0].write_text(markdown(rows), encoding="utf-8")
    files[1].write_text(comma_separated(rows), encoding="utf-8")
    pictures = [out / "plot.svg", out / "plot.png"]
    return files + pictures if plot(rows, pictures) else files
