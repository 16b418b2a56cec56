"""Curves of a training as SVG: small multiples on a shared axis of epochs, light and dark."""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from neurallog_kernel import format_weight
from neurallog_magics.display.style import framed

_WIDTH, _HEIGHT = 260, 132
_LEFT, _RIGHT, _TOP, _BOTTOM = 54, 10, 24, 22
_POINTS = 400  # at most so many points of a curve are drawn
_COLOURS = ("#4c8bd0", "#d0743c", "#4fa866", "#a36bc0", "#c05b75", "#7a8a3c")
_MOVING = ("starting", "training")
_STAGES = {
    "starting": "Starting TensorFlow; the first time in a kernel this takes some seconds",
    "training": "Training",
    "done": "Trained",
    "interrupted": "Interrupted",
    "stopped": "Stopped by an error",
}


@dataclass(frozen=True)
class Frame:
    """One picture of a training; the last one stays in the notebook."""

    stage: str
    epoch: int
    epochs: int
    batch: int
    batches: int
    seconds: float
    curves: Mapping[str, Sequence[float]]
    settings: str = ""  # what the training was, of the last frame

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
        parts += [
            f"{name} {format_weight(values[-1])}" for name, values in self.curves.items() if values
        ]
        return ", ".join(parts)

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
        parts += self.pictures if self.stage in _MOVING else self._image()
        return framed("".join(parts))

    def _image(self) -> list[str]:
        """The curves of the last frame: an image is shown where inline SVG is not, in a notebook
        that its reader has not run yet."""
        drawn = self._repr_svg_()
        if drawn is None:
            return []
        said = escape(", ".join(self.curves))
        encoded = b64encode(drawn.encode()).decode()
        return [f'<img alt="curves of {said}" src="data:image/svg+xml;base64,{encoded}"/>']

    def _repr_svg_(self) -> str | None:
        """The curves alone, for pages that take no HTML; of the last frame only."""
        if self.stage in _MOVING or not self.pictures:
            return None
        inner = "".join(
            svg.replace("<svg ", f'<svg x="{place * (_WIDTH + 14)}" ', 1)
            for place, svg in enumerate(self.pictures)
        )
        width = len(self.pictures) * (_WIDTH + 14)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_HEIGHT}">'
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
        return [picture(name, lines) for name, lines in groups.items() if any(lines.values())]


def picture(title: str, lines: Mapping[str, Sequence[float]]) -> str:
    """One small plot."""
    finite = [v for values in lines.values() for v in values if math.isfinite(v)]
    if not finite:
        return ""
    low, high = min(finite), max(finite)
    if low == high:
        low, high = low - (abs(low) or 1) * 0.1, high + (abs(high) or 1) * 0.1
    count = max(len(values) for values in lines.values())
    frame = _Frame(low, high, count)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" style="margin:6px 14px 0 0">',
        f"<title>{escape(title)} by epoch</title>",
        *frame.axes(title),
    ]
    for place, (name, values) in enumerate(lines.items()):
        colour = _COLOURS[place % len(_COLOURS)]
        parts.append(frame.curve(values, colour))
        if len(lines) > 1:
            x, y = _LEFT + 4 + 74 * place, _TOP - 8
            parts.append(
                f'<circle cx="{_WIDTH - 150 + x - _LEFT}" cy="{y}" r="3" fill="{colour}"/>'
            )
            parts.append(f'<text x="{_WIDTH - 143 + x - _LEFT}" y="{y + 4}">{escape(name)}</text>')
    parts.append("</svg>")
    return "".join(parts)


@dataclass(frozen=True)
class _Frame:
    """Data to pixels."""

    low: float
    high: float
    count: int

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
        parts.append(f'<text x="{_LEFT}" y="{bottom + 16}">1</text>')
        middle = (_LEFT + right) / 2
        parts.append(f'<text x="{middle:.0f}" y="{bottom + 16}" text-anchor="middle">epoch</text>')
        if self.count > 1:
            parts.append(
                f'<text x="{right}" y="{bottom + 16}" text-anchor="end">{self.count}</text>'
            )
        return parts

    def curve(self, values: Sequence[float], colour: str) -> str:
        step = max(1, math.ceil(len(values) / _POINTS))
        places = sorted({*range(0, len(values), step), len(values) - 1})
        points = [(self.x(i), self.y(values[i])) for i in places if math.isfinite(values[i])]
        if len(points) == 1:
            x, y = points[0]
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>'
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.8"/>'
