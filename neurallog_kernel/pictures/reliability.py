"""The reliability plot: what was said against what is so, as SVG in the colours of the page."""

from __future__ import annotations

from html import escape

from neurallog_kernel.learning.figures.reliability import Reliability, TargetReliability

_SIDE, _LEFT, _TOP, _RIGHT, _BOTTOM = 200, 44, 26, 16, 66
_BARS = 26  # height of the counts below
_WIDTH, _HEIGHT = _LEFT + _SIDE + _RIGHT, _TOP + _SIDE + _BOTTOM
_INK, _LINE = "var(--nl-faint,#656d76)", "var(--nl-line,#d8dee4)"
_BLUE, _ORANGE = "var(--nl-bar,#4c8bd0)", "var(--nl-less,#d0743c)"


def reliability_svg(found: Reliability) -> str:
    """One plot a target, beside each other; counts of examples are bars below."""
    plots = [_plot(target, number * _WIDTH) for number, target in enumerate(found.targets)]
    width = _WIDTH * len(plots)
    named = escape(f"reliability on the set {found.set}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_HEIGHT}" '
        f'viewBox="0 0 {width} {_HEIGHT}" font-family="system-ui,sans-serif" font-size="11" '
        f'role="img" aria-label="{named}">{"".join(plots)}</svg>'
    )


def _plot(target: TargetReliability, left: int) -> str:
    most = max(one.examples for one in target.bins)
    parts = [_axes(target.name)]
    points = []
    for one in target.bins:
        x, y = _x(one.probability), _y(one.true)
        points.append(f"{x:.1f},{y:.1f}")
        height = max(1.0, _BARS * one.examples / most)
        low, wide = _x(one.low), _x(one.high) - _x(one.low)
        base = _TOP + _SIDE + 20 + _BARS
        said = escape(
            f"said {one.probability:.3f}, is true {one.true:.3f}, {one.examples:,} examples"
        )
        parts.append(
            f'<rect x="{low + 0.5:.1f}" y="{base - height:.1f}" width="{max(wide - 1, 0.5):.1f}" '
            f'height="{height:.1f}" fill="{_BLUE}" opacity="0.45"><title>{said}</title></rect>'
            f'<line x1="{x:.1f}" y1="{_y(one.probability):.1f}" x2="{x:.1f}" y2="{y:.1f}" '
            f'stroke="{_ORANGE}" stroke-width="2"/>'
        )
    parts.append(
        f'<polyline points="{" ".join(points)}" fill="none" stroke="{_BLUE}" stroke-width="1.5"/>'
    )
    parts += [
        f'<circle cx="{point.split(",")[0]}" cy="{point.split(",")[1]}" r="3.2" fill="{_BLUE}"/>'
        for point in points
    ]
    return f'<g transform="translate({left},0)">{"".join(parts)}</g>'


def _axes(name: str) -> str:
    low, high = _TOP + _SIDE, _TOP
    parts = [
        f'<text x="{_LEFT}" y="16" fill="{_INK}" font-weight="600">{escape(name)}</text>',
        f'<line x1="{_LEFT}" y1="{low}" x2="{_LEFT + _SIDE}" y2="{high}" stroke="{_INK}" '
        'stroke-dasharray="3 4"/>',
        f'<rect x="{_LEFT}" y="{high}" width="{_SIDE}" height="{_SIDE}" fill="none" '
        f'stroke="{_LINE}"/>',
    ]
    for value in (0.0, 0.5, 1.0):
        parts.append(
            f'<text x="{_x(value):.0f}" y="{low + 14}" text-anchor="middle" fill="{_INK}">'
            f"{value:g}</text>"
            f'<text x="{_LEFT - 6}" y="{_y(value) + 4:.0f}" text-anchor="end" fill="{_INK}">'
            f"{value:g}</text>"
        )
    middle = _TOP + _SIDE // 2
    parts.append(
        f'<text x="{_LEFT + _SIDE // 2}" y="{_HEIGHT - 6}" text-anchor="middle" fill="{_INK}">'
        "what is said, and how often</text>"
        f'<text transform="translate(12,{middle}) rotate(-90)" text-anchor="middle" '
        f'fill="{_INK}">what is true</text>'
    )
    return "".join(parts)


def _x(value: float) -> float:
    return _LEFT + _SIDE * value


def _y(value: float) -> float:
    return _TOP + _SIDE * (1 - value)
