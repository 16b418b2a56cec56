"""Explanations in a notebook: a tree that opens and closes."""

from __future__ import annotations

from html import escape

from neurallog_kernel import Explanation, Line
from neurallog_magics.display.style import framed

_OPEN = 3  # levels that are open at first


def explanation_html(explanation: Explanation) -> str:
    """The tree as nested details, which need no script."""
    return framed(f'<div style="{_FONT}">{_node(explanation.lines, 0)}</div>')


def _node(line: Line, level: int) -> str:
    place = f' <span class="nl-quiet">{escape(line.place)}</span>' if line.place else ""
    said = f"{escape(line.text)}{place}"
    if not line.below:
        return f'<div style="{_INDENT}">{said}</div>'
    below = "".join(_node(child, level + 1) for child in line.below)
    shown = " open" if level < _OPEN else ""
    return (
        f'<details{shown} style="{_INDENT}">'
        f'<summary style="cursor:pointer">{said}</summary>{below}</details>'
    )


_FONT = "line-height:1.5;font-family:var(--jp-code-font-family,monospace);font-size:.93em"
_INDENT = "margin-left:1.2em"
