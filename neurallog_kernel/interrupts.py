"""Ctrl-C at a moment of our choosing: TensorFlow does not survive an exception in its midst."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from types import FrameType
from typing import Any

_NOT_WITHIN = {"tensorflow", "keras"}


class Interrupts:
    """Counts the interrupts while it is in charge. One more than it `bears` is raised at once,
    unless TensorFlow is at work; what is not raised waits for `check`."""

    def __init__(self) -> None:
        self.count = 0
        self.bears: float = inf
        self._raised = 0

    def take(self, number: int, frame: FrameType | None) -> None:
        """The signal handler."""
        self.count += 1
        if self.count - self._raised > self.bears and not _in_tensorflow(frame):
            self._raise()

    def check(self) -> None:
        """Raise what has come, here where it does no harm."""
        if self.count > self._raised:
            self._raise()

    def _raise(self) -> None:
        self._raised = self.count
        raise KeyboardInterrupt

    @contextmanager
    def bearing(self, number: float) -> Iterator[None]:
        """Inside, so many interrupts wait."""
        before, self.bears = self.bears, number
        try:
            yield
        finally:
            self.bears = before


@contextmanager
def held_back() -> Iterator[Interrupts]:
    """Inside, an interrupt waits while TensorFlow is at work, and then for `check`.

    Python gives signals to the main thread alone, and lets only it say what they do: in another
    thread, and where interrupts are ignored or not Python's business, everything stays as it is.
    """
    interrupts = Interrupts()
    before = _handler()
    if before is None:
        yield interrupts
        return
    signal.signal(signal.SIGINT, interrupts.take)
    try:
        interrupts.bears = 0
        yield interrupts
    finally:
        interrupts.bears = inf
        signal.signal(signal.SIGINT, before)


@contextmanager
def unbroken() -> Iterator[None]:
    """Inside, an interrupt that comes while TensorFlow is at work is raised when it has done.

    Where interrupts are held back already, whoever does it says when they are raised.
    """
    if isinstance(getattr(_handler(), "__self__", None), Interrupts):
        yield
        return
    with held_back() as interrupts:
        yield
    interrupts.check()


def _handler() -> Callable[[int, FrameType | None], Any] | None:
    if threading.current_thread() is not threading.main_thread():
        return None
    found = signal.getsignal(signal.SIGINT)
    return found if callable(found) and not isinstance(found, signal.Handlers) else None


def _in_tensorflow(frame: FrameType | None) -> bool:
    while frame is not None:
        if str(frame.f_globals.get("__name__")).partition(".")[0] in _NOT_WITHIN:
            return True
        frame = frame.f_back
    return False
