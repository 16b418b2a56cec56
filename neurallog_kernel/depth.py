"""Room for deep programs: rules that call rules a thousand times over."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import ParamSpec, TypeVar
from weakref import ref

from neurallog_kernel.errors import BoundError

_FRAMES = 20_000  # of Python's stack; a call of a predicate takes about ten
_PATIENCE = 5.0  # seconds; the lock below is held for microseconds

P = ParamSpec("P")
T = TypeVar("T")


def deep(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function follow calls deeper than Python does by itself; past that, say what to do.

    Plans are built and evaluated by recursion, as programs are written. Python's own bound is meant
    for runaway functions, and a recursion of depth 120 would meet it.
    """

    @wraps(function)
    def with_room(*args: P.args, **kwargs: P.kwargs) -> T:
        call = _Call()
        try:
            _room.enter(call)
            return function(*args, **kwargs)
        except RecursionError:
            raise BoundError(
                "the rules call each other too deeply to be followed",
                hint="a smaller recursion_depth, or fewer rules that only lead to the next one",
            ) from None
        finally:
            _room.leave(call)

    return with_room


class _Call:
    """One call of a deep function."""

    __slots__ = ("__weakref__",)


class _Room:
    """Python's bound is one for all threads: the first deep call raises it, the last one out puts
    it back. A call whose end was interrupted is forgotten with its frame."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._inside: set[ref[_Call]] = set()
        self._before = 0

    def enter(self, call: _Call) -> None:
        lock = self._held()
        try:
            limit = sys.getrecursionlimit()
            if limit < _FRAMES:
                self._before = limit
                sys.setrecursionlimit(_FRAMES)
            self._inside.add(ref(call))
        finally:
            lock.release()

    def leave(self, call: _Call) -> None:
        lock = self._held()
        try:
            self._inside.discard(ref(call))
            if self._before and self._is_empty() and sys.getrecursionlimit() == _FRAMES:
                sys.setrecursionlimit(self._before)
                self._before = 0
        finally:
            lock.release()

    def _is_empty(self) -> bool:
        if any(call() is not None for call in self._inside):
            return False
        self._inside.clear()
        return True

    def _held(self) -> RLock:
        """The lock, taken. One that an interrupt left closed is replaced: nobody waits for ever."""
        lock = self._lock
        while not lock.acquire(timeout=_PATIENCE):
            if self._lock is lock:
                self._lock = RLock()
            lock = self._lock
        return lock


_room = _Room()
