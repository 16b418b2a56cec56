"""The explorers that notebooks show, by session: a change of the program reaches them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakSet

from neurallog_kernel.pictures.inspectable import Inspectable

if TYPE_CHECKING:
    from neurallog_kernel.pictures.explorer.watch import Watch

_shown: WeakKeyDictionary[Inspectable, WeakSet[Any]] = WeakKeyDictionary()


def shown(explorer: Any) -> None:
    """Remember an explorer that a notebook shows."""
    _shown.setdefault(explorer.session, WeakSet()).add(explorer)


def watchers(session: Inspectable) -> list[Watch]:
    """Training callbacks of the explorers that show a rule of this session."""
    return [explorer.watch() for explorer in _shown.get(session, ())]


def refresh(session: Inspectable) -> None:
    """Let them ask their questions again: the program has changed."""
    for explorer in list(_shown.get(session, ())):
        explorer.refresh()
