"""Commands about databases whose tables are facts: connect, attach."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from neurallog_kernel.commands import Note, Usage, argument
from neurallog_magics.arguments import NOTEBOOK
from neurallog_magics.context import NotebookContext
from neurallog_magics.display.notes import change_note, notices_note


@NOTEBOOK.command(
    "connect",
    "Open the database whose tables `attach` makes facts; it is only read.",
    argument(
        "address", nargs="?", help="duckdb:FILE, or duckdb: for tables in files, or a variable"
    ),
    argument("--memory", metavar="SIZE", help="what DuckDB may take, as in 2GB"),
)
def connect(context: NotebookContext, options: Namespace) -> Any:
    if not options.address:
        raise Usage("connect to what?", hint="write an address, as in connect duckdb:facts.duckdb")
    target = context.user_ns.get(options.address, options.address)
    return Note(f"connected: {context.session.connect(target, options.memory)}")


@NOTEBOOK.command(
    "attach",
    "Make the rows of a table facts of a predicate; they stay where they are.",
    argument("table", nargs="?", help="a table or a view, or a Parquet or CSV file"),
    argument("--as", dest="pattern", metavar="PATTERN", help='as in "rated(user, item)"'),
    argument("--weight", metavar="COLUMN", help="the weights of the rows"),
    argument("--unique", action="store_true", help="no fact is in two rows"),
    argument(
        "--duplicates", choices=("sum", "max"), help="rows with the same arguments are one fact"
    ),
    argument("--name", help="own it under this name"),
)
def attach(context: NotebookContext, options: Namespace) -> Any:
    if not options.table or not options.pattern:
        example = 'attach ratings --as "rated(user, item)" --unique'
        raise Usage("attach what?", hint=f"name a table and its predicate, as in {example}")
    live = context.live
    owners = dict(live.owners)
    change = live.session.attach(
        options.table,
        options.pattern,
        weight=options.weight,
        unique=options.unique,
        duplicates=options.duplicates,
        source=options.name,
    )
    live.done(1, owners)
    context.show(notices_note(change.notices, context.relabel))
    return change_note([change])
