"""A training that is refused or breaks off leaves the session as it was, and its caches too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.explain.whatif import without_facts
from neurallog_kernel.knowledge.update import with_source

pytestmark = pytest.mark.usefixtures("eager")

RULES = """
learn(w). learn(u).
q(X, Y) :- p(X, Y), w(one).
r(X, Y) :- q(X, Z), u(Z), p(Z, Y).
0.3::example(q, a, b).
"""
ASKED = ("q(a, b)", "q(X, Y)", "r(a, Y)", "r(X, Y)", "u(X)", "p(X, Y)")


class Broken:
    """A callback that raises at one of the moments it is called."""

    def __init__(self, moment: str) -> None:
        setattr(self, moment, self._raise)

    def _raise(self, state: Any) -> None:
        raise RuntimeError("a callback of the user")


FAILURES: dict[str, Callable[[], dict[str, Any]]] = {
    "optimiser": lambda: {"optimizer": "adma"},
    "its configuration": lambda: {"optimizer": {"class_name": "sgd", "momentun": 0.1}},
    "regulariser": lambda: {"regularizer": "l3"},
    "monitor": lambda: {"monitor": "val_los"},
    "rate": lambda: {"learning_rate": "fast"},
    "loss": lambda: {"loss": "mean_square"},
    "loss of no target": lambda: {"loss": {"nobody": "mean_squared_error"}},
    "option": lambda: {"epoch": 1},
    "epochs": lambda: {"epochs": -1},
    "set": lambda: {"examples": "nowhere"},
    "callback at the beginning": lambda: {"callbacks": [Broken("on_begin")], "epochs": 1},
    "callback after a batch": lambda: {"callbacks": [Broken("on_batch")], "epochs": 1},
    "callback after an epoch": lambda: {"callbacks": [Broken("on_epoch")], "epochs": 1},
    "callback at the end": lambda: {"callbacks": [Broken("on_end")], "epochs": 1},
}


def fail(session: Session, name: str) -> None:
    with pytest.raises((NeuralLogError, RuntimeError, ValueError)):
        session.train(**FAILURES[name]())


def answers(session: Session) -> dict[str, Any]:
    return {question: session.query(question).weights for question in ASKED}


def fresh(session: Session) -> Session:
    """A session that is given the sources of this one, and remembers nothing."""
    made = Session()
    made._symbols = session._symbols
    for contents in session._program.sources.values():
        program = with_source(made._program, contents, made._symbols, strict=False)
        made._adopt(made._state.changed(program, "fresh"))
    return made


def assert_as_fresh(session: Session) -> None:
    expected = answers(fresh(session))
    for question, found in answers(session).items():
        assert found == pytest.approx(expected[question]), question


@pytest.fixture
def trained() -> Session:
    session = Session()
    session.add("p(a, b). p(b, c).", source="facts")
    session.add(RULES, source="rules")
    session.train(epochs=2, learning_rate=0.1)
    return session


@pytest.mark.parametrize("name", FAILURES)
def test_edits_after_a_failed_training_are_seen(trained: Session, name: str) -> None:
    before = answers(trained)
    fail(trained, name)  # nothing is asked here: that would hide what it left behind
    trained.add("0.5::p(a, b). p(b, c).", source="facts")
    assert trained.query("q(a, b)").weight == pytest.approx(0.5 * before["q(a, b)"][()])
    assert_as_fresh(trained)


@pytest.mark.parametrize("name", FAILURES)
def test_a_failed_training_changes_no_answer(trained: Session, name: str) -> None:
    before, version = answers(trained), trained.version
    fail(trained, name)
    assert (answers(trained), trained.version) == (before, version)


@pytest.mark.parametrize("name", FAILURES)
def test_an_undo_after_a_failed_training_is_seen(trained: Session, name: str) -> None:
    before = answers(trained)
    trained.add("0.5::p(a, b). p(b, c).", source="facts")
    fail(trained, name)
    trained.undo()
    assert answers(trained) == before
    assert_as_fresh(trained)


def test_edits_after_a_refused_text_are_seen(trained: Session) -> None:
    for text in ("0.9::p(a, b). p(1, b).", "p(a, b", "r(X, Y) :- p(X, Y), not tanh(Y)."):
        with pytest.raises(NeuralLogError):
            trained.add(text, source="facts")
        assert_as_fresh(trained)
        trained.add("0.5::p(a, b). p(b, c).", source="facts")
        assert_as_fresh(trained)
        trained.undo()
        assert_as_fresh(trained)


def test_a_version_is_never_given_twice(trained: Session) -> None:
    """Not to what was thrown away, either: caches may have seen it."""
    program, symbols = trained._program, trained._symbols
    contents = program.sources["facts"]
    thrown = [with_source(program, contents, symbols, strict=False) for _ in range(3)]
    thrown.append(without_facts(program, symbols, ["p(a, b)"])[0])
    trained.add("p(a, d).", source="more")
    trained.undo()
    versions = [program.version, *(one.version for one in thrown), trained._program.version]
    assert len(set(versions)) == len(versions)
    assert trained.version > program.version


TEXTS = ("", "p(a, b). p(b, c).", "0.5::p(a, b). p(c, a).", "p(b, a). 2::p(a, d). p(d, c).")
RULE_TEXTS = (RULES, RULES + "q(X, Y) :- p(Y, X), u(X).", RULES + "0.5::q(X, Y) :- p(X, Y).")


class Edits(RuleBasedStateMachine):
    """Any order of edits, refused edits, trainings that fail or do not, and undo."""

    def __init__(self) -> None:
        super().__init__()
        self.session = Session()
        self.session.add(RULES, source="rules")
        self.session.add(TEXTS[1], source="facts")
        self.changes = 2

    @rule(text=st.sampled_from(TEXTS), source=st.sampled_from(["facts", "more"]))
    def edit(self, text: str, source: str) -> None:
        self.session.add(text, source=source)
        self.changes += 1

    @rule(text=st.sampled_from(RULE_TEXTS))
    def edit_rules(self, text: str) -> None:
        self.session.add(text, source="rules")
        self.changes += 1

    @rule(source=st.sampled_from(["facts", "more"]))
    def remove(self, source: str) -> None:
        if source in self.session.sources:
            self.session.remove(source)
            self.changes += 1

    @rule(source=st.sampled_from(["facts", "rules", "new"]))
    def refused(self, source: str) -> None:
        with pytest.raises(NeuralLogError):
            self.session.add("p(a, fresh). p(1, b).", source=source)

    @rule(name=st.sampled_from(sorted(FAILURES)))
    def failed_training(self, name: str) -> None:
        fail(self.session, name)

    @rule()
    def train(self) -> None:
        self.session.train(epochs=1, learning_rate=0.1)
        self.changes += 1

    @rule()
    def undo(self) -> None:
        if self.changes > 2:
            self.session.undo()
            self.changes -= 1

    @invariant()
    def equals_a_fresh_one(self) -> None:
        unbroken = fresh(self.session)
        for question in ASKED:
            found, expected = (_weights(s, question) for s in (self.session, unbroken))
            for key in {*found, *expected}:
                assert np.isclose(found.get(key, 0), expected.get(key, 0)), question


def _weights(session: Session, question: str) -> dict:
    try:
        return session.query(question).weights
    except NeuralLogError:  # nothing is known of it just now
        return {}


def test_any_edits_and_failures_equal_a_fresh_session() -> None:
    run_state_machine_as_test(
        Edits,
        settings=settings(
            max_examples=6, stateful_step_count=10, deadline=None, database=None, derandomize=True
        ),
    )
