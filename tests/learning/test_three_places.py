"""Targets and learned facts of three places: trained, evaluated at any place, sampled, kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from neurallog_kernel import NeuralLogError, Session

GIFTS = """
learn("gave/3").
gave(ann, bob, book). gave(ann, cid, pen). gave(bob, cid, book). 0.5::gave(cid, ann, cup).
got(Y, Z) :- gave(X, Y, Z).
third(X, Y, Z) :- gave(X, Y, Z).
"""
EXAMPLES = "third(ann, bob, book). 0::third(ann, cid, pen). 0.25::got(ann, cup)."


@pytest.fixture
def trained() -> Session:
    session = Session()
    session.add(GIFTS, source="gifts")
    session.add(EXAMPLES, source="examples", set="train")
    session.train(examples="train", epochs=120, seed=1, optimizer="adam", learning_rate=0.05)
    return session


def test_each_row_learns_its_own_weight(trained: Session) -> None:
    weights = trained.query("gave(Who, Whom, What)").weights
    assert weights[("ann", "bob", "book")] == pytest.approx(1.0, abs=1e-3)
    assert weights[("cid", "ann", "cup")] == pytest.approx(0.25, abs=1e-3)
    assert weights[("ann", "cid", "pen")] == pytest.approx(0.0, abs=1e-3)
    assert weights[("bob", "cid", "book")] == 1.0, "no example is about it"


def test_what_is_unlisted_counts_as_false_or_not_at_all() -> None:
    learned = []
    for unlisted in ("false", "unknown"):
        session = Session()
        session.add(GIFTS + "gave(ann, bob, cup).")
        session.add("third(ann, bob, book).", set="train")
        session.train(
            examples="train", epochs=150, optimizer="adam", learning_rate=0.05, unlisted=unlisted
        )
        learned.append(session.query("gave(ann, bob, cup)").weights[()])
    assert learned[0] == pytest.approx(0.0, abs=1e-2)
    assert learned[1] == 1.0


def test_a_model_is_kept(trained: Session, tmp_path: Path) -> None:
    trained.save(tmp_path / "gifts.nlz")
    asked = "gave(Who, Whom, What)"
    opened = Session.open(tmp_path / "gifts.nlz")
    assert opened.query(asked).weights == trained.query(asked).weights
    read = Session()
    read.add(trained.program())
    assert read.query(asked).weights == trained.query(asked).weights
    trained.undo()
    assert trained.query("gave(cid, ann, cup)").weights == {(): 0.5}


def test_restated_facts_forget_what_was_learned(trained: Session) -> None:
    learned = trained.query("gave(Who, Whom, What)").weights
    trained.add(GIFTS.replace("0.5::gave(cid", "0.75::gave(cid"), source="gifts")
    now = trained.query("gave(Who, Whom, What)").weights
    assert now[("cid", "ann", "cup")] == 0.75
    assert {k: w for k, w in now.items() if k[0] != "cid"} == pytest.approx(
        {k: w for k, w in learned.items() if k[0] != "cid"}
    )


RANKED = """
3::likes(ann, tea, home). 2::likes(ann, tea, work). likes(bob, tea, work).
5::likes(bob, milk, work).
"""


@pytest.mark.parametrize(
    ("place", "rank"),
    [(None, 2.0), (3, 2.0), (1, 1.0), (2, 1.0)],  # of likes(ann, tea, work)
)
def test_ranks_of_a_chosen_place(place: int | None, rank: float) -> None:
    session = Session()
    session.add(RANKED)
    session.add("likes(ann, tea, work).", set="test")
    found = session.evaluate("test", place=place)
    (name,) = found.by_target
    assert found["mean_rank"] == rank
    assert name == ("likes/3" if place in (None, 3) else f"likes/3 at place {place}")


def test_ranks_leave_other_answers_out() -> None:
    session = Session()
    session.add(RANKED)
    session.add("likes(ann, tea, home). likes(ann, tea, work).", set="test")
    found = session.evaluate("test", inverse=True)
    assert found.by_target["likes/3"]["mean_rank"] == 1.5
    assert found.by_target["likes/3"]["mean_rank_filtered"] == 1.0
    assert set(found.by_target) == {"likes/3", "likes/3 at place 1", "likes/3 at place 2"}


def test_a_place_that_is_not_there() -> None:
    session = Session()
    session.add(RANKED)
    session.add("likes(ann, tea, home).", set="test")
    with pytest.raises(NeuralLogError, match="likes/3 has 3 places"):
        session.evaluate("test", place=4)


@pytest.mark.parametrize("place", [1, 2, 3])
def test_negatives_differ_at_one_place(place: int) -> None:
    session = Session()
    facts = [f"likes(p{i}, d{i % 3}, c{i % 5})" for i in range(15)]
    session.add("".join(f"{fact}. " for fact in facts[:5]))
    session.add("".join(f"{fact}. " for fact in facts[5:]), set="train")
    session.sample_negatives("train", number=2, seed=3, place=place)
    drawn = [e.text for e in session.examples() if e.weight == 0]
    assert len(drawn) == len(set(drawn)) >= 10

    def rest(atom: str) -> tuple[str, ...]:
        terms = atom[len("likes(") : -1].split(", ")
        return (*terms[: place - 1], *terms[place:])

    assert {rest(atom) for atom in drawn} <= {rest(fact) for fact in facts[5:]}
    assert not set(drawn) & set(facts)
    counts = [sum(rest(a) == key for a in drawn) for key in {rest(fact) for fact in facts[5:]}]
    assert max(counts) <= 2
