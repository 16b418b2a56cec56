"""Rates over the epochs, clipped gradients and averaged weights, against steps by hand."""

from __future__ import annotations

from math import cos, pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.knowledge.parameter_table import PARAMETERS
from neurallog_kernel.learning.formulas.schedules import SCHEDULES, Schedule

pytestmark = pytest.mark.usefixtures("eager")

# The answer is the weight itself, so the loss is (w - 1)^2 and its slope 2 (w - 1). Keras keeps
# the learning rate in single precision, so steps agree to about 1e-8.
TEXT = "0.2::w(k). h(X) :- e(X), w(k). e(a). learn(w). example(h, a)."


def session(*texts: str) -> Session:
    s = Session()
    s.add(TEXT)
    for text in texts:
        s.add(text)
    return s


def weight(s: Session) -> float:
    return s.query("w(k)").weights[()]


def by_hand(rates: list[float], start: float = 0.2) -> list[float]:
    found = []
    for rate in rates:
        start -= rate * 2 * (start - 1)
        found.append(start)
    return found


class Watch:
    """Keeps the weight after each epoch."""

    def __init__(self) -> None:
        self.weights: list[float] = []

    def on_epoch(self, state: Any) -> None:
        (values,) = state.weights().values()
        self.weights.append(float(np.ravel(values)[0]))


def rates(name: str) -> list[float]:
    if name == "cosine":
        return [0.1 * 0.5 * (1 + cos(pi * e / 6)) for e in range(6)]
    if name == "linear":
        return [0.1 * (1 - e / 6) for e in range(6)]
    return [0.1] * 6


@pytest.mark.parametrize("name", ["constant", "cosine", "linear"])
@pytest.mark.parametrize("from_text", [False, True])
def test_a_schedule_gives_each_epoch_its_rate(name: str, from_text: bool) -> None:
    said = {} if from_text else {"schedule": name}
    s = session(f"set_parameter(schedule, {name}).") if from_text else session()
    watch = Watch()
    s.train(epochs=6, learning_rate=0.1, dtype="float64", callbacks=[watch], **said)
    assert watch.weights == pytest.approx(by_hand(rates(name)), abs=1e-7)


def test_a_warm_up_grows_to_the_full_rate() -> None:
    s, watch = session(), Watch()
    s.train(epochs=5, learning_rate=0.1, warm_up=3, dtype="float64", callbacks=[watch])
    assert watch.weights == pytest.approx(by_hand([0.1 / 3, 0.2 / 3, 0.1, 0.1, 0.1]), abs=1e-7)


def test_a_plateau_halves_the_rate() -> None:
    """At a rate of 1 the weight jumps from one side of 1 to the other, as far away as before."""
    s, watch = session(), Watch()
    s.train(epochs=8, learning_rate=1.0, schedule="plateau", dtype="float64", callbacks=[watch])
    assert watch.weights[:6] == pytest.approx([1.8, 0.2] * 3)
    assert watch.weights[6] == pytest.approx(1.0)  # half the rate is the step that is just right


def test_going_on_begins_a_new_course_of_the_schedule() -> None:
    s = session()
    s.train(epochs=3, learning_rate=0.1, schedule="linear", dtype="float64")
    s.train(epochs=3, learning_rate=0.1, schedule="linear", dtype="float64", resume=True)
    course = [0.1, 0.1 * 2 / 3, 0.1 / 3]
    assert weight(s) == pytest.approx(by_hand(course * 2)[-1], abs=1e-7)


def test_a_schedule_beside_one_of_the_optimiser_is_refused() -> None:
    s = session(
        "set_parameter(optimizer, class_name, sgd).",
        "set_parameter(optimizer, config, decay, 0.1).",
    )
    with pytest.raises(NeuralLogError, match="schedule of its own"):
        s.train(epochs=1, schedule="cosine")


def test_names_of_schedules_are_the_same_everywhere() -> None:
    for name in SCHEDULES:
        PARAMETERS["schedule"](("schedule",), name)
    with pytest.raises(NeuralLogError, match="constant or cosine"):
        session("set_parameter(schedule, cosinus).")
    with pytest.raises(NeuralLogError, match="did you mean cosine"):
        session().train(schedule="cosin")


