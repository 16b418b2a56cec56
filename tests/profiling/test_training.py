"""Profiles of training: stages, folded rules, and nothing learned by it."""

from __future__ import annotations

import numpy as np
import pytest

from neurallog_kernel import NeuralLogError, Session

pytest.importorskip("tensorflow", reason="learning is not installed")

PROGRAM = """
learn(w).
w(one). w(two).
p(a, b). p(b, c). p(c, a). q(a, c). q(b, a). q(c, b).
likes(X, Y) :- w(one), p(X, Z), q(Z, Y).
likes(X, Y) :- w(two), p(X, Y).
likes(X, Y) :- q(X, Z), q(Z, Y).
"""


def session() -> Session:
    made = Session()
    made.add(PROGRAM, source="program")
    made.add("likes(a, b). likes(b, c). 0::likes(c, c).", set="train", source="examples")
    return made


def test_learned_rules_have_an_epoch_and_folded_ones_have_none() -> None:
    live = session()
    before = live.program()
    profile = live.profile_training(batch_size=2)
    rows = {row.rule: row for row in profile.rules}
    steps = {name: row.step for name, row in rows.items() if ":-" in name}
    folded = "likes(X, Y) :- q(X, Z), q(Z, Y)."
    assert steps.pop(folded) is None
    assert len(steps) == 2 and all(step is not None and step > 0 for step in steps.values())
    # for the three inputs: a fact of q each, and one more of q for each entity reached
    assert (rows[folded].facts, rows[folded].entries) == (6, 6)
    assert live.program() == before and live.history is None and not live._state.changes[2:]
    assert profile.seconds == pytest.approx(sum(stage.seconds for stage in profile.stages))
    names = [stage.stage for stage in profile.stages]
    assert names[-4:] == [
        "examples and network",
        "trace, first batches",
        "rest of the first epoch",
        "later epochs",
    ]
    assert "1 rule computed once" in str(profile) and "epoch alone" in str(profile)
    assert profile.to_pandas()["step"].notna().sum() == 2


def test_models_keep_their_weights() -> None:
    keras = pytest.importorskip("keras")
    live = session()
    layer = keras.layers.Dense(3, activation="sigmoid")
    layer.build((None, 3))
    live.register("encoder", layer)
    live.add("likes(X, Y) :- p(X, Z), encoder(Z, Y).", source="model")
    before = [variable.numpy().copy() for variable in layer.variables]
    live.profile_training(batch_size=2, learning_rate=1.0)
    for variable, value in zip(layer.variables, before, strict=True):
        np.testing.assert_array_equal(variable.numpy(), value)


def test_mistakes_are_those_of_training() -> None:
    with pytest.raises(NeuralLogError, match="unknown option epoch of train"):
        session().profile_training(epoch=1)
