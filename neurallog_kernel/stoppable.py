"""Work that an interrupt stops although no Python runs meanwhile: a statement of a database."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any, TypeAlias, TypeVar

_LOOK = 0.1  # seconds between two looks for an interrupt, where the system does not wake us for one
_AGAIN = 0.02  # seconds until work is told once more to stop: what had not begun did not hear it
_AT_EXIT = 10.0  # seconds that a process which ends waits for work that does not hear

T = TypeVar("T")
QueuedWork: TypeAlias = tuple[Future[Any], Callable[[], Any]]


class Stoppable:
    """Does one piece of work after the other in a thread of its own, and waits for each.

    Python raises an interrupt between two of its own instructions, in the main thread. A database
    that computes in that thread comes to none of them for as long as it likes; so it computes in
    another one. An interrupt of the thread that waits calls `stop` until the work has ended, and is
    raised then; one more is raised at once. The end of the process stops the work too.

    >>> aside = Stoppable(stop=lambda: None)
    >>> aside(lambda: 6 * 7)
    42
    """

    def __init__(self, stop: Callable[[], object]) -> None:
        self._stop = stop
        self._worker = _Worker()
        weakref.finalize(self, _end, self._worker, weakref.ref(self))

    def __call__(self, work: Callable[[], T]) -> T:
        future: Future[T] = Future()
        try:
            self._worker.take(future, work)
            return _result(future)
        except BaseException:
            if not future.cancel():  # it has begun
                while not future.done():
                    self.stop()
                    wait([future], _AGAIN)
            raise

    def stop(self) -> None:
        """Tell the work to end."""
        self._stop()


@dataclass(eq=False)
class _Worker:
    """The thread, and what waits for it."""

    tasks: SimpleQueue[QueuedWork | None] = field(default_factory=SimpleQueue)
    thread: threading.Thread | None = None
    ended: bool = False

    def take(self, future: Future[Any], work: Callable[[], Any]) -> None:
        if self.ended:
            raise KeyboardInterrupt  # the process ends
        if not self.is_alive():  # not there, or not after a fork
            self.thread = threading.Thread(
                target=_work, args=(self.tasks,), name="neurallog-aside", daemon=True
            )
            self.thread.start()
        self.tasks.put((future, work))

    def is_alive(self) -> bool:
        return self.thread is not None and self.thread.is_alive()


def _end(worker: _Worker, owner: weakref.ref[Stoppable]) -> None:
    """The thread ends with its owner, and with the process: whoever comes back from a database to
    a Python that is gone would abort."""
    worker.ended = True
    worker.tasks.put(None)
    aside = owner()
    if aside is None or worker.thread is None:
        return
    last = time.monotonic() + _AT_EXIT
    while worker.is_alive() and time.monotonic() < last:
        aside.stop()
        worker.thread.join(_AGAIN)


def _result(future: Future[T]) -> T:
    while True:
        try:
            return future.result(_LOOK)
        except TimeoutError:
            if future.done():  # then it is the work's own
                return future.result()


def _work(tasks: SimpleQueue[QueuedWork | None]) -> None:
    while (task := tasks.get()) is not None:
        future, work = task
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)
        del task, future, work  # nothing is kept until the next one comes
