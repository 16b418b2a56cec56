"""Work that an interrupt stops although no Python runs meanwhile: a statement of a database."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future, wait
from queue import SimpleQueue
from typing import Any, TypeAlias, TypeVar

_LOOK = 0.1  # seconds between two looks for an interrupt, where the system does not wake us for one
_AGAIN = 0.02  # seconds until work is told once more to stop: what had not begun did not hear it

T = TypeVar("T")
Task: TypeAlias = tuple[Future[Any], Callable[[], Any]]


class Stoppable:
    """Does one piece of work after the other in a thread of its own, and waits for each.

    Python raises an interrupt between two of its own instructions, in the main thread. A database
    that computes in that thread comes to none of them for as long as it likes; so it computes in
    another one. An interrupt of the thread that waits calls `stop` until the work has ended, and is
    raised then; one more is raised at once.

    >>> aside = Stoppable(stop=lambda: None)
    >>> aside(lambda: 6 * 7)
    42
    """

    def __init__(self, stop: Callable[[], object]) -> None:
        self._stop = stop
        self._tasks: SimpleQueue[Task | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        weakref.finalize(self, self._tasks.put, None)  # the thread ends with its owner

    def __call__(self, work: Callable[[], T]) -> T:
        future: Future[T] = Future()
        try:
            self._begin()
            self._tasks.put((future, work))
            return _result(future)
        except BaseException:
            if not future.cancel():  # it has begun
                self._end(future)
            raise

    def _begin(self) -> None:
        if self._thread is None or not self._thread.is_alive():  # not there, or not after a fork
            self._thread = threading.Thread(
                target=_work, args=(self._tasks,), name="neurallog-aside", daemon=True
            )
            self._thread.start()

    def _end(self, future: Future[Any]) -> None:
        while not future.done():
            self._stop()
            wait([future], _AGAIN)


def _result(future: Future[T]) -> T:
    while True:
        try:
            return future.result(_LOOK)
        except TimeoutError:
            if future.done():  # then it is the work's own
                return future.result()


def _work(tasks: SimpleQueue[Task | None]) -> None:
    while (task := tasks.get()) is not None:
        future, work = task
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)
        del task, future, work  # nothing is kept until the next one comes
