"""Metrics of training: what they are of, and that the best epoch is the one they call best."""

from __future__ import annotations

import keras
import numpy as np
import pytest

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.functions.keras_names import METRIC_DIRECTIONS

pytestmark = pytest.mark.usefixtures("eager")

PROGRAM = """
0.4::p(a, b). 0.9::p(b, c). 0.6::p(a, c). 0.3::u(b). 0.8::u(c). 0.5::u(a).
h(X, Y) :- p(X, Y), u(Y).
learn(p). learn(u).
"""
TRAIN = "h(a, b). 0::h(a, c). h(b, c)."
AGAINST = "0::h(a, b). h(a, c). 0::h(b, c)."  # the opposite: it gets worse from the first epoch on


def session(text: str = "", validation: str = "") -> Session:
    s = Session()
    s.add(PROGRAM + text)
    s.add(TRAIN, source="train", set="train")
    if validation:
        s.add(validation, source="validation", set="validation")
    return s


@pytest.mark.parametrize("metric", ["mean_absolute_error", "mae", "RootMeanSquaredError"])
def test_the_lowest_epoch_of_an_error_metric_is_kept(metric: str) -> None:
    s = session(f'set_parameter(metrics, "{metric}").', AGAINST)
    options = {"monitor": f"val_{metric}", "patience": 3, "keep_best": True}
    history = s.train(epochs=30, learning_rate=0.1, **options)
    errors = history.logs[f"val_{metric}"]
    assert errors[0] < errors[-1]
    assert history.best_epoch == 1 and history.epochs == 4


def test_the_highest_epoch_of_a_score_is_kept() -> None:
    s = session("set_parameter(metrics, r2_score).", AGAINST)
    history = s.train(epochs=5, learning_rate=0.1, monitor="val_r2_score", keep_best=True)
    scores = history.logs["val_r2_score"]
    assert history.best_epoch == 1 + int(np.argmax(scores)) and scores[0] > scores[-1]


def test_every_metric_of_keras_says_which_way_is_better() -> None:
    """All that the installed Keras has, but for what is no figure of labels and predictions, needs
    the number of classes, or has labels that are numbers of classes."""
    others = {"Mean", "Sum", "Metric", "MeanMetricWrapper"}
    of_classes = {"IoU", "MeanIoU", "OneHotIoU", "OneHotMeanIoU"}
    found = {
        value.__name__
        for value in vars(keras.metrics).values()
        if isinstance(value, type) and not value.__name__.startswith("Sparse")
    }
    assert found - others - of_classes == set(METRIC_DIRECTIONS)


def within(labels: np.ndarray, predictions: np.ndarray) -> float:
    """A user's own: the share of predictions that are off by more than a half."""
    return float((np.abs(labels - predictions) > 0.5).mean())


def test_a_function_of_the_user_says_which_way_is_better() -> None:
    options = {"metrics": [within], "monitor": "within", "epochs": 2}
    with pytest.raises(NeuralLogError, match="within does not say") as caught:
        session().train(keep_best=True, **options)
    assert "mode='min'" in (caught.value.hint or "")
    history = session().train(keep_best=True, mode="min", **options)
    assert history.best_epoch == 1 + int(np.argmin(history.logs["within"]))
    assert session().train(**options).logs["within"]  # nothing is chosen by it: no need to say


def test_a_mode_is_min_or_max() -> None:
    with pytest.raises(NeuralLogError, match="mode must be min or max, not up"):
        session().train(keep_best=True, mode="up")


# -- accuracy --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["accuracy", "acc", "binary_accuracy"])
def test_accuracy_of_probabilities(name: str) -> None:
    """Keras's binary accuracy, as it chooses for one output with one label: above a half or not."""
    s = session(f"set_parameter(metrics, {name}).")
    history = s.train(epochs=40, learning_rate=0.3)
    found = s.query("h(X, Y)").weights
    labels = {("a", "b"): 1, ("a", "c"): 0, ("b", "c"): 1}
    right = [(found[pair] > 0.5) == label for pair, label in labels.items()]
    assert history.logs[name][-1] == pytest.approx(np.mean(right))
    assert history.logs[name][-1] > 0.6


CLASSES = """
f(e1, x). f(e2, x). f(e3, y). f(e4, y). f(e5, y).
class(E, C) :- f(E, F), w(F, C). out(E, C) :- class(E, C), softmax(C).
learn(w). set_parameter(loss_function, categorical_crossentropy).
set_parameter(metrics, [accuracy, categorical_accuracy, categorical_crossentropy]).
example(out, e1, red). example(out, e2, red). example(out, e3, blue). example(out, e4, blue).
example(out, e5, red).
"""


def test_accuracy_of_classes() -> None:
    """With a loss of whole rows: whether the highest output is the right one."""
    s = Session()
    s.add(CLASSES)
    history = s.train(epochs=60, learning_rate=0.5, batch_size=5)
    assert history.logs["accuracy"][-1] == pytest.approx(4 / 5)
    assert history.logs["categorical_accuracy"] == history.logs["accuracy"]
    again = s.train(epochs=1, learning_rate=0.0, batch_size=5)
    assert again.logs["categorical_crossentropy"][0] == pytest.approx(
        again.logs["loss"][0], rel=1e-5
    )


def test_a_metric_with_settings() -> None:
    text = "set_parameter(metrics, class_name, binary_accuracy)."
    strict = session(f"{text} set_parameter(metrics, config, threshold, 0.9999).")
    plain = session(text)
    found = [
        s.train(epochs=20, learning_rate=0.3).logs["binary_accuracy"][-1] for s in (strict, plain)
    ]
    assert found[0] < found[1]


@pytest.mark.parametrize("wrong", [lambda y, x: y, lambda y, x: None, lambda y, x: "good"])
def test_a_function_that_gives_no_number_is_told(wrong) -> None:
    s = Session()
    s.add("learn(w). h(X) :- f(X), w(k). f(a). f(b). example(h, a). 0::example(h, b).")
    with pytest.raises(NeuralLogError, match="not a number"):
        s.train(epochs=1, metrics=[wrong])
