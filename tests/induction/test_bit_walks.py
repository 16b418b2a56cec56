"""Counting by words of bits gives the numbers of counting walks, for graphs of many words too."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurallog_kernel import Session
from neurallog_kernel.induction.bit_sums import WORD, bit_sums
from neurallog_kernel.induction.bit_walks import BitWalks
from neurallog_kernel.induction.learner import RuleLearner
from neurallog_kernel.induction.options import LearnOptions
from neurallog_kernel.induction.pairs import pairs_of_heads
from neurallog_kernel.induction.walks import Walks


def facts(seed: int, entities: int, relations: int, number: int) -> str:
    """Some relations symmetric, some with facts about one entity and itself."""
    draw = np.random.default_rng(seed)
    found = set()
    for relation, one, two in draw.integers(0, [relations, entities, entities], (number, 3)):
        if relation % 3 == 2 or one != two:
            found.add((relation, one, two))
        if relation % 3 == 1:
            found.add((relation, two, one))
    return "".join(f"p{r}(e{x}, e{y})." for r, x, y in sorted(found))


def blocks(counter: Walks | BitWalks, steps: int) -> dict[tuple[int, ...], tuple]:
    """Every body that reaches a pair, with all that is counted of it."""
    found = {}
    for first in range(steps):
        for block in counter.length_three(first):
            counts = block.counts.astype(np.int64)
            for n in np.flatnonzero(block.sizes).tolist():
                body = (*block.begins[n].tolist(), int(block.lasts[n]))
                assert body not in found
                numbers = counts[:, n].tolist()
                found[body] = (int(block.sizes[n]), bool(block.own_reverse[n]), numbers)
    return found


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10_000),
    st.integers(1, 40),
    st.integers(1, 12),
    st.integers(1, 400),
    st.sampled_from([0.0, 0.3]),
)
def test_bits_and_walks_count_alike(
    seed: int, entities: int, relations: int, number: int, held_out: float
) -> None:
    session = Session()
    text = facts(seed, entities, relations, number)
    listed = "1.0::example(h, e0, e1). 0.0::example(h, e1, e0). 0.0::example(h, e0, e2)."
    session.add(text + (listed if seed % 2 else "") + "p0(e0, e1).")
    learner = RuleLearner(session._evaluator, LearnOptions(held_out=held_out))
    pairs = pairs_of_heads(learner.graph, learner.heads)
    walks = Walks.of(learner.graph, pairs)
    steps = len(learner.graph.steps)
    bits = BitWalks(learner.graph, pairs, walks.all)
    assert blocks(bits, steps) == blocks(walks, steps)


@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 10_000),
    st.lists(st.sampled_from([1, 2, 3, 16, 31, 300]), min_size=1, max_size=6),
)
def test_sums_of_bits(seed: int, sizes: list[int]) -> None:
    draw = np.random.default_rng(seed)
    rows = draw.integers(0, 1 << 63, (sum(sizes), 3), dtype=np.uint64) | np.uint64(1 << 63)
    found = bit_sums(rows.astype(WORD), np.array(sizes))
    bits = np.unpackbits(rows.astype(WORD).view(np.uint8), axis=1, bitorder="little")
    starts = np.cumsum([0, *sizes[:-1]])
    assert np.array_equal(found, np.add.reduceat(bits.astype(int), starts, axis=0))


def test_sums_of_bits_beyond_what_two_bytes_hold() -> None:
    rows = np.full((70_000, 1), 5, dtype=WORD)
    assert bit_sums(rows, np.array([70_000]))[0, :3].tolist() == [70_000, 0, 70_000]


def test_a_dense_small_graph_is_counted_whole_within_a_small_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Walks would cost more than the budget, and be counted from some entities only."""
    session = Session()
    session.add(facts(1, 60, 10, 9_000))
    whole = session.learn_rules("p0/2", budget=2)
    assert whole.is_complete and "length 3" not in str(whole.not_looked_at)
    monkeypatch.setattr("neurallog_kernel.induction.bit_walks.MOST_BITS", 0)
    sampled = session.learn_rules("p0/2", budget=2)
    assert "paths of length 3" in str(sampled.not_looked_at)
