"""A real interrupt signal in training waits for the end of the step and loses nothing."""

import signal
import sys
import threading
from types import FrameType

import pytest

from neurallog_kernel import Session
from neurallog_kernel.interrupts import held_back
from neurallog_kernel.network.tensorflow import tensorflow

PROGRAM = """
0.4::p(a, b). 0.9::p(b, c). 0.6::p(a, c). 0.3::u(b). 0.8::u(c). 0.5::u(a).
h(X, Y) :- p(X, Y), u(Y).
learn(p). learn(u).
example(h, a, b). 0::example(h, a, c). example(h, b, c). 0.5::example(h, c, c).
"""
OPTIONS = {
    "backend": "tensorflow",
    "learning_rate": 0.1,
    "dtype": "float64",
    "optimizer": "adam",
    "batch_size": 4,
}


@pytest.fixture(autouse=True)
def python_handles_interrupts():
    """A process that was started in the background ignores them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def session() -> Session:
    s = Session()
    s.add(PROGRAM)
    return s


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


class SignalWithin:
    """Sends the signal when TensorFlow's own Python code is entered for the n-th time after the
    first epoch: where a KeyboardInterrupt would break it."""

    def __init__(self, entered: int, times: int = 1) -> None:
        self.entered, self.times = entered, times
        self.seen = 0

    def on_epoch(self, state) -> None:
        if state.epoch == 1:
            sys.setprofile(self.profile)
        elif self.entered == 0:
            sys.setprofile(None)

    def on_end(self, state) -> None:
        sys.setprofile(None)

    def profile(self, frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_globals.get("__name__", "").startswith("tensorflow."):
            self.seen += 1
            if self.seen == self.entered:
                sys.setprofile(None)
                for _ in range(self.times):
                    interrupt()


def weights(s: Session) -> dict:
    return {**s.query("p(X, Y)").weights, **s.query("u(X)").weights}


PLACES = 12


@pytest.fixture(scope="module")
def calls_in_an_epoch() -> int:
    """How often one epoch, which is one step here, enters TensorFlow's code."""
    tensorflow().config.run_functions_eagerly(True)
    counted = SignalWithin(0)
    session().train(epochs=2, callbacks=[counted], **OPTIONS)
    tensorflow().config.run_functions_eagerly(False)
    return counted.seen


@pytest.mark.parametrize("place", range(1, PLACES + 1))
def test_a_signal_within_tensorflow_waits_for_the_end_of_the_step(eager, calls_in_an_epoch, place):
    s, plain = session(), session()
    within = SignalWithin(max(1, calls_in_an_epoch * place // PLACES))
    history = s.train(epochs=50, callbacks=[within], **OPTIONS)
    assert history.interrupted and 1 <= history.epochs <= 3
    plain.train(epochs=2, **OPTIONS)
    assert weights(s) == weights(plain)


def test_a_second_signal_ends_the_script_too_and_loses_nothing(eager):
    s = session()
    with pytest.raises(KeyboardInterrupt):
        s.train(epochs=50, callbacks=[SignalWithin(40, times=2)], **OPTIONS)
    assert s.history.interrupted and s.history.epochs >= 1
    assert weights(s) != weights(session())


def test_a_signal_before_the_first_step_changes_nothing(eager, monkeypatch):
    from neurallog_kernel.learning import training

    made = training.make_trainer

    def slowly(*arguments):
        interrupt()
        return made(*arguments)

    monkeypatch.setattr(training, "make_trainer", slowly)
    s = session()
    before = s.program()
    with pytest.raises(KeyboardInterrupt):
        s.train(epochs=3, **OPTIONS)
    assert s.program() == before


def test_a_callback_that_hangs_can_be_left(eager):
    class Hangs:
        def on_epoch(self, state):
            interrupt()  # waits for the callback
            self.waited = True
            interrupt()
            raise AssertionError("the second interrupt does not wait")

    s, callback = session(), Hangs()
    with pytest.raises(KeyboardInterrupt):
        s.train(epochs=5, callbacks=[callback], **OPTIONS)
    assert callback.waited and s.history.epochs == 1


def test_a_training_in_another_thread_leaves_signals_alone(eager):
    s, found = session(), []

    class Look:
        def on_epoch(self, state):
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=lambda: s.train(epochs=1, callbacks=[Look()], **OPTIONS))
    thread.start()
    thread.join()
    assert found == [signal.default_int_handler]


@pytest.mark.parametrize("handler", [signal.SIG_IGN, signal.SIG_DFL])
def test_what_is_not_python_s_stays(handler):
    before = signal.signal(signal.SIGINT, handler)
    with held_back():
        assert signal.getsignal(signal.SIGINT) is handler
    signal.signal(signal.SIGINT, before)
