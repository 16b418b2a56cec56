"""The variables of Keras layers are part of the program: undo, diff, save and load know them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

from neurallog_kernel import NeuralLogError, Session

pytestmark = pytest.mark.usefixtures("eager")

PROGRAM = """
p(a, b). p(b, c). p(c, a).
t(X, Y) :- p(X, Z), mix(Z, Y), w(k).
s(X, Y) :- t(X, Z), p(Z, Y).
learn(w).
"""
EXAMPLES = "t(a, b). t(b, c). 0::t(a, c)."
ASKED = ("t(a, Y)", "t(X, b)", "t(X, Y)", "s(a, Y)", "s(X, Y)", "w(X)")


def layer(seed: int = 1) -> Any:
    drawn: Any = keras.initializers.RandomNormal(seed=seed)
    made = keras.layers.Dense(3, kernel_initializer=drawn)
    made.build((None, 3))
    return made


def session(given: Any) -> Session:
    s = Session()
    s.register("mix", given)
    s.add(PROGRAM, source="program")
    s.add(EXAMPLES, source="examples", set="train")
    return s


def answers(s: Session) -> dict:
    return {question: s.query(question).weights for question in ASKED}


def assert_same(found: dict, expected: dict) -> None:
    for question, weights in expected.items():
        assert found[question] == pytest.approx(weights), question


def values(model: Any) -> list[np.ndarray]:
    return [np.asarray(v).copy() for v in model.variables]


def assert_equal(model: Any, expected: list[np.ndarray]) -> None:
    for found, value in zip(values(model), expected, strict=True):
        np.testing.assert_array_equal(found, value)


@pytest.mark.parametrize("asked_first", [True, False])
def test_undo_of_a_training_gives_the_variables_back(asked_first: bool) -> None:
    mix = layer()
    s = session(mix)
    start = values(mix)
    if asked_first:
        answers(s)
    s.train(epochs=2, learning_rate=0.5)
    once, after_once = values(mix), answers(s)
    s.train(epochs=2, learning_rate=0.5)
    assert answers(s)["t(X, Y)"] != after_once["t(X, Y)"]
    s.undo()
    assert_same(answers(s), after_once)
    assert_equal(mix, once)
    s.undo()
    assert_equal(mix, start)
    fresh = session(layer())
    assert_same(answers(s), answers(fresh))


def test_undo_gives_back_a_layer_that_was_first_called_by_training() -> None:
    mix = keras.layers.Dense(3)
    s = session(mix)
    starts: list[list[np.ndarray]] = []

    class Watch:
        def on_begin(self, state: Any) -> None:
            starts.append(values(mix))

    s.train(epochs=1, learning_rate=0.5, callbacks=[Watch()])
    trained = s.query("t(X, Y)").weights
    s.undo()
    assert_equal(mix, starts[0])
    assert s.query("t(X, Y)").weights != trained


def test_undo_of_an_edit_after_a_training_keeps_the_variables() -> None:
    mix = layer()
    s = session(mix)
    s.train(epochs=1, learning_rate=0.5)
    trained, found = values(mix), answers(s)
    s.add("p(a, c).", source="more")
    s.undo()
    assert_equal(mix, trained)
    assert_same(answers(s), found)


def test_diff_of_a_training_compares_with_the_variables_of_then() -> None:
    mix = layer()
    s = session(mix)
    s.add("0.5::w(k).", source="start")
    before = s.query("s(a, Y)").weights
    s.train(epochs=2, learning_rate=0.5)
    trained, after = values(mix), s.query("s(a, Y)").weights
    moves = {move.query: (move.before, move.after) for move in s.diff("training", "s(a, Y)")}
    assert len(moves) == 3
    for (name,), weight in after.items():
        assert moves[f"s(a, {name})"] == pytest.approx((before[name,], weight))
    assert_equal(mix, trained)


@pytest.mark.parametrize("asked", [ASKED[:1], ASKED[1:2], ASKED, ()])
def test_loaded_weights_are_seen_in_both_directions(tmp_path: Path, asked: tuple[str, ...]) -> None:
    trained = session(layer())
    trained.train(epochs=2, learning_rate=0.5)
    trained.save(tmp_path / "model.nlz")
    mix = layer(seed=7)
    s = session(mix)
    start = values(mix)
    before = {question: s.query(question).weights for question in asked}
    s.load_weights(tmp_path / "model.nlz")
    assert_same(answers(s), answers(trained))
    assert_equal(mix, list(trained.registry["mix"].variables or ()))
    s.undo()
    assert_equal(mix, start)
    for question, weights in before.items():
        assert s.query(question).weights == pytest.approx(weights)


def test_loaded_weights_go_into_a_function_that_is_given(tmp_path: Path) -> None:
    trained = session(layer())
    trained.train(epochs=1, learning_rate=0.5)
    trained.save(tmp_path / "model.nlz")
    other = keras.layers.Dense(3)
    s = session(layer(seed=7))
    answers(s)
    s.load_weights(tmp_path / "model.nlz", functions={"mix": other})
    assert_same(answers(s), answers(trained))
    assert s.registry["mix"].model is other
    reopened = Session.open(tmp_path / "model.nlz", functions={"mix": keras.layers.Dense(3)})
    assert_same(answers(reopened), answers(trained))


def test_weights_that_do_not_fit_change_nothing(tmp_path: Path) -> None:
    trained = session(layer())
    trained.train(epochs=1, learning_rate=0.5)
    trained.save(tmp_path / "model.nlz")
    wide = keras.layers.Dense(4)
    wide.build((None, 3))
    s = session(layer(seed=7))
    before, start = answers(s), values(wide)
    with pytest.raises(NeuralLogError, match="do not fit"):
        s.load_weights(tmp_path / "model.nlz", functions={"mix": wide})
    assert_same(answers(s), before)
    assert_equal(wide, start)
    assert s.registry["mix"].model is not wide


class Broken:
    """A callback that raises after the first epoch."""

    def on_epoch(self, state: Any) -> None:
        raise RuntimeError("a callback of the user")


def test_a_training_that_breaks_off_gives_the_variables_back() -> None:
    mix = layer()
    s = session(mix)
    before, start = answers(s), values(mix)
    with pytest.raises(RuntimeError):
        s.train(epochs=3, learning_rate=0.5, callbacks=[Broken()])
    assert_equal(mix, start)
    assert_same(answers(s), before)
    s.add("0.5::p(a, b). p(b, c). p(c, a).", source="more")
    assert_same(answers(s), answers(_with_more(session(layer()))))


def _with_more(s: Session) -> Session:
    s.add("0.5::p(a, b). p(b, c). p(c, a).", source="more")
    return s


def test_a_layer_changed_by_hand_is_registered_again() -> None:
    mix = layer()
    s = session(mix)
    before = answers(s)
    version = s.version
    s.register("mix", mix)
    assert s.version == version
    mix.set_weights([2 * value for value in mix.get_weights()])
    s.register("mix", mix)
    for name, weight in s.query("t(a, Y)").weights.items():
        assert weight == pytest.approx(2 * before["t(a, Y)"][name])
    s.undo()
    assert_same(answers(s), before)


def test_another_layer_under_the_name_and_back() -> None:
    first, second = layer(), layer(seed=5)
    s = session(first)
    s.train(epochs=1, learning_rate=0.5)
    trained, values_of_first = answers(s), values(first)
    s.register("mix", second)
    assert answers(s)["t(X, Y)"] != trained["t(X, Y)"]
    s.train(epochs=1, learning_rate=0.5)
    s.undo()
    s.undo()
    assert_same(answers(s), trained)
    assert_equal(first, values_of_first)


def test_sessions_that_share_a_layer_keep_their_own_answers() -> None:
    mix = layer()
    one, other = session(mix), session(mix)
    before = answers(other)
    one.train(epochs=2, learning_rate=0.5)
    assert_same(answers(other), before)
