"""The explorers that notebooks show, by session: a change of the program reaches them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakSet

from IPython.core.getipython import get_ipython

from neurallog_kernel.pictures.inspectable import Inspectable

if TYPE_CHECKING:
    from neurallog_kernel.pictures.explorer.watch import Watch

_shown: WeakKeyDictionary[Inspectable, WeakSet[Any]] = WeakKeyDictionary()
_asked: WeakKeyDictionary[Inspectable, int] = WeakKeyDictionary()  # of which version
_pages: WeakKeyDictionary[Any, int] = WeakKeyDictionary()  # how many pages have each explorer


def shown(explorer: Any) -> None:
    """Remember an explorer that a notebook shows. After a cell that changed the program it asks
    again, whatever the cell did: an edit, an undo, a reset, or Python."""
    _shown.setdefault(explorer.session, WeakSet()).add(explorer)
    _asked.setdefault(explorer.session, _version(explorer.session))
    _pages[explorer] = 0
    shell = get_ipython()
    if shell is not None:
        shell.events.register("post_run_cell", _after_cell)  # once, however often it is said


def on_page(explorer: Any, more: int) -> None:
    """A page has the explorer once more (1) or once less (-1). One that nobody sees is left alone:
    a cell that ran ten times showed ten of them."""
    if explorer not in _pages:  # it is part of another one
        return
    _pages[explorer] = max(0, _pages[explorer] + more)
    if _pages[explorer]:
        _shown.setdefault(explorer.session, WeakSet()).add(explorer)
    else:
        _shown.get(explorer.session, WeakSet()).discard(explorer)


def watchers(session: Inspectable) -> list[Watch]:
    """Training callbacks of the explorers that show a rule of this session."""
    return [explorer.watch() for explorer in _shown.get(session, ())]


def refresh(session: Inspectable, but: Any = None) -> None:
    """Let them ask their questions again, `but` one: the program has changed."""
    _asked[session] = _version(session)
    for explorer in list(_shown.get(session, ())):
        if explorer is not but:
            explorer.refresh()


def replaced(session: Inspectable, by: Inspectable) -> None:
    """Another session took the place of one: what showed that one shows the other from now on."""
    for explorer in [one for one in list(_pages) if one.session is session]:
        explorer.session = by
    _shown.setdefault(by, WeakSet()).update(_shown.pop(session, ()))
    refresh(by)


def _after_cell(result: Any = None) -> None:
    for session in list(_shown):
        if _asked.get(session) != _version(session):
            refresh(session)


def _version(session: Inspectable) -> int:
    return session.inspect().program.version
