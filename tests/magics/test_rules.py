"""Learned rules in a notebook: the commands, the cell they write, the table's Python side."""

import re
from html import unescape

import pytest

import neurallog_magics
from neurallog_kernel import NeuralLogError, RuleTable
from neurallog_kernel.pictures.rules.widget import RulesView, state_of
from neurallog_magics.display.rules import rules_html

FACTS = """
parent(ann, bob). parent(ann, cat). parent(dan, bob). parent(bob, eve). parent(cat, fay).
parent(cat, gus). parent(eve, hal). parent(fay, ida). lives(ann, rome). lives(eve, rome).
grandparent(ann, eve). grandparent(ann, fay). grandparent(ann, gus). grandparent(dan, eve).
grandparent(bob, hal). grandparent(cat, ida).
"""
RULE = "grandparent(X, Y) :- parent(X, A), parent(A, Y)."


@pytest.fixture
def filled(notebook):
    notebook.neurallog(FACTS, "facts")
    return notebook


@pytest.fixture
def view(filled) -> RulesView:
    session = neurallog_magics.session()
    return RulesView(session.learn_rules("grandparent/2"), lambda text: f"%%neurallog\n{text}")


def rows(view: RulesView) -> list[dict]:
    return view.state["heads"][0]["rows"]


# -- the command ----------------------------------------------------------------------------------


def test_a_terminal_gets_the_table_as_text(filled):
    found = filled.line("learn_rules grandparent/2 --budget 2s --length 2")
    assert isinstance(found, RuleTable)
    assert RULE in str(found) and "right / fires" in str(found)
    words = unescape(re.sub("<[^>]+>", "", rules_html(found)))
    assert RULE in words


def test_accept_writes_a_cell_that_owns_the_rules_and_undo_takes_it_back(filled):
    filled.line("learn_rules grandparent/2 --length 2")
    filled.line("accept 1")
    text = filled.shell.rl_next_input
    assert text.startswith("%%neurallog\n% learned rules (") and "step(Y)." in text
    session = neurallog_magics.session()
    before = session.program()
    ran = filled.run(text, "accepted")
    assert ran.error is None and "+1 rule" in ran.lines[0]
    assert session.program() != before
    filled.line("undo")
    assert session.program() == before


def test_rows_are_written_to_a_file_and_read_back(filled, tmp_path):
    path = tmp_path / "rules.pl"
    filled.line(f"learn_rules grandparent/2 --length 2 --rows 1 --write {path}")
    filled.line(f"load {path}")
    answers = neurallog_magics.session().query("grandparent(ann, X)").weights
    assert set(answers) == {("eve",), ("fay",), ("gus",)}
    assert min(answers.values()) > 1  # the fact, and the rule


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("accept 1", "no table of rules yet"),
        ("learn_rules grandprent/2", "unknown predicate grandprent/2"),
        ("learn_rules grandparent/2 --budget soon", "soon is not a time"),
        ("learn_rules grandparent/2 --length 9", "length must be"),
        ("learn_rules grandparent/2 --held-out 2", "held_out"),
        ("learn_rules grandparent/2 --rows 99 --write x.pl", "no row 99"),
    ],
)
def test_mistakes_are_named(filled, line, said):
    with pytest.raises(NeuralLogError, match=said):
        filled.line(line)


# -- the table ------------------------------------------------------------------------------------


def test_the_state_is_the_table(view):
    assert rows(view)[0]["text"] == RULE
    assert rows(view)[0]["cells"][7] == RULE
    assert not view.state["running"]


def test_ticks_go_both_ways_and_accept_takes_them(view):
    sent = []
    view.send = sent.append
    for row in rows(view)[1:]:
        view.heard({"type": "tick", "number": row["number"], "on": False})
    assert [row["ticked"] for row in rows(view)].count(True) == 1
    view.heard({"type": "accept"})
    asked = next(one for one in sent if one["type"] == "cell")
    assert asked["type"] == "cell" and asked["text"].count(":-") == 1
    assert "1 rule in a cell below" in view.said
    assert "learned" not in " ".join(neurallog_magics.session().sources)


def test_every_button_answers(view):
    view.heard({"type": "explain", "number": 1})
    assert "parent(ann, bob) [" in view.panel
    view.heard({"type": "misses"})
    assert "chosen rules reach all of 6 examples" in view.panel
    view.heard({"type": "revise"})
    assert "ROC AUC" in view.panel
    view.heard({"type": "refit"})
    view.heard({"type": "more"})
    assert not view.state["running"]
    view.heard({"type": "reject", "number": 1})
    assert RULE not in [row["text"] for row in rows(view)]


@pytest.mark.parametrize(
    "content",
    [
        {"type": "explain", "number": 99},
        {"type": "explain"},
        {"type": "reject", "number": "all"},
        {"type": "tick", "number": None, "on": True},
        {"type": "open", "number": 1},
        {"number": 1},
    ],
)
def test_a_browser_cannot_ask_for_anything_else(view, content):
    before = state_of(view.table, running=False)
    view.heard(content)
    assert state_of(view.table, running=False) == before


def test_nothing_ticked_is_said(view):
    for row in rows(view):
        view.heard({"type": "tick", "number": row["number"], "on": False})
    view.heard({"type": "accept"})
    assert view.said == "no row is chosen"
