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
