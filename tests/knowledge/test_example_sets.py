"""An example belongs to the set of the call that brings it, or to the one its text names."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.cli.main import main
from neurallog_kernel.knowledge.example_sets import set_names
from neurallog_kernel.learning.examples.targets import listed_examples
from tests.language.generators import examples as cases

FORMS = "likes(ann, bob). 0.5::example(likes, ann, cid). mega_example(g, likes, bob, cid)."
ATOMS = {"likes(ann, bob)": 1.0, "likes(ann, cid)": 0.5, "likes(bob, cid)": 1.0}


def sets(session: Session) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for one in session.examples():
        found.setdefault(one.set, {})[one.text] = one.weight
    return found


def everything(session: Session) -> Counter:
    """All examples, ordered groups included, whatever source brought them."""
    listed = Counter((e.set, e.predicate, e.text, e.weight) for e in session.examples())
    for contents in session._program.sources.values():
        listed.update(contents.open_examples)
    return listed


def test_the_call_names_the_set_of_every_form(tmp_path: Path) -> None:
    file = tmp_path / "likes.pl"
    file.write_text(FORMS, encoding="utf-8")
    added, loaded = Session(), Session()
    added.add(FORMS, set="test")
    loaded.load(file, set="test")
    assert sets(added) == sets(loaded) == {"test": ATOMS}


def test_the_text_names_the_set_of_what_follows() -> None:
    session = Session()
    session.add(
        """
        likes(ann, bob).
        example(likes, ann, ann).
        example_set(train).
        likes(cid, dan).
        example(likes, ann, bob). 0::example(likes, bob, ann).
        example_set("my own"). example(likes, ann, X).
        example_set(program). mega_example(g, likes, dan, ann).
        """
    )
    assert sets(session) == {
        "program": {"likes(ann, ann)": 1.0, "likes(dan, ann)": 1.0},
        "train": {"likes(ann, bob)": 1.0, "likes(bob, ann)": 0.0},
        "my own": {"likes(ann, X)": 1.0},
    }
    assert session.query("likes(X, Y)").weights == {("ann", "bob"): 1.0, ("cid", "dan"): 1.0}


def test_the_word_of_the_text_is_nearer_than_that_of_the_call() -> None:
    session = Session()
    session.add("likes(a, b). example_set(train). likes(b, c). example(likes, c, d).", set="test")
    assert sets(session) == {
        "test": {"likes(a, b)": 1.0},
        "train": {"likes(b, c)": 1.0, "likes(c, d)": 1.0},
    }


def test_a_set_ends_with_its_source() -> None:
    session = Session()
    session.add("example_set(test). example(likes, ann, bob).")
    session.add("example(likes, bob, ann).")
    assert sets(session) == {
        "test": {"likes(ann, bob)": 1.0},
        "program": {"likes(bob, ann)": 1.0},
    }


def test_loops_name_sets_too() -> None:
    session = Session()
    session.add("for s in train test do example_set({s}). example(likes, ann, {s}). done")
    assert sets(session) == {
        "train": {"likes(ann, train)": 1.0},
        "test": {"likes(ann, test)": 1.0},
    }


def test_the_set_of_the_program_by_its_name(tmp_path: Path) -> None:
    session = Session()
    session.add("likes(ann, bob).", set="program")
    session.load_table([("bob", "cid")], "likes", set="program", source="table")
    assert sets(session) == {"program": {"likes(ann, bob)": 1.0, "likes(bob, cid)": 1.0}}
    session.save(tmp_path / "s.nlz")
    for again in (reopened(session, tmp_path), read_back(session)):
        assert sets(again) == sets(session)
    assert session.evaluate("program", ranks=False)["roc_auc"] is not None


def test_examples_of_the_test_set_are_not_learned_from() -> None:
    session = Session()
    session.add("p(a, b). p(a, c). learn(w). q(X, Y) :- p(X, Y), w(one).")
    session.add("0.25::example(q, a, b).", set="train")
    session.add("0.9::example(q, a, b).", set="test")
    history = session.train(epochs=200, learning_rate=0.1, unlisted="unknown")
    assert history.settings["examples"] == "train"
    assert session.query("q(a, b)").weights[()] == pytest.approx(0.25, abs=0.01)


def test_a_program_of_a_trained_command_keeps_its_sets(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    texts = {
        "program": "p(a, b). p(b, c). learn(w). q(X, Y) :- p(X, Y), w(one).",
        "train": "0.3::example(q, a, b).",
        "validation": "0.4::q(b, c).",
        "test": "0.9::example(q, a, b). 0.8::q(b, c).",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.pl").write_text(text, encoding="utf-8")
    words = ["train", "--epochs", "2", "-o", str(tmp_path), "-lp", "last.pl"]
    for flag, name in (
        ("-p", "program"),
        ("-t", "train"),
        ("-valid", "validation"),
        ("-test", "test"),
    ):
        words += [flag, str(tmp_path / f"{name}.pl")]
    assert main(words) == 0, capsys.readouterr().err
    again = Session()
    again.load(tmp_path / "last.pl")
    assert sets(again) == {
        "train": {"q(a, b)": 0.3},
        "validation": {"q(b, c)": 0.4},
        "test": {"q(a, b)": 0.9, "q(b, c)": 0.8},
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("example_set.", "needs at least one term"),
        ("example_set(train, test).", "takes the name of one set"),
        ("example_set(X).", "needs the name of a set"),
        ("example_set(3).", "needs the name of a set"),
        ('example_set("").', "needs the name of a set"),
        ("example_set([train]).", "needs the name of a set"),
        ("0.5::example_set(train).", "cannot have a weight"),
        ("example_set(X) :- p(X).", "has no body"),
    ],
)
def test_what_names_no_set(text: str, says: str) -> None:
    session = Session()
    with pytest.raises(NeuralLogError, match=says) as caught:
        session.add(f"p(a). {text}")
    assert caught.value.span is not None
    assert caught.value.span.line == 1
    assert session.sources == ()


def test_a_call_with_an_empty_set_is_refused(tmp_path: Path) -> None:
    session = Session()
    (tmp_path / "p.pl").write_text("p(a).", encoding="utf-8")
    with pytest.raises(NeuralLogError, match="set"):
        session.add("p(a).", set="")
    with pytest.raises(NeuralLogError, match="set"):
        session.load(tmp_path / "p.pl", set="")
    assert session.sources == ()


def test_examples_with_variables_that_have_no_entity() -> None:
    session = Session()
    session.add("learn(w). q(X, Y) :- p(X, Y), w(one). example(q, X, Y).")
    with pytest.raises(NeuralLogError, match="give no example"):
        session.train()
    session.add("p(a, b).", source="facts")
    assert session.train(epochs=1).epochs == 1


# -- round trips ----------------------------------------------------------------------------------

names = st.sampled_from(["ann", "bob", "Cid", "d e"])
set_words = st.sampled_from(["train", "test", "program", "my set", "in", "Über"])
clauses = st.one_of(
    st.builds("example(likes, \"{}\", '{}').".format, names, names),
    st.builds('0.5::example(tall, "{}").'.format, names),
    st.builds('example(likes, "{}", X).'.format, names),
    st.builds("0::mega_example(g, likes, X, '{}').".format, names),
    st.builds('mega_example({}, tall, "{}").'.format, st.sampled_from("gh"), names),
    st.builds('example_set("{}").'.format, set_words),
    st.builds('likes("{}", ann).'.format, names),
    st.builds('2::tall("{}").'.format, names),
    st.just("tall(X) :- likes(X, ann)."),
)
texts = st.lists(clauses, max_size=8).map(" ".join)
sources = st.lists(st.tuples(texts, st.none() | set_words), min_size=1, max_size=4)


def read_back(session: Session) -> Session:
    again = Session()
    again.add(session.program())
    return again


def reopened(session: Session, folder: Path) -> Session:
    session.save(folder / "session.nlz")
    return Session.open(folder / "session.nlz")


@cases(100)
@given(sources)
def test_the_text_of_a_program_keeps_the_sets(given_: list[tuple[str, str | None]]) -> None:
    session = Session()
    for text, which in given_:
        session.add(text, set=which)
    again = read_back(session)
    assert learned_from(again) == learned_from(session)
    assert again.program() == read_back(again).program()


@cases(40)
@given(sources)
def test_a_saved_session_keeps_the_sets(
    tmp_path_factory: pytest.TempPathFactory, given_: list[tuple[str, str | None]]
) -> None:
    session = Session()
    for text, which in given_:
        session.add(text, set=which)
    again = reopened(session, tmp_path_factory.getbasetemp())
    assert everything(again) == everything(session)
    assert again.program() == session.program()


def learned_from(session: Session) -> dict:
    """The label of each example of each set, as training reads them."""
    program, symbols = session._program, session._symbols
    return {
        (name, examples.signature, *symbols.names(row)): label
        for name in set_names(program)
        for examples in listed_examples(program, symbols, name)
        for *row, label in zip(
            *(c.tolist() for c in (*examples.places, examples.labels)), strict=True
        )
    }
