"""The table of the commands that every front end has, and the arguments that several take."""

from __future__ import annotations

from neurallog_kernel.commands.declaration import CommandTable, argument, at_least
from neurallog_kernel.errors import NeuralLogError

SHARED = CommandTable()
command = SHARED.command

PREDICATE = argument(
    "predicate",
    nargs="?",
    metavar="PREDICATE",
    help="p/2, or p for every arity",
    completes="predicate",
)
TO = argument(
    "--to",
    metavar="FILE",
    help="write the table to a file: .csv, .tsv, .parquet, .json or .jsonl",
    completes="path",
    writes=True,
)
SPREADSHEET_SAFE = argument(
    "--spreadsheet-safe",
    action="store_true",
    help="in .csv and .tsv files: write names so that a spreadsheet runs none as a formula",
)
TOP = argument("--top", type=at_least(1), metavar="N", help="keep the best N answers")


def question(text: str, command: str, example: str) -> str:
    """The question after a command, without `?-` and the full stop; none is an error."""
    found = text.strip().removeprefix("?-").strip().removesuffix(".")
    if not found:
        raise NeuralLogError(f"{command} what?", hint=f"write a question after it, as in {example}")
    return found
