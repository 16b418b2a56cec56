"""`%neurallog profile`: the tables in a notebook."""

from __future__ import annotations

import pytest

from neurallog_kernel import Profile, Session
from neurallog_magics.display.profiles import profile_html

PROGRAM = """parent(ann, bob). parent(bob, cid). parent(bob, dee). male(bob).
gp(X, Z) :- parent(X, Y), parent(Y, Z).
gp(X, Z) :- parent(X, Y), male(Y), parent(Y, Z)."""


def test_a_question_is_profiled_with_its_places_and_bars(notebook) -> None:
    notebook.neurallog(PROGRAM, cell="one")
    ran = notebook.run("%neurallog profile ?- gp(ann, Who).")
    assert isinstance(ran.result, Profile)
    data, _ = notebook.shell.display_formatter.format(ran.result)
    for form in ("text/html", "text/plain"):
        assert "cell [1]:3" in data[form]
        assert "cell:one" not in data[form]
        assert "rules account for" in data[form]
    html = data["text/html"]
    assert html.count("nl-bar") > len(ran.result.rules)
    assert html.count("<style>") == 1


def test_names_from_data_are_escaped() -> None:
    session = Session()
    session.add('p("<script>", b). h(X, Y) :- p(X, Y), p("<script>", Y).', source="<b>x</b>")
    html = profile_html(session.profile('h("<script>", Y)'))
    assert "<script" not in html
    assert "<b>" not in html


def test_what_to_profile_must_be_said(notebook) -> None:
    ran = notebook.run("%neurallog profile")
    assert "profile what?" in str(ran.error)


def test_a_training_is_profiled_with_the_options_of_train(notebook) -> None:
    pytest.importorskip("tensorflow", reason="learning is not installed")
    notebook.neurallog("learn(w). w(one). p(a, b). q(X, Y) :- w(one), p(X, Y).")
    notebook.neurallog("example(q, a, b).", cell="two")
    found = notebook.line("profile train --epochs 2 --batch-size 4")
    assert "2 epochs" in found.title and found.has_steps
