"""The statistics of the benchmarks: what they must give, whatever the clock said."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.fitting import fit
from benchmarks.measuring import Seconds, Turns, quartiles, repeat, take_turns
from benchmarks.rows import Target, share, speed_up

SECONDS = st.floats(1e-6, 1e3)
ROUNDS = st.lists(st.tuples(SECONDS, SECONDS, st.floats(0.1, 50)), min_size=1, max_size=20)


def turns(rounds, slow=lambda _: 1.0) -> Turns:
    ours = tuple(Seconds(a * slow(s), a * slow(s)) for a, _, s in rounds)
    return Turns(ours, tuple(Seconds(b * slow(s), b * slow(s)) for _, b, s in rounds))


@given(ROUNDS)
def test_a_slow_moment_that_hits_both_changes_no_ratio(rounds):
    quiet, busy = turns(rounds), turns(rounds, slow=lambda s: s)
    assert math.isclose(quiet.ratio, busy.ratio, rel_tol=1e-9)
    assert busy.spread == pytest.approx(quiet.spread, rel=1e-9)


@given(ROUNDS)
def test_the_two_ways_to_say_it_agree(rounds):
    taken = turns(rounds)
    assert math.isclose(speed_up(taken).value * share(taken).value, 1.0, rel_tol=1e-9)
    for figure in (speed_up(taken), share(taken)):
        assert figure.low is not None and figure.high is not None
        assert figure.low <= figure.value * (1 + 1e-9)
        assert figure.value <= figure.high * (1 + 1e-9)


@given(ROUNDS, st.floats(1.5, 100))
def test_one_disturbed_round_of_many_does_not_count(rounds, factor):
    steady = [(1.0, 3.0, 1.0)] * (2 * len(rounds) + 1)
    assert turns([*steady, *rounds]).ratio == 3.0


@given(
    st.floats(-0.5, 2.5),
    st.floats(1e-9, 1e3),
    st.lists(st.integers(10, 10**7), min_size=3, max_size=9, unique=True),
)
def test_a_known_exponent_is_recovered(exponent, constant, sizes):
    growth = fit(sizes, [max(constant * s**exponent, 1e-11) for s in sizes])
    if min(constant * s**exponent for s in sizes) > 1e-11:
        assert growth.exponent == pytest.approx(exponent, abs=1e-6)
        assert growth.error == pytest.approx(0.0, abs=1e-6)
        assert growth.at(sizes[0]) == pytest.approx(constant * sizes[0] ** exponent, rel=1e-4)


@given(st.floats(0.5, 2.0), st.floats(1.0, 100.0))
def test_an_exponent_does_not_depend_on_the_speed_of_the_machine(exponent, slower):
    sizes = [10, 100, 1000, 10_000]
    costs = [0.3 + 1e-3 * s**exponent for s in sizes]
    assert fit(sizes, costs).exponent == pytest.approx(
        fit(sizes, [slower * c for c in costs]).exponent, abs=1e-9
    )


def test_the_fixed_cost_of_small_sizes_does_not_hide_growth():
    sizes = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000]
    assert fit(sizes, [50 + s**2 for s in sizes]).exponent == pytest.approx(2.0, abs=0.02)


@pytest.mark.parametrize(("sizes", "costs"), [([1], [1]), ([1, 2], [1]), ([], [])])
def test_a_fit_needs_something_to_fit(sizes, costs):
    with pytest.raises(ValueError, match="two sizes"):
        fit(sizes, costs)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30))
def test_quartiles_are_in_order_and_inside(values):
    low, high = quartiles(values)
    assert min(values) <= low <= high <= max(values)


def test_works_take_turns_on_the_same_questions():
    seen: list[tuple[str, int]] = []
    take_turns(
        lambda k: seen.append(("ours", k)), lambda k: seen.append(("theirs", k)), rounds=6, least=0
    )
    rounds = seen[4:]  # the first two of each warm up
    assert len(rounds) == 12
    order = [side for side, _ in rounds]
    assert order == ["ours", "theirs", "theirs", "ours"] * 3
    numbers = [[k for side, k in rounds if side == one] for one in ("ours", "theirs")]
    assert numbers[0] == numbers[1]
    assert len(set(numbers[0])) == 6


def test_no_question_comes_twice():
    seen: list[int] = []
    repeat(seen.append, rounds=5, least=1e-3)
    assert len(seen) == len(set(seen)) > 5


@given(st.floats(0.01, 100), st.floats(0.01, 100))
def test_a_target_is_a_bound_that_counts_itself(wanted, found):
    at_least, at_most = Target(wanted, "x", at_least=True), Target(wanted, "x")
    assert at_least.reached(found) or at_most.reached(found)
    assert (at_least.reached(found) and at_most.reached(found)) == (wanted == found)
