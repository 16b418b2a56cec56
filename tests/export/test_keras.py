"""A predicate as a Keras model: the session's weights, and trained further beside it."""

from __future__ import annotations

import keras
import numpy as np
import pytest
import tensorflow as tf

from neurallog_kernel import NeuralLogError, Session

PROGRAM = """
0.4::p(a, b). 0.9::p(b, c). 0.6::p(a, c). 0.7::p(c, a). 0.3::q(b, c). 0.8::q(c, a).
learn(w). learn(q). learn(l1).
h(X, Y) :- p(X, Z), q(Z, Y), w(far).
h(X, Y) :- l1(X), l1(Y), sigmoid(Y).
k(X) :- h(X, Y), tanh(Y), l1(Y).
s(X, Y, Z) :- p(X, Y), h(Y, Z).
t :- k(X).
example(h, a, c). 0::example(h, b, c). example(h, b, a).
"""


@pytest.fixture
def trained() -> Session:
    session = Session()
    session.add(PROGRAM)
    session.train(epochs=2, seed=2)
    return session


def row(session: Session, question: str, names: tuple[str, ...]) -> list[float]:
    weights = session.query(question).weights
    return [weights.get((name,), 0.0) for name in names]


def test_names_and_indexes_in_weights_out(trained: Session) -> None:
    model = trained.to_keras("h/2", dtype="float64")
    assert model.names == ("a", "b", "c")
    expected = [row(trained, f"h({name}, Y)", model.names) for name in ("c", "a")]
    places = [model.entities[0].index(name) for name in ("c", "a")]
    for given in (["c", "a"], tf.constant(["c", "a"]), np.array(["c", "a"]), np.array(places)):
        assert model(given).numpy() == pytest.approx(np.array(expected))
    objects = np.array(["c", "a"], dtype=object)
    assert model.predict(objects, verbose=0) == pytest.approx(np.array(expected))
    inverse = trained.to_keras("h/2", output=0, dtype="float64")
    expected = [row(trained, "h(X, c)", inverse.names)]
    assert inverse(["c"]).numpy() == pytest.approx(np.array(expected))


def test_other_arities(trained: Session) -> None:
    three = trained.to_keras("s/3", output=1, dtype="float64")
    expected = [row(trained, "s(a, Y, c)", three.names), row(trained, "s(b, Y, a)", three.names)]
    assert three([["a", "b"], ["c", "a"]]).numpy() == pytest.approx(np.array(expected))
    one = trained.to_keras("k/1", dtype="float64")
    expected = [trained.query("k(b)").weight, trained.query("k(a)").weight]
    assert one(["b", "a"]).numpy() == pytest.approx(np.array(expected))
    none = trained.to_keras("t/0", dtype="float64")
    assert float(none()) == pytest.approx(trained.query("t").weight)


def test_unknown_names(trained: Session) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="unknown entity at place 1 of h/2"):
        trained.to_keras("h/2")(["a", "nobody"])
    with pytest.raises(tf.errors.InvalidArgumentError, match="unknown entity"):
        trained.to_keras("h/2")(np.array([0, 3]))
    found = trained.to_keras("h/2", unknown="zero")(["a", "nobody"]).numpy()
    assert found[0].any()
    assert not found[1].any()


def test_the_learned_weights_are_trained_and_the_session_stays(trained: Session) -> None:
    before = trained.weights().to_pandas()
    model = trained.to_keras("h/2")
    assert sorted(v.name for v in model.trainable_variables) == ["l1_1", "q_2", "w_1"]
    names = tf.constant(["a", "b", "c"])
    model.compile(optimizer=keras.optimizers.Adam(0.1), loss="mse")
    history = model.fit(names, 2 * model(names).numpy(), epochs=60, verbose=0)
    assert history.history["loss"][-1] < 0.1 * history.history["loss"][0]
    assert trained.weights().to_pandas().equals(before)


@pytest.mark.parametrize("predicate", ["h/2", "k/1"])
def test_gradients_are_the_slopes_that_the_session_tells(trained: Session, predicate: str) -> None:
    model = trained.to_keras(predicate, dtype="float64")
    with tf.GradientTape() as tape:
        weights = model(["a"])
        answer = weights[0, model.names.index("c")] if predicate == "h/2" else weights[0]
    variables = model.trainable_variables
    gradients = tape.gradient(answer, [variable.value for variable in variables])
    found = {}
    for variable, gradient in zip(variables, gradients, strict=True):
        facts = trained.weights(variable.name.rpartition("_")[0]).predicates[0]
        for names, slope in zip(
            zip(*facts.places, strict=True), tf.convert_to_tensor(gradient).numpy(), strict=True
        ):
            found[f"{facts.signature[0]}({', '.join(names)})"] = slope
    told = trained.sensitivity("h(a, c)" if predicate == "h/2" else "k(a)")
    expected = {one.name: one.slope for one in told if one.learned}
    assert len(expected) > 3
    assert {name: slope for name, slope in found.items() if slope} == pytest.approx(expected)


def test_it_is_a_layer_of_other_models(trained: Session) -> None:
    model = trained.to_keras("h/2")
    given = keras.Input(shape=(), dtype="string")
    larger = keras.Model(given, keras.layers.Dense(2)(model(given)))
    assert larger(tf.constant(["a", "b"])).shape == (2, 2)
    assert {v.name for v in larger.trainable_variables} >= {"l1_1", "q_2", "w_1", "kernel"}


def test_a_layer_of_the_program_is_shared(trained: Session) -> None:
    layer = keras.layers.Dense(3)
    trained.register("mix", layer)
    trained.add("m(X, Y) :- p(X, Y), mix(Y).")
    trained.query("m(a, Y)")  # builds it
    model = trained.to_keras("m/2")
    assert any(variable is layer.kernel for variable in model.trainable_variables)
    expected = row(trained, "m(a, Y)", model.names)
    assert model(["a"]).numpy()[0] == pytest.approx(expected, rel=1e-5)


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")  # Keras and h5py
def test_what_keras_cannot_do_is_said(trained: Session, tmp_path) -> None:
    model = trained.to_keras("h/2")
    with pytest.raises(NeuralLogError, match="export_saved_model"):
        model.save(tmp_path / "model.keras")
    model.save_weights(tmp_path / "model.weights.h5")
    other = trained.to_keras("h/2")
    other.trainable_variables[0].assign(other.trainable_variables[0] + 1.0)
    other.load_weights(tmp_path / "model.weights.h5")
    assert other(["a"]).numpy() == pytest.approx(model(["a"]).numpy())
