"""Examples from tables: labels, sets, splits and negative examples."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.tables.splitting import split_rows

ROWS = pd.DataFrame(
    {
        "who": [f"p{n % 10}" for n in range(100)],
        "what": [f"t{n}" for n in range(100)],
        "y": [int(n % 5 == 0) for n in range(100)],
    }
)


def sets_of(session: Session) -> dict[str, Counter]:
    found: dict[str, Counter] = {}
    for example in session.examples():
        found.setdefault(str(example.set), Counter())[example.weight] += 1
    return found


def atoms(session: Session, name: str) -> set[str]:
    return {example.text for example in session.examples() if example.set == name}


def test_a_set_with_labels():
    session = Session()
    loaded = session.load_table(ROWS, "likes(who, what)", label="y", set="test")
    assert loaded.examples == {"test": 100}
    assert sets_of(session) == {"test": Counter({0.0: 80, 1.0: 20})}
    assert session.program().count("example(likes, ") == 100


@pytest.mark.parametrize(
    "words", [("true", "false"), ("yes", "no"), ("+", "-"), ("Pos", "Neg"), (True, False), (1, 0)]
)
def test_labels_in_words(words):
    session = Session()
    rows = [("a", "b", words[0]), ("a", "c", words[1])]
    session.load_table(rows, "p(x, y)", label="l", columns=("x", "y", "l"))
    assert sets_of(session) == {"train": Counter({1.0: 1, 0.0: 1})}


def test_a_split_is_seeded_stratified_and_whole():
    def split(seed: int) -> Session:
        session = Session()
        session.load_table(ROWS, "likes(who, what)", label="y", split=(0.8, 0.1, 0.1), seed=seed)
        return session

    first = split(1)
    assert sets_of(first) == {
        "train": Counter({0.0: 64, 1.0: 16}),
        "validation": Counter({0.0: 8, 1.0: 2}),
        "test": Counter({0.0: 8, 1.0: 2}),
    }
    names = ("train", "validation", "test")
    assert len(set.union(*(atoms(first, name) for name in names))) == 100
    assert all(atoms(split(1), name) == atoms(first, name) for name in names)
    assert any(atoms(split(2), name) != atoms(first, name) for name in names)


def test_a_split_does_not_depend_on_what_the_session_has_seen():
    fresh, used = Session(), Session()
    used.load_table([(f"t{n}",) for n in reversed(range(100))], "thing(x)")
    for session in (fresh, used):
        session.load_table(ROWS, "likes(who, what)", label="y", split=(0.7, 0.3), seed=3)
    assert atoms(fresh, "test") == atoms(used, "test")


def test_the_same_atom_is_never_in_two_sets():
    session = Session()
    twice = pd.concat([ROWS, ROWS])
    loaded = session.load_table(twice, "likes(who, what)", label="y", split=(0.5, 0.5), seed=5)
    assert (loaded.duplicates, sum(loaded.examples.values())) == (100, 100)
    assert not atoms(session, "train") & atoms(session, "test")


def test_sets_from_a_column():
    session = Session()
    frame = ROWS.assign(part=["train", "valid", "test", "test"] * 25)
    loaded = session.load_table(frame, "likes(who, what)", label="y", split="part")
    assert loaded.examples == {"test": 50, "train": 25, "validation": 25}


def test_negative_examples_by_the_local_closed_world():
    positive = ROWS[ROWS.y == 1].drop(columns="y")

    def load() -> Session:
        session = Session()
        loaded = session.load_table(
            positive, "likes(who, what)", split=(0.5, 0.5), negatives=3, seed=9
        )
        assert loaded.negatives == sum(n for n in loaded.examples.values()) - 20 > 0
        return session

    session = load()
    for name in ("train", "test"):
        listed = [e for e in session.examples() if e.set == name]
        subjects = {e.text.split(",")[0] for e in listed if e.weight == 1}
        assert {e.text.split(",")[0] for e in listed if e.weight == 0} == subjects
    true = {e.text for e in session.examples() if e.weight == 1}
    false = [e.text for e in session.examples() if e.weight == 0]
    assert len(set(false)) == len(false) and not true & set(false)
    assert session.program() == load().program()
    before = session.program()
    session.load_table(positive, "likes(who, what)", split=(0.5, 0.5), negatives=3, seed=9)
    assert session.program() == before


def test_examples_with_numbered_names_and_three_places():
    session = Session()
    session.load_table([(1, 2, 3), (1, 2, 4)], "gives(a, b, c)", set="train")
    assert atoms(session, "train") == {"gives(1, 2, 3)", "gives(1, 2, 4)"}


def test_examples_can_be_trained_on():
    session = Session()
    session.add("learn(w). likes(X, Y) :- knows(X, Y), w(one). knows(a, b). knows(a, c).")
    session.load_table([("a", "b", 0.25), ("a", "c", 0.25)], "likes(x, y)", label="3")
    session.train(epochs=200, optimizer="sgd", learning_rate=0.4, seed=1)
    assert session.query("w(one)").weights[()] == pytest.approx(0.25, abs=1e-3)


def test_both_ways_to_name_a_set_are_refused():
    with pytest.raises(NeuralLogError, match="give one of them"):
        Session().load_table(ROWS, "likes(who, what)", set="train", split="y")


@settings(deadline=None)
@given(
    st.lists(st.sampled_from([0.0, 1.0, 0.5]), max_size=60),
    st.sampled_from([(1.0,), (0.8, 0.2), (0.6, 0.3, 0.1), (0.0, 1.0)]),
    st.integers(0, 99),
)
def test_shares_hold_for_every_label(labels, shares, seed):
    given_labels = np.array(labels)
    named = {f"set{n}": share for n, share in enumerate(shares)}
    parts = split_rows(given_labels, named, seed, ("p", 2))
    assert sorted(np.concatenate(list(parts.values())).tolist()) == list(range(len(labels)))
    for label in set(labels):
        rows = np.flatnonzero(given_labels == label)
        for name, share in named.items():
            assert abs(np.isin(rows, parts[name]).sum() - share * len(rows)) < 2
