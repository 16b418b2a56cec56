"""Python functions, Keras layers and whole Keras models as predicates."""

from __future__ import annotations

import keras
import numpy as np
import pytest
from keras import ops

from neurallog_kernel import NeuralLogError, Session
from tests.learning.helpers import entity_names

FACTS = "0.4::p(a, b). 0.9::p(b, c). 0.6::p(a, c). 0.7::p(c, a). 0.3::q(b, c). 0.8::q(c, a)."
EXAMPLES = "example(h, a, b). 0::example(h, a, c). example(h, b, c). 0.5::example(h, c, a)."

pytestmark = pytest.mark.usefixtures("eager")


def session(rule: str, *more: str) -> Session:
    s = Session()
    s.add(" ".join([FACTS, EXAMPLES, *more]))
    s.add(rule, source="rule")
    return s


def with_function(rule: str, name: str, function, **options) -> Session:
    s = Session()
    s.register(name, function, **options)
    s.add(f"{FACTS} {EXAMPLES}")
    s.add(rule, source="rule")
    return s


def test_a_function_of_keras_ops() -> None:
    """The same in queries and in training, and trained through."""
    s = with_function("h(X, Y) :- p(X, Z), bend(Z), q(Z, Y).", "bend", lambda x: ops.sin(2 * x))
    expected = np.sin(2 * 0.4) * 0.3
    assert s.query("h(a, c)").weights[()] == pytest.approx(expected)
    s.add("learn(p). learn(q).")
    history = s.train(epochs=20, learning_rate=0.5, dtype="float64")
    assert history.logs["loss"][-1] < 0.9 * history.logs["loss"][0]
    p, q = s.query("p(X, Y)").weights, s.query("q(X, Y)").weights
    expected = np.sin(2 * p["a", "b"]) * q["b", "c"]
    assert s.query("h(a, c)").weights[()] == pytest.approx(expected)


def test_the_gradient_through_a_function_of_keras_ops() -> None:
    rule = "h(X, Y) :- p(X, Y), bend(Y)."
    s = with_function(rule, "bend", lambda x: ops.sin(2 * x))
    s.add("learn(p).")
    s.train(epochs=1, learning_rate=1.0, batch_size=10, dtype="float64")
    labels = {
        ("a", "b"): (0.4, 1),
        ("b", "c"): (0.9, 1),
        ("a", "c"): (0.6, 0),
        ("c", "a"): (0.7, 0.5),
    }
    for pair, (weight, label) in labels.items():
        slope = 2 * (np.sin(2 * weight) - label) * 2 * np.cos(2 * weight) / 9
        assert s.query(f"p{pair}".replace("'", "")).weights[()] == pytest.approx(weight - slope)


def test_a_rowwise_function() -> None:
    def share(rows):
        return rows / (1 + ops.sum(rows, axis=-1, keepdims=True))

    s = with_function("h(X, Y) :- p(X, Y), share(Y).", "share", share, kind="rowwise")
    assert s.query("h(a, Y)").weights == pytest.approx({("b",): 0.4 / 2, ("c",): 0.6 / 2})
    s.add("learn(p).")
    history = s.train(epochs=10, learning_rate=0.5)
    assert history.logs["loss"][-1] < history.logs["loss"][0]


def test_a_numpy_function_cannot_be_trained_through() -> None:
    s = with_function(
        "h(X, Y) :- p(X, Y), steep(Y).", "steep", lambda x: np.interp(x, [0, 1], [0, 2])
    )
    assert s.query("h(a, b)").weights[()] == pytest.approx(0.8)
    s.add("learn(p).")
    with pytest.raises(NeuralLogError, match="steep cannot be used in training"):
        s.train(epochs=1)


def test_a_numpy_function_of_what_is_not_learned_is_fine() -> None:
    s = with_function(
        "h(X, Y) :- p(X, Z), steep(Z), q(Z, Y).", "steep", lambda x: np.interp(x, [0, 1], [0, 2])
    )
    s.add("learn(q).")
    assert np.isfinite(s.train(epochs=2).logs["loss"]).all()


def test_a_layer_is_trained_and_queries_use_it() -> None:
    keras.utils.set_random_seed(1)
    layer = keras.layers.Dense(3, activation="sigmoid")
    s = with_function("h(X, Y) :- p(X, Z), dense(Z, Y).", "dense", layer)
    before = s.query("h(a, Y)").weights
    assert len(before) == 3
    variables = [v.numpy().copy() for v in layer.trainable_variables]
    history = s.train(epochs=30, learning_rate=1.0, batch_size=3)
    assert history.logs["loss"][-1] < 0.7 * history.logs["loss"][0]
    for variable, old in zip(layer.trainable_variables, variables, strict=True):
        assert np.abs(variable.numpy() - old).max() > 1e-3
    kernel, bias = (v.numpy() for v in layer.trainable_variables)
    names = entity_names(s, "h", 2, 1)
    row = np.array([{"b": 0.4, "c": 0.6}.get(name, 0.0) for name in names])
    expected = 1 / (1 + np.exp(-(row @ kernel + bias)))
    after = s.query("h(a, Y)").weights
    assert [after[name,] for name in names] == pytest.approx(expected, abs=1e-5)


