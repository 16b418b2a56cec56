"""Negative examples: of the relation's own objects, never a known pair, the same each time."""

from collections import Counter

import pytest

from neurallog_kernel import NeuralLogError, Session

PEOPLE = [f"p{i}" for i in range(30)]
CITIES = [f"c{i}" for i in range(12)]


@pytest.fixture
def session() -> Session:
    """People who live somewhere: some pairs in train, some in test, some as facts."""
    made = Session()
    made.add("learn(w). lives(X, Y) :- near(X, Y), w(k). near(p0, c0). near(p1, c9).")
    made.add("".join(f"lives({p}, c{i % 10}).\n" for i, p in enumerate(PEOPLE)), set="train")
    made.add("".join(f"lives({p}, c{(i + 1) % 10}).\n" for i, p in enumerate(PEOPLE)), set="test")
    made.add("lives(p0, c11). lives(p0, c5).", source="facts")
    return made


def listed(session: Session, which: str) -> dict[str, float]:
    return {e.text: e.weight for e in session.examples() if e.set == which}


def test_each_subject_gets_its_number(session):
    before = listed(session, "train")
    change = session.sample_negatives("train", number=2, seed=1)
    new = {atom: weight for atom, weight in listed(session, "train").items() if atom not in before}
    assert change.examples_added == len(new) == 60
    assert set(new.values()) == {0.0}
    assert set(Counter(atom.partition(",")[0] for atom in new).values()) == {2}


def test_nothing_known_is_drawn(session):
    known = {e.text for e in session.examples()} | {"lives(p0, c11)", "lives(p0, c5)"}
    session.sample_negatives("train", number=100)
    drawn = {e.text for e in session.examples() if e.weight == 0}
    assert not drawn & known
    objects = {f"c{i}" for i in range(10)} | {"c11"}  # c10 is in no pair of the relation
    everything = {f"lives({p}, {o})" for p in PEOPLE for o in objects}
    assert drawn == everything - known


def test_the_same_seed_gives_the_same_examples(session):
    texts = []
    for seed in (1, 1, 2):
        session.sample_negatives("train", seed=seed)
        texts.append(listed(session, "train"))
    assert texts[0] == texts[1] != texts[2]


def test_other_predicates_do_not_matter(session):
    session.sample_negatives("train")
    before = {a: w for a, w in listed(session, "train").items() if a.startswith("lives")}
    session.remove("negatives of train")
    session.add("eats(p1, soup). eats(p2, rice).", set="train")
    session.sample_negatives("train")
    after = {a: w for a, w in listed(session, "train").items() if a.startswith("lives")}
    assert after == before


def test_they_can_be_taken_back(session):
    before = session.program()
    session.sample_negatives("test")
    session.remove("negatives of test")
    assert session.program() == before


def test_a_set_of_concepts_has_none():
    session = Session()
    session.add("big(a). big(b).", set="train")
    with pytest.raises(NeuralLogError, match="no negative example could be drawn"):
        session.sample_negatives("train")


def test_a_wrong_number(session):
    with pytest.raises(NeuralLogError, match="at least 0, not -1"):
        session.sample_negatives("train", number=-1)


def test_training_with_negatives():
    """With unlisted outputs unknown, only positives count and the weight grows to 1; drawn
    negatives hold it back, and all unlisted ones do so more. The program itself does not change."""
    near = "".join(f"near({p}, {c}).\n" for p in PEOPLE for c in CITIES)
    lives = "".join(f"lives({p}, c{i % 12}).\n" for i, p in enumerate(PEOPLE))

    def learned(**more) -> tuple[float, dict]:
        session = Session()
        session.add(f"learn(w). lives(X, Y) :- near(X, Y), w(k). {near}")
        session.add(lives, set="train")
        before = listed(session, "train")
        history = session.train(
            epochs=20, optimizer="sgd", learning_rate=0.2, batch_size=10, seed=3, **more
        )
        assert listed(session, "train") == before
        return session.query("w(k)").weights[()], history.settings

    alone, _ = learned(unlisted="unknown")
    drawn, settings = learned(negatives=2)
    assert (settings["unlisted"], settings["negatives"]) == ("unknown", 2)
    assert drawn == learned(negatives=2)[0]
    closed, settings = learned(negatives=2, unlisted="false")
    assert settings["unlisted"] == "false (closed world)"
    expected = (1, 1 / 3, 1 / 12)  # of the pairs that count, how many are right
    assert (alone, drawn, closed) == pytest.approx(expected, abs=0.02)


def test_a_unary_target_has_no_unlisted_outputs_to_speak_of() -> None:
    """Whatever `unlisted` says, nothing changes, so the history does not mention it."""

    def learned(**more):
        session = Session()
        session.add("p(a). p(b). p(c). learn(w). good(X) :- p(X), w(k).")
        session.add("good(a). 0::good(b).", set="train")
        history = session.train(epochs=5, learning_rate=0.1, seed=3, **more)
        return session.query("w(k)").weight, history.settings

    closed, settings = learned(unlisted="false")
    assert "unlisted" not in settings
    assert closed == learned(unlisted="unknown")[0]
