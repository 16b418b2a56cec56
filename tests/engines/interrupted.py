"""Interrupts in the midst of statements that would compute for days: run by `test_interrupts.py`.

Each statement rings when it has begun, by a function of Python that it calls for its first row and
never again. The interrupt is sent then, so that nothing depends on how fast the machine is.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue

import duckdb

from neurallog_kernel import Session

RUNG = threading.Event()
FEW = "SELECT 'u' || i AS a, 'v' || i % 3 AS b, 0.5 AS w FROM range(6) t(i)"
ENDLESS = """
SELECT CASE WHEN i = 0 THEN ring(i) ELSE 'x' || i % 7 END AS a, 'v' || i % 3 AS b,
CAST(0.5 AS DECIMAL(2, 1)) AS w FROM range(1000000000000000000) t(i)
"""
RULES = "g(X, Y) :- p(X, Z), good(Z), p(Y, Z). good(v0). learn(good). p(u0, v0). p(u7, v1)."


def ring(number: int) -> str:
    RUNG.set()
    return f"u{number}"


class Facts:
    """A view with six rows, and later with more than anybody can read."""

    def __init__(self) -> None:
        self.database = duckdb.connect()
        self.database.create_function("ring", ring, ["BIGINT"], "VARCHAR")  # type: ignore[arg-type]
        self.show(FEW)
        self.session = Session()
        self.session.connect(self.database)
        self.session.attach("v", "p(a, b)", weight="w", unique=True)
        self.session.add(RULES)
        self.session.add("g(u0, u3).", set="train")

    def show(self, text: str) -> None:
        self.database.execute(f"CREATE OR REPLACE VIEW v AS {text}")


def works(facts: Facts, folder: Path) -> dict[str, Callable[[], object]]:
    session = facts.session
    jobs = {name: session.score("g/2") for name in ("estimate", "arrow", "parquet", "table")}
    for name, job in jobs.items():
        if name != "estimate":
            job.estimate()
    query = f"SELECT a, b FROM ({ENDLESS})"
    return {
        "attach": lambda: session.attach("v", "q(a, b)", unique=True),
        "query": lambda: session.query("g(u4, Y)"),
        "explain": lambda: session.explain("g(u5, u2)"),
        "train": lambda: session.train(epochs=1),
        "estimate": jobs["estimate"].estimate,
        "score": jobs["arrow"].to_arrow,
        "parts": lambda: jobs["parquet"].to_parquet(folder / "parts", parts=2),
        "table": lambda: jobs["table"].to_table("made"),
        "load": lambda: session.load_table(query, "q(a, b)", database=facts.database),
    }


def interrupt_by_signal() -> None:
    RUNG.wait()
    os.kill(os.getpid(), signal.SIGINT)


def in_the_main_thread(work: Callable[[], object]) -> None:
    RUNG.clear()
    sender = threading.Thread(target=interrupt_by_signal)
    sender.start()
    try:
        work()
    except KeyboardInterrupt:
        sender.join()
        return
    raise AssertionError("it ended by itself")


def in_another_thread(work: Callable[[], object]) -> None:
    """The main thread is interrupted while another one waits for the statement; that one is stopped
    by an exception of its own."""
    RUNG.clear()
    ended: SimpleQueue[BaseException | None] = SimpleQueue()

    def run() -> None:
        try:
            work()
            ended.put(None)
        except BaseException as error:
            ended.put(error)

    thread, sender = threading.Thread(target=run), threading.Thread(target=interrupt_by_signal)
    thread.start()
    try:
        sender.start()
        raise AssertionError(f"it ended by itself: {ended.get()!r}")
    except KeyboardInterrupt:
        sender.join()
    assert ended.empty() and thread.ident is not None
    stop = ctypes.c_ulong(thread.ident), ctypes.py_object(KeyboardInterrupt)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(*stop)
    assert isinstance(ended.get(), KeyboardInterrupt)


def main(folder: Path) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # else ignored in the background
    for where in (in_the_main_thread, in_another_thread):
        facts = Facts()
        expected = facts.session.query("g(u0, Y)").weights
        for name, work in works(facts, folder).items():
            facts.show(ENDLESS)
            where(work)
            facts.show(FEW)
            assert facts.session.query("g(u0, Y)").weights == expected
            print(where.__name__, name, flush=True)
        assert not list(folder.glob("parts/*.parquet"))
        assert "made" not in facts.session._reader.connection.tables()  # type: ignore[union-attr]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
