"""Graphviz's SVG made ours: hover text, looks that follow the theme, names for every part."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from importlib.resources import files

from neurallog_magics.display.graphs.dot import dot_source
from neurallog_magics.display.graphs.model import Picture, shorten
from neurallog_magics.display.graphs.render import render

SVG = "http://www.w3.org/2000/svg"
ET.register_namespace("", SVG)
_SHAPES = {f"{{{SVG}}}{name}" for name in ("ellipse", "polygon", "path", "polyline", "text")}
_LOOKS = ("fill", "stroke", "font-family")


def svg(picture: Picture, alone: bool = True) -> str | None:
    """The picture as SVG text; None without Graphviz.

    `alone` is for an image or a file of its own: it has a background and ids. Otherwise it is for
    a page, whose colours it takes and whose ids it leaves alone (`data-id` instead).
    """
    drawn = render(dot_source(picture), "svg")
    if drawn is None:
        return None
    root = ET.fromstring(drawn)
    hovers = {part.id: part.hover for part in (*picture.marks, *picture.arrows)}
    _dress(root, picture, alone)
    for group in root.iter(f"{{{SVG}}}g"):
        _name(group, hovers, picture, alone)
    for shape in root.iter():
        if shape.tag in _SHAPES:
            _plain(shape)
    return ET.tostring(root, encoding="unicode")


def style() -> str:
    """The style sheet that all pictures share."""
    return (files("neurallog_magics") / "display" / "graphs" / "picture.css").read_text("utf-8")


def _dress(root: ET.Element, picture: Picture, alone: bool) -> None:
    root.set("class", "nl-svg nl-alone" if alone else "nl-svg")
    root.set("role", "img")
    root.set("aria-label", shorten(f"{picture.kind} {picture.title}", 200))
    for side in ("width", "height"):  # Graphviz counts in points
        root.set(side, f"{float(root.get(side, '0pt').removesuffix('pt')) * 4 / 3:.0f}")
    if alone:
        sheet = ET.Element(f"{{{SVG}}}style")
        sheet.text = style()
        root.insert(0, sheet)


def _name(group: ET.Element, hovers: dict[str, str], picture: Picture, alone: bool) -> None:
    name = group.get("id", "")
    title = group.find(f"{{{SVG}}}title")
    if group.get("class") == "graph":
        group.attrib.pop("id", None)
        if title is not None:
            title.text = shorten(picture.title or picture.kind, 200)
        return
    group.set("data-id", name)
    if not alone:
        group.attrib.pop("id", None)
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
