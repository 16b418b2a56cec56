"""Batches compute the targets that they have, and learn the same as if they computed all."""

from __future__ import annotations

from itertools import pairwise

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
    made = compiled(monkeypatch)
    learned("tensorflow", 1_000, monkeypatch)
    assert made == [((0, 1, 2),)]


def compiled(monkeypatch) -> list[tuple]:
    """The sets of targets of each chain that is compiled from now on."""
    made = []
    compile_chain = module.Steps._compiled

    def watched(self, sets):
        made.append(sets)
        return compile_chain(self, sets)

    monkeypatch.setattr(module.Steps, "_compiled", watched)
    return made


def calls(monkeypatch) -> list[dict]:
    """Which batches of which targets each call from now on runs."""
    seen = []
    run = module.BatchLoops.run

    def watched(self, ranges):
        seen.append(dict(ranges))
        return run(self, ranges)

    monkeypatch.setattr(module.BatchLoops, "run", watched)
    return seen


def test_one_call_runs_the_batches_of_all_sets(monkeypatch):
    made, seen = compiled(monkeypatch), calls(monkeypatch)
    learned("tensorflow", 0, monkeypatch, shuffle=False, batch_size=3, epochs=20)
    assert len(made) == 1 and len(made[0]) == len(seen[-1]) > 1
    ends = list(seen[-1].values())
    assert ends[0][0] == 0 and [last for _, last in ends[:-1]] == [first for first, _ in ends[1:]]


@pytest.mark.parametrize("backend", ["numpy", "tensorflow"])
def test_sets_that_come_again_are_not_run_out_of_order(backend, monkeypatch):
    """A set that stands before another in the chain and after it in the epoch is a call more."""
    seen = calls(monkeypatch)
    learned(backend, 0, monkeypatch, shuffle=True, seed=3)
    batches = [pair for ranges in seen for pair in ranges.values()]
    assert all(first < end for first, end in batches)
    assert all(after[0] in (before[1], 0) for before, after in pairwise(batches))
    assert sum(end - first for first, end in batches) == 4 * max(end for _, end in batches)


def test_targets_that_get_a_step_later_leave_the_others_compiled(monkeypatch):
    made = compiled(monkeypatch)
    session = Session()
    session.add(PROGRAM + RULES, "program")
    session.add(EXAMPLES, "examples", set="train")
    settings = {"batch_size": 4, "shuffle": False, "backend": "tensorflow"}
    monkeypatch.setattr(TensorFlowArrays, "compiling", 20)
    session.train(epochs=2, **settings)
    trainer = session._state.trainer
    assert trainer is not None and made == [((0, 1, 2),)]
    trainer._steps.plan(100)
    trainer._steps.run(0, trainer.objective.plan.count)
    assert len(made) == 2 and not set(made[0]) & set(made[1])


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
