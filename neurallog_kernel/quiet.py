"""Silence for libraries in C, which write to file descriptor 2 and not to sys.stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock


class _Silence:
    """File descriptor 2 sent nowhere while anyone wants it so: it belongs to the whole process,
    and TensorFlow is imported in one thread while Graphviz draws in another."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._wanted = 0
        self._saved: int | None = None

    def begin(self) -> None:
        with self._lock:
            self._wanted += 1
            if self._wanted > 1:
                return
            if sys.stderr is not None:
                sys.stderr.flush()
            try:
                self._saved = os.dup(2)
            except OSError:  # a process without stderr has nothing to silence
                return
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 2)
            os.close(nowhere)

    def end(self) -> None:
        with self._lock:
            self._wanted -= 1
            if self._wanted or self._saved is None:
                return
            os.dup2(self._saved, 2)
            os.close(self._saved)
            self._saved = None


_silence = _Silence()


@contextmanager
def quiet_stderr() -> Iterator[None]:
    """Send file descriptor 2 nowhere meanwhile."""
    _silence.begin()
    try:
        yield
    finally:
        _silence.end()
