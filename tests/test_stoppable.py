"""Work in a thread of its own: its result, its errors, and an interrupt that ends it first."""

import _thread
import gc
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from neurallog_kernel.stoppable import Stoppable


@pytest.fixture(autouse=True)
def python_handles_interrupts() -> Iterator[None]:
    """A process that was started in the background ignores them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("kind", [ValueError, TimeoutError, KeyboardInterrupt])
def test_an_error_of_the_work_is_raised_here(kind: type[BaseException]) -> None:
    aside, told = Stoppable(stop=lambda: told.append("stop")), []

    def fail() -> None:
        raise kind("mine")

    with pytest.raises(kind, match="mine"):
        aside(fail)
    assert (aside(lambda: 7), told) == (7, [])


def test_an_interrupt_is_raised_when_the_work_has_ended() -> None:
    stopped, ended = threading.Event(), []
    aside = Stoppable(stopped.set)

    def work() -> None:
        _thread.interrupt_main()
        stopped.wait()
        ended.append("work")

    with pytest.raises(KeyboardInterrupt):
        aside(work)
    assert ended == ["work"]
    assert aside(lambda: "goes on") == "goes on"


def test_work_that_does_not_hear_at_once_is_told_again() -> None:
    told = threading.Semaphore(0)

    def work() -> None:
        _thread.interrupt_main()
        for _ in range(3):
            told.acquire()

    with pytest.raises(KeyboardInterrupt):
        Stoppable(lambda: told.release())(work)


def test_another_interrupt_does_not_wait() -> None:
    released = threading.Event()

    def work() -> None:
        _thread.interrupt_main()
        released.wait()

    with pytest.raises(KeyboardInterrupt):
        Stoppable(_thread.interrupt_main)(work)
    released.set()


def test_its_thread_ends_with_it() -> None:
    aside = Stoppable(lambda: None)
    thread = aside(threading.current_thread)
    assert thread is aside(threading.current_thread) is not threading.current_thread()
    del aside
    gc.collect()
    thread.join()


ENDING = """
import threading, duckdb
from neurallog_kernel import Session

begun = threading.Event()
database = duckdb.connect()
database.create_function("ring", lambda i: begun.set() or i, ["BIGINT"], "BIGINT")
database.execute("CREATE VIEW v AS SELECT CASE WHEN i < 5 THEN ring(i) ELSE i % 9 END AS a, "
                 "i % 7 AS b FROM range(1000000000000000000) t(i)")
session = Session()
session.connect(database)
threading.Thread(target=session.attach, args=("v", "p(a, b)"), kwargs={"unique": True},
                 daemon=True).start()
begun.wait()
"""


def test_a_process_that_ends_while_a_database_computes() -> None:
    """Python ended first, and the statement came back to nothing: the process aborted in C++."""
    pytest.importorskip("duckdb", reason="the extra tables, which brings DuckDB, is not installed")
    ended = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
