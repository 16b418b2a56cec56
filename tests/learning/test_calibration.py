"""Calibration: probabilities that are right on other examples, and that end with their weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.learning.figures.calibration import by_temperature, isotonic
from neurallog_kernel.learning.figures.probabilities import log_loss
from neurallog_kernel.learning.figures.reliability import binned
from neurallog_kernel.pictures.reliability import reliability_svg

pytestmark = pytest.mark.usefixtures("eager")


def chance(weight: np.ndarray) -> np.ndarray:
    """How likely an answer is, as nobody knows."""
    return 1 / (1 + np.exp(-4 * (weight - 1.5)))


def drawn(seed: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    weights = generator.uniform(0, 3, size)
    return weights, generator.random(size) < chance(weights)


def session(size: int = 300) -> Session:
    """Weights from 0 to 3 with known chances; the sets are drawn apart."""
    s = Session()
    s.add("learn(w). h(X) :- score(X), w(k). 1::w(k).")
    facts = []
    for seed, name in enumerate(("train", "validation", "test")):
        weights, truth = drawn(seed, size)
        facts += [f"{w:.6f}::score({name}{i})." for i, w in enumerate(weights)]
        text = " ".join(f"{int(t)}::h({name}{i})." for i, t in enumerate(truth))
        s.add(text, source=name, set=name)
    s.add(" ".join(facts), source="facts")
    return s


@pytest.mark.parametrize("fit", [by_temperature, isotonic])
def test_the_chances_that_were_drawn_are_found(fit) -> None:
    found = fit(*drawn(1, 20_000))
    grid = np.linspace(0.2, 2.8, 14)
    assert np.abs(found(grid) - chance(grid)).max() < 0.05


def test_a_temperature_is_the_one_with_the_lowest_log_loss() -> None:
    weights, truth = drawn(2, 2_000)
    found = by_temperature(weights, truth)
    best = log_loss(truth, found(weights))
    for temperature in (0.9, 1.1):
        for shift in (-0.02, 0.02):
            other = type(found)(found.temperature * temperature, found.centre + shift)
            assert log_loss(truth, other(weights)) > best


def test_examples_that_a_weight_divides_have_a_temperature() -> None:
    found = by_temperature(np.array([0.0, 0.0, 1.0, 1.0]), np.array([False, False, True, True]))
    assert 0 < found(np.array([0.0]))[0] < 0.5 < found(np.array([1.0]))[0] < 1


@pytest.mark.parametrize("method", ["temperature", "isotonic"])
def test_test_examples_are_better_judged(method: str) -> None:
    s = session()
    before = s.reliability().targets[0]
    order = list(s.query("h(X)").weights)
    s.calibrate(method=method)
    after = s.reliability().targets[0]
    assert not before.is_calibrated
    assert after.is_calibrated
    assert after.figures["brier"] < before.figures["brier"]
    assert after.gap < before.gap / 2
    assert s.evaluate(ranks=False)["log_loss"] == pytest.approx(after.figures["log_loss"])
    answers = s.query("h(X)")
    assert list(answers.weights) == order
    assert answers.probabilities is not None
    assert list(answers.to_pandas()["probability"]) == list(answers.probabilities.values())
    assert (np.diff(list(answers.probabilities.values())) <= 0).all()


def test_undo_takes_it_back_and_save_keeps_it(tmp_path: Path) -> None:
    s = session(60)
    s.calibrate()
    first = s.query("h(test1)").probabilities
    s.calibrate(method="isotonic")
    second = s.query("h(test1)").probabilities
    assert first != second
    s.save(tmp_path / "model.nlz")
    assert Session.open(tmp_path / "model.nlz").query("h(test1)").probabilities == second
    text = Session()
    text.add(s.program())
    assert text.query("h(test1)").probabilities == pytest.approx(second)
    s.undo()
    assert s.query("h(test1)").probabilities == first
    s.remove("calibration")
    assert s.query("h(test1)").probabilities is None
    assert "brier" not in s.evaluate(ranks=False).names


def test_other_weights_end_it(tmp_path: Path) -> None:
    """Weights of a training, of an ensemble, of an earlier run, of a file: all are others."""
    s = session(40)
    s.train(epochs=1)
    s.save(tmp_path / "model.nlz")
    for change in (
        lambda: s.train(epochs=1, learning_rate=0.3),
        lambda: s.train(epochs=1, seeds=2),
        lambda: s.back_to(1),
        lambda: s.load_weights(tmp_path / "model.nlz"),
    ):
        s.calibrate()
        before = s.query("h(test1)").probabilities
        told = change()
        assert s.query("h(test1)").probabilities is None
        if told is not None:
            assert "calibrate again" in told.notes[-1]
        s.undo()
        s.undo()
        assert s.query("h(test1)").probabilities == before
        s.remove("calibration")


def test_one_predicate_leaves_the_others_theirs() -> None:
    s = session(40)
    s.add("g(X) :- score(X).")
    _, truth = drawn(1, 40)
    text = " ".join(f"{int(t)}::g(validation{i})." for i, t in enumerate(truth))
    s.add(text, source="more", set="validation")
    s.calibrate()
    kept = s.query("h(test1)").probabilities
    s.calibrate(method="isotonic", predicate="g")
    assert s.query("h(test1)").probabilities == kept
    assert s.query("g(test1)").probabilities is not None


def test_bad_input_is_told_and_changes_nothing() -> None:
    s = session(40)
    s.add("1::h(train1). 1::h(train2).", source="true", set="true")
    s.add("0::h(train1). 0::h(train2).", source="false", set="false")
    _, truth = drawn(1, 40)
    turned = " ".join(f"{int(not t)}::h(validation{i})." for i, t in enumerate(truth))
    s.add(turned, source="turned", set="turned")
    s.train(epochs=1)
    version = s.version
    for wrong, said in (
        (lambda: s.calibrate("train"), "learned from the set train"),
        (lambda: s.calibrate("nowhere"), "no examples in the set nowhere"),
        (lambda: s.calibrate("true"), "all true"),
        (lambda: s.calibrate("false"), "all false"),
        (lambda: s.calibrate("turned"), "not more often true"),
        (lambda: s.calibrate(method="magic"), "temperature or isotonic"),
        (lambda: s.calibrate(predicate="score"), "no examples of score"),
        (lambda: s.reliability(bins=0), "at least 1"),
        (lambda: s.add("set_parameter(calibration, temperature, 1)."), "for one predicate"),
    ):
        with pytest.raises(NeuralLogError, match=said):
            wrong()
        assert s.version == version


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("temperature, 0", "above 0"),
        ("temprature, 1", "has temperature"),
        ("centre, high", "a number"),
        ("weights, [2, 1]", "must not go down"),
        ("probabilities, [0.5, 1.5]", "from 0 to 1"),
        ("1", "has temperature"),
    ],
)
def test_a_program_says_a_calibration_wrongly(setting: str, said: str) -> None:
    with pytest.raises(NeuralLogError, match=said):
        Session().add(f'set_predicate_parameter("h/1", calibration, {setting}).')


def test_half_a_calibration_is_told_when_it_is_used() -> None:
    s = session(40)
    s.add('set_predicate_parameter("h/1", calibration, weights, [0, 1]).')
    with pytest.raises(NeuralLogError, match="as many weights as probabilities"):
        s.query("h(test1)")


def test_metrics_of_training() -> None:
    logs = session(40).train(epochs=2, metrics=["brier", "log_loss"]).logs
    assert {"brier", "log_loss"} <= set(logs)


def test_every_example_is_in_one_bin() -> None:
    weights, truth = drawn(3, 500)
    bins = binned(chance(weights), truth, 10)
    assert sum(one.examples for one in bins) == 500
    assert sum(one.examples * one.true for one in bins) == pytest.approx(truth.sum())


def test_the_plot_has_a_point_for_each_bin() -> None:
    s = session(40)
    found = s.reliability(bins=5)
    assert reliability_svg(found).count("<circle") == len(found.targets[0].bins)
