"""The magics: `%%neurallog` and `%%examples` cells, and the `%neurallog` line."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Any

from IPython.core.magic import Magics, cell_magic, line_cell_magic, magics_class, no_var_expand
from IPython.display import display

from neurallog_kernel import NeuralLogError, read_maps, table_given
from neurallog_magics.arguments import Command, Usage, argument
from neurallog_magics.cells import Cells
from neurallog_magics.config import NeuralLog
from neurallog_magics.display.notes import Text
from neurallog_magics.errors import fails_shortly
from neurallog_magics.mixed import is_python
from neurallog_magics.running import CellRun, Given
from neurallog_magics.state import Live, Notebook
from neurallog_magics.text import fill_scalars, read_cell

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

_OWN = (
    argument("--name", help="own the clauses under this name, not under the cell"),
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
CELL = Command(
    "%%neurallog",
    "Clauses go into the live session; queries (?- ...) are answered in order. Running the cell "
    "again replaces what it contributed.",
    _OWN,
)
EXAMPLES = Command(
    "%%examples",
    "Plain atoms are examples of a set; the weight is the label.",
    (argument("--set", default="train", help="the set (default: train)", completes="set"), *_OWN),
)
_ASSIGNED_QUERY = re.compile(r"([^\W\d]\w*)\s*<<\s*(\?-.*)", re.DOTALL)


@magics_class
class NeuralLogMagics(Magics):
    """Thin shells over the session of the notebook."""

    def __init__(
        self, shell: InteractiveShell, notebook: Notebook, settings: NeuralLog, cells: Cells
    ) -> None:
        super().__init__(shell)
        self.notebook = notebook
        self.settings = settings
        self.cells = cells

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
    def run_cell(self, command: Command, line: str, text: str) -> Any:
        """Take in a cell; its last answer is the result, the earlier ones are displayed."""
        options = command.parse(line)
        if options.help:
            return Text(command.help)
        live = self.live(options.session)
        source = self.cells.source(options.name, options.append)
        cell = read_cell(text, self.user_ns, source)
        owner = self.cells.owner(options.append)
        example_set = getattr(options, "set", None)
        maps = read_maps(options.map) if options.map else {}
        tables = [table_given(one, maps, self.user_ns.get, example_set) for one in options.input]
        given = Given(cell.program, source, owner, example_set, tuple(tables))
        try:
            return CellRun(self, live, cell).go(given)  # type: ignore[arg-type]
        except NeuralLogError as error:
            if error.kind == "syntax" and is_python(text):
                error.hint = self.cells.python_goes
            raise

    # -- lines ----------------------------------------------------------------------------------

    @fails_shortly
    def run_line(self, line: str) -> Any:
        """Run a command: a name and its options, or a query."""
        from neurallog_magics.commands import COMMANDS, overview

        line = line.strip()
        found = _ASSIGNED_QUERY.fullmatch(line)
        if found:
            self.user_ns[found[1]] = self.run_line(f"query {found[2]}")
            return None
        if line.startswith("?-"):
            line = f"query {line}"
        name, _, rest = line.partition(" ")
        if name in {"", "-h", "--help", "help"}:
            return Text(overview())
        command = COMMANDS.get(name)
        if command is None:
            near = difflib.get_close_matches(name, COMMANDS, 1)
            hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(COMMANDS)}"
            if "(" in name:
                hint = (
                    f"to ask, write %neurallog ?- {line}; facts and rules go in a %%neurallog cell"
                )
            raise Usage(f"%neurallog has no command {name}", hint=hint)
        options = command.parse(fill_scalars(rest, self.user_ns))
        if options.help:
            return Text(command.help)
        assert command.run is not None
        return command.run(self, options)

    # -- helpers --------------------------------------------------------------------------------

    @property
    def user_ns(self) -> dict[str, Any]:
        assert self.shell is not None
        return self.shell.user_ns

    def live(self, name: str | None = None) -> Live:
        """The session asked for, with the settings of `%config`."""
        live = self.notebook.live(name)
        self.settings.check(live.session)
        return live

    def keep(self, thing: object) -> None:
        """Make it the result (`_`) of a cell that has already shown it."""
        assert self.shell is not None
        self.shell.displayhook.update_user_ns(thing)  # type: ignore[union-attr]

    def show(self, thing: object) -> None:
        if thing is not None:
            display(thing)
