"""Graphviz's places made a picture: our words in them, hover text, looks that follow the theme."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from neurallog_kernel.pictures.dot import CAPTION_WIDTH, dot_source
from neurallog_kernel.pictures.labels import (
    CAP,
    CAPTION,
    LabelLine,
    arrow_lines,
    caption_lines,
    extent,
    mark_lines,
)
from neurallog_kernel.pictures.metrics import LINE, width
from neurallog_kernel.pictures.model import Arrow, Mark, Picture, shorten
from neurallog_kernel.pictures.render import render

SVG = "http://www.w3.org/2000/svg"
ET.register_namespace("", SVG)
_SHAPES = {f"{{{SVG}}}{name}" for name in ("ellipse", "polygon", "path", "polyline")}
_LOOKS = ("fill", "stroke")
_ALONE = "nl-svg nl-alone"
_BASELINE = 0.36  # of the size: how far below the middle of a line its letters stand
_PAD = 4.0  # Graphviz's own, around everything


def svg(picture: Picture) -> str | None:
    """The picture as the text of an SVG file with a background of its own; None without Graphviz.

    Every part has its name in `data-id`: ids would clash when a page holds several pictures.
    """
    drawn = render(dot_source(picture, words=False), "svg")
    if drawn is None:
        return None
    root = ET.fromstring(drawn)
    parts = {part.id: part for part in (*picture.marks, *picture.arrows)}
    for group in root.iter(f"{{{SVG}}}g"):
        if group.get("class") == "graph":
            _name_whole(group, picture)
            _write_caption(root, group, picture)
        else:
            _name(group, parts[group.attrib.pop("id")])
    _outer_loops_first(root, picture)
    _dress(root, picture)
    for shape in root.iter():
        if shape.tag in _SHAPES:
            _plain(shape)
    return ET.tostring(root, encoding="unicode")


def inline(text: str) -> str:
    """The same picture for a page, whose colours it takes."""
    return text.replace(f'class="{_ALONE}"', 'class="nl-svg"', 1)


def bare(text: str) -> str:
    """The same picture without its style sheet, where a page has that once."""
    return re.sub(r"\s*<style>.*?</style>", "", text, count=1, flags=re.DOTALL)


@cache
def style() -> str:
    """The style sheet that all pictures share."""
    return (files("neurallog_kernel.pictures") / "picture.css").read_text("utf-8")


def _dress(root: ET.Element, picture: Picture) -> None:
    root.set("class", _ALONE)
    root.set("role", "img")
    root.set("aria-label", shorten(f"{picture.kind} {picture.title}", 200))
    sheet = ET.Element(f"{{{SVG}}}style")
    sheet.text = style()
    root.insert(0, sheet)


# -- parts ----------------------------------------------------------------------------------------


def _name_whole(group: ET.Element, picture: Picture) -> None:
    del group.attrib["id"]
    title = group.find(f"{{{SVG}}}title")
    if title is not None:
        title.text = shorten(picture.title or picture.kind, 200)


def _name(group: ET.Element, part: Mark | Arrow) -> None:
    group.set("data-id", part.id)
    title = group.find(f"{{{SVG}}}title")
    if title is not None:
        title.text = part.hover
        if not part.hover:
            group.remove(title)
    if isinstance(part, Mark):
        _write(group, mark_lines(part), *_middle(group, part))
    elif part.label:
        room = group.findall(f"{{{SVG}}}polygon")[-1]  # after the head of the arrow
        _write(group, arrow_lines(part), *_centre(room))


def _middle(group: ET.Element, mark: Mark) -> tuple[float, float]:
    """Where the label of a mark has its middle: below the lid of a cylinder."""
    shape = next(element for element in group if element.tag in _SHAPES)
    x, y = _centre(shape)
    if mark.kind == "facts":
        low, high = _sides(shape, 1)
        y += (high - low) * CAP / 2
    return x, y


def _centre(shape: ET.Element) -> tuple[float, float]:
    if shape.tag == f"{{{SVG}}}ellipse":
        return float(shape.get("cx", "0")), float(shape.get("cy", "0"))
    (left, right), (top, bottom) = _sides(shape, 0), _sides(shape, 1)
    return (left + right) / 2, (top + bottom) / 2


def _sides(shape: ET.Element, axis: int) -> tuple[float, float]:
    """The least and the greatest x (0) or y (1) of what draws a polygon or a path."""
    drawn = re.findall(r"-?[\d.]+", shape.get("points") or shape.get("d") or "")
    found = [float(number) for number in drawn[axis::2]]
    return min(found), max(found)


def _outer_loops_first(root: ET.Element, picture: Picture) -> None:
    """Graphviz draws a term's inner loop first, and the outer ones would cross out its words."""
    whole = root.find(f"{{{SVG}}}g")
    assert whole is not None
    terms = {arrow.id: arrow.start for arrow in picture.arrows if arrow.start == arrow.end}
    places: dict[str, list[int]] = {}
    for place, group in enumerate(whole):
        term = terms.get(group.get("data-id", ""))
        if term is not None:
            places.setdefault(term, []).append(place)
    drawn = list(whole)
    for loops in places.values():
        for place, other in zip(loops, reversed(loops), strict=True):
            whole[place] = drawn[other]


# -- words ----------------------------------------------------------------------------------------


def _write(group: ET.Element, lines: Iterable[LabelLine], x: float, y: float) -> None:
    """Lines around a middle."""
    lines = list(lines)
    top = y - extent(lines)[1] / 2
    for line in lines:
        middle = top + LINE * line.size / 2
        _text(group, line, x, middle + _BASELINE * line.size, "middle")
        top += LINE * line.size


def _text(group: ET.Element, line: LabelLine, x: float, y: float, anchor: str) -> None:
    looks = {"text-anchor": anchor, "x": f"{x:.2f}", "y": f"{y:.2f}", "font-size": f"{line.size:g}"}
    ET.SubElement(group, f"{{{SVG}}}text", looks).text = line.text


def _write_caption(root: ET.Element, group: ET.Element, picture: Picture) -> None:
    """The caption below, as wide as the picture or a few words, and the size of the whole."""
    left, top, wide, high = map(float, root.get("viewBox", "").split())
    lines = caption_lines(picture, max(wide - 2 * _PAD, CAPTION_WIDTH))
    for place, text in enumerate(lines, start=1):
        _text(group, LabelLine(text, CAPTION), 0, _PAD + place * LINE * CAPTION, "start")
    if lines:
        wide = max(wide, *(width(text, CAPTION) + 2 * _PAD for text in lines))
        high += _PAD + len(lines) * LINE * CAPTION
    size = math.ceil(wide), math.ceil(high)
    root.set("viewBox", f"{left:g} {top:g} {size[0]} {size[1]}")
    for side, points in zip(("width", "height"), size, strict=True):  # Graphviz counts in points
        root.set(side, f"{points * 4 / 3:.0f}")


def _plain(shape: ET.Element) -> None:
    """Take the colours of paper out: the style sheet gives those of the theme."""
    dashed = shape.get("stroke-dasharray")
    invisible = shape.get("stroke") in ("none", "transparent") and shape.get("fill") == "none"
    empty = shape.get("fill") in ("none", "transparent")
    for look in _LOOKS:
        shape.attrib.pop(look, None)
    if dashed:
        shape.set("stroke-dasharray", dashed)
    if empty:
        shape.set("class", "nl-gone" if invisible else "nl-open")
