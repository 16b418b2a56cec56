"""A session may be used by several threads: each change is made, each answer is of one moment."""

import sys
import threading

import pytest

from neurallog_kernel import NeuralLogError, Session, depth
from neurallog_kernel.depth import deep
from tests.faults.threads import added_at_once, at_once


def test_two_threads_lose_no_source():
    left, failed = added_at_once(60)
    assert not failed
    assert left == 60


def test_questions_while_others_edit():
    """Every answer is that of a program which was there."""
    session = Session()
    session.add("q(X, Y) :- p(X, Y).", source="rule")
    session.add("p(a, b0).", source="facts")
    seen = []

    def edit():
        for number in range(1, 40):
            session.add(f"p(a, b{number}).", source="facts")
        for _ in range(20):
            session.undo()

    def ask():
        seen.extend(tuple(session.query("q(a, X)").weights) for _ in range(60))

    assert not at_once([edit, ask, ask])
    assert {len(answers) for answers in seen} == {1}
    assert session.query("q(a, X)").weights == {("b19",): 1.0}


def test_a_lock_that_an_interrupt_left_closed_stops_no_other_thread(monkeypatch):
    monkeypatch.setattr(depth, "_PATIENCE", 0.01)
    monkeypatch.setattr(depth, "_room", depth._Room())
    depth._room._lock.acquire()  # by this thread, and never released
    session = Session()
    session.add("p(a).", source="fact")
    seen = []
    assert not at_once([lambda: seen.append(session.query("p(a)").weight)])
    assert seen == [1.0]


def test_the_recursion_limit_is_restored_whoever_ends_first():
    before = sys.getrecursionlimit()
    inside, outside = threading.Event(), threading.Event()
    found = []

    @deep
    def first() -> None:
        inside.wait()

    @deep
    def second() -> None:
        inside.set()
        outside.wait()
        found.append(sys.getrecursionlimit())

    one = threading.Thread(target=first)
    other = threading.Thread(target=second)
    one.start()
    other.start()
    one.join()
    outside.set()
    other.join()
    assert found[0] > before
    assert sys.getrecursionlimit() == before


def test_the_recursion_limit_is_restored_after_an_error():
    before = sys.getrecursionlimit()

    @deep
    def endless() -> None:
        endless.__wrapped__()  # type: ignore[attr-defined]

    with pytest.raises(NeuralLogError, match="too deeply"):
        endless()
    assert sys.getrecursionlimit() == before
