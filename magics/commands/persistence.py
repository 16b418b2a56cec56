"""Commands about the notebook's own sessions: open a saved one, empty one, take back a cell."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from neurallog_kernel import Session
from neurallog_kernel.commands import Note, argument
from neurallog_kernel.commands.tables import status_table
from neurallog_kernel.pictures.explorer.shown import replaced
from neurallog_magics.arguments import NOTEBOOK
from neurallog_magics.context import NotebookContext
from neurallog_magics.display.notes import change_note
from neurallog_magics.state import Live


@NOTEBOOK.command(
    "open",
    "Open a saved session in the place of this one.",
    argument("path", help="the file", completes="path"),
)
def open_session(context: NotebookContext, options: Namespace) -> Any:
    opened, before = Session.open(options.path), context.session
    context.notebook.sessions[context.name] = Live(context.name, opened)
    replaced(before, opened)
    return status_table(context, None)


@NOTEBOOK.command("reset", "Begin again with an empty session.")
def reset(context: NotebookContext, options: Namespace) -> Any:
    name = context.name
    before = context.notebook.sessions.pop(name)
    empty = context.notebook.live(name)
    empty.before = before
    replaced(before.session, empty.session)
    return Note(
        f"session {name} is empty; run the cells again to fill it, or take it back with "
        "%neurallog undo"
    )


@NOTEBOOK.command("undo", "Take back the last cell or command that changed the program.")
def undo(context: NotebookContext, options: Namespace) -> Any:
    live = context.live
    if live.before is not None and not live.session.sources:
        context.notebook.sessions[context.name] = live.before
        replaced(live.session, live.before.session)
        return Note(f"took back the reset: session {context.name} is as it was before")
    changes = live.undo()
    names = ", ".join(dict.fromkeys(context.notebook.label(c.source) for c in changes))
    return change_note(changes, [f"took back {names}"])
