"""Explanations and findings in a notebook."""

from __future__ import annotations

import re

import pytest

from neurallog_kernel import Session
from neurallog_kernel.pictures.proof import proof_picture
from neurallog_magics.display.explanations import explanation_html

PROGRAM = """0.9::parent(ann, bob). 0.5::parent(bob, cid). male(bob). 0.3::w(w1).
gp(X, Z) :- parent(X, Y), male(Y), parent(Y, Z), tanh(Z), w(w1)."""


def test_the_tree_is_escaped_and_needs_no_script() -> None:
    session = Session()
    session.add('p("<script>alert(1)</script>", b). h(X, Y) :- p(X, Y).', source="<b>x</b>")
    html = explanation_html(session.explain('h("<script>alert(1)</script>", b)'))
    assert "<script" not in html
    assert "<b>" not in html
    assert "&lt;script&gt;" in html
    assert html.count("<details") == html.count("</details>") >= 2


def test_a_proof_is_drawn_over_the_rule() -> None:
    session = Session()
    session.add(PROGRAM, source="family")
    explanation = session.explain("gp(ann, cid)")
    picture = proof_picture(explanation.rules[0])
    labels = {mark.label for mark in picture.marks}
    assert {"X = ann", "Y = bob", "Z = cid", "w(w1) 0.3"} <= labels
    arrows = {arrow.label for arrow in picture.arrows}
    assert {"parent(X, Y) 0.9", "male(Y) 1", "parent(Y, Z) 0.5"} <= arrows
    assert any(label.startswith("tanh(Z) 0.42") for label in arrows)


def test_the_commands(notebook) -> None:
    notebook.neurallog(PROGRAM, cell="one")
    explanation = notebook.line("explain gp(ann, cid)")
    assert explanation.query == "gp(ann, cid)"
    assert notebook.line("explain --without male(bob) gp(ann, cid)").weight == 0
    assert "slope" in str(notebook.line("sensitivity gp(ann, cid)"))
    assert str(notebook.line("check")) == "No problems found."
    notebook.neurallog("male(eve). old(X) :- mael(X), parent(X, _).", cell="two")
    assert "male/1" in str(notebook.line("check"))
    assert "changed since" in str(notebook.line("diff"))


def test_places_are_named_as_the_notebook_names_them(notebook) -> None:
    notebook.neurallog(PROGRAM, cell="one")
    ran = notebook.run("%neurallog explain gp(ann, cid)")
    data, _ = notebook.shell.display_formatter.format(ran.result)
    assert "cell [1]:2" in data["text/html"]
    assert "cell [1]:2" in data["text/plain"]
    assert "cell:one" not in data["text/html"]


def test_the_proof_is_drawn_on_demand(notebook) -> None:
    notebook.neurallog(PROGRAM)
    ran = notebook.run("%neurallog explain --draw gp(ann, cid)")
    assert "Y = bob" in ran.lines[0]
    assert "Y = bob" in ran.result.dot


def test_findings_are_said_quietly_under_the_cell(notebook) -> None:
    program = "p(a, b). h(X, Y) :- p(X, Y), p(A, B), p(B, A)."
    said = "\n".join(notebook.neurallog(program, cell="one").lines)
    assert "shares no variable with the head" in said
    notebook.run("%config NeuralLog.remarks = False")
    more = program + " g(X, Y) :- p(X, Y), p(A, B), p(B, A)."
    assert "shares no variable" not in "\n".join(notebook.neurallog(more, cell="one").lines)


def test_the_caption_of_a_proof_begins_with_its_rule() -> None:
    session = Session()
    session.add("0.5::p(a, b). h(X, Y) :- p(X, Y).")
    picture = proof_picture(session.explain("h(a, b)").rules[0])
    assert picture.title == "h(X, Y) :- p(X, Y).  gives 0.5"


SOFTMAX = """has(f, one). 2::w(one, a). -5::w(one, b). 0.5::w(one, c).
score(X, C) :- has(X, I), w(I, C).
kind(X, C) :- score(X, C), softmax(C)."""


def test_bars_compare_what_goes_into_a_function() -> None:
    """The inputs of a softmax are greater than what comes out of it: they have their own scale."""
    session = Session()
    session.add(SOFTMAX)
    html = explanation_html(session.explain("kind(f, a)"))
    rows = re.findall(r'width:([0-9.]+)%"></span></span><span [^>]*>(.*?)</span><', html)
    widths = {re.sub("<[^>]*>", "", label): float(width) for width, label in rows}
    assert widths["score(f, b)"] == 100
    assert widths["score(f, a)"] == pytest.approx(40)
    assert widths["score(f, c)"] == pytest.approx(10)


def test_a_number_in_a_proof_is_not_named_after_its_owner() -> None:
    session = Session()
    session.add("size(f1, 0.788). size(f2, 0.3). 2::w(k). big(X) :- size(X, V), w(k).")
    picture = proof_picture(session.explain("big(f1)").rules[0])
    labels = [mark.label for mark in picture.marks]
    assert "X = f1" in labels and "V" in labels
    assert [a.label for a in picture.arrows if a.label] == ["size(X, V) 0.788"]


def test_the_place_in_a_cell_that_names_its_source_can_be_clicked() -> None:
    session = Session()
    session.add("p(a, b).", source="facts")
    session.add("\nh(X, Y) :- p(X, Y).", source="rules")
    html = explanation_html(session.explain("h(a, b)"), {"rules": "c-1"})
    assert '<span class="nl-place" data-nl-go="c-1" data-nl-line="2">rules:2</span>' in html
    assert '<span class="nl-place">facts:1</span>' in html  # of no cell
