"""Held-out examples and folds: no group on both sides, each example in one place."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.learning.examples.splits import (
    GROUPINGS,
    Split,
    folds_of,
    groups_of,
    held_out,
)
from neurallog_kernel.learning.examples.targets import Examples, examples_of

pairs = st.lists(
    st.tuples(st.integers(0, 14), st.integers(0, 14), st.booleans()),
    min_size=8,
    max_size=60,
    unique_by=lambda row: row[:2],
)


def examples(rows: list[tuple[int, int, bool]]) -> tuple[Session, list[Examples]]:
    s = Session()
    s.add("p(e0, e1).")
    text = " ".join(f"{float(label)}::p(e{a}, e{b})." for a, b, label in rows)
    s.add(text, source="train", set="train")
    evaluator = s._evaluator
    return s, examples_of(evaluator.program, evaluator.symbols, "train")


def atoms(part: tuple[Examples, ...]) -> set[tuple]:
    return {
        (e.signature, *(int(column[i]) for column in e.places), float(e.labels[i]))
        for e in part
        for i in range(len(e))
    }


def entities(part: tuple[Examples, ...]) -> set[int]:
    return {int(symbol) for e in part for column in e.places for symbol in column}


def subjects(part: tuple[Examples, ...]) -> set[int]:
    return {int(symbol) for e in part for symbol in e.places[0]}


@given(pairs, st.integers(2, 4), st.sampled_from(GROUPINGS), st.integers(0, 5))
def test_groups_stay_on_one_side(
    rows: list[tuple[int, int, bool]], number: int, by: str, seed: int
) -> None:
    s, listed = examples(rows)
    program = s._evaluator.program
    try:
        splits = folds_of(program, listed, number, by, seed)
    except NeuralLogError as error:
        assert len(np.unique(groups_of(program, listed, by))) < number, error
        return
    everything = atoms(tuple(listed))
    held: list[tuple] = []
    for split in splits:
        assert atoms(split.kept) | atoms(split.held) == everything
        assert not atoms(split.kept) & atoms(split.held)
        held += atoms(split.held)
        if by == "connected":
            assert not entities(split.kept) & entities(split.held)
        if by == "subject":
            assert not subjects(split.kept) & subjects(split.held)
    assert sorted(held) == sorted(everything)  # each is held out once


@given(pairs)
def test_connected_groups_are_the_smallest(rows: list[tuple[int, int, bool]]) -> None:
    """Examples of one group are linked by shared entities, step by step."""
    s, listed = examples(rows)
    groups = groups_of(s._evaluator.program, listed, "connected")
    (only,) = listed
    for group in np.unique(groups):
        members = [
            set(pair) for pair in zip(*(c[groups == group] for c in only.places), strict=True)
        ]
        reached, left = members[0], members[1:]
        while True:
            near = [one for one in left if one & reached]
            if not near:
                break
            reached = reached.union(*near)
            left = [one for one in left if one not in near]
        assert not left


def test_groups_by_a_predicate() -> None:
    s = Session()
    s.add("school(ann, north). school(bob, north). school(cid, south). school(dan, south).")
    s.add("likes(ann, x).")
    s.add(
        "likes(ann, x). likes(bob, y). likes(cid, x). likes(dan, y). likes(eve, y).",
        source="t",
        set="train",
    )
    evaluator = s._evaluator
    listed = examples_of(evaluator.program, evaluator.symbols, "train")
    ann, bob, cid, dan, eve = groups_of(evaluator.program, listed, "school/2").tolist()
    assert ann == bob and cid == dan and len({ann, cid, eve}) == 3


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("conected", "groups: unknown predicate conected"),
        ("nosuch/2", "groups: unknown predicate nosuch/2"),
        ("one/1", "has 1 arguments"),
    ],
)
def test_odd_groups_are_named(by: str, message: str) -> None:
    s = Session()
    s.add("p(a, b). one(a). learn(p). example(p, a, b). example(p, c, d).")
    with pytest.raises(NeuralLogError, match=message):
        s.train(hold_out=0.5, groups=by)


def test_one_group_cannot_be_divided() -> None:
    s = Session()
    s.add("learn(p). p(a, b). p(b, c). example(p, a, b). 0::example(p, b, c).")
    with pytest.raises(NeuralLogError, match="at least 2 groups") as caught:
        s.train(hold_out=0.5)
    assert "groups='subject'" in caught.value.hint


@pytest.mark.usefixtures("eager")
def test_a_training_holds_out_and_stops_by_it() -> None:
    s = Session()
    names = [f"e{i}" for i in range(20)]
    s.add("learn(w). h(X, Y) :- p(X, Y), w(k). " + " ".join(f"p({n}, {n}x)." for n in names))
    s.add(" ".join(f"h({n}, {n}x)." for n in names), source="t", set="train")
    history = s.train(hold_out=0.25, patience=3, keep_best=True, epochs=30, learning_rate=0.1)
    assert history.settings["held out"] == "5 of 20 examples (groups: connected)"
    assert history.settings["validation"] == "held out"
    assert len(history.logs["val_loss"]) == history.epochs
    again = Session()
    again.add(s.program())  # nothing of it stays in the program
    assert "held out" not in s.program()


@pytest.mark.usefixtures("eager")
def test_holding_out_beside_a_validation_set_is_refused() -> None:
    s = Session()
    s.add("learn(p). p(a, b). example(p, a, b). example(p, c, d).")
    s.add("p(e, f).", source="v", set="validation")
    with pytest.raises(NeuralLogError, match="there is the set validation"):
        s.train(hold_out=0.5)


def test_a_split_has_both_classes_where_it_can() -> None:
    rows = [(i, i, i % 2 == 0) for i in range(15)]
    s, listed = examples(rows)
    for split in folds_of(s._evaluator.program, listed, 5, "connected", 0):
        assert isinstance(split, Split)
        assert {float(label) for e in split.held for label in e.labels} == {0.0, 1.0}


@pytest.mark.parametrize("share", [0.1, 0.25, 0.3, 0.4, 0.5, 0.65, 0.8])
def test_the_share_that_is_asked_for_is_held_out(share: float) -> None:
    s, listed = examples([(i, i, i % 2 == 0) for i in range(20)])
    split = held_out(s._evaluator.program, listed, share, "example", 0)
    assert sum(len(e) for e in split.held) == round(20 * share)
    assert not atoms(split.held) & atoms(split.kept)


@pytest.mark.parametrize(("share", "held"), [(0.4, 1), (0.3, 1), (0.7, 2), (0.9, 2)])
def test_with_few_groups_it_is_the_nearest_share_that_leaves_both_sides(
    share: float, held: int
) -> None:
    s, listed = examples([(i, i, True) for i in range(3)])
    split = held_out(s._evaluator.program, listed, share, "example", 0)
    assert sum(len(e) for e in split.held) == held


def test_single_examples_are_no_advice_where_they_are_divided_already() -> None:
    s, listed = examples([(i, i, True) for i in range(3)])
    with pytest.raises(NeuralLogError, match="at least 5 groups") as caught:
        folds_of(s._evaluator.program, listed, 5, "example", 0)
    assert caught.value.hint == "use fewer folds, or add examples"
