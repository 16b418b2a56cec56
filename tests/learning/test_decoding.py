"""Labels for sequences: what a session says to names, to sets, and to what is wrong."""

from __future__ import annotations

from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.cli.main import main
from tests.language.generators import examples as cases

PROGRAM = """
pos(the, det). 0.6::pos(run, verb). 0.5::pos(run, noun). 0.9::pos(dogs, noun). 0.2::pos(rare, noun).
next(det, noun). 0.5::next(noun, verb). 0.8::first(det). 0.1::first(noun). 0.3::first(verb).
"""
TEST = """
mega_example(b, pos, the, det). mega_example(b, pos, run, noun).
mega_example(a, pos, dogs, noun). mega_example(a, pos, run, verb).
"""


@pytest.fixture
def session() -> Session:
    made = Session()
    made.add(PROGRAM, source="program")
    made.add(TEST, source="test", set="test")
    return made


# -- against all sequences ------------------------------------------------------------------------

weights = st.integers(0, 8).map(lambda n: n / 8)
LABELS = ("x", "y", "z")
WORDS = ("a", "b", "c")


@st.composite
def programs(draw: st.DrawFn) -> dict[tuple[str, ...], float]:
    keys = [("p", w, y) for w in WORDS for y in LABELS]
    keys += [("t", y, z) for y in LABELS for z in LABELS] + [("i", y) for y in LABELS]
    return {key: draw(weights) for key in keys}


@cases(60)
@given(programs(), st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), st.booleans())
def test_no_other_labels_have_a_higher_weight(
    program: dict[tuple[str, ...], float], words: list[str], probabilities: bool
) -> None:
    session = Session()
    session.add("".join(f"{w}::{n}({', '.join(terms)}). " for (n, *terms), w in program.items()))

    def weight(labels: tuple[str, ...]) -> float:
        parts = [program["i", labels[0]]]
        parts += [program["p", w, y] for w, y in zip(words, labels, strict=True)]
        parts += [program["t", a, b] for a, b in pairwise(labels)]
        return float(np.prod(parts) if probabilities else np.sum(parts))

    (found,) = session.decode("p", words, transition="t", initial="i", probabilities=probabilities)
    best = max(map(weight, product(LABELS, repeat=len(words))))
    assert weight(found.labels) == pytest.approx(best, abs=1e-12)
    assert found.score == pytest.approx(best, abs=1e-12)


# -- ways to ask ----------------------------------------------------------------------------------


def test_the_predicates_of_the_program_are_used_and_the_call_goes_first(session: Session) -> None:
    assert session.decode("pos", ["the", "run"]).labels == [["det", "verb"]]
    session.add("set_predicate_parameter(pos, transition_predicate, next).", source="more")
    assert session.decode("pos", ["the", "run"]).labels == [["det", "noun"]]
    assert session.decode("pos", ["the", "run"], transition="none").labels == [["det", "verb"]]


def test_a_set_has_the_sequences_in_its_order(session: Session) -> None:
    decoded = session.decode("pos", set="test", transition="next")
    assert [one.name for one in decoded] == ["b", "a"]
    assert decoded.accuracy == decoded.whole_accuracy == 1.0
    alone = session.decode("pos", set="test")
    assert alone.accuracy == 0.75 and alone.whole_accuracy == 0.5


def test_plain_examples_are_sequences_of_one_step(session: Session) -> None:
    session.add("pos(run, verb). pos(the, det).", set="plain")
    decoded = session.decode("pos", set="plain", transition="next")
    assert [(len(one.steps), one.labels, one.truth) for one in decoded] == [
        (1, ("verb",), ("verb",)),
        (1, ("det",), ("det",)),
    ]


def test_an_unknown_word(session: Session) -> None:
    with pytest.raises(NeuralLogError, match="cats is unknown at place 1") as caught:
        session.decode("pos", ["the", "cats"])
    assert "unknown=" in (caught.value.hint or "")
    decoded = session.decode("pos", ["the", "cats"], unknown="rare")
    assert str(decoded) == "1: the/det cats/noun"


def test_no_sequence_and_an_empty_one(session: Session) -> None:
    assert len(session.decode("pos", [])) == 0
    assert session.decode("pos", [[], ["the"]]).labels == [[], ["det"]]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ({"predicate": "first", "sequences": ["a"]}, "no place for a label"),
        ({"predicate": "poss", "sequences": ["a"]}, "unknown predicate poss"),
        ({"predicate": "pos"}, "either sequences or the name of a set"),
        ({"predicate": "pos", "sequences": ["the"], "set": "test"}, "either sequences or"),
        ({"predicate": "pos", "sequences": "the dog"}, "a list of names"),
        ({"predicate": "pos", "sequences": [1, 2]}, "is not a sequence"),
        ({"predicate": "pos", "sequences": [["the", 1]]}, "a step is a name"),
        ({"predicate": "pos", "set": "tset"}, "no examples in the set tset"),
        ({"predicate": "next", "set": "test"}, "has no examples of next/2"),
        ({"predicate": "pos", "sequences": ["the"], "transition": "first"}, "two arguments"),
        ({"predicate": "pos", "sequences": ["the"], "initial": "next"}, "one argument"),
        ({"predicate": "pos", "sequences": ["the"], "probabilities": "yes"}, "True or False"),
    ],
)
def test_what_cannot_be_decoded(session: Session, call: dict, says: str) -> None:
    with pytest.raises(NeuralLogError, match=says):
        session.decode(**call)


def test_weights_below_zero_are_no_probabilities(session: Session) -> None:
    session.add("-1::pos(dogs, verb).", source="more")
    assert session.decode("pos", ["dogs"]).labels == [["noun"]]
    with pytest.raises(NeuralLogError, match="below 0"):
        session.decode("pos", ["dogs"], probabilities=True)


def test_an_edit_is_seen_at_once(session: Session) -> None:
    assert session.decode("pos", ["run"]).labels == [["verb"]]
    session.add("0.9::pos(run, noun).", source="more")
    assert session.decode("pos", ["run"]).labels == [["noun"]]
    session.undo()
    assert session.decode("pos", ["run"]).labels == [["verb"]]


# -- the command ----------------------------------------------------------------------------------


def test_the_command_writes_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("program.pl").write_text(PROGRAM, encoding="utf-8")
    Path("test.pl").write_text(TEST, encoding="utf-8")
    words = ["decode", "program.pl", "-p", "pos", "--test", "test.pl", "--transition", "next"]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "1.0000 of the steps right" in shown and "the/det run/noun" in shown
    assert main([*words, "--to", "tagged.tsv"]) == 0
    lines = Path("tagged.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0].split("\t") == ["sequence", "step", "input", "label", "truth"]
    assert lines[2].split("\t") == ["b", "2", "run", "noun", "noun"]


def test_the_command_labels_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("program.pl").write_text(PROGRAM, encoding="utf-8")
    words = ["decode", "program.pl", "-p", "pos", "--transition", "next", "--steps", "the", "run"]
    assert main(words) == 0
    assert "the/det run/noun" in capsys.readouterr().out
    assert main(["decode", "program.pl"]) == 1
    assert "decode what?" in capsys.readouterr().err
