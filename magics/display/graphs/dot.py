"""A picture as DOT source; quoting is left to the `graphviz` package."""

from __future__ import annotations

import html

import graphviz

from neurallog_magics.display.graphs.model import Arrow, Mark, Picture, shorten

FONT = "Helvetica,Arial,sans-serif"
INK, INPUT, OUTPUT, LEARNED, QUIET = "#1f2328", "#0b5cad", "#1a7f37", "#b35900", "#59636e"
FILLS = {INPUT: "#e3eefa", OUTPUT: "#e2f3e6", LEARNED: "#fdf0e1"}
SIGN = "◆"  # before what is learned, so that the colour is not the only sign

MARKS: dict[str, dict[str, str]] = {
    "term": {"shape": "circle"},
    "input": {"shape": "circle", "color": INPUT, "penwidth": "2", "style": "filled"},
    "output": {"shape": "circle", "color": OUTPUT, "peripheries": "2", "style": "filled"},
    "both": {"shape": "circle", "color": INPUT, "peripheries": "2", "style": "filled"},
    "end": {"shape": "circle", "color": OUTPUT, "peripheries": "2", "style": "filled"},
    "joint": {"shape": "point", "width": "0.06"},
    "ground": {"shape": "plaintext", "margin": "0.02"},
    "step": {"shape": "plaintext", "margin": "0.05", "height": "0.3", "width": "0.3"},
    "literal": {"shape": "box", "style": "rounded,filled", "color": INPUT},
    "rule": {"shape": "box", "fontsize": "11"},
    "facts": {"shape": "cylinder"},
    "function": {"shape": "hexagon", "fontsize": "11"},
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
    "flow": {"color": QUIET, "fontcolor": QUIET, "fontsize": "10"},
    "derived": {"color": QUIET, "fontcolor": QUIET},
}
CAPTIONS = {"input": "input", "output": "output", "both": "in, out", "end": "output"}
SPACING = {
    "rule": {"nodesep": "0.45", "ranksep": "0.75"},
    "tree": {"nodesep": "0.3", "ranksep": "0.45"},
    "network": {"nodesep": "0.3", "ranksep": "0.45"},
    "types": {"nodesep": "0.6", "ranksep": "1.6"},
}
ROOMY = {"nodesep": "0.8", "ranksep": "0.7", "pad": "0.1,0.6"}


def dot_source(picture: Picture) -> str:
    """The DOT text of a picture: the same picture gives the same text."""
    graph = graphviz.Digraph(picture.kind)
    spacing = ROOMY if picture.roomy and picture.kind == "rule" else SPACING[picture.kind]
    graph.attr("graph", rankdir=picture.direction, **spacing, **_caption(picture))
    if picture.kind == "tree":
        graph.attr("graph", ordering="out")
    graph.attr("node", fontname=FONT, fontsize="13", color=INK, fontcolor=INK, margin="0.06")
    graph.attr("edge", fontname=FONT, fontsize="12", color=INK, fontcolor=INK, arrowsize="0.7")
    for mark in picture.marks:
        graph.node(mark.id, **_mark(mark))
    for arrow in picture.arrows:
        graph.edge(arrow.start, arrow.end, **_arrow(arrow, picture))
    return graph.source


def _caption(picture: Picture) -> dict[str, str]:
    """The title, remarks, and what was left out, below the picture."""
    said = [shorten(picture.title, 110)] if picture.title else []
    said += [f"• {note}" for note in picture.notes]
    said += [picture.left_out] if picture.left_out else []
    if not picture.roomy and any(p.learned for p in (*picture.marks, *picture.arrows)):
        said.append(f"{SIGN} learned")
    if not said:
        return {"bgcolor": "transparent"}
    return {
        "label": _plain("".join(_escape(line) + "\\l" for line in said)),
        "labelloc": "b",
        "labeljust": "l",
        "fontname": FONT,
        "fontsize": "11",
        "fontcolor": QUIET,
        "bgcolor": "transparent",
    }


def _mark(mark: Mark) -> dict[str, str]:
    looks = dict(MARKS[mark.kind])
    if looks["shape"] == "circle":
        if len(mark.label) > 3:
            looks["shape"] = "ellipse"
        else:
            looks |= {"fixedsize": "true", "width": "0.66" if mark.kind in CAPTIONS else "0.5"}
    if mark.learned:
        looks |= {"color": LEARNED, "fontcolor": LEARNED}
    if "filled" in looks.get("style", ""):
        looks["fillcolor"] = FILLS[looks["color"]]
    classes = f"nl-{mark.kind}{' nl-learned' if mark.learned else ''}"
    return {"label": _label(mark), "id": mark.id, "class": classes, **looks}


def _label(mark: Mark) -> str:
    if mark.kind in CAPTIONS:
        name, *values = map(html.escape, mark.label.split("\n"))
        small = "<br/>".join([CAPTIONS[mark.kind], *values])
        return f'<{name}<br/><font point-size="{9 if not values else 10}">{small}</font>>'
    sign = ("× " if mark.kind == "ground" else "") + (f"{SIGN} " if mark.learned else "")
    return _plain("\\n".join(map(_escape, (sign + mark.label).split("\n"))))


def _arrow(arrow: Arrow, picture: Picture) -> dict[str, str]:
    looks = dict(ARROWS[arrow.kind])
    if arrow.learned:
        looks |= {"color": LEARNED, "fontcolor": LEARNED, "penwidth": "1.6"}
    if picture.kind == "tree":
        looks["dir"] = "none"
    sign = f"{SIGN} " if arrow.learned else ""
    classes = f"nl-{arrow.kind}{' nl-learned' if arrow.learned else ''}"
    text = "\\n".join(f" {_escape(line)} " for line in (sign + arrow.label).split("\n"))
    label = {"label": _plain(text)} if arrow.label else {}
    return {**label, "id": arrow.id, "class": classes, **looks}


def _escape(text: str) -> str:
    """Text that DOT shows as it is: no escape sequence and no entity in it."""
    return text.replace("\\", "\\\\").replace("&", "&amp;")


def _plain(label: str) -> str:
    """A label that is not HTML-like, whatever it begins and ends with."""
    return graphviz.nohtml(label)
