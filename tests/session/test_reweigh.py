"""Other weights for facts and rules: they count, whatever states them, and nothing else changes."""

from __future__ import annotations

import pandas as pd
import pytest

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.language.reweigh import reweighed
from neurallog_kernel.tables.mapping import TableMap


def session(text: str) -> Session:
    made = Session()
    made.add(text, source="cell")
    return made


STATED = {
    "by an earlier text, and later by a loop": "0.5::p(a).\nfor i in a do 2::p({i}). done",
    "twice": "0.5::p(a).\n0.7::p(a).",
    "by a loop, beside a comment": "/* p(a). */\nfor i in a do 2::p({i}). done",
    "by a loop, beside a comment of a line": "# p(a).\nfor i in a do 2::p({i}). done",
    "by a loop, beside a quoted name": "q('0.5::p(a).'). for i in a do 2::p({i}). done",
    "after the end of a rule": "h(X) :- p(X), p(a).\np(a).",
    "in a rule only, and by a loop": "h(X) :- p(X), p(a).\nfor i in a do 2::p({i}). done",
    "with a weight on another line": "0.5::\n  p(a).",
    "without blanks": "q(b).p(a).q(c).",
    "by nothing": "q(b).",
}


@pytest.mark.parametrize("text", STATED.values(), ids=STATED)
def test_the_weight_counts_and_the_rest_stays(text: str) -> None:
    made = session(text)
    others = ["q(X)"] if "q(" in text else []
    before = [made.query(question).weights for question in others]
    made.reweigh({"p(a)": 0.25})
    assert made.query("p(X)").weights == {("a",): 0.25}
    assert [made.query(question).weights for question in others] == before
    made.reweigh({"p(a)": 0.75})
    assert made.query("p(a)").weight == 0.75


def test_facts_of_a_table_keep_the_weights_that_were_given_before() -> None:
    made = Session()
    made.load_table(pd.DataFrame({"x": ["a", "b"], "y": ["k", "l"]}), "r(x, y)")
    made.reweigh({"r(a, k)": 0.5})
    made.reweigh({"r(b, l)": 0.25})
    assert made.query("r(X, Y)").weights == {("a", "k"): 0.5, ("b", "l"): 0.25}


@pytest.mark.parametrize("names", [["r(a, k)", "r(b, l)"], ["r(b, l)", "r(a, k)"]])
def test_one_that_was_given_before_and_one_that_was_not(names: list[str]) -> None:
    """Before, the text of the sliders had both, and the program one."""
    made = Session()
    made.load_table(pd.DataFrame({"x": ["a", "b"], "y": ["k", "l"]}), "r(x, y)")
    made.reweigh({"r(a, k)": 0.5})
    made.reweigh(dict.fromkeys(names, 0.25))
    assert made.query("r(X, Y)").weights == {("a", "k"): 0.25, ("b", "l"): 0.25}


def test_the_sliders_state_a_fact_once() -> None:
    made = Session()
    for source in ("first", "second", "third"):
        made.load_table(pd.DataFrame({"x": ["a"], "y": ["k"]}), "r(x, y)", source=source)
        made.reweigh({"r(a, k)": 0.5})
    assert made._texts["sliders"] == "0.5::r(a, k)."
    assert made.query("r(a, k)").weight == 0.5


def test_a_table_that_comes_after_a_text_or_after_the_sliders() -> None:
    made = session("0.5::p(a).")
    made.load_table(pd.DataFrame({"x": ["a"]}), "p(x)", source="first")
    made.reweigh({"p(a)": 0.25})
    assert made.query("p(a)").weight == 0.25
    made.load_table(pd.DataFrame({"x": ["a"]}), "p(x)", source="second")
    assert made.query("p(a)").weight == 1.0
    made.reweigh({"p(a)": 0.75})
    assert made.query("p(a)").weight == 0.75


def test_tables_that_came_with_a_text_stay() -> None:
    made = Session()
    table = pd.DataFrame({"x": ["a"], "y": ["k"]})
    made.add("0.5::p(a).", source="cell", tables=[(table, TableMap(pattern="r(x, y)"), "table")])
    made.reweigh({"p(a)": 0.25})
    assert made.query("r(X, Y)").weights == {("a", "k"): 1.0}


def test_examples_stay_examples() -> None:
    made = session("q(a).")
    made.add("p(a). p(b). h(X) :- q(X).", source="given", set="train")
    made.reweigh({"h(X) :- q(X).": 0.25})
    assert made.query("h(a)").weight == 0.25
    assert made.example_sets() == {"train": 2}
    made.reweigh({"p(a)": 0.5})  # an example is no fact: this one is new
    assert made.example_sets() == {"train": 2}


LEARNED = "learn(w). p(a, b). p(a, c). h(X, Y) :- p(X, Y), w(one). example(h, a, b)."


def test_a_learned_weight_is_given_up_each_time() -> None:
    made = session(LEARNED)
    for _ in range(2):
        made.train(epochs=1, learning_rate=0.1)
        made.reweigh({"w(one)": 0.25})
        assert made.query("w(one)").weight == 0.25
        assert made.query("h(a, Y)").weights == {("b",): 0.25, ("c",): 0.25}


def test_all_or_nothing() -> None:
    made = session("p(a). h(X) :- p(X).")
    before = made.version, made.program()
    with pytest.raises(NeuralLogError, match="no source has the rule"):
        made.reweigh({"p(a)": 0.5, "h(X) :- q(X).": 0.5})
    assert (made.version, made.program()) == before


def test_undo_takes_a_weight_back_with_its_text() -> None:
    made = session("% half\n0.5::p(a).")
    made.reweigh({"p(a)": 0.25})
    made.undo()
    assert made.query("p(a)").weight == 0.5
    made.reweigh({"p(a)": 2.0})
    assert made.query("p(a)").weight == 2.0


def test_a_text_too_long_to_be_kept_leaves_no_older_one() -> None:
    """Else the older text would take the place of all that came with the new one."""
    made = session("0.5::p(a).")
    made.add("".join(f"p(x{i}).\n" for i in range(120_000)) + "p(a).", source="cell")
    made.reweigh({"p(a)": 0.25})
    assert made.query("p(a)").weight == 0.25
    assert made.query("p(x7)").weight == 1.0


@pytest.mark.parametrize(
    ("text", "clause", "expected"),
    [
        ("0.5::p(b,c). % p(b, c).", "p(b, c)", "0.25::p(b,c). % p(b, c)."),
        ("p(c).p(b).", "p(b)", "p(c).0.25::p(b)."),
        ("%%neurallog\n.5::p(b).", "p(b)", "%%neurallog\n0.25::p(b)."),
        ("for i in a do p(b). done", "p(b)", "for i in a do 0.25::p(b). done"),
        ("2::h(X):-p(X),\n q(X).", "0.5::h(X) :- p(X), q(X).", "0.25::h(X):-p(X),\n q(X)."),
        ("?- p(b).", "p(b)", None),
        ("h(X) :- p(X), w(b).", "w(b)", None),
        ("p(b). p(b).", "p(b)", None),
    ],
)
def test_the_text_stays_but_for_the_number(text: str, clause: str, expected: str | None) -> None:
    assert reweighed(text, clause, 0.25) == expected
