"""Commands that ask: about the program, and what follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from neurallog_kernel import NeuralLogError
from neurallog_magics.arguments import PREDICATE, TO, argument, command
from neurallog_magics.display.notes import Note, Text
from neurallog_magics.display.tables import Table
from neurallog_magics.listing import function_table, saved, status_table

if TYPE_CHECKING:
    from argparse import Namespace

    from neurallog_magics.magic import NeuralLogMagics


@command(
    "query",
    "Ask, with or without ?- and a full stop.",
    argument("--top", type=int, metavar="N", help="keep the best N answers"),
    TO,
    rest="p(a, Y)",
)
def query(magics: NeuralLogMagics, options: Namespace) -> Any:
    if not options.rest:
        raise NeuralLogError("query what?", hint="%neurallog query p(a, Y)")
    answers = magics.live(options.session).session.query(options.rest, options.top)
    return saved(answers, options.to) if options.to else answers


@command(
    "status", "Predicates, kinds, counts, types, memory, and the cells they come from.", PREDICATE
)
def status(magics: NeuralLogMagics, options: Namespace) -> Any:
    return status_table(magics.notebook, magics.live(options.session), options.predicate)


@command(
    "program",
    "The text of the live program; learned weights included.",
    argument("--source", metavar="NAME", help="only what this cell or file contributed"),
    argument("--to", metavar="FILE", help="write the whole of it to a file", completes="path"),
)
def program(magics: NeuralLogMagics, options: Namespace) -> Any:
    session = magics.live(options.session).session
    if options.to:
        session.save_program(options.to)
        return Note(f"{options.to}: the program")
    text = magics.notebook.relabel(session.program())
    if options.source:
        parts = {part.split("\n", 1)[0][2:]: part for part in text.strip().split("\n\n")}
        if options.source not in parts:
            raise NeuralLogError(
                f"there is no source {options.source}", hint=f"known: {', '.join(parts)}"
            )
        text = parts[options.source]
    return Text(text.rstrip() or "The program is empty.")


@command("rules", "The rules, and where the network is not what the logic says.", PREDICATE)
def rules(magics: NeuralLogMagics, options: Namespace) -> Any:
    views = magics.live(options.session).session.rules(options.predicate)
    rows = [(str(view), "; ".join(map(str, view.report))) for view in views]
    if not rows:
        return Text("There is no rule.")
    if not any(said for _, said in rows):
        return Table(("$rule",), [row[:1] for row in rows], limit=magics.settings.rows)
    return Table(("$rule", "to know"), rows, limit=magics.settings.rows)


@command(
    "functions",
    "The functions a program may use: formula and example of each.",
    argument("name", nargs="?", help="only this one", completes="function"),
)
def functions(magics: NeuralLogMagics, options: Namespace) -> Any:
    return function_table(magics.live(options.session).session, options.name)
