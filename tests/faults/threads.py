"""Threads that use one session at once: nothing is lost, and nothing fails."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from neurallog_kernel import Session


@contextmanager
def eager_switching() -> Iterator[None]:
    """Let Python change threads as often as it can, so that what can go wrong does."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def at_once(works: Iterable[Callable[[], object]]) -> list[BaseException]:
    """Run each work in a thread of its own, all together; the exceptions that came out."""
    failed: list[BaseException] = []
    together = list(works)
    ready = threading.Barrier(len(together))

    def run(work: Callable[[], object]) -> None:
        ready.wait()
        try:
            work()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in together]
    with eager_switching():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return failed


def added_at_once(sources: int) -> tuple[int, list[BaseException]]:
    """How many sources are left when two threads add half of them each, and what failed."""
    session = Session()
    session.add("near(X, Z) :- p(X, Y), p(Y, Z).", source="rule")

    def adding(first: int) -> Callable[[], None]:
        def work() -> None:
            for number in range(first, sources, 2):
                session.add(f"p(a{number}, b{number}). p(b{number}, c).", source=f"s{number}")
                session.query(f"near(a{number}, X)")

        return work

    failed = at_once([adding(0), adding(1)])
    return len(session.sources) - 1, failed
