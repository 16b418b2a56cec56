"""One picture: every figure against its target, and how costs grow."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from benchmarks.fitting import large_half
from benchmarks.report import shown, target_text
from benchmarks.results import Result, Run

GOOD, BAD, PLAIN = "#1a7f37", "#cf222e", "#57606a"
COLUMNS = 4


def draw(run: Run, file: Path) -> bool:
    """Write the picture; False without matplotlib or without anything to draw."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        return False
    judged = [one for one in run.results if _margin(one) is not None]
    curves = [one for one in run.results if one.figure and one.figure.growth]
    if not judged and not curves:
        return False
    lines = math.ceil(len(curves) / COLUMNS)
    heights = [0.9 + 0.27 * len(judged), 2.5 * lines]
    with matplotlib.rc_context(
        {"svg.fonttype": "none", "font.size": 9, "svg.hashsalt": "neurallog"}
    ):
        canvas = Figure(figsize=(12, sum(heights) + 0.6), layout="constrained", facecolor="white")
        above, below = canvas.subfigures(2, 1, height_ratios=[max(h, 0.1) for h in heights])
        if judged:
            _margins(above, judged)
        if curves:
            _curves(below, curves, lines)
        canvas.savefig(file, metadata={"Date": None})
    return True


def _margin(result: Result) -> float | None:
    """How many times past its target a figure is; None where it has none, or is an exponent."""
    target, figure = result.row.target, result.figure
    if target is None or figure is None or figure.growth or figure.value <= 0:
        return None
    return figure.value / target.value if target.at_least else target.value / figure.value


def _margins(area: Any, judged: list[Result]) -> None:
    axes = area.subplots()
    places = list(range(len(judged)))[::-1]
    margins = [_margin(one) or 1.0 for one in judged]
    colours = [GOOD if one.verdict == "pass" else BAD for one in judged]
    axes.hlines(places, 1, margins, color=colours, linewidth=2)
    axes.scatter(margins, places, color=colours, zorder=3)
    axes.axvline(1, color=PLAIN, linewidth=1)
    axes.set_xscale("log")
    low, high = min(*margins, 0.5), max(*margins, 2.0)
    axes.set_xlim(low / 1.5, high * 12)
    for place, margin, one in zip(places, margins, judged, strict=True):
        assert one.figure is not None
        text = f"{shown(one.figure)}  ({target_text(one)})"
        axes.annotate(
            text,
            (max(margin, 1.0), place),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
            color="#24292f",
        )
    axes.set_yticks(places, [one.row.name for one in judged])
    axes.set_ylim(-0.8, len(judged) - 0.2)
    axes.set_xlabel("times past the target; left of the line is short")
    axes.grid(axis="x", alpha=0.25)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)


def _curves(area: Any, curves: list[Result], lines: int) -> None:
    grid = area.subplots(lines, COLUMNS, squeeze=False)
    for axes in grid.flat[len(curves) :]:
        axes.set_visible(False)
    for axes, one in zip(grid.flat, curves, strict=False):
        _curve(axes, one)


def _curve(axes: Any, one: Result) -> None:
    assert one.figure is not None and one.figure.growth is not None
    growth, target = one.figure.growth, one.row.target
    memory = one.row.name.endswith("-memory")
    scale = 1e-6 if memory else 1e3
    axes.loglog(growth.sizes, [c * scale for c in growth.costs], "o", color=PLAIN, markersize=4)
    large = growth.sizes[-large_half(len(growth.sizes)) :]
    colour = GOOD if one.verdict == "pass" else BAD
    axes.loglog(large, [growth.at(s) * scale for s in large], color=colour, linewidth=1.5)
    wanted = f" (≤ {target.value:g})" if target else ""
    axes.set_title(one.row.name.removeprefix("growth-"), fontsize=9, loc="left")
    axes.text(
        0.04,
        0.93,
        f"{growth.exponent:.2f} ± {growth.error:.2f}{wanted}",
        transform=axes.transAxes,
        va="top",
        fontsize=8,
        color=colour,
    )
    bottom, top = axes.get_ylim()
    axes.set_ylim(min(bottom, top / 30), top * 3)  # a flat curve is not drawn as noise
    axes.set_ylabel("MB" if memory else "ms", fontsize=8)
    axes.tick_params(labelsize=7)
    axes.grid(alpha=0.2)