def test_a_model_and_learned_facts_are_trained_together() -> None:
    keras.utils.set_random_seed(2)
    model = keras.Sequential([keras.layers.Dense(4, activation="tanh"), keras.layers.Dense(3)])
    s = with_function("h(X, Y) :- u(X), p(X, Z), net(Z, Y).", "net", model)
    s.add("learn(u).")
    s.query("h(a, Y)")
    variables = [v.numpy().copy() for v in model.trainable_variables]
    history = s.train(epochs=20, learning_rate=0.3, batch_size=3)
    assert history.logs["loss"][-1] < history.logs["loss"][0]
    assert len(s.query("u(X)").weights) == 3
    changed = [
        np.abs(v.numpy() - old).max() > 1e-6
        for v, old in zip(model.trainable_variables, variables, strict=True)
    ]
    assert all(changed)
    first = s.query("h(a, Y)").weights
    again = s.train(epochs=20, learning_rate=0.3, batch_size=3)
    assert again.logs["loss"][-1] < history.logs["loss"][-1]
    assert s.query("h(a, Y)").weights != first, "queries see the trained model, not an old answer"


def test_a_model_that_was_never_called_is_trained() -> None:
    """Its variables are made when it is first called, which training has to do."""
    layer = keras.layers.Dense(3)
    s = with_function("h(X, Y) :- p(X, Z), dense(Z, Y).", "dense", layer)
    history = s.train(epochs=10, learning_rate=0.5, batch_size=3)
    assert history.logs["loss"][-1] < history.logs["loss"][0]


def test_a_layer_with_a_seed_that_was_never_called() -> None:
    """A recurrent layer has a variable of its own, its seed, before its weights are made."""
    keras.utils.set_random_seed(1)

    class Reader(keras.layers.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.read, self.score = keras.layers.GRU(4), keras.layers.Dense(3)

        def call(self, rows):
            return self.score(self.read(rows[:, :, None]))

    s = with_function("h(X, Y) :- p(X, Z), reader(Z, Y).", "reader", Reader())
    assert len(s.query("h(a, Y)").weights) == 3
    history = s.train(epochs=5, learning_rate=0.1, batch_size=3)
    assert history.logs["loss"][-1] < history.logs["loss"][0]


def test_a_function_of_two_inputs() -> None:
    s = with_function(
        "h(X, Y) :- p(X, Z), q(X, V), both(Z, V, Y).",
        "both",
        lambda x, y: ops.maximum(x, y),
        inputs=2,
    )
    s.add("learn(p). learn(q).")
    expected = {("b",): 0.0, ("a",): 0.0, ("c",): 0.9}
    found = s.query("h(b, Y)").weights
    assert all(found.get(key, 0.0) == pytest.approx(w) for key, w in expected.items())
    history = s.train(epochs=5, learning_rate=0.3)
    assert history.logs["loss"][-1] < history.logs["loss"][0]


def test_keep_best_restores_the_variables_of_a_model() -> None:
    layer = keras.layers.Dense(3, use_bias=False)
    s = with_function("h(X, Y) :- p(X, Y), mix(Y).", "mix", layer)
    kernels: list[np.ndarray] = []

    class Watch:
        def on_epoch(self, state) -> None:
            kernels.append(layer.kernel.numpy())

    history = s.train(epochs=8, learning_rate=50.0, keep_best=True, seed=3, callbacks=[Watch()])
    best = int(np.nanargmin(history.logs["loss"]))
    assert history.best_epoch == best + 1
    assert best < 7  # with this rate it gets worse, or the test shows nothing
    assert layer.kernel.numpy() == pytest.approx(kernels[best])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("rule", "layer"),
    [
        ("h(X, Y) :- p(X, Z), net(Z, Y), u(Y).", lambda: keras.layers.Dense(3)),
        ("h(X, Y) :- p(X, Y), u(Y), n. n :- w, net(w).", lambda: keras.layers.Dense(1)),
    ],
    ids=["of rows", "of numbers"],
)
def test_a_layer_is_trained_in_either_precision(rule: str, layer, dtype: str) -> None:
    """A layer keeps its own precision: what goes in and what comes out is cast."""
    keras.utils.set_random_seed(3)
    s = with_function(rule, "net", layer())
    s.add("learn(u). learn(w).")
    history = s.train(epochs=10, learning_rate=0.3, batch_size=3, dtype=dtype)
    assert history.logs["loss"][-1] < history.logs["loss"][0]
