"""Curves of a training: alive where scripts may run, else as SVG; light and dark."""

from __future__ import annotations

import json
import math
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape

from neurallog_kernel import format_weight
from neurallog_kernel.pictures.model import shorten
from neurallog_kernel.pictures.page import read, squeezed
from neurallog_magics.display.style import framed

_WIDTH, _HEIGHT = 420, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 12, 30, 24
_STEP = _WIDTH + 14  # from one plot to the next; there are two beside each other
_POINTS = 400  # at most so many points of a curve are drawn
_COLOURS = ("#4c8bd0", "#d0743c", "#4fa866", "#a36bc0", "#c05b75", "#7a8a3c", "#2a9aa8", "#9a7d4b")
_WEIGHTS = "learned weights"
_MOVING = ("starting", "training")
_STAGES = {
    "starting": "Starting TensorFlow; the first time in a kernel this takes some seconds",
    "training": "Training",
    "done": "Trained",
    "interrupted": "Interrupted",
    "stopped": "Stopped by an error",
}


@dataclass(frozen=True)
class TrainingFigure:
    """One picture of a training; the last one stays in the notebook."""

    stage: str
    epoch: int
    epochs: int
    batch: int
    batches: int
    seconds: float
    curves: Mapping[str, Sequence[float]]
    settings: str = ""  # what the training was, of the last frame
    weights: Mapping[str, Sequence[float]] = field(default_factory=dict)  # learned, by epoch

    @property
    def line(self) -> str:
        """Where the training is, in one line."""
        parts = [_STAGES.get(self.stage, self.stage)]
        if self.stage == "done":
            parts[0] += f" {self.epoch} epoch{'' if self.epoch == 1 else 's'}"
        elif self.epochs:
            when = "after" if self.stage == "interrupted" else "at"
            parts[0] += f" {when} epoch {self.epoch} of {self.epochs}"

            if self.stage == "training" and self.batches > 1:
                parts[0] += f", batch {self.batch} of {self.batches}"
        if self.seconds:
            parts.append(f"{self.seconds:.1f} s")
        if self.left is not None:
            parts.append(f"about {self.left:.0f} s to go")
        parts += [
            f"{name} {format_weight(values[-1])}" for name, values in self.curves.items() if values
        ]
        return ", ".join(parts)

    @property
    def left(self) -> float | None:
        """Seconds to go, as the epochs so far took them."""
        if self.stage != "training" or not self.epoch or not self.seconds:
            return None
        return self.seconds * (self.epochs - self.epoch) / self.epoch

    @property
    def advice(self) -> str:
        if self.stage != "interrupted":
            return ""
        left = self.epochs - self.epoch
        more = f" --epochs {left}" if left > 0 else ""
        return f"What was learned is kept. To go on: %neurallog train --resume{more}"

    def __str__(self) -> str:
        return "\n".join(text for text in (self.line, self.settings, self.advice) if text)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        parts = [f'<div class="nl-quiet">{escape(self.line)}</div>']
        if self.settings:
            parts.append(f'<div class="nl-quiet">{escape(self.settings)}</div>')
        if self.stage == "training" and self.epochs:
            done = 100 * min(1.0, self._progress)
            parts.append(
                '<div style="max-width:34em;height:4px;border-radius:2px;margin:.3em 0;'
                'background:var(--nl-line)"><div class="nl-bar" '
                f'style="width:{done:.1f}%;height:4px"></div></div>'
            )
        if self.advice:
            said, colon, command = escape(self.advice).rpartition(": ")
            parts.append(f"<div>{said}{colon}<code>{command}</code></div>")
        if any(self.curves.values()):
            parts.append(self._charts())
        return framed("".join(parts))

    def _charts(self) -> str:
        """Curves that answer to the pointer; where scripts may not run, in a notebook that its
        reader has not run yet, an image of them."""
        encoded = b64encode(self._drawn().encode()).decode()
        said = escape(", ".join(self.curves))
        image = f'<img alt="curves of {said}" src="data:image/svg+xml;base64,{encoded}"/>'
        series = {name: _numbers(values) for name, values in self.curves.items() if len(values)}
        weights = {name: _numbers(values) for name, values in self.weights.items()}
        return scripted(image, {"curves": series, "weights": weights})

    def _repr_svg_(self) -> str | None:
        """The curves alone, for pages that take no HTML; of the last frame only."""
        return None if self.stage in _MOVING or not self.pictures else self._drawn()

    def _drawn(self) -> str:
        inner = "".join(
            svg.replace("<svg ", f'<svg x="{place % 2 * _STEP}" y="{place // 2 * _HEIGHT}" ', 1)
            for place, svg in enumerate(self.pictures)
        )
        count = len(self.pictures)
        width, height = min(count, 2) * _STEP, (count + 1) // 2 * _HEIGHT
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
            f"<style>text{{font:11px sans-serif;fill:#777}}</style>{inner}</svg>"
        )

    @property
    def _progress(self) -> float:
        whole = self.epoch + (self.batch / self.batches if self.batches else 0.0)
        return whole / self.epochs

    @property
    def pictures(self) -> list[str]:
        """One SVG for each name; a curve and its validation curve share one."""
        groups: dict[str, dict[str, Sequence[float]]] = {}
        for name, values in self.curves.items():
            groups.setdefault(name.removeprefix("val_"), {})[name] = values
        drawn = [picture(name, lines) for name, lines in groups.items() if any(lines.values())]
        moving = {name: values for name, values in self.weights.items() if len(values) > 1}
        return [*drawn, picture(_WEIGHTS, moving, 0)] if moving else drawn


