"""What a training can be told: optimisers, losses, regularisers, metrics, sets, when to stop."""

from __future__ import annotations

import keras
import numpy as np
import pytest

from neurallog_kernel import NeuralLogError, Session

PROGRAM = """
0.4::p(a, b). 0.9::p(b, c). 0.6::p(a, c). 0.3::u(b). 0.8::u(c). 0.5::u(a).
h(X, Y) :- p(X, Y), u(Y). g(X) :- p(X, Y), u(Y).
learn(p). learn(u).
"""
TRAIN = "h(a, b). 0::h(a, c). h(b, c)."

pytestmark = pytest.mark.usefixtures("eager")


def session(*texts: str, train: str = TRAIN, validation: str = "") -> Session:
    s = Session()
    s.add(PROGRAM)
    for text in texts:
        s.add(text)
    s.add(train, source="train", set="train")
    if validation:
        s.add(validation, source="validation", set="validation")
    return s


def weights(s: Session) -> dict[tuple[str, ...], float]:
    return {**s.query("p(X, Y)").weights, **s.query("u(X)").weights}


def classes(module, base: type, without: frozenset[str]) -> list[str]:
    found = {
        value.__name__
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, base) and value is not base
    }
    return sorted(found - without)


# What needs arguments, wraps another, or is about something else than a row of numbers.
OPTIMISERS = classes(
    keras.optimizers,
    keras.optimizers.Optimizer,
    frozenset({"LossScaleOptimizer", "MultiOptimizer", "Muon"}),
)
OF_CLASS_NUMBERS = {"SparseCategoricalCrossentropy", "CategoricalGeneralizedCrossEntropy"}
LOSSES = classes(keras.losses, keras.losses.Loss, frozenset({"CTC", "Circle", *OF_CLASS_NUMBERS}))
REGULARISERS = classes(
    keras.regularizers, keras.regularizers.Regularizer, frozenset({"OrthogonalRegularizer"})
)


@pytest.mark.parametrize("name", [*OPTIMISERS, "sgd", "rmsprop", "adagrad", "adam"])
def test_optimisers_by_name(name: str) -> None:
    s = session()
    before = weights(s)
    history = s.train(epochs=1, optimizer=name)
    assert np.isfinite(history.logs["loss"]).all()
    assert weights(s) != before


@pytest.mark.parametrize("name", [*LOSSES, "mse", "mean_absolute_error", "binary_crossentropy"])
def test_losses_by_name(name: str) -> None:
    s = session()
    before = weights(s)
    history = s.train(epochs=1, loss=name, batch_size=2)
    assert np.isfinite(history.logs["loss"]).all()
    assert weights(s) != before


