"""Losses that are not Keras's: functions of the user, losses of order, weights of true examples."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import pytest

from neurallog_kernel import NeuralLogError, Session

pytestmark = pytest.mark.usefixtures("eager")

# Four outputs for a: the weights themselves, and nothing for t.
TEXT = """
0.6::p(a, x). 0.2::p(a, y). -0.3::p(a, z). p(b, t).
learn(p). h(X, Y) :- p(X, Y).
"""
SCORES = {"x": 0.6, "y": 0.2, "z": -0.3, "t": 0.0}
EXAMPLES = "h(a, y). 0::h(a, z). h(a, t)."


def session(examples: str = EXAMPLES) -> Session:
    s = Session()
    s.add(TEXT)
    s.add(examples, source="train", set="train")
    return s


def first_loss(s: Session, **options: Any) -> float:
    """The loss before any step."""
    history = s.train(epochs=1, learning_rate=0.0, dtype="float64", **options)
    return history.logs["loss"][0]


def pairwise(true: list[str], false: list[str]) -> float:
    one = [np.mean([np.log1p(np.exp(SCORES[f] - SCORES[t])) for f in false]) for t in true]
    return float(np.mean(one))


def softmax(true: list[str], false: list[str]) -> float:
    def share(t: str) -> float:
        return np.exp(SCORES[t]) / (np.exp(SCORES[t]) + sum(np.exp(SCORES[f]) for f in false))

    return float(np.mean([-np.log(share(t)) for t in true]))


@pytest.mark.parametrize(
    ("unlisted", "false"), [("false", ["x", "z"]), ("unknown", ["z"])], ids=["closed", "open"]
)
@pytest.mark.parametrize(
    ("name", "by_hand"), [("pairwise_ranking", pairwise), ("softmax_ranking", softmax)]
)
def test_losses_of_order(name: str, by_hand: Any, unlisted: str, false: list[str]) -> None:
    found = first_loss(session(), loss=name, unlisted=unlisted)
    assert found == pytest.approx(by_hand(["y", "t"], false), rel=1e-6)


@pytest.mark.parametrize("name", ["pairwise_ranking", "softmax_ranking"])
def test_losses_of_order_put_the_true_answers_first(name: str) -> None:
    s = session("h(a, z).")
    s.train(epochs=40, learning_rate=0.3, loss=name)
    assert next(iter(s.query("h(a, Y)").weights)) == ("z",)


def test_a_row_without_false_answers_has_no_loss_of_order() -> None:
    assert first_loss(session("h(a, x)."), loss="pairwise_ranking", unlisted="unknown") == 0.0
    assert first_loss(session("h(a, x)."), loss="softmax_ranking", unlisted="unknown") < 1e-6


def test_a_loss_of_order_needs_several_outputs() -> None:
    s = Session()
    s.add("learn(u). u(a). g(X) :- u(X). example(g, a).")
    with pytest.raises(NeuralLogError, match="compares the outputs of a row"):
        s.train(loss="pairwise_ranking")


def test_the_logistic_loss_is_cross_entropy_of_an_output_of_tanh() -> None:
    s = Session()
    s.add(
        "0.7::u(a). -0.4::u(b). learn(u). g(X) :- u(X), tanh(X). example(g, a). 0::example(g, b)."
    )
    p = (1 + np.tanh([0.7, -0.4])) / 2
    assert first_loss(s, loss="logistic") == pytest.approx(-np.mean(np.log([p[0], 1 - p[1]])))


def absolute(labels: Any, predictions: Any) -> Any:
    return keras.ops.abs(labels - predictions)


def of_rows(labels: Any, predictions: Any) -> Any:
    return keras.ops.mean(keras.ops.abs(labels - predictions), axis=-1)


def of_everything(labels: Any, predictions: Any) -> Any:
    return keras.ops.mean(keras.ops.abs(labels - predictions))


@pytest.mark.parametrize(
    "loss",
    [absolute, of_rows, of_everything, keras.losses.MeanAbsoluteError(), {"h": of_rows}],
    ids=["entries", "rows", "one", "keras", "by target"],
)
def test_a_function_is_a_loss(loss: Any) -> None:
    assert first_loss(session(), loss=loss) == pytest.approx(
        first_loss(session(), loss="mean_absolute_error")
    )


def test_a_function_of_single_entries_keeps_the_closed_form() -> None:
    def absolute_entries(labels: Any, predictions: Any) -> Any:
        return absolute(labels, predictions)

    absolute_entries.elementwise = True  # type: ignore[attr-defined]
    s = session()
    assert first_loss(s, loss=absolute_entries) == pytest.approx(
        first_loss(session(), loss="mean_absolute_error")
    )


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        (lambda labels: labels, "does not work"),
        (lambda labels, predictions: keras.ops.zeros((7,)), r"gives the shape \[7\]"),
        (lambda labels, predictions: "a text", "does not work"),
        (lambda labels, predictions: predictions[:, :2], r"gives the shape \[2, 2\]"),
        (
            lambda labels, predictions: keras.ops.ones((2,)),
            r"gives the shape \[2\] for .* \[4, 3\]",
        ),
    ],
)
def test_a_function_that_does_not_fit_is_told_before_the_training(loss: Any, message: str) -> None:
    s = session()
    before = s.query("h(a, Y)").weights
    with pytest.raises(NeuralLogError, match=message):
        s.train(loss=loss)
    assert s.query("h(a, Y)").weights == before


@pytest.mark.parametrize("unlisted", ["false", "unknown"])
def test_true_examples_weigh_more(unlisted: str) -> None:
    """By hand: squared errors, those of y and t three times; the row's mean over its outputs."""
    found = first_loss(session(), positive_weight=3.0, unlisted=unlisted)
    listed = [3 * 0.8**2, 0.3**2, 3 * 1.0]
    rest = [0.6**2] if unlisted == "false" else []
    assert found == pytest.approx(np.mean([*listed, *rest]))


def test_true_examples_of_a_concept_weigh_more() -> None:
    s = Session()
    s.add("0.5::u(a). 0.25::u(b). learn(u). g(X) :- u(X). example(g, a). 0::example(g, b).")
    assert first_loss(s, positive_weight=4) == pytest.approx((4 * 0.25 + 0.0625) / 2)


def test_balanced_means_as_much_as_all_false_ones() -> None:
    closed = first_loss(session(), positive_weight="balanced")  # two true, two false
    assert closed == pytest.approx(first_loss(session(), positive_weight=1.0))
    opened = first_loss(session(), positive_weight="balanced", unlisted="unknown")
    assert opened == pytest.approx(first_loss(session(), positive_weight=0.5, unlisted="unknown"))


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {"positive_weight": 0}, 'must be a number above 0, or "balanced"'),
        ("", {"positive_weight": 2, "loss": "softmax_ranking"}, "compares rows"),
        ("set_parameter(positive_weight, much).", {}, "must be a number above 0"),
        ("set_parameter(loss_function, pairwise_rankin).", {}, "unknown loss"),
    ],
)
def test_odd_weights_are_named(text: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(NeuralLogError, match=message):
        s = session()
        s.add(text)
        s.train(**options)


def test_only_true_examples_cannot_be_balanced() -> None:
    s = session("h(a, x).")
    with pytest.raises(NeuralLogError, match="are all true"):
        s.train(positive_weight="balanced", unlisted="unknown")


def test_own_losses_by_parameter() -> None:
    s = session()
    s.add("set_parameter(loss_function, softmax_ranking). ")
    assert first_loss(s) == pytest.approx(softmax(["y", "t"], ["x", "z"]), rel=1e-6)
