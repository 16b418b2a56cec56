"""Explanations in a notebook: numbers in a column, share bars, coloured names, places to click."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from math import isfinite

from neurallog_kernel import Explanation, Line, format_weight
from neurallog_magics.display.colours import coloured
from neurallog_magics.display.style import framed

_OPEN = 3  # levels that are open at first
_NAMED = re.compile(r"(.+):(\d+)")
_PLACE = re.compile(r"cell:([A-Za-z0-9_-]+)(?:\+\d+)?:(\d+)")


def explanation_html(explanation: Explanation, owners: Mapping[str, str] | None = None) -> str:
    """The tree as nested details, which need no script. `owners` says which cells have sources
    that they name themselves."""
    line = explanation.lines
    tree = _node(line, 0, _full_bar(0.0, (line,)), owners or {})
    return framed(f'<div class="nl-why">{tree}</div>', "why")


def _full_bar(above: float, lines: Sequence[Line]) -> float:
    """The value of a full bar: that of the parts above, unless one of these is greater, as the
    inputs of a function may be."""
    values = [abs(line.value) for line in lines if line.value is not None and isfinite(line.value)]
    return max(above, *values) if values else above


def _node(line: Line, level: int, whole: float, owners: Mapping[str, str]) -> str:
    said = _row(line, level, whole, owners)
    if not line.below:
        return f'<div class="nl-leaf">{said}</div>'
    full = _full_bar(whole, line.below)
    below = "".join(_node(child, level + 1, full, owners) for child in line.below)
    shown = " open" if level < _OPEN else ""
    told = f'<div class="nl-say"{_indent(level + 1)}>{escape(line.say)}</div>' if line.say else ""
    return f"<details{shown}><summary>{said}</summary>{told}{below}</details>"


def _indent(level: int) -> str:
    """Only the words move to the right: numbers and bars stay in their columns."""
    return f' style="padding-left:{1.2 * level:g}em"' if level else ""


def _row(line: Line, level: int, whole: float, owners: Mapping[str, str]) -> str:
    """Number, share, what it is, and where that stands."""
    number = "" if line.value is None else format_weight(line.value)
    bar = _bar(float("nan") if line.value is None else line.value, whole)
    return (
        f'<span class="nl-part"><span class="nl-number">{number}</span>{bar}'
        f'<span class="nl-label"{_indent(level)}>{_said(line.label(number))}</span>'
        f"{_place(line.place, owners)}</span>"
    )


def _said(label: str) -> str:
    """Program text in its colours; a remark after it is prose."""
    text, _, remark = label.partition("  (")
    return coloured(text) + (f'  <span class="nl-c">({escape(remark)}</span>' if remark else "")


def _bar(value: float, whole: float) -> str:
    if value != value or not whole:
        return '<span class="nl-share"></span>'
    width = min(100.0, 100 * abs(value) / whole)  # an infinite value
    sign = " nl-negative" if value < 0 else ""
    bar = f'<span class="nl-bar{sign}" style="width:{width:.1f}%"></span>'
    return f'<span class="nl-share">{bar}</span>'


def _place(place: str, owners: Mapping[str, str]) -> str:
    """Where a part is written; a cell of the notebook can be clicked."""
    if not place:
        return ""
    parts = []
    for one in place.split(", "):
        found = _PLACE.fullmatch(one) or _NAMED.fullmatch(one)
        cell = found and (owners.get(found[1]) if found.re is _NAMED else found[1])
        where = f' data-nl-go="{escape(cell)}" data-nl-line="{found[2]}"' if found and cell else ""
        parts.append(f'<span class="nl-place"{where}>{escape(one)}</span>')
    return f'<span class="nl-places">{" ".join(parts)}</span>'
