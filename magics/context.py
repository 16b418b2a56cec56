"""The notebook as its commands see it: which session, how much to show, where to show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from IPython.display import display

from neurallog_kernel import Session
from neurallog_magics.cells import CellOwners
from neurallog_magics.config import NeuralLog
from neurallog_magics.display.live_line import LiveLine
from neurallog_magics.state import Live, Notebook

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


@dataclass(frozen=True)
class NotebookContext:
    """A shell with our magics; `asked` is the session that `--session` names."""

    shell: InteractiveShell
    notebook: Notebook
    settings: NeuralLog
    cells: CellOwners
    asked: str | None = None

    def using(self, session: str | None) -> NotebookContext:
        """The same notebook with another session."""
        return replace(self, asked=session)

    @property
    def live(self) -> Live:
        """The session asked for and who owns what in it, with the settings of `%config`."""
        live = self.notebook.live(self.asked)
        self.settings.check(live.session)
        return live

    @property
    def session(self) -> Session:
        return self.live.session

    @property
    def name(self) -> str:
        return self.live.name

    @property
    def rows(self) -> int:
        return self.settings.rows

    @property
    def user_ns(self) -> dict[str, Any]:
        return self.shell.user_ns

    @property
    def has_kernel(self) -> bool:
        """Whether outputs can be updated; a terminal cannot."""
        return hasattr(self.shell, "kernel")

    def as_cell(self, program: str) -> str:
        """A program text as the text of a cell: with its magic, where cells are Python."""
        text = program.rstrip("\n")
        return text if self.cells.every_cell_is_ours else f"%%neurallog\n{text}"

    def relabel(self, text: str) -> str:
        return self.notebook.relabel(text)

    def show(self, result: object) -> None:
        if result is not None:
            display(result)

    def keep(self, thing: object) -> None:
        """Make it the result (`_`) of a cell that has already shown it."""
        self.shell.displayhook.update_user_ns(thing)  # type: ignore[union-attr]

    @contextmanager
    def progress(self) -> Iterator[Callable[[Any], None]]:
        yield LiveLine(self.has_kernel, self.settings.updates)
