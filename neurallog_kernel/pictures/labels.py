"""The words of a picture: lines with their sizes, and the room that each shape needs for them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from neurallog_kernel.pictures.metrics import LINE, width, wrap
from neurallog_kernel.pictures.model import Arrow, Mark, Picture, shorten

SIGN = "◆"  # before what is learned, so that the colour is not the only sign
ROLES = {"input": "input", "output": "output", "both": "in, out", "end": "output"}
MARK, ARROW, CAPTION = 13.0, 12.0, 11.0
SIZES = {"rule": 11.0, "function": 11.0, "flow": 10.0}
ROLE, VALUE = 9.0, 10.0  # below the name of a term: its role, or its role and its entries
LONGEST = 300  # characters of one remark in the caption
CAP = 2 / 11  # Graphviz's share of a cylinder's height for its lid


@dataclass(frozen=True, slots=True)
class LabelLine:
    """One line of a label."""

    text: str
    size: float


def mark_lines(mark: Mark) -> list[LabelLine]:
    """What stands in a mark."""
    first, *rest = mark.label.split("\n")
    size = SIZES.get(mark.kind, MARK)
    if mark.kind in ROLES:
        small = VALUE if rest else ROLE
        return [
            LabelLine(first, size),
            *(LabelLine(text, small) for text in (ROLES[mark.kind], *rest)),
        ]
    sign = ("× " if mark.kind == "ground" else "") + (f"{SIGN} " if mark.learned else "")
    return [LabelLine(text, size) for text in (sign + first, *rest) if text]


def arrow_lines(arrow: Arrow) -> list[LabelLine]:
    """What stands at an arrow."""
    if not arrow.label:
        return []
    size = SIZES.get(arrow.kind, ARROW)
    sign = f"{SIGN} " if arrow.learned else ""
    return [LabelLine(text, size) for text in (sign + arrow.label).split("\n")]


def caption_lines(picture: Picture, limit: float) -> list[str]:
    """The title, remarks, and what was left out, wrapped to go below the picture."""
    said = [picture.title, *(f"• {note}" for note in picture.notes), picture.left_out]
    if not picture.roomy and any(p.learned for p in (*picture.marks, *picture.arrows)):
        said.append(f"{SIGN} learned")
    return [line for text in said for line in wrap(shorten(text, LONGEST), CAPTION, limit)]


def extent(lines: Sequence[LabelLine]) -> tuple[float, float]:
    """Width and height of a label, in points."""
    widest = max((width(line.text, line.size) for line in lines), default=0.0)
    return widest, sum(LINE * line.size for line in lines)


def beside_arrow(lines: Sequence[LabelLine]) -> tuple[int, int]:
    """The room for a label at an arrow."""
    wide, high = extent(lines)
    return math.ceil(wide + 8), math.ceil(high + 2)


def round_shape(lines: Sequence[LabelLine], least: float) -> tuple[str, float, float]:
    """A circle for a short label or a high one, else an ellipse around it."""
    wide, high = extent(lines)
    across = max(least, math.ceil(math.hypot(wide, high)))
    if across == least or high > wide:
        return "circle", across, across
    return "ellipse", *_whole(wide * math.sqrt(2), high * math.sqrt(2))


def room(shape: str, lines: Sequence[LabelLine]) -> tuple[float, float]:
    """Width and height of a shape around its label, in points."""
    wide, high = extent(lines)
    if shape == "cylinder":
        return _whole(wide + 14, (high + 6) / (1 - CAP))
    if (
        shape == "hexagon"
    ):  # its sides slope from half the width at the top to the whole in the middle
        tall = 1.6 * high
        return _whole((wide + 6) / (1 - high / tall / 2), tall)
    return _whole(wide + 12, high + 8)


def bare(lines: Sequence[LabelLine]) -> tuple[float, float]:
    """The room for a label that has no line around it."""
    wide, high = extent(lines)
    return _whole(max(wide + 4, 18), max(high + 4, 18))


def _whole(wide: float, high: float) -> tuple[float, float]:
    return math.ceil(wide), math.ceil(high)
