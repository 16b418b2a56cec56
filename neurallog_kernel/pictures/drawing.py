"""A picture as it is shown: SVG with hover text, as HTML that needs no script, as text."""

from __future__ import annotations

import html
import json
from base64 import b64encode
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from neurallog_kernel.pictures.model import Picture


@dataclass(frozen=True)
class Drawing:
    """A picture that a notebook shows: inline SVG with hover text, and text for everyone else.

    A page that may not run our few lines of script (an untrusted notebook, some sites) shows an
    image and the text tree instead.
    """

    picture: Picture

    @cached_property
    def svg(self) -> str | None:
        """An SVG file's text; None where no Graphviz is installed."""
        try:
            from neurallog_kernel.pictures.svg import svg
        except ImportError:
            return None
        return svg(self.picture)

    @property
    def dot(self) -> str:
        """The DOT source."""
        from neurallog_kernel.pictures.dot import dot_source

        return dot_source(self.picture)

    def __str__(self) -> str:
        picture = self.picture
        said = [picture.title, picture.text, *(f"• {note}" for note in picture.notes)]
        return "\n".join(part for part in [*said, picture.left_out] if part)

    def __repr__(self) -> str:
        return str(self)

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        if self.svg is None:
            return {"text/plain": str(self)}
        name = f"nl-{sha256(self.svg.encode()).hexdigest()[:12]}"
        shown = page(self.svg, str(self), name)
        return {"text/html": shown, "image/svg+xml": self.svg, "text/plain": str(self)}


def page(drawn: str, text: str, name: str, more: str = "") -> str:
    """HTML that shows the picture: as part of the page where scripts may run, so that it has hover
    text and the page's colours, and elsewhere as an image with the text below it.

    JupyterLab runs no script of a notebook that its user has not run yet; an image it shows.
    """
    from neurallog_kernel.pictures.svg import inline

    image = b64encode(drawn.encode()).decode()
    content = json.dumps(more + inline(drawn)).replace("<", "\\u003c")
    return (
        f'<div class="{name}"><img alt="" src="data:image/svg+xml;base64,{image}"/>'
        f"<details><summary>as text</summary><pre>{html.escape(text)}</pre></details></div>"
        f"<script>for (const place of document.getElementsByClassName({json.dumps(name)}))"
        f" place.innerHTML = {content};</script>"
    )
