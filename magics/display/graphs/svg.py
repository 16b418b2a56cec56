"""Graphviz's SVG made ours: hover text, looks that follow the theme, names for every part."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from functools import cache
from importlib.resources import files

from neurallog_magics.display.graphs.dot import dot_source
from neurallog_magics.display.graphs.model import Picture, shorten
from neurallog_magics.display.graphs.render import render

SVG = "http://www.w3.org/2000/svg"
ET.register_namespace("", SVG)
_SHAPES = {f"{{{SVG}}}{name}" for name in ("ellipse", "polygon", "path", "polyline", "text")}
_LOOKS = ("fill", "stroke", "font-family")
_ALONE = "nl-svg nl-alone"


def svg(picture: Picture) -> str | None:
    """The picture as the text of an SVG file with a background of its own; None without Graphviz.

    Every part has its name in `data-id`: ids would clash when a page holds several pictures.
    """
    drawn = render(dot_source(picture), "svg")
    if drawn is None:
        return None
    root = ET.fromstring(drawn)
    hovers = {part.id: part.hover for part in (*picture.marks, *picture.arrows)}
    _dress(root, picture)
    for group in root.iter(f"{{{SVG}}}g"):
        _name(group, hovers, picture)
    for shape in root.iter():
        if shape.tag in _SHAPES:
            _plain(shape)
    return ET.tostring(root, encoding="unicode")


def inline(text: str) -> str:
    """The same picture for a page, whose colours it takes."""
    return text.replace(f'class="{_ALONE}"', 'class="nl-svg"', 1)


@cache
def style() -> str:
    """The style sheet that all pictures share."""
    return (files("neurallog_magics") / "display" / "graphs" / "picture.css").read_text("utf-8")


def _dress(root: ET.Element, picture: Picture) -> None:
    root.set("class", _ALONE)
    root.set("role", "img")
    root.set("aria-label", shorten(f"{picture.kind} {picture.title}", 200))
    for side in ("width", "height"):  # Graphviz counts in points
        root.set(side, f"{float(root.get(side, '0pt').removesuffix('pt')) * 4 / 3:.0f}")
    sheet = ET.Element(f"{{{SVG}}}style")
    sheet.text = style()
    root.insert(0, sheet)


def _name(group: ET.Element, hovers: dict[str, str], picture: Picture) -> None:
    name = group.attrib.pop("id", "")
    title = group.find(f"{{{SVG}}}title")
    if group.get("class") == "graph":
        if title is not None:
            title.text = shorten(picture.title or picture.kind, 200)
        return
    group.set("data-id", name)
    if title is not None:
        title.text = hovers.get(name, "")
        if not title.text:
            group.remove(title)


def _plain(shape: ET.Element) -> None:
    """Take the colours of paper out: the style sheet gives those of the theme."""
    dashed = shape.get("stroke-dasharray")
    invisible = shape.get("stroke") in ("none", "transparent") and shape.get("fill") == "none"
    empty = shape.get("fill") in ("none", "transparent")
    for look in _LOOKS:
        shape.attrib.pop(look, None)
    if dashed:
        shape.set("stroke-dasharray", dashed)
    if empty and not shape.tag.endswith("text"):
        shape.set("class", "nl-gone" if invisible else "nl-open")
