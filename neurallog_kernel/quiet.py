"""Silence for libraries in C, which write to file descriptor 2 and not to sys.stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock


class _Silence:
    """File descriptor 2 sent nowhere while anyone wants it so: it belongs to the whole process,
    and TensorFlow is imported in one thread while Graphviz draws in another."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._wanted: set[object] = set()
        self._saved: int | None = None

    def begin(self, user: object) -> None:
        with self._lock:
            self._wanted.add(user)
            if self._saved is not None:
                return
            with suppress(AttributeError, OSError, ValueError):  # none, or a closed one
                sys.stderr.flush()
            with suppress(OSError):  # a process without stderr has nothing to silence
                self._saved = os.dup(2)
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, 2)
                os.close(nowhere)

    def end(self, user: object) -> None:
        """Of a user that has not begun, too: an interrupt may come while it begins."""
        with self._lock:
            self._wanted.discard(user)
            if self._wanted or self._saved is None:
                return
            os.dup2(self._saved, 2)
            os.close(self._saved)
            self._saved = None


_silence = _Silence()


@contextmanager
def quiet_stderr() -> Iterator[None]:
    """Send file descriptor 2 nowhere meanwhile."""
    user = object()
    try:
        _silence.begin(user)
        yield
    finally:
        _silence.end(user)
