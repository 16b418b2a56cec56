"""What a notebook remembers: its sessions, which cell owns which clauses, and the last error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from neurallog_kernel import Change, NeuralLogError, RuleTable, Session

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

DEFAULT = "main"
_CELL_SOURCE = re.compile(r"cell:[^\s:+,]+(?:\+\d+)?")


@dataclass
class Action:
    """What one cell or command did to a session: so many changes, and who owned what before."""

    changes: int
    owners: dict[str, str]
    version: int  # of the session afterwards


@dataclass
class Live:
    """One named session, the cell that owns each of its sources, and how to go back."""

    name: str
    session: Session = field(default_factory=Session)
    owners: dict[str, str] = field(default_factory=dict)  # source -> cell
    actions: list[Action] = field(default_factory=list)
    table: RuleTable | None = None  # of the last learn_rules
    before: Live | None = None  # what a reset put away

    def owned_by(self, cell: str) -> list[str]:
        """The sources that a cell owns and that are still there."""
        there = set(self.session.sources)
        return [
            source for source, owner in self.owners.items() if owner == cell and source in there
        ]

    def retract(self, source: str) -> Change:
        """Take back a source, as an action of its own."""
        owners = dict(self.owners)
        change = self.session.remove(source)
        self.owners.pop(source, None)
        self.done(1, owners)
        return change

    def done(self, changes: int, owners: dict[str, str]) -> None:
        """Remember an action, so that `undo` takes back the whole of it."""
        self.actions = [*self.actions[-50:], Action(changes, owners, self.session.version)]

    def undo(self) -> list[Change]:
        """Take back the last action; what Python did to the session, change by change."""
        last = self.actions[-1] if self.actions else None
        if last is None or last.version != self.session.version:
            return [self.session.undo()]
        changes = [self.session.undo() for _ in range(last.changes)]
        self.owners = last.owners
        self.actions.pop()
        if self.actions:
            self.actions[-1].version = self.session.version
        return changes


@dataclass
class Notebook:
    """All that the magics of one shell share."""

    sessions: dict[str, Live] = field(default_factory=dict)
    default: str = DEFAULT
    labels: dict[str, str] = field(default_factory=dict)  # source -> what a person calls it
    last_error: BaseException | None = None
    appended: int = 0

    def live(self, name: str | None = None, create: bool = True) -> Live:
        name = name or self.default
        if name not in self.sessions:
            if not create:
                known = ", ".join(self.sessions) or "there is none yet"
                raise NeuralLogError(f"there is no session {name}", hint=f"known: {known}")
            self.sessions[name] = Live(name)
        return self.sessions[name]

    def label(self, source: str) -> str:
        return self.labels.get(source, source)

    def relabel(self, text: str) -> str:
        """The text with the keys of cells replaced by their labels.

        >>> Notebook(labels={"cell:a-1": "cell [2]"}).relabel("rules, cell:a-1, learned weights")
        'rules, cell [2], learned weights'
        """
        return _CELL_SOURCE.sub(lambda found: self.label(found[0]), text)

    def owners(self) -> dict[str, str]:
        """The cell of each source, of all sessions."""
        return {
            source: cell for live in self.sessions.values() for source, cell in live.owners.items()
        }

    def owned_by(self, cell: str) -> Iterator[tuple[Live, str]]:
        for live in list(self.sessions.values()):
            for source in live.owned_by(cell):
                yield live, source


_notebooks: WeakKeyDictionary[InteractiveShell, Notebook] = WeakKeyDictionary()
_outside = Notebook()  # for Python without IPython


def notebook_of(shell: InteractiveShell) -> Notebook:
    """The state of a shell; it outlives `%reload_ext`."""
    return _notebooks.setdefault(shell, Notebook())


def this_notebook() -> Notebook:
    """The state of the shell that runs this code."""
    from IPython.core.getipython import get_ipython

    shell = get_ipython()
    return _outside if shell is None else notebook_of(shell)


def session(name: str | None = None) -> Session:
    """The live session of this notebook; with a name, the one that `--session name` uses."""
    return this_notebook().live(name).session