def _numbers(values: Sequence[float]) -> list[float | None]:
    """Numbers that JSON has, of many curves' points not more than are drawn."""
    return [float(f"{v:.5g}") if math.isfinite(v) else None for v in values]


def scripted(image: str, state: Mapping[str, Mapping[str, list[float | None]]]) -> str:
    """A place in the page that our script fills with curves; until then it has the image."""
    content = json.dumps(state).replace("<", "\\u003c")
    # the name says what is drawn and not how it went: last digits differ between machines
    form = [(kind, [(n, len(v)) for n, v in series.items()]) for kind, series in state.items()]
    name = f"nl-{sha256(repr(form).encode()).hexdigest()[:12]}"
    return (
        f'<div class="nl-curves {name}">{image}</div>'
        f"<style>{squeezed(read('training/charts.css'))}</style>"
        f"<script>(() => {{\n{squeezed(read('explorer/shapes.js', 'training/charts.js'))}\n"
        f"const state = {content};\n"
        f'for (const place of document.querySelectorAll(".{name}:not([data-drawn])")) {{\n'
        '  place.dataset.drawn = "yes";\n  place.classList.add("nlx-charts");\n'
        "  drawCurves(place, state);\n}\n"
        "})();</script>"
    )


def picture(title: str, lines: Mapping[str, Sequence[float]], first: int = 1) -> str:
    """One plot; `first` is the epoch of the first point."""
    finite = [v for values in lines.values() for v in values if math.isfinite(v)]
    if not finite:
        return ""
    low, high = min(finite), max(finite)
    if low == high:
        low, high = low - (abs(low) or 1) * 0.1, high + (abs(high) or 1) * 0.1
    count = max(len(values) for values in lines.values())
    frame = _Frame(low, high, count, first)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" style="margin:6px 14px 0 0">',
        f"<title>{escape(title)} by epoch</title>",
        *frame.axes(title),
    ]
    for place, (name, values) in enumerate(lines.items()):
        colour = _COLOURS[place % len(_COLOURS)]
        parts.append(frame.curve(values, colour, name.startswith("val_")))
        if 1 < len(lines) <= 3:
            x, y = _WIDTH - 110 * (len(lines) - place), _TOP - 8
            parts.append(f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>')
            parts.append(f'<text x="{x + 7}" y="{y + 4}">{escape(shorten(name, 16))}</text>')
    parts.append("</svg>")
    return "".join(parts)


@dataclass(frozen=True)
class _Frame:
    """Data to pixels."""

    low: float
    high: float
    count: int
    first: int = 1

    def x(self, place: int) -> float:
        span = max(1, self.count - 1)
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * place / span

    def y(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * share

    def axes(self, title: str) -> list[str]:
        bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
        parts = [f'<text x="{_LEFT}" y="{_TOP - 8}" style="font-weight:600">{escape(title)}</text>']
        for value in (self.low, (self.low + self.high) / 2, self.high):
            y = self.y(value)
            parts.append(
                f'<line x1="{_LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" '
                'style="stroke:#8885"/>'  # faint on light paper and on dark, also in an image
            )
            parts.append(
                f'<text x="{_LEFT - 5}" y="{y + 4:.1f}" text-anchor="end">{value:.3g}</text>'
            )
        parts.append(f'<text x="{_LEFT}" y="{bottom + 16}">{self.first}</text>')
        middle = (_LEFT + right) / 2
        parts.append(f'<text x="{middle:.0f}" y="{bottom + 16}" text-anchor="middle">epoch</text>')
        if self.count > 1:
            last = self.count + self.first - 1
            parts.append(f'<text x="{right}" y="{bottom + 16}" text-anchor="end">{last}</text>')
        return parts

    def curve(self, values: Sequence[float], colour: str, dashed: bool = False) -> str:
        step = max(1, math.ceil(len(values) / _POINTS))
        places = sorted({*range(0, len(values), step), len(values) - 1})
        points = [(self.x(i), self.y(values[i])) for i in places if math.isfinite(values[i])]
        if len(points) == 1:
            x, y = points[0]
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>'
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dash = ' stroke-dasharray="6 4"' if dashed else ""
        return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'