OF_WHOLE_BATCHES = ("Dice", "Tversky")  # Keras sums over rows and outputs at once
ROWS = {"a": {"b": 1.0, "c": 0.0}, "b": {"c": 1.0}}  # the labels of TRAIN


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("unlisted", ["false", "unknown"])
def test_losses_are_those_of_keras(name: str, unlisted: str) -> None:
    """Keras's own figures: over all outputs, or over the listed ones. Losses that compare whole
    rows get a zero where an output is unlisted."""
    s = session()
    start = s.query("h(X, Y)").weights
    made = getattr(keras.losses, name)()
    whole_rows = name.startswith(("Categorical", "Cosine", "KLD", "Dice", "Tversky"))
    truth, found = [], []
    for x, listed in ROWS.items():
        outputs = [y for y in "abc" if y in listed or unlisted == "false" or whole_rows]
        mask = [float(y in listed or unlisted == "false") for y in outputs]
        truth.append([[listed.get(y, 0.0) for y in outputs]])
        found.append([[m * start.get((x, y), 0.0) for y, m in zip(outputs, mask, strict=True)]])
    history = s.train(epochs=1, batch_size=10, loss=name, unlisted=unlisted)
    if name in OF_WHOLE_BATCHES:
        expected = float(made(np.concatenate(truth), np.concatenate(found)))
    else:
        rows = zip(truth, found, strict=True)
        expected = np.mean([float(made(np.array(y), np.array(z))) for y, z in rows])
    assert history.logs["loss"][0] == pytest.approx(expected, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("name", [*REGULARISERS, "l1", "l2", "l1_l2"])
def test_regularisers_by_name(name: str) -> None:
    s, free = session(), session()
    s.train(epochs=1, regularizer=name)
    free.train(epochs=1)
    assert weights(s) != weights(free)


def test_regularisers_by_predicate() -> None:
    s, free = session("set_predicate_parameter(u, regularizer, l2)."), session()
    options = {"epochs": 1, "batch_size": 10, "dtype": "float64", "learning_rate": 0.1}
    s.train(**options)
    free.train(**options)
    one, other = weights(s), weights(free)
    for key, weight in {("a",): 0.5, ("b",): 0.3, ("c",): 0.8}.items():
        assert one[key] - other[key] == pytest.approx(-0.1 * 0.02 * weight)
    assert one["a", "b"] == pytest.approx(other["a", "b"], abs=1e-12)


BOTH = TRAIN + "0.7::g(a). g(b)."


def test_losses_by_predicate() -> None:
    """In the text and in the call; the other target has the global one."""
    text = "set_parameter(loss_function, mean_absolute_error)."
    options = {"epochs": 1, "batch_size": 10, "dtype": "float64"}
    both = session(text, train=BOTH)
    own = session(
        text + 'set_predicate_parameter("h/2", loss_function, mean_squared_error).', train=BOTH
    )
    below = session(text + "set_parameter(loss_function, h, mean_squared_error).", train=BOTH)
    given = session(text, train=BOTH)
    logs = both.train(**options).logs
    expected = own.train(**options).logs
    assert expected["g/1 loss"] == pytest.approx(logs["g/1 loss"])
    assert expected["h/2 loss"] != pytest.approx(logs["h/2 loss"])
    for history in (
        below.train(**options),
        given.train(loss={"h": "mean_squared_error"}, **options),
        session(train=BOTH).train(loss={"g/1": "mean_absolute_error"}, **options),
    ):
        for name in ("loss", "h/2 loss", "g/1 loss"):
            assert history.logs[name] == pytest.approx(expected[name])


def test_metrics_by_predicate() -> None:
    s = session(
        "set_parameter(metrics, mean_absolute_error).set_predicate_parameter(h, metrics, roc_auc).",
        train=BOTH,
        validation="h(a, b). 0::h(b, c). g(a).",
    )
    logs = s.train(epochs=2).logs
    assert {"h/2 roc_auc", "g/1 mean_absolute_error", "val_h/2 roc_auc"} <= set(logs)
    answers = s.query("g(X)").weights
    expected = (abs(answers["a",] - 0.7) + abs(answers["b",] - 1)) / 2
    assert logs["g/1 mean_absolute_error"][-1] == pytest.approx(expected, abs=1e-5)
    assert logs["val_h/2 roc_auc"][-1] == s.evaluate("validation").by_target["h/2"]["roc_auc"]


# -- stopping --------------------------------------------------------------------------------------


def test_validation_set_and_period() -> None:
    s = session("set_parameter(validation_period, 2).", validation="h(a, b). 0::h(b, c).")
    history = s.train(epochs=4, dtype="float64")
    assert np.isnan(history.logs["val_loss"]).tolist() == [True, False, True, False]
    found = s.query("h(X, Y)").weights
    rows = [
        [(found["a", "b"] - 1) ** 2, found["a", "c"] ** 2, 0],
        [found["b", "c"] ** 2, 0, 0],
    ]
    assert history.logs["val_loss"][-1] == pytest.approx(np.mean(rows))
    assert list(history.to_pandas().index) == [1, 2, 3, 4]


def test_early_stopping_and_the_best_weights() -> None:
    """Validation says the opposite of training: its loss grows from the first epoch on."""
    against = "0::h(a, b). h(a, c). 0::h(b, c)."
    s = session(validation=against)
    history = s.train(epochs=30, patience=3, keep_best=True, learning_rate=0.1, dtype="float64")
    assert history.stopped_early and history.epochs == 4
    assert history.best_epoch == 1
    once = session(validation=against)
    once.train(epochs=1, learning_rate=0.1, dtype="float64")
    assert weights(s) == pytest.approx(weights(once), abs=1e-12)


def test_without_keep_best_the_last_weights_stay() -> None:
    against = "0::h(a, b). h(a, c). 0::h(b, c)."
    s, plain = session(validation=against), session()
    s.train(epochs=30, patience=3, learning_rate=0.1, dtype="float64")
    plain.train(epochs=4, learning_rate=0.1, dtype="float64")
    assert weights(s) == pytest.approx(weights(plain), abs=1e-12)


def test_monitoring_a_metric() -> None:
    s = session("set_parameter(metrics, roc_auc).")
    history = s.train(epochs=30, patience=2, monitor="roc_auc")
    best = history.logs["roc_auc"]
    assert history.stopped_early and max(best[:-2]) >= max(best[-2:])


def test_a_callback_may_stop() -> None:
    class Stop:
        def on_epoch(self, state) -> None:
            state.stop = state.epoch == 2

    history = session().train(epochs=10, callbacks=[Stop()])
    assert history.epochs == 2 and not history.interrupted


# -- order -----------------------------------------------------------------------------------------

MANY = " ".join(
    f"{label}::h({x}, {y})." for x, y, label in zip("abcba", "bcacc", "10101", strict=False)
)


def test_shuffling_with_a_seed_is_deterministic() -> None:
    options = {"epochs": 4, "shuffle": True, "learning_rate": 0.4, "dtype": "float64"}
    found = []
    for seed in (1, 1, 2):
        s = session(train=MANY)
        s.train(seed=seed, **options)
        found.append(weights(s))
    plain = session(train=MANY)
    plain.train(**{**options, "shuffle": False})
    assert found[0] == found[1]
    assert found[0] != found[2]
    assert found[0] != weights(plain)


@pytest.mark.parametrize("optimizer", ["sgd", "adam", "adagrad"])
@pytest.mark.parametrize("shuffle", [False, True])
def test_resuming_equals_an_uninterrupted_run(optimizer: str, shuffle: bool) -> None:
    options = {
        "optimizer": optimizer,
        "shuffle": shuffle,
        "learning_rate": 0.1,
        "dtype": "float64",
        "seed": 3,
    }
    whole, parts = session(train=MANY), session(train=MANY)
    expected = whole.train(epochs=6, **options)
    parts.train(epochs=2, **options)
    parts.train(epochs=1, resume=True, **options)
    history = parts.train(epochs=3, resume=True, **options)
    assert history.logs["loss"] == pytest.approx(expected.logs["loss"], abs=1e-9)
    assert weights(parts) == pytest.approx(weights(whole), abs=1e-9)


def test_resuming_a_program_that_changed_goes_on_from_the_weights() -> None:
    s = session()
    s.train(epochs=2, optimizer="adam")
    s.add("h(X, Y) :- p(Y, X), w. learn(w).")
    history = s.train(epochs=2, optimizer="adam", resume=True)
    assert history.epochs == 4 and np.isfinite(history.logs["loss"]).all()


# -- mistakes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message", "nearest"),
    [
        ({"epoch": 3}, "unknown option epoch", "epochs"),
        ({"optimizer": "adagard"}, "unknown optimiser adagard", "dagrad"),
        ({"loss": "mean_square_error"}, "unknown loss mean_square_error", "mean_squared_error"),
        ({"regularizer": "l3"}, "unknown regulariser l3", "L2"),
        ({"examples": "trian"}, "trian", "train"),
        ({"validation": "trian"}, "trian", "train"),
        ({"unlisted": "maybe"}, "unlisted must be false or unknown", ""),
        ({"epochs": -1}, "at least 0", ""),
        ({"batch_size": 0}, "at least 1", ""),
        ({"optimizer": {"class_name": "sgd", "momentun": 1}}, "momentun", ""),
        ({"loss": {"hh": "mse"}}, "hh", "h"),
        ({"monitor": "val_los"}, "val_los", "loss"),
        ({"dtype": "float46"}, "float46", "float64"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_unknown_names_show_the_nearest(options: dict, message: str, nearest: str) -> None:
    s = session()
    before = s.program()
    with pytest.raises(NeuralLogError, match=message) as caught:
        s.train(**{"epochs": 1, **options})
    assert nearest in (caught.value.hint or "")
    assert s.program() == before, "a training that is refused changes nothing"


def test_an_unknown_option_of_evaluate_shows_the_nearest() -> None:
    wrong = {"filterd": False}
    with pytest.raises(NeuralLogError, match="unknown option filterd of evaluate") as caught:
        session().evaluate("train", **wrong)
    assert caught.value.hint == "did you mean filtered?"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("set_parameter(optimizer, adagard).", "adagard"),
        ("set_parameter(metrics, mean_absolut_error).", "mean_absolut_error"),
        ("set_predicate_parameter(n, initial_value, onse).", "onse"),
    ],
)
def test_unknown_names_in_the_text(text: str, message: str) -> None:
    with pytest.raises(NeuralLogError, match=message) as caught:
        session(text)
    assert caught.value.hint and caught.value.span


def test_an_unknown_constraint_is_told_in_training() -> None:
    """A function may be registered after the text."""
    s = session("set_predicate_parameter(u, value_constraint, rleu).")
    with pytest.raises(NeuralLogError, match="rleu") as caught:
        s.train(epochs=1)
    assert caught.value.hint


def test_nothing_to_learn_and_nothing_to_learn_from() -> None:
    s = Session()
    s.add("p(a, b). h(X, Y) :- p(X, Y).")
    with pytest.raises(NeuralLogError, match="no examples"):
        s.train()
    s.add("example(h, a, b).")
    with pytest.raises(NeuralLogError, match="nothing to learn") as caught:
        s.train()
    assert "learn" in (caught.value.hint or "")
    s.add("example(none, a, b).")
    s.add("learn(p).")
    with pytest.raises(NeuralLogError, match="none/2"):
        s.train()
