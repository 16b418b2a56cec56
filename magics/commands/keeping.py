"""Commands that keep, bring back and take back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from neurallog_kernel import Session
from neurallog_magics.arguments import argument, command
from neurallog_magics.display.notes import Note, change_note
from neurallog_magics.listing import status_table
from neurallog_magics.state import Live

if TYPE_CHECKING:
    from argparse import Namespace

    from neurallog_magics.magic import NeuralLogMagics


@command(
    "save",
    "Save program and learned weights.",
    argument("path", help="the file, by custom *.nlz", completes="path"),
)
def save(magics: NeuralLogMagics, options: Namespace) -> Any:
    magics.live(options.session).session.save(options.path)
    return Note(f"saved; %neurallog open {options.path} brings it back")


@command(
    "open",
    "Open a saved session in the place of this one.",
    argument("path", help="the file", completes="path"),
)
def open_session(magics: NeuralLogMagics, options: Namespace) -> Any:
    opened = Session.open(options.path)
    name = magics.live(options.session).name
    magics.notebook.sessions[name] = Live(name, opened)
    return status_table(magics.notebook, magics.live(name), None)


@command(
    "export",
    "Write weights, embeddings, the program, or a predicate as a TensorFlow SavedModel.",
    argument(
        "predicate",
        nargs="?",
        metavar="PREDICATE",
        help="p/2; for tables by default all that are learned",
        completes="predicate",
    ),
    argument("--weights", metavar="FILE", help="facts with their weights", completes="path"),
    argument(
        "--embedding",
        metavar="FILE",
        help="predicates as features of entities; PREDICATE may be a pattern such as feature_*",
        completes="path",
    ),
    argument("--history", metavar="FILE", help="the last training", completes="path"),
    argument("--program", metavar="FILE", help="the program as text", completes="path"),
    argument(
        "--saved-model",
        metavar="FOLDER",
        help="the predicate's network: names in, weights out, without NeuralLog",
        completes="path",
    ),
    argument(
        "--output", type=int, metavar="PLACE", help="its open place, counted from 1 (the last)"
    ),
    argument(
        "--unknown", choices=("error", "zero"), default="error", help="what an unknown name is"
    ),
    argument("--force", action="store_true", help="overwrite the folder"),
)
def export(magics: NeuralLogMagics, options: Namespace) -> Any:
    written = magics.live(options.session).session.export(
        options.predicate,
        weights=options.weights,
        embedding=options.embedding,
        history=options.history,
        program=options.program,
        saved_model=options.saved_model,
        output=None if options.output is None else options.output - 1,
        unknown=options.unknown,
        overwrite=options.force,
    )
    return Note("written", tuple(written))


@command("reset", "Begin again with an empty session.")
def reset(magics: NeuralLogMagics, options: Namespace) -> Any:
    name = magics.live(options.session).name
    del magics.notebook.sessions[name]
    magics.live(name)
    return Note(f"session {name} is empty; run the cells again to fill it")


@command("undo", "Take back the last cell or command that changed the program.")
def undo(magics: NeuralLogMagics, options: Namespace) -> Any:
    changes = magics.live(options.session).undo()
    names = ", ".join(dict.fromkeys(magics.notebook.label(c.source) for c in changes))
    return change_note(changes, [f"took back {names}"])
