"""The explorers that notebooks show, by session: a change of the program reaches them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakSet

from IPython.core.getipython import get_ipython

from neurallog_kernel.pictures.inspectable import Inspectable

if TYPE_CHECKING:
    from neurallog_kernel.pictures.explorer.watch import Watch

_shown: WeakKeyDictionary[Inspectable, WeakSet[Any]] = WeakKeyDictionary()
_asked: WeakKeyDictionary[Any, int] = WeakKeyDictionary()  # of which version each one is
_pages: WeakKeyDictionary[Any, int] = WeakKeyDictionary()  # how many pages have each explorer


def shown(explorer: Any) -> None:
    """Remember an explorer that a notebook shows. After a cell that changed the program it asks
    again, whatever the cell did: an edit, an undo, a reset, or Python."""
    _shown.setdefault(explorer.session, WeakSet()).add(explorer)
    _asked[explorer] = _version(explorer.session)
    _pages[explorer] = 0
    shell = get_ipython()
    if shell is not None:
        shell.events.register("post_run_cell", _after_cell)  # once, however often it is said


def on_page(explorer: Any, more: int) -> None:
    """A page has the explorer once more (1) or once less (-1). One that nobody sees is left alone:
    a cell that ran ten times showed ten of them. One that is seen again asks again."""
    if explorer not in _pages:  # it is part of another one
        return
    _pages[explorer] = max(0, _pages[explorer] + more)
    if _pages[explorer]:
        _shown.setdefault(explorer.session, WeakSet()).add(explorer)
        _settle(explorer)
    else:
        _shown.get(explorer.session, WeakSet()).discard(explorer)


def watchers(session: Inspectable) -> list[Watch]:
    """Training callbacks of the explorers that show a rule of this session."""
    return [explorer.watch() for explorer in _shown.get(session, ())]


def unsettled(explorer: Any) -> None:
    """It shows a training on its way: however that ends, it asks again after the cell."""
    _asked.pop(explorer, None)


def refresh(session: Inspectable, but: Any = None) -> None:
    """Let them ask their questions again, `but` one, which has: the program has changed."""
    for explorer in list(_shown.get(session, ())):
        _asked[explorer] = _version(session)
        if explorer is not but:
            explorer.refresh()


def replaced(session: Inspectable, by: Inspectable) -> None:
    """Another session took the place of one: what showed that one shows the other from now on."""
    for explorer in [one for one in list(_pages) if one.session is session]:
        explorer.session = by
    _shown.setdefault(by, WeakSet()).update(_shown.pop(session, ()))
    refresh(by)


def _after_cell(result: Any = None) -> None:
    for explorers in list(_shown.values()):
        for explorer in list(explorers):
            _settle(explorer)


def _settle(explorer: Any) -> None:
    if _asked.get(explorer) != _version(explorer.session):
        _asked[explorer] = _version(explorer.session)
        explorer.refresh()


def _version(session: Inspectable) -> int:
    return session.inspect().program.version
