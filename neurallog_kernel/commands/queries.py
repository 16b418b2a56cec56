"""Commands that ask: about the program, and what follows from it."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from neurallog_kernel.answers import Answers
from neurallog_kernel.commands.context import Context
from neurallog_kernel.commands.declaration import argument
from neurallog_kernel.commands.results import Note, Table, Text, saved
from neurallog_kernel.commands.shared import PREDICATE, SPREADSHEET_SAFE, TO, TOP, command, question
from neurallog_kernel.commands.tables import function_table, status_table
from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.session import Session
from neurallog_kernel.tabular import check_format


@command(
    "query",
    "Ask, with or without ?- and a full stop.",
    TOP,
    TO,
    SPREADSHEET_SAFE,
    rest="p(a, Y)",
    examples='neurallog query family.pl "grandparent(ann, Who)"\n'
    'neurallog query model.nlz "likes(X, Y)" --top 5\n'
    'neurallog query model.nlz "likes(X, Y)" --to likes.parquet\n'
    'neurallog query rules.pl --map tables.toml "friends(ann, Who)"',
)
def query(context: Context, options: Namespace) -> Any:
    if options.to:
        check_format(options.to, options.spreadsheet_safe)  # before the work, not after it
    asked = options.rest if options.rest.strip() else question("", "query", "query p(a, Y)")
    answers = context.session.query(asked, options.top)
    context.show(untrained_note(context.session, answers))
    return saved(answers, options.to, options.spreadsheet_safe) if options.to else answers


def untrained_note(session: Session, answers: Answers) -> Note | None:
    """Why an answer is 0 before training: what it rests on has no weight yet."""
    if any(answers.weights.values()):
        return None
    names = session.untrained(answers.query)
    if not names:
        return None
    are, have = ("is", "has") if len(names) == 1 else ("are", "have")
    said = f"{' and '.join(names)} {are} learned and {have} no weight yet"
    return Note(f"{said}: the answer is 0 until the program is trained")


@command(
    "status",
    "Predicates, kinds, counts, types, memory, and the cells or files they come from.",
    PREDICATE,
    examples="neurallog status model.nlz\nneurallog status facts.pl rules.pl -p parent",
)
def status(context: Context, options: Namespace) -> Any:
    return status_table(context, options.predicate)


@command(
    "program",
    "The text of the live program; learned weights included.",
    argument("--source", metavar="NAME", help="only what this cell or file contributed"),
    argument(
        "--to",
        metavar="FILE",
        help="write the whole of it to a file",
        completes="path",
        writes=True,
    ),
    examples="neurallog program model.nlz --to trained.pl",
)
def program(context: Context, options: Namespace) -> Any:
    if options.to:
        context.session.save_program(options.to)
        return Note(f"{options.to}: the program")
    text = context.relabel(context.session.program())
    if options.source:
        parts = {part.split("\n", 1)[0][2:]: part for part in text.strip().split("\n\n")}
        if options.source not in parts:
            raise NeuralLogError(
                f"there is no source {options.source}", hint=f"known: {', '.join(parts)}"
            )
        text = parts[options.source]
    return Text(text.rstrip() or "The program is empty.")


@command(
    "rules",
    "The rules, and where the network is not what the logic says.",
    PREDICATE,
    examples="neurallog rules family.pl -p grandparent/2",
)
def rules(context: Context, options: Namespace) -> Any:
    views = context.session.rules(options.predicate)
    rows = [(str(view), "; ".join(map(str, view.report))) for view in views]
    if not rows:
        return Text("There is no rule.")
    if not any(said for _, said in rows):
        return Table(("$rule",), [row[:1] for row in rows], limit=context.rows)
    return Table(("$rule", "to know"), rows, limit=context.rows)


@command(
    "functions",
    "The functions a program may use: formula and example of each.",
    argument("name", nargs="?", metavar="NAME", help="only this one", completes="function"),
    examples="neurallog functions\nneurallog functions --name tanh",
)
def functions(context: Context, options: Namespace) -> Any:
    return function_table(context.session, options.name)
