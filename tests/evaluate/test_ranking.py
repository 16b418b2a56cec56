"""All answers at once are the answers one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.evaluate.rows import Rows, from_dense
from neurallog_kernel.language.printer import format_constant
from neurallog_kernel.learning.figures.evaluation import rank as rank_of_one
from neurallog_kernel.learning.figures.standings import standing, standing_among
from tests.programs import ProgramText, programs
from tests.reference import Reference

PROGRAM = """
0.5::p(a, b). p(a, c). p(b, c). 0.7::p(c, a). q(c, d). q(b, a). -0.4::q(a, d). u(c).
h(X, Y) :- p(X, Y). h(X, Y) :- p(X, Z), q(Z, Y). h(X, Y) :- q(X, Y), u(X).
g(X, Y) :- p(X, Z), not q(Z, Y). k(X, Y) :- v(X), u(Y). v(a). v(d). s(X, Y) :- p(X, Y), sigmoid(Y).
"""


@pytest.mark.parametrize("name", ["p", "h", "g", "k", "s"])
@pytest.mark.parametrize("top", [1, 2, None])
@pytest.mark.parametrize("inverse", [False, True])
def test_each_ranking_is_the_query_s(name: str, top: int | None, inverse: bool) -> None:
    session = Session()
    session.add(PROGRAM)
    rankings = session.rank(f"{name}/2", top=top, inverse=inverse)
    assert len(rankings) > 1
    for entity in rankings:
        question = f"{name}(X, {entity})" if inverse else f"{name}({entity}, Y)"
        expected = session.query(question, top).weights
        assert list(rankings[entity]) == list(expected), question
        assert rankings[entity] == pytest.approx(expected), question


@settings(max_examples=30, deadline=None)
@given(programs())
def test_rankings_of_random_programs(text: ProgramText) -> None:
    """Programs over every feature of the language."""
    session = Session()
    try:
        session.add(str(text))
    except NeuralLogError:
        return
    reference = Reference(str(text))
    for signature in sorted(reference.program.rules):
        if signature[1] != 2:
            continue
        rankings = session.rank(f"{signature[0]}/2", top=None)
        for entity in rankings:
            expected = session.query(f"{signature[0]}({format_constant(entity)}, Y)").weights
            found = rankings[entity]
            assert set(found) == set(expected)
            for key, weight in expected.items():
                assert found[key] == pytest.approx(weight, rel=1e-9, nan_ok=True)


def test_some_entities_in_the_order_they_are_asked() -> None:
    session = Session()
    session.add(PROGRAM)
    rankings = session.rank("h/2", ["c", "a"], top=1)
    assert list(rankings) == ["c", "a"]
    frame = rankings.to_pandas()
    assert list(frame["asked"]) == ["c", "a"] and list(frame["rank"]) == [1, 1]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda s: s.rank("zz/2"), "zz"),
        (lambda s: s.rank("u/1"), "u/1 cannot be ranked"),
        (lambda s: s.rank("age/2"), "age/2 cannot be ranked"),
        (lambda s: s.rank("gave/3"), r"gave/3 cannot be ranked(.|\n)*:- gave\(X, _, Y\)\."),
        (lambda s: s.rank("h/2", ["nobody"]), "unknown entity nobody"),
        (lambda s: s.rank("h/2", top=-1), "top"),
        (lambda s: s.rank("h/2")["zz"], "was not asked"),
    ],
)
def test_mistakes_are_named(call, said: str) -> None:
    session = Session()
    session.add(PROGRAM + "age(a, 3). gave(a, b, c).")
    with pytest.raises(NeuralLogError, match=said):
        call(session)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(1, 6), st.booleans())
def test_standings_are_the_ranks_one_by_one(seed: int, batch: int, size: int, full: bool) -> None:
    chance = np.random.default_rng(seed)
    dense = chance.integers(0, 3, (batch, size)).astype(float)
    values = from_dense(dense)
    if full:
        values = Rows(batch, size, values.keys, values.values, np.full(batch, 1.0))
        dense = values.dense()
    rows = np.repeat(np.arange(batch), size)
    answers = np.tile(np.arange(size), batch)
    known = [np.flatnonzero(chance.integers(0, 2, size)) for _ in range(batch)]
    of_row = np.repeat(np.arange(batch), [len(one) for one in known])
    found = standing(values, batch, rows, answers)
    others = standing_among(values, batch, rows, answers, of_row, np.concatenate(known))
    for ties in ("optimistic", "pessimistic", "average"):
        for number, (row, answer) in enumerate(zip(rows, answers, strict=True)):
            one = from_dense(dense[row : row + 1])
            left_out = known[row][known[row] != answer]
            assert found.ranks(ties)[number] == rank_of_one(one, answer, ties)
            filtered = found.without(others).ranks(ties)[number]
            assert filtered == rank_of_one(one, answer, ties, left_out)
