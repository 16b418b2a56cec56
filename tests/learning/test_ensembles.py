"""Ensembles: ten seeds trained together are ten trainings, and their answers are means."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neurallog_kernel import NeuralLogError, ParameterError, Session

pytestmark = pytest.mark.usefixtures("eager")

TEXT = """
learn(w). learn(b). learn(feat).
good(B) :- sum(B), tanh(B).
sum(B) :- reviewed(R, B), feat(R), w(feat).
sum(B) :- b(good).
reviewed(r1, b1). reviewed(r2, b1). reviewed(r2, b2). reviewed(r3, b2). reviewed(r3, b3).
example(good, b1). 0::example(good, b2). 0::example(good, b3).
"""
OPTIONS: dict[str, Any] = {"epochs": 5, "optimizer": "adam", "batch_size": 2, "shuffle": True}


def session(more: str = "") -> Session:
    s = Session()
    s.add(TEXT + more)
    return s


def singly(seeds: range, more: str = "", **options: Any) -> np.ndarray:
    """The answers of one training a seed."""
    found = []
    for seed in seeds:
        s = session(more)
        s.train(seed=seed, **{**OPTIONS, **options})
        found.append([s.query(f"good(b{i})").weight for i in (1, 2, 3)])
    return np.array(found)


def together(s: Session, seeds: int = 4, **options: Any) -> Session:
    s.train(seeds=seeds, seed=7, **{**OPTIONS, **options})
    return s


@pytest.mark.parametrize(
    "options",
    [{}, {"average": 0.5}, {"schedule": "cosine"}, {"hold_out": 0.5, "groups": "example"}],
    ids=str,
)
def test_an_ensemble_is_its_single_trainings(options: dict[str, Any]):
    more = "learn_rule_weights(good)."
    expected = singly(range(7, 11), more, **options)
    s = together(session(more), **options)
    for number, column in enumerate(expected.T, 1):
        answers = s.query(f"good(b{number})")
        assert answers.weight == pytest.approx(column.mean(), abs=1e-6)
        assert answers.spread is not None
        assert answers.spread[()] == pytest.approx(column.std(), abs=1e-6)
    assert s.members == 4


def test_members_do_not_begin_with_what_was_learned_before():
    s = session()
    s.train(**OPTIONS)
    before = together(session()).query("good(B)").weights
    assert together(s).query("good(B)").weights == pytest.approx(before)


def test_answers_are_shown_with_their_spread():
    answers = together(session()).query("good(B)")
    assert list(answers.to_pandas().columns) == ["B", "weight", "spread"]
    assert "±" in str(answers) and len(answers.top(2)) == 2
    assert answers.top(1).spread is not None


def test_evaluation_and_ranks_are_those_of_the_mean():
    s = together(
        session(
            "0::example(near, b1, b2). example(near, b1, b3). learn(d)."
            "near(X, Y) :- reviewed(R, X), d(R), reviewed(R, Y)."
        )
    )
    weights = {b: s.query(f"good({b})").weight for b in ("b1", "b2", "b3")}
    found = s.evaluate("program").by_target["good/1"]["roc_auc"]
    above = [weights["b1"] > weights[b] for b in ("b2", "b3")]
    assert found == pytest.approx(np.mean(above))
    best = s.rank("near/2", ["b1"])["b1"]
    assert best == pytest.approx({k: s.query(f"near(b1, {k[0]})").weight for k in best})


def test_explanations_say_which_members_agree():
    s = together(session(), 3)
    found = s.explain("good(b1)")
    assert len(found.members) == 3 and found.member in (1, 2, 3)
    assert np.mean(found.members) == pytest.approx(s.query("good(b1)").weight)
    assert "of 3 members agree" in str(found)
    assert found.part.value == pytest.approx(found.members[found.member - 1])


def test_one_file_keeps_all_members(tmp_path: Path):
    s = together(session("learn_rule_weights(good)."))
    s.save(tmp_path / "model.nlz")
    again = Session.open(tmp_path / "model.nlz")
    assert again.members == 4
    assert again.query("good(B)").weights == s.query("good(B)").weights
    assert again.query("good(B)").spread == s.query("good(B)").spread


def test_undo_takes_an_ensemble_back_and_brings_one_back():
    s = session()
    start = s.query("good(B)").weights
    first = together(s).query("good(B)").weights
    together(s, 2)
    assert s.members == 2
    s.undo()
    assert s.members == 4 and s.query("good(B)").weights == first
    s.undo()
    assert s.members == 0 and s.query("good(B)").weights == start


def test_a_learned_fact_that_is_stated_anew_is_the_same_for_all_members():
    s = together(session())
    s.add("0.5::feat(r1).", source="edit")
    answers = s.query("feat(R)")
    assert s.members == 4 and answers.spread is not None
    assert answers.weights["r1",] == 0.5 and answers.spread["r1",] == 0
    assert answers.spread["r2",] > 0


def test_the_next_training_ends_the_ensemble():
    s = together(session())
    s.train(**OPTIONS)
    assert s.members == 0 and s.query("good(b1)").spread is None


def test_new_facts_are_there_for_every_member():
    s = together(session())
    s.add("reviewed(r1, b4).", source="more")
    members = singly(range(7, 11))
    assert s.members == 4 == len(members)
    answers = s.query("good(b4)")
    assert answers.spread is not None and answers.spread[()] > 0


def test_the_text_says_that_it_is_one_member():
    s = together(session())
    text = s.program()
    assert "ensemble of 4 members" in text
    alone = Session()
    alone.add(text)
    single = session()
    single.train(seed=7, **OPTIONS)
    assert alone.query("good(B)").weights == pytest.approx(single.query("good(B)").weights)


@pytest.mark.parametrize(
    "other", [{"restarts": 2}, {"resume": True}, {"checkpoint": "c.nlz"}], ids=str
)
def test_what_cannot_go_together(other: dict[str, Any]):
    s = session()
    with pytest.raises(ParameterError, match="seeds and"):
        together(s, **other)
    assert s.members == 0


@pytest.mark.parametrize("seeds", [0, -1, 1.5, "ten", 10**6])
def test_a_number_of_members_that_is_none(seeds: Any):
    with pytest.raises(NeuralLogError, match="seeds"):
        session().train(seeds=seeds)


def test_the_text_of_a_program_can_ask_for_an_ensemble():
    s = session("set_parameter(seeds, 3).")
    note = s.train(**OPTIONS).notes[0]
    assert s.members == 3 and note.startswith("3 of 3 members")


def test_an_interrupt_keeps_the_members_that_are_done():
    class Stop:
        begun = 0

        def on_begin(self, state: Any) -> None:
            self.begun += 1

        def on_epoch(self, state: Any) -> None:
            if self.begun == 3:
                raise KeyboardInterrupt

    s = session()
    history = s.train(seeds=5, seed=7, callbacks=[Stop()], **OPTIONS)
    assert history.interrupted and s.members == 3


# -- members that diverge -------------------------------------------------------------------------

STRAIGHT = "learn(w). good(B) :- p(B), w(one). p(b1). example(good, b1)."


def diverged(**options: Any) -> tuple[str, ...]:
    s = Session()
    s.add(STRAIGHT)
    return s.train(seeds=4, epochs=300, optimizer="sgd", backend="numpy", **options).notes


def test_each_member_that_diverged_is_told_of():
    found = [note for note in diverged(learning_rate=1.5) if "diverged in epoch" in note]
    assert len(found) > 1, "the members begin at other weights, so they end in other epochs"
    assert all(note.startswith("member") for note in found)


def test_members_without_a_loss_have_no_deviation():
    first, second = diverged(learning_rate=1e39)[:2]
    assert first == "4 of 4 members: loss from inf to inf"
    assert second.startswith("training diverged in epoch 1")
