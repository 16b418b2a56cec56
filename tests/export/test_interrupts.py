"""Ctrl-C while TensorFlow builds a model or computes an answer waits until it has done."""

from __future__ import annotations

import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from neurallog_kernel import Session
from neurallog_kernel.interrupts import held_back, unbroken
from neurallog_kernel.network.tensorflow import keras

INSIDE = ("tensorflow", "keras")


@pytest.fixture(autouse=True)
def python_handles_interrupts():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    sys.setprofile(None)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def session() -> Session:
    layer = keras().layers.Dense(2)
    layer.build((None, 2))
    s = Session()
    s.register("layer", layer)
    s.add("p(a, b). 0.5::p(b, a). h(X, Y) :- p(X, Y). q(X, Y) :- p(X, Y), layer(Y).")
    return s


def signalled_within(run: Callable[[], object], entered: int) -> None:
    """Run with a signal when code of TensorFlow or Keras is entered for the n-th time."""
    seen = 0

    def profile(frame: FrameType, event: str, argument: object) -> None:
        nonlocal seen
        if event == "call" and frame.f_globals.get("__name__", "").startswith(INSIDE):
            seen += 1
            if seen == entered:
                sys.setprofile(None)
                signal.raise_signal(signal.SIGINT)

    sys.setprofile(profile)
    try:
        run()
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize("entered", [1, 50, 400])
@pytest.mark.parametrize("door", ["export_saved_model", "to_keras", "query"])
def test_an_interrupt_is_raised_outside_tensorflow(
    session: Session, tmp_path: Path, door: str, entered: int
) -> None:
    doors: dict[str, Callable[[], object]] = {
        "export_saved_model": lambda: session.export_saved_model("h/2", tmp_path / "m"),
        "to_keras": lambda: session.to_keras("h/2"),
        "query": lambda: session.query("q(a, X)"),
    }
    if door == "query":
        entered = min(entered, 5)
    with pytest.raises(KeyboardInterrupt) as caught:
        signalled_within(doors[door], entered)
    frames = traceback.walk_tb(caught.value.__traceback__)
    names = [frame.f_globals.get("__name__", "") for frame, _ in frames]
    assert not [name for name in names if name.startswith(INSIDE)]
    doors[door if door != "export_saved_model" else "to_keras"]()


def test_who_holds_interrupts_back_decides_when_they_are_raised() -> None:
    with held_back() as interrupts, interrupts.bearing(1):
        with unbroken():
            signal.raise_signal(signal.SIGINT)
        assert interrupts.count == 1
