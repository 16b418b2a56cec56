"""What somebody types who knows Python only, or Prolog only, and what the notebook says to it."""

from __future__ import annotations

import sys

import pytest

FAMILY = "parent(ann, bob). parent(bob, cid)."


def test_a_predicate_called_as_a_function_of_python(notebook):
    notebook.neurallog(FAMILY)
    said = "parent is a predicate, not Python: ask with %neurallog ?- parent(...)"
    assert said in notebook.run("parent('ann')").lines
    assert notebook.run("nothing_here('ann')").lines == []


def test_the_session_has_to_be_imported(notebook):
    assert notebook.run("session().status()").lines == [
        "write first: from neurallog_magics import session"
    ]


def test_the_session_is_a_function(notebook):
    notebook.run("from neurallog_magics import session")
    said = "session is a function: write session().query"
    assert said in notebook.run("session.query('parent(ann, X)')").lines
    assert notebook.run("''.query").lines == []


@pytest.mark.parametrize(
    ("cell", "meant"),
    [
        ("%%neuralog\nparent(ann, bob).", "%%neurallog"),
        ("%%example\nparent(ann, bob).", "%%examples"),
        ("%neuralog status", "%neurallog"),
        ("%%prolog\nparent(ann, bob).", "%%neurallog"),
    ],
)
def test_a_misspelt_magic(notebook, cell, meant):
    assert notebook.run(cell).lines == [f"did you mean {meant}?"]


def test_a_magic_of_somebody_else_is_left_alone(notebook):
    assert notebook.run("%%sql\nSELECT 1").lines == []


def test_a_program_on_the_first_line(notebook):
    said = notebook.neurallog("", None, "parent(ann, bob).").out
    assert "write the program on the lines below the first one" in said
    assert "did you mean --name?" in notebook.neurallog("", None, "--nmae").out


@pytest.mark.parametrize(
    ("command", "advice"),
    [
        ("listing parent", "%neurallog program"),
        ("trace parent(ann, bob)", "%neurallog explain"),
        ("consult family.pl", "%neurallog load"),
        ("traceb", "did you mean traceback?"),
        ("why parent(ann, bob)", "%neurallog explain"),
        ("remove parent(ann, bob)", "delete the line in its cell"),
        ("hint 01.1", "%neurallog exercise 01.1 --hint"),
        ("?", "%neurallog COMMAND --help says more"),
        ("show parent(ann, Who)", "takes no question: explain, xray and live take one"),
        ("learn", "%neurallog train learns weights, learn_rules finds rules"),
        ("revise", "the table of learn_rules has a button for it"),  # not reset, which is near
        ("fit --epochs 3", "write %neurallog train"),
        ("predict parent(ann, X)", "to ask, write %neurallog ?-"),
        ("parent(ann, Who)?", "write %neurallog ?- parent(ann, Who);"),
        ("train 60", "did you mean --epochs 60?"),
        ("train likes", "%neurallog train --help says what it takes"),
        ("train --lr 0.1", "did you mean --learning-rate?"),
        ("train --set test", "did you mean --examples?"),
        ("cross_validate --folds 2 --batch-size 8", "write batch_size="),
        ("select epochs=1,2 --learning-rate=0.1", "write learning_rate=0.1"),
        ("select epochs=1,2 --fold 3", "did you mean --folds?"),
        ("train --hold-out 20%", "20% is not a number: write 0.2"),
        ("functions average", "did you mean mean?"),
    ],
)
def test_commands_of_prolog_are_known_by_what_is_done_here(notebook, command, advice):
    assert advice in notebook.run(f"%neurallog {command}").out


def test_a_wrong_value_does_not_list_all_options(notebook):
    assert "--optimizer" not in notebook.run("%neurallog train likes").out
    said = notebook.run("%neurallog train --epochs many").out
    assert "many is not a whole number" in said
    assert "--optimizer" not in said
    assert "did you mean --epochs?" in notebook.run("%neurallog train --epoch 3").out


def test_help_about_one_command(notebook):
    assert "--without" in notebook.run("%neurallog help explain").out


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("session().ask('parent(ann, X)')", 'write query("p(a, Y)")'),
        ("session().fit(epochs=3)", "write train()"),
        ("session().query('parent(ann, X)').to_numpy()", "write to_pandas()"),
        ("session().query('parent(ann, X)').wieght", "did you mean weight?"),
        ("session().hobby", None),
        ("''.fit", None),
    ],
)
def test_attributes_of_other_libraries(notebook, code, said):
    notebook.neurallog(FAMILY)
    notebook.run("from neurallog_magics import session")
    assert notebook.run(code).lines == ([said] if said else [])


def test_a_package_that_is_not_installed_says_what_brings_it(notebook, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.delitem(sys.modules, "sklearn.datasets", raising=False)
    said = notebook.run("from sklearn.datasets import load_iris").lines
    assert said == ["install it with: pip install 'neurallog[learning]'"]
    assert notebook.run("import no_such_package").lines == []


def test_a_command_without_its_magic(notebook):
    notebook.neurallog(FAMILY)
    said = notebook.neurallog("parent(bob, dora).\nxray parent(ann, Who)").out
    assert "a command begins with %neurallog: %neurallog xray parent(ann, Who)" in said


def test_a_command_with_one_percent_sign_is_a_comment_and_says_so(notebook):
    said = notebook.neurallog(FAMILY + "\n%show parent/2").lines
    assert any("%show parent/2 is a comment" in line for line in said)
    assert any("write %neurallog show parent/2" in line for line in said)


def test_other_comments_are_left_alone(notebook):
    said = notebook.neurallog(FAMILY + '\n% show parent/2\n%% shown\nq("\n%show p/2").').lines
    assert not any("is a comment" in line for line in said)
