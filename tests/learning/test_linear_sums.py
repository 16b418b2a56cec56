"""Sums of constants times learned numbers: a matrix and a list of entries give the same."""

from __future__ import annotations

import numpy as np
import pytest

from neurallog_kernel import Session
from neurallog_kernel.network import rule_sums

RULES = """
learn(w).
h(X, Y) :- p(X, Y), w(direct).
h(X, Y) :- p(X, Z), q(Z, Y), w(two).
h(X, Y) :- q(X, Z), p(Y, Z), w(shared), w(direct).
h(X, Y) :- not p(X, Y), w(never).
"""


def facts(seed: int) -> str:
    draw = np.random.default_rng(seed)
    rows = draw.integers(0, 12, size=(60, 2)).tolist()
    stated = [f"{'pq'[i % 2]}(e{a}, e{b})." for i, (a, b) in enumerate(rows)]
    return " ".join(stated + [f"example(h, e{a}, e{b})." for a, b in rows[:20]])


@pytest.mark.parametrize("seed", range(3))
def test_a_matrix_and_a_list_of_entries_learn_the_same(seed: int, monkeypatch) -> None:
    learned = []
    for room in (0, 1_000_000):  # always by entry, always by matrix
        monkeypatch.setattr(rule_sums, "MATRIX", room)
        session = Session()
        session.add(RULES + facts(seed))
        history = session.train(epochs=3, batch_size=4, seed=1, dtype="float64")
        learned.append((history.to_pandas()["loss"].tolist(), session.query("w(X)").weights))
    (losses, weights), (other_losses, other_weights) = learned
    assert losses == pytest.approx(other_losses, rel=1e-12)
    assert weights == pytest.approx(other_weights, rel=1e-12)
