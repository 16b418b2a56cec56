"""A widget as one HTML page that plays in any browser, with data, script and style inside."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

_MODEL = """
const data = JSON.parse(document.getElementById("data").textContent);
const nothing = () => {};
const model = { get: (name) => data[name], set: nothing, save_changes: nothing, on: nothing,
  off: nothing, send: nothing, alone: true };
"""

_COMMENT = re.compile(r"//.*|/\*(?:(?!\*/).)*\*/")

EXPLORER = (
    "explorer/shapes.js",
    "training/charts.js",
    "explorer/links.js",
    "explorer/numbers.js",
    "explorer/curves.js",
    "explorer/explorer.js",
)
EXPLORER_STYLE = ("explorer/text.css", "explorer/explorer.css", "training/charts.css")
LIVE = (*EXPLORER, "live/cards.js", "live/side.js", "live/screen.js", "live/live.js")
LIVE_STYLE = (*EXPLORER_STYLE, "live/live.css")


def read(*names: str) -> str:
    """Scripts or style sheets of this package, one after the other."""
    root = files("neurallog_kernel.pictures")
    return "\n".join(root.joinpath(name).read_text("utf-8") for name in names)


def squeezed(text: str) -> str:
    """A script or a style sheet without what only its writers need: comments on lines of their own
    and what is blank at the beginning of a line.

    >>> squeezed("// adds\\n  const a = 1; // one\\n\\n/* red */\\n.a { color: red }")
    'const a = 1; // one\\n.a { color: red }'
    """
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not _COMMENT.fullmatch(line))


def module(render: str, *names: str) -> str:
    """Scripts as what anywidget takes; `render` is the function that draws the widget."""
    return f"{read(*names)}\nexport default {{ render: {render} }};\n"


def page(
    title: str, data: Mapping[str, Any], render: str, scripts: tuple[str, ...], style: str
) -> str:
    """The page. What is data stays data: it is written so that no tag of it can end the script."""
    content = json.dumps(brief(data), separators=(",", ":")).replace("<", "\\u003c")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">"
        f"<title>{html.escape(title)}</title><style>body {{ margin: 1em; background: Canvas; "
        f"color-scheme: light dark; }}\n{squeezed(style)}</style></head>"
        '<body><div id="view"></div>'
        f'<script type="application/json" id="data">{content}</script>'
        f"<script>(() => {{\n{squeezed(read(*scripts))}{_MODEL}"
        f'{render}({{ model, el: document.getElementById("view") }});\n}})();</script>'
        "</body></html>\n"
    )


def brief(data: Any) -> Any:
    """Data with numbers of six digits, more than a page shows.

    >>> brief({"w": [0.30000000000000004, 1e-30, 7]})
    {'w': [0.3, 1e-30, 7]}
    """
    match data:
        case float():
            return float(f"{data:.6g}")
        case Mapping():
            return {name: brief(value) for name, value in data.items()}
        case list() | tuple():
            return [brief(value) for value in data]
        case _:
            return data


def framed(content: str, name: str, height: int, text: str) -> str:
    """A page inside another: what a saved notebook keeps of a widget, with the text for those who
    may not run it."""
    gone = (
        f".jp-OutputArea-child:has(+ .jp-OutputArea-child .{name}):not(:has(.nlx))"
        " { display: none; }"
        # the page has the colours of the notebook, whatever the system prefers
        f'[data-jp-theme-light="true"] .{name} iframe {{ color-scheme: light; }}'
        f'[data-jp-theme-light="false"] .{name} iframe {{ color-scheme: dark; }}'
    )
    # between single quotes: a page is full of double ones, and each would take six letters
    inside = html.escape(content, quote=False).replace("'", "&#39;")
    return (
        f"<style>{gone}</style>"
        f'<div class="{name}"><iframe title="played" srcdoc=\'{inside}\' '
        f'style="width:100%;height:{height}px;border:0" sandbox="allow-scripts"></iframe>'
        f"<details><summary>as text</summary><pre>{html.escape(text)}</pre></details></div>"
    )
