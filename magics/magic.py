"""The magics: `%%neurallog` and `%%examples` cells, and the `%neurallog` line."""

from __future__ import annotations

import difflib
import re
from typing import Any

from IPython.core.magic import Magics, cell_magic, line_cell_magic, magics_class, no_var_expand

from neurallog_kernel import NeuralLogError, read_maps, table_given
from neurallog_kernel.commands import Command, Text, Usage, argument, instead_of
from neurallog_magics.arguments import Magic
from neurallog_magics.cell_run import CellRun, CellSource
from neurallog_magics.cell_text import fill_scalars, read_cell
from neurallog_magics.context import NotebookContext
from neurallog_magics.errors import fails_shortly
from neurallog_magics.language_guess import is_neurallog, is_python
from neurallog_magics.pasted import refuse_outside

_OWN = (
    argument("--name", help="the name of the source (default: the cell)"),
    argument("--append", action="store_true", help="keep what earlier runs of this cell added"),
    argument(
        "-i",
        "--input",
        action="append",
        default=[],
        metavar="NAME=TABLE",
        help="facts from a Python table or a file; NAME is a predicate or a pattern such as "
        '"likes(who, what)"; a column named weight is the weight',
        completes="variable",
    ),
    argument("--map", metavar="FILE", help="a map file, whose section NAME says how to read TABLE"),
)
CELL = Magic(
    "%%neurallog",
    Command(
        "neurallog",
        "Clauses go into the live session; queries (?- ...) are answered in order. "
        "Running the cell again replaces what it contributed.",
        _OWN,
    ),
)
EXAMPLES = Magic(
    "%%examples",
    Command(
        "examples",
        "Plain atoms are examples of a set; the weight is the label.",
        (
            argument("--set", default="train", help="the set (default: train)", completes="set"),
            *_OWN,
        ),
    ),
)
_SESSION_FIRST = re.compile(r"(--session(?:=|\s+)\S+)\s+(?:(\?-)|(\S+))\s*(.*)", re.DOTALL)
_ASSIGNED_QUERY = re.compile(r"([^\W\d]\w*)\s*<<\s*(\?-.*)", re.DOTALL)

_DELETE = "delete the line in its cell and run the cell again; %neurallog undo takes a change back"
_MEANT = {
    "why": "%neurallog explain p(a, b) says why an answer has its weight",
    **{one: f"write %neurallog exercise 01.1 --{one}" for one in ("hint", "solution")},
    "fit": "write %neurallog train",
    **dict.fromkeys(
        ("learn", "induce"), "%neurallog train learns weights, learn_rules finds rules"
    ),
    "revise": "the table of learn_rules has a button for it; in Python, table.revise()",
    "predict": "to ask, write %neurallog ?- p(a, Y)",
    **dict.fromkeys(("delete", "remove", "clear", "forget"), _DELETE),
}
"""What to write for words that are typed for a command."""


@magics_class
class NeuralLogMagics(Magics):
    """Thin shells over the session of the notebook."""

    def __init__(self, context: NotebookContext) -> None:
        super().__init__(context.shell)
        self.context = context

    @no_var_expand
    @line_cell_magic
    def neurallog(self, line: str, cell: str | None = None) -> Any:
        """NeuralLog; `%neurallog --help` lists the commands, `%neurallog train --help` one."""
        if cell is None:
            return self.run_line(line)
        return self.run_cell(CELL, line, "\n" + cell)  # lines count from the line of the magic

    @no_var_expand
    @cell_magic
    def examples(self, line: str, cell: str) -> Any:
        """Examples to learn from; `%%examples --help` lists the options."""
        return self.run_cell(EXAMPLES, line, "\n" + cell)

    # -- cells ----------------------------------------------------------------------------------

    @fails_shortly
    def run_cell(self, magic: Magic, line: str, text: str) -> Any:
        """Take in a cell; its last answer is the result, the earlier ones are displayed."""
        from neurallog_magics.commands import COMMANDS

        try:
            options = magic.parse(line)
        except Usage as error:
            if is_neurallog(line):
                error.hint = "write the program on the lines below the first one"
            raise
        if options.help:
            return Text(magic.help)
        context = self.context.using(options.session)
        source = context.cells.source(options.name, options.append)
        cell = read_cell(text, context.user_ns, source, COMMANDS)
        if not context.settings.write_anywhere:
            refuse_outside(cell, text, context.user_ns, COMMANDS, source)
        owner = context.cells.owner(options.append)
        example_set = getattr(options, "set", None)
        maps = read_maps(options.map) if options.map else {}
        tables = [table_given(one, maps, context.user_ns.get, example_set) for one in options.input]
        given = CellSource(cell.program, source, owner, example_set, tuple(tables))
        try:
            return CellRun(context, cell, self.run_line).go(given)
        except NeuralLogError as error:
            if error.kind == "syntax" and is_python(text):
                error.hint = context.cells.python_goes
            if error.kind == "syntax" and error.span:
                line = [*text.split("\n"), ""][error.span.line - 1].strip()
                if line.partition(" ")[0] in COMMANDS and " " in line:
                    error.hint = f"a command begins with %neurallog: %neurallog {line}"
            raise

    # -- lines ----------------------------------------------------------------------------------

    @fails_shortly
    def run_line(self, line: str) -> Any:
        """Run a command: a name and its options, or a query."""
        from neurallog_magics.commands import COMMANDS, overview

        line = line.strip()
        found = _ASSIGNED_QUERY.fullmatch(line)
        if found:
            self.context.user_ns[found[1]] = self.run_line(f"query {found[2]}")
            return None
        if line.startswith("?-"):
            line = f"query {line}"
        if before := _SESSION_FIRST.fullmatch(line):
            session, asks, command, rest = before.groups()
            line = f"query {session} ?- {rest}" if asks else f"{command} {session} {rest}"
        name, _, rest = line.partition(" ")
        if name in {"", "-h", "--help", "help", "?"}:
            asked = COMMANDS.get(rest.strip())
            return Text(asked.help if asked else overview())
        magic = COMMANDS.get(name)
        if magic is None:
            near = difflib.get_close_matches(name, COMMANDS, 1)
            hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(COMMANDS)}"
            hint = instead_of(name) or _MEANT.get(name) or hint
            if "(" in name:
                asks = f"%neurallog ?- {line.rstrip('?')}"
                hint = f"to ask, write {asks}; facts and rules go in a %%neurallog cell"
            raise Usage(f"%neurallog has no command {name}", hint=hint)
        options = magic.parse(fill_scalars(rest, self.context.user_ns))
        if options.help:
            return Text(magic.help)
        return magic.command(self.context.using(options.session), options)
