"""Cells as owners: which cell is running, what it owns, and what happens when it is gone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError

from neurallog_kernel import Change
from neurallog_magics.language_guess import is_neurallog
from neurallog_magics.state import Live, Notebook, session

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

OUR_MAGICS = ("%%neurallog", "%%examples")
_ATTRIBUTES = {  # names that other libraries have
    **dict.fromkeys(("ask", "predict", "solve"), 'query("p(a, Y)")'),
    "fit": "train()",
    **dict.fromkeys(("to_list", "items"), "weights"),
    **dict.fromkeys(("to_numpy", "history", "loss", "plot", "rules"), "to_pandas()"),
}
_BROUGHT = {  # what tutorials import, and the extra that installs it
    **dict.fromkeys(("sklearn", "matplotlib", "keras", "tensorflow"), "learning"),
    "duckdb": "tables",
}
_NO_MAGIC = re.compile(r"`(%%?)(\w+)` not found")  # what IPython says to a misspelt one


class CellOwners:
    """Follows the cells of one shell."""

    def __init__(self, shell: InteractiveShell, notebook: Notebook) -> None:
        self.shell = shell
        self.notebook = notebook
        self.every_cell_is_ours = False  # in the NeuralLog kernel
        self._unnumbered = 1 - self._prompt  # runs that the prompt does not count; now: one runs
        self._counts = True  # whether the prompt counts the run
        self.pending: list[Change] = []  # retractions that the next quiet line reports

    def current(self) -> str | None:
        """The front end's id of the running cell; None where there is none (a terminal)."""
        found = self._metadata().get("cellId")
        return found if isinstance(found, str) and found else None

    def number(self) -> int:
        """The number in the prompt of the running cell.

        A front end that keeps no history (nbval) has the same number for all cells; they are
        counted here, for each is a cell of its own.
        """
        return self._prompt + (0 if self._counts else self._unnumbered)

    @property
    def _prompt(self) -> int:
        return self.shell.displayhook.prompt_count  # type: ignore[union-attr]

    def from_the_start(self) -> None:
        """Every cell is NeuralLog, and none has run yet."""
        self.every_cell_is_ours = True
        self._unnumbered -= 1

    def _metadata(self) -> dict[str, Any]:
        parent = getattr(self.shell, "parent_header", None)
        metadata = parent.get("metadata") if isinstance(parent, dict) else None
        return metadata if isinstance(metadata, dict) else {}

    def source(self, name: str | None, append: bool) -> str:
        """The source under which the running cell's clauses go."""
        if name is not None:
            return name
        cell, number = self.current(), self.number()
        label = f"cell [{number}]"
        if cell is None and not append:
            return label
        source = f"cell:{_safe(cell or str(number))}"
        if append:
            self.notebook.appended += 1
            source = f"{source}+{self.notebook.appended}"
        self.notebook.labels[source] = label
        return source

    def owner(self, append: bool) -> str | None:
        """What owns the clauses of the running cell; nobody owns what is appended."""
        return None if append else self.current() or f"execution {self.number()}"

    def give_up_others(
        self, live: Live, source: str, cell: str | None
    ) -> list[tuple[Live, Change]]:
        """Retract what the cell contributed under another name or to another session."""
        if cell is None:
            return []
        return [
            (other, other.retract(owned))
            for other, owned in list(self.notebook.owned_by(cell))
            if (other.name, owned) != (live.name, source)
        ]

    # -- before every cell ----------------------------------------------------------------------

    def before_cell(self, info: Any) -> None:
        """Retract what deleted cells contributed, and cells that are not NeuralLog any more."""
        self._counts = bool(info.store_history)
        self._unnumbered += not (self._counts or info.silent)
        gone: Sequence[Any] = self._metadata().get("deletedCells") or ()
        changes = [
            live.retract(source)
            for cell in gone
            if isinstance(cell, str) and cell != self.current()
            for live, source in list(self.notebook.owned_by(cell))
        ]
        self.pending += changes
        cell = self.current()
        if cell is None or self.is_ours(info.raw_cell or ""):
            return
        lost = [live.retract(source) for live, source in list(self.notebook.owned_by(cell))]
        if lost:
            self._say(lost)

    def is_ours(self, text: str) -> bool:
        """Whether the cell is written in NeuralLog."""
        first = text.lstrip().split("\n", 1)[0].split(None, 1)[:1]
        if self.every_cell_is_ours:
            return first != ["%%python"]
        return bool(first) and first[0] in OUR_MAGICS

    @property
    def python_goes(self) -> str:
        """Where Python is written, for those who wrote it here."""
        where = "begin its cell with %%python"
        if not self.every_cell_is_ours:
            where = "put it in a cell without %%neurallog"
        return f"this is Python: {where}"

    def after_cell(self, result: Any) -> None:
        """A cell that Python could not read may have lost its first line; one that it could not run
        may have taken a predicate or the session for something of Python's."""
        text = result.info.raw_cell or ""
        if self.every_cell_is_ours or self.is_ours(text):
            return
        unread = isinstance(result.error_before_exec, SyntaxError) or text.lstrip()[:2] == "?-"
        advice = self._advice(result.error_in_exec)
        if unread and is_neurallog(text):
            advice = "this is NeuralLog: write %%neurallog on the first line of the cell"
        if advice:
            from IPython.display import display

            from neurallog_magics.display.notes import Note

            display(Note(advice))

    def _advice(self, error: BaseException | None) -> str:
        name = getattr(error, "name", None)
        if isinstance(error, NameError):
            if name == "session":
                return "write first: from neurallog_magics import session"
            predicates = self.notebook.live().session.predicates()
            if any(one.name.partition("/")[0] == name for one in predicates):
                return f"{name} is a predicate, not Python: ask with %neurallog ?- {name}(...)"
        is_session = getattr(error, "obj", None) is session
        if isinstance(error, AttributeError) and is_session:
            return f"session is a function: write session().{name}"
        if isinstance(error, AttributeError) and _is_ours(error.obj):
            return _instead_of_attribute(error.obj, str(name))
        package = str(name).partition(".")[0]
        if isinstance(error, ModuleNotFoundError) and package in _BROUGHT:
            return f"install it with: pip install 'neurallog[{_BROUGHT[package]}]'"
        missing = _NO_MAGIC.search(str(error)) if isinstance(error, UsageError) else None
        if missing and missing[2] in ("prolog", "problog"):
            return "did you mean %%neurallog?"
        names = [magic.lstrip("%") for magic in OUR_MAGICS]
        near = get_close_matches(missing[2], names, n=1) if missing else []
        return f"did you mean {missing[1]}{near[0]}?" if missing and near else ""

    def _say(self, changes: list[Change]) -> None:
        from IPython.display import display

        from neurallog_magics.display.notes import change_note

        display(change_note(changes, ["this cell is not NeuralLog any more"]))

    def take_pending(self) -> list[Change]:
        pending, self.pending = self.pending, []
        return pending


def _is_ours(value: object) -> bool:
    return type(value).__module__.partition(".")[0] in ("neurallog_kernel", "neurallog_magics")


def _instead_of_attribute(value: object, name: str) -> str:
    """What to write for an attribute that an object of ours does not have."""
    meant = _ATTRIBUTES.get(name, "")
    if meant and hasattr(value, meant.partition("(")[0]):
        return f"write {meant}"
    there = [one for one in dir(value) if not one.startswith("_")]
    near = get_close_matches(name, there, n=1)
    return f"did you mean {near[0]}?" if near else ""


def _safe(cell: str) -> str:
    """A cell id without the characters that end a source's name."""
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in cell)


def with_a_body(lines: list[str]) -> list[str]:
    """An input transformer: a cell of ours that was emptied still runs, and retracts."""
    if len(lines) == 1 and lines[0].split(None, 1)[:1] in ([name] for name in OUR_MAGICS):
        return [lines[0].rstrip("\n") + "\n", "\n"]
    return lines
