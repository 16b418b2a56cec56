"""A picture as DOT source; quoting is left to the `graphviz` package.

Every mark and every label has a size that was measured here: Graphviz places them, and does not ask
which fonts the machine has.
"""

from __future__ import annotations

import html

import graphviz

from neurallog_kernel.pictures.labels import (
    ARROW,
    CAPTION,
    MARK,
    ROLES,
    SIZES,
    LabelLine,
    arrow_lines,
    bare,
    beside_arrow,
    caption_lines,
    mark_lines,
    room,
    round_shape,
)
from neurallog_kernel.pictures.metrics import FAMILY
from neurallog_kernel.pictures.model import Arrow, Mark, Picture

FONT = f"{FAMILY},Helvetica,Arial,sans-serif"
INK, INPUT, OUTPUT, LEARNED, QUIET = "#1f2328", "#0b5cad", "#1a7f37", "#b35900", "#59636e"
FILLS = {INPUT: "#e3eefa", OUTPUT: "#e2f3e6", LEARNED: "#fdf0e1"}
NO_LINE = {"shape": "box", "color": "transparent"}
CAPTION_WIDTH = 360.0  # points, where the picture itself is not wider

MARKS: dict[str, dict[str, str]] = {
    "term": {"shape": "circle"},
    "input": {"shape": "circle", "color": INPUT, "penwidth": "2", "style": "filled"},
    "output": {"shape": "circle", "color": OUTPUT, "peripheries": "2", "style": "filled"},
    "both": {"shape": "circle", "color": INPUT, "peripheries": "2", "style": "filled"},
    "end": {"shape": "circle", "color": OUTPUT, "peripheries": "2", "style": "filled"},
    "joint": {"shape": "point"},
    "ground": NO_LINE,
    "step": NO_LINE,
    "literal": {"shape": "box", "style": "rounded,filled", "color": INPUT},
    "rule": {"shape": "box"},
    "facts": {"shape": "cylinder"},
    "function": {"shape": "hexagon"},
    "beyond": {"shape": "box", "style": "dashed", "color": QUIET, "fontcolor": QUIET},
    "type": {"shape": "box", "style": "rounded,filled", "color": INPUT},
}
ARROWS: dict[str, dict[str, str]] = {
    "literal": {},
    "function": {"style": "dotted"},
    "loop": {},
    "any": {"style": "dashed", "color": QUIET, "fontcolor": QUIET},
    "part": {"dir": "none"},
    "beside": {"style": "dotted", "dir": "none", "color": QUIET},
    "flow": {"color": QUIET, "fontcolor": QUIET},
    "derived": {"color": QUIET, "fontcolor": QUIET},
}
SPACING = {
    "rule": {"nodesep": "0.45", "ranksep": "0.75"},
    "tree": {"nodesep": "0.3", "ranksep": "0.45"},
    "network": {"nodesep": "0.3", "ranksep": "0.45"},
    "types": {"nodesep": "0.6", "ranksep": "1.6"},
}
ROOMY = {"nodesep": "0.8", "ranksep": "0.7", "pad": "0.1,0.6"}


def dot_source(picture: Picture, words: bool = True) -> str:
    """The DOT text of a picture: the same picture gives the same text.

    Without the words the places are the same, and Graphviz has no text to measure.
    """
    graph = graphviz.Digraph(picture.kind)
    spacing = ROOMY if picture.roomy and picture.kind == "rule" else SPACING[picture.kind]
    caption = _caption(picture) if words else {}
    graph.attr("graph", rankdir=picture.direction, bgcolor="transparent", **spacing, **caption)
    if picture.kind == "tree":
        graph.attr("graph", ordering="out")
    font = {"fontname": FONT, "color": INK, "fontcolor": INK}
    graph.attr("node", fontsize=f"{MARK:g}", margin="0", fixedsize="true", **font)
    graph.attr("edge", fontsize=f"{ARROW:g}", arrowsize="0.7", **font)
    for mark in picture.marks:
        graph.node(mark.id, **_mark(mark, words))
    for arrow in picture.arrows:
        graph.edge(arrow.start, arrow.end, **_arrow(arrow, picture, words))
    return graph.source


def _caption(picture: Picture) -> dict[str, str]:
    lines = caption_lines(picture, CAPTION_WIDTH)
    if not lines:
        return {}
    return {
        "label": _plain("".join(_escape(line) + "\\l" for line in lines)),
        "labelloc": "b",
        "labeljust": "l",
        "fontname": FONT,
        "fontsize": f"{CAPTION:g}",
        "fontcolor": QUIET,
    }


def _mark(mark: Mark, words: bool) -> dict[str, str]:
    looks = dict(MARKS[mark.kind])
    lines = mark_lines(mark)
    if mark.kind == "joint":
        size = 4.3, 4.3
    elif looks["shape"] == "circle":
        looks["shape"], *size = round_shape(lines, 48 if mark.kind in ROLES else 36)
    else:
        size = bare(lines) if MARKS[mark.kind] is NO_LINE else room(looks["shape"], lines)
    if mark.learned:
        looks["fontcolor"] = LEARNED
        if MARKS[mark.kind] is not NO_LINE:
            looks["color"] = LEARNED
    if "filled" in looks.get("style", ""):
        looks["fillcolor"] = FILLS[looks["color"]]
    if mark.kind in SIZES:
        looks["fontsize"] = f"{SIZES[mark.kind]:g}"
    looks |= {"width": _inches(size[0]), "height": _inches(size[1])}
    classes = f"nl-{mark.kind}{' nl-learned' if mark.learned else ''}"
    label = _label(mark, lines) if words else ""
    return {"label": label, "id": mark.id, "class": classes, **looks}


def _label(mark: Mark, lines: list[LabelLine]) -> str:
    if mark.kind in ROLES:
        name, *small = (html.escape(line.text) for line in lines)
        return f'<{name}<br/><font point-size="{lines[1].size:g}">{"<br/>".join(small)}</font>>'
    return _plain("\\n".join(_escape(line.text) for line in lines))


def _arrow(arrow: Arrow, picture: Picture, words: bool) -> dict[str, str]:
    looks = dict(ARROWS[arrow.kind])
    if arrow.learned:
        looks |= {"color": LEARNED, "fontcolor": LEARNED, "penwidth": "1.6"}
    if picture.kind == "tree":
        looks["dir"] = "none"
    if arrow.kind in SIZES:
        looks["fontsize"] = f"{SIZES[arrow.kind]:g}"
    classes = f"nl-{arrow.kind}{' nl-learned' if arrow.learned else ''}"
    lines = arrow_lines(arrow)
    label = {"label": _cell(lines, words)} if lines else {}
    return {**label, "id": arrow.id, "class": classes, **looks}


def _cell(lines: list[LabelLine], words: bool) -> str:
    """An HTML-like table of one cell: the only label whose size can be given."""
    wide, high = beside_arrow(lines)
    said = "<br/>".join(html.escape(line.text) for line in lines) if words else ""
    return (
        '<<table border="0" cellborder="0" cellspacing="0" cellpadding="0"><tr>'
        f'<td fixedsize="true" width="{wide}" height="{high}" bgcolor="transparent">{said}</td>'
        "</tr></table>>"
    )


def _inches(points: float) -> str:
    return f"{points / 72:.3f}"


def _escape(text: str) -> str:
    """Text that DOT shows as it is: no escape sequence and no entity in it."""
    return text.replace("\\", "\\\\").replace("&", "&amp;")


def _plain(label: str) -> str:
    """A label that is not HTML-like, whatever it begins and ends with."""
    return graphviz.nohtml(label)
