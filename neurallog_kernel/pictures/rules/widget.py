"""The live table of learned rules in a notebook. Python decides, the browser shows and asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anywidget
import traitlets

from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.induction.candidates import Snapshot
from neurallog_kernel.induction.learner import WEIGHING
from neurallog_kernel.induction.table import RuleTable
from neurallog_kernel.pictures.beside import show_alive, show_still, still_class
from neurallog_kernel.pictures.page import read

MORE = 10.0  # seconds of one press of "more time"


class RulesView(anywidget.AnyWidget):
    """A table of candidates with ticks and buttons; `heard` does what a button asks."""

    _esm = read("explorer/shapes.js", "rules/rules.js")
    _css = read("explorer/explorer.css", "rules/rules.css")

    state = traitlets.Dict().tag(sync=True)
    panel = traitlets.Unicode().tag(sync=True)
    said = traitlets.Unicode().tag(sync=True)
    still = traitlets.Unicode().tag(sync=True)  # the class of the output that stays when saved

    def __init__(
        self,
        table: RuleTable,
        cell: Callable[[str], str] = str,
        relabel: Callable[[str], str] = str,
        html: Callable[[RuleTable, str], str] | None = None,
    ) -> None:
        """`cell` makes of a program the text of a cell: with its magic, where one is needed;
        `relabel` names sources as a person does (`cell [2]`); `html` is the table without life,
        in an element of a given class."""
        self.table = table
        self.cell, self.relabel, self.html = cell, relabel, html
        self._display_id = self._cell = ""
        still = still_class()
        super().__init__(state=state_of(table, running=False), still=still)
        self.on_msg(self._heard)

    # -- the search -----------------------------------------------------------------------------

    def search(self, seconds: float | None = None) -> None:
        """Run the search, and show each snapshot."""
        self.state = state_of(self.table, running=True)
        try:
            self.table.search(seconds, self._show)
        finally:
            self._refresh()

    def _show(self, snapshot: Snapshot) -> None:
        self.state = state_of(self.table, running=not snapshot.finished)

    # -- what the browser asks ------------------------------------------------------------------

    def _heard(self, widget: Any, content: Any, buffers: Any) -> None:
        if isinstance(content, dict):
            self.heard(content)

    def heard(self, content: dict[str, Any]) -> None:
        """Do what a button asks; what cannot be done is said."""
        act = _ACTS.get(str(content.get("type")))
        if act is None:
            return
        self._say("")
        try:
            act(self, content.get("number"), content)
            self._refresh()
        except NeuralLogError as error:
            self._say(error.message)
        finally:
            self.send({"type": "done"})
            self._give_cell()

    def _give_cell(self) -> None:
        """Ask the page for a cell; it says so itself where it cannot give one."""
        text, self._cell = self._cell, ""
        if text:
            self.send({"type": "cell", "text": text})

    def _say(self, text: str) -> None:
        self.said = ""
        self.said = text

    def _tick(self, number: Any, content: dict[str, Any]) -> None:
        (self.table.tick if content.get("on") else self.table.untick)(number)

    def _accept(self, number: Any, content: dict[str, Any]) -> None:
        text = self.table.text()
        rules = len(self.table.ticked)
        self._cell = self.cell(text)
        which = "1 rule" if rules == 1 else f"{rules} rules"
        them = "it" if rules == 1 else "them"
        self._say(f"{which} in a cell below: read it, and run it to add {them}")

    def _reject(self, number: Any, content: dict[str, Any]) -> None:
        text = self.table[number].text
        self.table.reject(number)
        self.panel = ""
        self._say(f"removed: {text}")

    def _explain(self, number: Any, content: dict[str, Any]) -> None:
        self.panel = self.relabel(str(self.table.explain(number)))

    def _misses(self, number: Any, content: dict[str, Any]) -> None:
        self.panel = self.relabel(str(self.table.misses(top=10)))

    def _refit(self, number: Any, content: dict[str, Any]) -> None:
        self.table.refit()
        self._say("weighed again")

    def _revise(self, number: Any, content: dict[str, Any]) -> None:
        self.panel = self.relabel(str(self.table.revise()))

    def _more(self, number: Any, content: dict[str, Any]) -> None:
        if self.table.is_complete:
            self._say(
                "every body was counted: only a greater length or more predicates find others"
            )
        else:
            self.search(MORE)

    # -- display --------------------------------------------------------------------------------

    def _ipython_display_(self) -> None:
        """The live table, and beside it the one that a saved notebook keeps."""
        show_alive(self, "the table of learned rules")
        self._display_id = show_still(self._still())

    def _still(self) -> dict[str, str]:
        data = {"text/plain": str(self.table)}
        if self.html is not None:
            data["text/html"] = self.html(self.table, self.still)
        return data

    def _refresh(self) -> None:
        self.state = state_of(self.table, running=False)
        if self._display_id:
            show_still(self._still(), self._display_id)


def state_of(table: RuleTable, running: bool) -> dict[str, Any]:
    """The table as plain data for the browser."""
    return {
        "heads": [
            {
                "title": section.title,
                "none": section.none,
                "heldOut": section.held_out,
                "rows": [
                    {
                        "number": row.number,
                        "text": row.text,
                        "ticked": table.is_ticked(row),
                        "known": row.known,
                        "like": list(row.like_it),
                        "cells": list(cells),
                    }
                    for row, cells in section.rows
                ],
            }
            for section in table.sections()
        ],
        "running": running,
        "stage": _stage(table.stage) if running else "",
        "done": table.done,
        "notes": [] if running else list(table.notes),
    }


def _stage(stage: str) -> str:
    if stage == WEIGHING:
        return "every body was counted; weighing the best"
    return f"looking at {stage}" if stage else ""


_ACTS = {
    "tick": RulesView._tick,
    "accept": RulesView._accept,
    "reject": RulesView._reject,
    "explain": RulesView._explain,
    "misses": RulesView._misses,
    "refit": RulesView._refit,
    "revise": RulesView._revise,
    "more": RulesView._more,
}
