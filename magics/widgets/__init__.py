"""Live pictures: the explorer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakSet

if TYPE_CHECKING:
    from neurallog_kernel import Session
    from neurallog_magics.widgets.explorer import Explorer
    from neurallog_magics.widgets.training import Watch

_shown: WeakKeyDictionary[Session, WeakSet[Any]] = WeakKeyDictionary()


def explore(
    session: Session, target: str | None = None, output: int | None = None, query: str | None = None
) -> Explorer:
    """A widget that shows a rule's graph and paths, and the numbers that flow through them.

    `target` is a predicate (`p/2`), one of its rules (`p/2:3`) or None for the first that has
    rules; `output` the open place, counted from 0; `query` an entity or a question (`p(ann, Y)`).
    """
    from neurallog_magics.widgets.explorer import Explorer

    return Explorer(session, target, output, query)


def shown(explorer: Any) -> None:
    """Remember an explorer that a notebook shows."""
    _shown.setdefault(explorer.session, WeakSet()).add(explorer)


def watchers(session: Session) -> list[Watch]:
    """Training callbacks of the explorers that show a rule of this session."""
    return [explorer.watch() for explorer in _shown.get(session, ())]


def refresh(session: Session) -> None:
    """Let them ask their questions again: the program has changed."""
    for explorer in list(_shown.get(session, ())):
        explorer.refresh()


__all__ = ["explore", "refresh", "shown", "watchers"]