def test_a_plateau_does_not_count_epochs_without_a_validation() -> None:
    losses = [1.0, *[float("nan")] * 20]
    assert Schedule("plateau").factor(21, 30, losses) == 1.0


def test_long_gradients_are_shortened() -> None:
    s, watch = session(), Watch()
    s.train(epochs=2, learning_rate=0.1, clip_norm=0.5, dtype="float64", callbacks=[watch])
    assert watch.weights == pytest.approx([0.25, 0.30])  # steps of 0.1 times 0.5, not 0.1 times 1.6


def test_averaged_weights_are_the_mean_of_the_last_epochs() -> None:
    s, watch = session(), Watch()
    history = s.train(epochs=8, learning_rate=0.3, average=0.5, dtype="float64", callbacks=[watch])
    assert weight(s) == pytest.approx(np.mean(watch.weights[4:]), abs=1e-7)
    assert history.notes[0] == "The weights are the mean of those after epochs 5 to 8"


def test_averaging_and_the_best_epoch_exclude_each_other() -> None:
    with pytest.raises(NeuralLogError, match="each choose the weights"):
        session().train(average=0.5, keep_best=True)


@pytest.mark.parametrize(
    "option", [{"average": 0.5}, {"schedule": "cosine"}, {"schedule": "plateau", "warm_up": 2}]
)
def test_a_training_that_stopped_goes_on_from_its_checkpoint(
    tmp_path: Path, option: dict[str, Any]
) -> None:
    whole = session()
    whole.train(epochs=9, learning_rate=0.3, dtype="float64", **option)

    class Fall:
        def on_epoch(self, state: Any) -> None:
            if state.epoch == 7:
                raise RuntimeError

    cut, file = session(), tmp_path / "run.nlz"
    with pytest.raises(RuntimeError):
        cut.train(
            epochs=9,
            learning_rate=0.3,
            dtype="float64",
            checkpoint=file,
            callbacks=[Fall()],
            **option,
        )
    again = session()
    again.train(epochs=9, learning_rate=0.3, dtype="float64", checkpoint=file, **option)
    assert weight(again) == pytest.approx(weight(whole), abs=1e-7)


def test_a_checkpoint_of_another_number_of_epochs_does_not_fit_a_cosine(tmp_path: Path) -> None:
    file = tmp_path / "run.nlz"
    session().train(epochs=4, schedule="cosine", checkpoint=file)
    with pytest.raises(NeuralLogError, match="epochs=4"):
        session().train(epochs=6, schedule="cosine", checkpoint=file)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"clip_norm": 0}, "clip_norm must be a number above 0"),
        ({"average": 1.5}, "average must be a share between 0 and 1"),
        ({"warm_up": -1}, "warm_up must be a whole number of at least 0"),
        ({"schedule": 3}, "schedule must be one of constant"),
    ],
)
def test_odd_options_are_named(option: dict[str, Any], message: str) -> None:
    with pytest.raises(NeuralLogError, match=message):
        session().train(**option)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("set_parameter(patience, 3).", "config, patience, 5"),
        ("set_parameter(keep_best, true).", "restore_best_weights"),
        ("set_parameter(loss, logistic).", "loss_function"),
        ("set_parameter(negatives, 2).", "train(negatives=2)"),
        ("set_parameter(dtype, float64).", "train(dtype='float64')"),
    ],
)
def test_what_a_call_says_is_told_to_a_program_that_sets_it(text: str, hint: str) -> None:
    with pytest.raises(NeuralLogError, match="unknown parameter") as caught:
        session(text)
    assert hint in caught.value.hint


def test_the_advice_on_patience_can_be_followed() -> None:
    s = session()
    with pytest.raises(NeuralLogError) as caught:
        s.add("set_parameter(patience, 5).")
    told = caught.value.hint.removeprefix("write ").partition(" Or give")[0]
    s.add(told)
    s.add("set_parameter(callback, stop, config, monitor, loss).")
    history = s.train(epochs=500, learning_rate=1.0)
    assert history.stopped_early and history.epochs < 500
