"""Stopping a training at any moment keeps the weights and the history of what was finished."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from neurallog_kernel import Session
from tests.learning.helpers import compiled, full_target, start

PROGRAM = """
0.4::p(a, b). 0.9::p(b, c). 0.6::p(a, c). 0.3::u(b). 0.8::u(c). 0.5::u(a).
h(X, Y) :- p(X, Y), u(Y).
learn(p). learn(u).
example(h, a, b). 0::example(h, a, c). example(h, b, c). 0.5::example(h, c, c).
"""
OPTIONS = {"learning_rate": 0.1, "dtype": "float64", "optimizer": "adam"}


def session() -> Session:
    s = Session()
    s.add(PROGRAM)
    return s


def weights(s: Session) -> dict[tuple[str, ...], float]:
    return {**s.query("p(X, Y)").weights, **s.query("u(X)").weights}


class InterruptAfter:
    """Raises as Ctrl-C does, after an epoch or after a batch."""

    def __init__(self, epoch: int, batch: int | None = None) -> None:
        self.epoch, self.batch = epoch, batch
        self.seen: dict[tuple, float] = {}

    def on_batch(self, state) -> None:
        if self.batch is not None and state.epoch == self.epoch and state.batch >= self.batch:
            self.values = state.weights()
            raise KeyboardInterrupt

    def on_epoch(self, state) -> None:
        if self.batch is None and state.epoch == self.epoch:
            self.values = state.weights()
            raise KeyboardInterrupt


def test_an_interrupt_after_an_epoch(eager: None) -> None:
    s, plain = session(), session()
    history = s.train(epochs=50, callbacks=[InterruptAfter(epoch=3)], **OPTIONS)
    expected = plain.train(epochs=3, **OPTIONS)
    assert history.interrupted and not history.stopped_early
    assert history.logs["loss"] == pytest.approx(expected.logs["loss"], abs=1e-12)
    assert weights(s) == weights(plain)
    assert "interrupted after 3 epochs" in repr(history)


def test_an_interrupt_within_an_epoch(eager: None) -> None:
    """The finished batches count for the weights; the epoch is not in the history."""
    s, before = session(), session()
    callback = InterruptAfter(epoch=2, batch=1)
    history = s.train(epochs=50, callbacks=[callback], **OPTIONS)
    before.train(epochs=2, **OPTIONS)
    assert history.interrupted and history.epochs == 2
    found = weights(s)
    kept = {w for values in callback.values.values() for w in values.tolist()}
    assert set(found.values()) == kept
    assert found != weights(before)


def test_going_on_after_an_interrupt(eager: None) -> None:
    s, whole = session(), session()
    s.train(epochs=50, callbacks=[InterruptAfter(epoch=3)], **OPTIONS)
    history = s.train(epochs=4, resume=True, **OPTIONS)
    expected = whole.train(epochs=7, **OPTIONS)
    assert not history.interrupted
    assert history.logs["loss"] == pytest.approx(expected.logs["loss"], abs=1e-12)
    assert weights(s) == pytest.approx(weights(whole), abs=1e-12)


def test_an_interrupt_with_keep_best_gives_the_best_so_far(eager: None) -> None:
    s, plain = session(), session()
    history = s.train(epochs=50, keep_best=True, callbacks=[InterruptAfter(epoch=3)], **OPTIONS)
    plain.train(epochs=3, **OPTIONS)
    losses = history.logs["loss"]
    assert history.best_epoch == 1 + losses.index(min(losses)) == 3
    assert weights(s) == weights(plain)


def test_an_error_in_a_callback_changes_nothing(eager: None) -> None:
    class Broken:
        def on_epoch(self, state) -> None:
            raise RuntimeError("broken")

    s = session()
    before = s.program()
    with pytest.raises(RuntimeError, match="broken"):
        s.train(epochs=3, callbacks=[Broken()])
    assert s.program() == before
    assert s.train(epochs=1).epochs == 1


# A process whose parent runs in the background starts with interrupts ignored.
CHILD = """
import json, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from neurallog_kernel import Session
program, options = json.loads(sys.stdin.readline())
class Tell:
    def on_epoch(self, state):
        if state.epoch == 20:
            print("training", flush=True)
s = Session()
s.add(program)
history = s.train(epochs=10**9, callbacks=[Tell()], **options)
learned = {f"{k}": w for k, w in s.query("p(X, Y)").weights.items()}
first = history.epochs, history.interrupted, learned
history = s.train(epochs=2, resume=True, **options)
print(json.dumps([*first, history.epochs, history.interrupted]), flush=True)
"""


def test_a_real_interrupt(tmp_path: Path) -> None:
    """However late the signal comes, the training is not over, and it may come within TensorFlow:
    there the exception that it was came out as another one, and the child died."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(
        [sys.executable, "-c", CHILD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=tmp_path,
    ) as child:
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write(json.dumps([PROGRAM, OPTIONS]) + "\n")
        child.stdin.flush()
        assert child.stdout.readline() == "training\n"
        child.send_signal(signal.SIGINT)
        told = json.loads(child.stdout.readline())
        assert child.wait() == 0
    epochs, interrupted, learned, later, interrupted_later = told
    assert epochs >= 20 and interrupted
    assert learned.keys() == {"('a', 'b')", "('b', 'c')", "('a', 'c')"}
    assert learned["('a', 'c')"] < 0.6 < 0.9 < learned["('b', 'c')"]
    assert later == epochs + 2 and not interrupted_later


def test_batches_that_an_interrupt_left_half_divided_are_divided_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = session()
    start(made)
    target = full_target(made, ("h", 2), 1)
    assert target is not None
    objective = compiled(made, [target]).objective
    turned = np.arange(len(target.keys))[::-1].copy()
    usual = objective.feeding.set_batches

    def interrupted(batches: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(objective.feeding, "set_batches", interrupted)
    with pytest.raises(KeyboardInterrupt):
        objective.divide_at(turned)
    set_to: list[object] = []
    monkeypatch.setattr(objective.feeding, "set_batches", lambda b: (set_to.append(b), usual(b)))
    objective.divide_at(turned)
    assert len(set_to) == 1
