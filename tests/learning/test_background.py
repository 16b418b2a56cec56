"""Edits while a training runs stay, and what it learned comes in as if it had ended before them."""

import threading

import pytest

from neurallog_kernel import Session

PROGRAM = """
learn(p). learn(w). 0.4::p(a, b). 0.9::p(b, c).
h(X, Y) :- p(X, Y), w(one).
example(h, a, b). 0.5::example(h, b, c).
"""
OPTIONS = {"epochs": 4, "learning_rate": 0.1, "dtype": "float64"}


def session() -> Session:
    s = Session()
    s.add(PROGRAM, source="program")
    s.add("other(a, b).", source="other")
    return s


class Edit:
    """Edits the session when the second epoch is over."""

    def __init__(self, edit) -> None:
        self.edit = edit

    def on_epoch(self, state) -> None:
        if state.epoch == 2:
            self.edit()


EDITS = {
    "another source": lambda s: s.add("other(a, c). extra(X) :- h(X, Y).", source="other"),
    "a source goes": lambda s: s.remove("other"),
    "a learned fact": lambda s: s.add(PROGRAM.replace("0.4::p(a, b)", "0.7::p(a, b)"), "program"),
    "a fact goes": lambda s: s.add(PROGRAM.replace("0.4::p(a, b).", ""), "program"),
    "a fact comes": lambda s: s.add("p(c, d).", source="more"),
    "learned no more": lambda s: s.add(PROGRAM.replace("learn(p).", ""), "program"),
    "all goes": lambda s: s.remove("program"),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_during_training_stays(eager, name):
    """The rule that the docs give: as if the training had ended before the edit."""
    s, expected = session(), session()
    s.train(callbacks=[Edit(lambda: EDITS[name](s))], **OPTIONS)
    expected.train(**OPTIONS)
    EDITS[name](expected)
    assert s.program() == expected.program()
    assert set(s.sources) ^ set(expected.sources) <= {"learned weights"}  # which may be empty


def test_undo_takes_back_the_training_and_then_the_edit(eager):
    s, edited = session(), session()
    s.train(callbacks=[Edit(lambda: EDITS["another source"](s))], **OPTIONS)
    EDITS["another source"](edited)
    s.undo()
    assert s.program() == edited.program()
    s.undo()
    assert s.program() == session().program()


def test_a_training_in_a_thread(eager):
    """The session answers and takes edits while another thread trains."""
    s, plain = session(), session()
    begun, go_on = threading.Event(), threading.Event()

    class Wait:
        def on_epoch(self, state) -> None:
            begun.set()
            go_on.wait()

    thread = threading.Thread(target=lambda: s.train(callbacks=[Wait()], **OPTIONS), daemon=True)
    thread.start()
    begun.wait()
    try:
        assert s.query("p(a, X)").weights == {("b",): 0.4}
        s.add("more(X) :- h(X, Y).", source="more")
    finally:
        go_on.set()
        thread.join()
    plain.train(**OPTIONS)
    assert s.query("p(X, Y)").weights == plain.query("p(X, Y)").weights
    assert "more" in s.sources and s.history.epochs == 4


def test_two_trainings_at_once(eager):
    """Each keeps what the other learned of other predicates; of the same ones the last counts."""
    s = session()
    text = "learn(v). 0.2::v(one). g(X, Y) :- other(X, Y), v(one). 0.9::g(a, b)."

    def train_another() -> None:
        s.add(text, source="g", set="more")
        s.train(examples="more", **OPTIONS)

    s.train(callbacks=[Edit(train_another)], **OPTIONS)
    learned = {row.predicate for row in s.weights().to_pandas().itertuples() if row.learned}
    assert {"p/2", "w/1", "v/1"} <= learned
