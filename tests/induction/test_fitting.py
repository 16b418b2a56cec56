"""Weights by training: what helps gets one, what does not ends at 0 exactly."""

from __future__ import annotations

import numpy as np

from neurallog_kernel import Session
from neurallog_kernel.induction.fitting import fit_weights
from neurallog_kernel.induction.gate import Task
from neurallog_kernel.induction.learner import RuleLearner
from neurallog_kernel.induction.options import LearnOptions


def test_a_rule_that_says_nothing_ends_at_zero() -> None:
    session = Session()
    good = "".join(f"p(a{i}, b{i}). h(a{i}, b{i})." for i in range(20))
    noise = "".join(f"n(a{i}, b{(i * 3) % 20})." for i in range(20))
    session.add(good + noise)
    learner = RuleLearner(session._evaluator, LearnOptions(heads=("h/2",), length=1, min_support=1))
    for _ in learner.run():
        pass
    judged = learner.ranked[0].judged
    texts = [learner._text(0, found) for found in judged.found]
    zero, free = np.zeros(len(texts)), np.full(len(texts), np.inf)
    all_of = [np.ones(n, dtype=bool) for n in (20, judged.others.shape[0])]
    (weights,) = fit_weights([Task(judged, zero, zero, zero, free, 1.0, *all_of)])
    by_text = dict(zip(texts, weights, strict=True))
    assert by_text["h(X, Y) :- p(X, Y)."] > 0.5
    assert by_text["h(X, Y) :- n(X, Y)."] == 0.0
    start = zero + 0.5
    (anchored,) = fit_weights([Task(judged, start, start, -free, free, 100.0, *all_of)])
    assert np.allclose(anchored, start, atol=1e-5)


def test_fitting_ends_at_the_minimum_with_most_weights_at_zero() -> None:
    """Compared with many plain proximal steps: looking ahead must not end elsewhere."""
    chance = np.random.default_rng(3)
    texts = [f"p{k}(a{i}, b{i})." for k in range(12) for i in range(60) if chance.random() < 0.4]
    true = [i for i in range(60) if f"p0(a{i}, b{i})." in texts or chance.random() < 0.15]
    texts += [f"{float(i in true)}::example(h, a{i}, b{i})." for i in range(60)]
    session = Session()
    session.add(" ".join(texts))
    options = LearnOptions(heads=("h/2",), length=1, held_out=0.0, min_support=1)
    learner = RuleLearner(session._evaluator, options)
    for _ in learner.run():
        pass
    judged = learner.ranked[0].judged
    zero, free = np.zeros(len(judged.found)), np.full(len(judged.found), np.inf)
    every = (np.ones(judged.right.shape[0], bool), np.ones(judged.others.shape[0], bool))
    task = Task(judged, zero, zero, zero, free, 1.0, *every)
    (found,) = fit_weights([task], epochs=500)
    expected = _by_small_steps(judged.right.toarray(), judged.others.toarray(), 1.0)
    assert np.allclose(found, expected, atol=0.02)
    (early,) = fit_weights([task])  # as many steps as a search takes
    assert np.allclose(early, expected, rtol=0.05, atol=0.1)
    assert np.array_equal(found == 0, expected == 0) and 0 < (found == 0).sum() < len(found)


def _by_small_steps(right: np.ndarray, others: np.ndarray, strength: float) -> np.ndarray:
    rows = np.vstack([right, others])
    labels = np.repeat([1.0, 0.0], [len(right), len(others)])
    weights, bias, step = np.zeros(rows.shape[1]), 0.0, 0.005
    for _ in range(20_000):
        error = 1 / (1 + np.exp(-(rows @ weights + bias))) - labels
        weights = np.maximum(weights - step * (rows.T @ error + strength), 0.0)
        bias -= step * error.sum()
    return weights
