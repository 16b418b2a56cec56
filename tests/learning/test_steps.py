"""Batches compute the targets that they have, and learn the same as if they computed all."""

from __future__ import annotations

import numpy as np
import pytest

from neurallog_kernel import Session
from neurallog_kernel.learning import steps as module
from neurallog_kernel.learning.gradient_step import Updates
from neurallog_kernel.network.numpy_arrays import NumpyArrays
from neurallog_kernel.network.tensorflow_arrays import TensorFlowArrays

PROGRAM = """
learn(w). learn(b).
""" + "".join(f"p(a{i}, b{i % 4}). q(b{i % 5}, c{i % 3}).\n" for i in range(12))
RULES = """
one(X, Y) :- p(X, Y), w(first).
two(X, Z) :- p(X, Y), q(Y, Z), w(second), tanh(Z).
two(X, Z) :- b(two).
three(Y, Z) :- q(Y, Z), w(third).
"""
EXAMPLES = "".join(f"one(a{i}, b{i % 4}). 0::one(a{i}, b0).\n" for i in range(1, 12))
EXAMPLES += "".join(f"two(a{i}, c{i % 3}).\n" for i in range(12))
EXAMPLES += "".join(f"0.5::three(b{i % 5}, c{i % 3}).\n" for i in range(5))


def learned(backend: str, compiling: int, monkeypatch, **options) -> tuple[dict, list[float]]:
    kind = NumpyArrays if backend == "numpy" else TensorFlowArrays
    monkeypatch.setattr(kind, "compiling", compiling)
    session = Session()
    session.add(PROGRAM + RULES, "program")
    session.add(EXAMPLES, "examples", set="train")
    settings = {"epochs": 4, "batch_size": 4, "learning_rate": 0.1, "dtype": "float64"}
    history = session.train(backend=backend, **{**settings, **options})
    found = {name: session.query(f"{name}(X)").weights for name in "wb"}
    return found, history.logs["loss"]


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("backend", ["numpy", "tensorflow"])
def test_the_same_is_learned_by_steps_of_some_targets(backend, shuffle, monkeypatch):
    options = {"shuffle": shuffle, "regularizer": "l2", "seed": 3}
    some, losses = learned(backend, 0, monkeypatch, **options)
    every, others = learned(backend, 10**12, monkeypatch, **options)
    for name, weights in every.items():
        assert some[name] == pytest.approx(weights, abs=1e-12)
    np.testing.assert_allclose(losses, others, rtol=1e-12)


def test_a_batch_computes_no_target_that_it_lacks(monkeypatch):
    seen = []
    gradients = Updates.gradients

    def watched(self, batch, targets=None):
        seen.append((targets, self.objective.present[batch]))
        return gradients(self, batch, targets)

    monkeypatch.setattr(Updates, "gradients", watched)
    learned("numpy", 0, monkeypatch)
    assert seen and all(asked == present for asked, present in seen)
    assert {len(present) for _, present in seen} >= {1, 2}


def test_a_short_training_compiles_one_step_for_all_targets(monkeypatch):
    made = []
    loop = module.Steps._loop

    def watched(self, targets):
        made.append(targets)
        return loop(self, targets)

    monkeypatch.setattr(module.Steps, "_loop", watched)
    learned("tensorflow", 1_000, monkeypatch)
    assert set(made) == {(0, 1, 2)}


def test_batches_are_in_order_again_after_they_were_shuffled():
    session = Session()
    session.add(PROGRAM + RULES, "program")
    session.add(EXAMPLES, "examples", set="train")
    session.train(epochs=1, batch_size=4, shuffle=False, backend="numpy")
    trainer = session._state.trainer
    assert trainer is not None
    objective = trainer.objective
    losses = [objective.values(batch) for batch in range(objective.plan.count)]
    objective.divide(np.random.default_rng(1))
    shuffled = [objective.values(batch) for batch in range(objective.plan.count)]
    assert not np.array_equal(losses, shuffled)
    objective.divide(None)
    again = [objective.values(batch) for batch in range(objective.plan.count)]
    np.testing.assert_array_equal(losses, again)
