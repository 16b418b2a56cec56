"""What stays in a saved notebook: the explorer's last state as a picture without life."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from neurallog_kernel.pictures.drawing import page
from neurallog_kernel.pictures.svg import SVG

_TAGS = {
    f"{{{SVG}}}{name}"
    for name in (
        *("svg", "g", "title", "text", "tspan", "style"),
        *("path", "polygon", "polyline", "ellipse", "rect", "line"),
    )
}
LARGEST = 2_000_000  # characters of a picture that the browser may send back


def harmless(text: str) -> str | None:
    """The SVG with nothing in it but shapes and text; None if it is something else."""
    if len(text) > LARGEST:
        return None
    try:
        root = ET.fromstring(text)
    except ET.ParseError:
        return None
    for element in root.iter():
        if element.tag not in _TAGS:
            return None
        for name, value in list(element.attrib.items()):
            bad = name.lower().startswith("on") or "href" in name.lower()
            if bad or "url(" in value.lower() or "javascript:" in value.lower():
                del element.attrib[name]
        if element.tag.endswith("}style") and _reaches_out(element.text or ""):
            element.text = ""
    return ET.tostring(root, encoding="unicode")


def _reaches_out(sheet: str) -> bool:
    return "url(" in sheet.lower() or "@import" in sheet.lower() or "<" in sheet


def bundle(drawn: str | None, text: str, name: str) -> dict[str, str]:
    """The output beside the live one. It is hidden while the explorer lives, and where a reopened
    notebook has no explorer any more it hides the message that says so."""
    if drawn is None:
        return {"text/plain": text}
    gone = (
        f".jp-OutputArea-child:has(+ .jp-OutputArea-child .{name}):not(:has(.nlx))"
        " { display: none; }"
    )
    return {
        "text/html": page(drawn, text, name, f"<style>{gone}</style>"),
        "image/svg+xml": drawn,
        "text/plain": text,
    }
