"""A widget in a notebook, and beside it what a saved notebook keeps of it."""

from __future__ import annotations

from uuid import uuid4

import anywidget
from IPython.display import display, update_display

_VIEW = {"application/vnd.jupyter.widget-view+json", "text/plain"}


def still_class() -> str:
    """A new class for the output that stays when the notebook is saved."""
    return f"nl-still-{uuid4().hex[:12]}"


def show_alive(widget: anywidget.AnyWidget, said: str) -> None:
    """The live view; `said` stands for it where no widgets are shown."""
    live = widget._repr_mimebundle_() or {}
    data = live[0] if isinstance(live, tuple) else live
    shown = {mime: content for mime, content in data.items() if mime in _VIEW}
    display({**shown, "text/plain": said}, raw=True)


def show_still(data: dict[str, str], display_id: str = "") -> str:
    """The output that stays: a new one, or again the one of `display_id`. Gives its id."""
    if display_id:
        update_display(data, raw=True, display_id=display_id)
        return display_id
    made = f"nl-{uuid4().hex[:12]}"
    display(data, raw=True, display_id=made)
    return made
