"""Cells: what they own, what they say, and that an error changes nothing."""

import re

import pytest

import neurallog_magics
from neurallog_kernel import Answers, NeuralLogError, Session

FAMILY = "parent(ann, bob).\n0.5::parent(bob, cid)."
RULE = "grandparent(X, Z) :- parent(X, Y), parent(Y, Z)."


def program() -> str:
    """The live program without the lines that name its sources."""
    lines = neurallog_magics.session().program().splitlines()
    return "\n".join(line for line in lines if line and not line.startswith("%"))


def test_clauses_queries_and_the_quiet_line(notebook):
    ran = notebook.neurallog(f"{FAMILY}\n{RULE}\n?- parent(ann, X).\n?- grandparent(ann, W).")
    assert ran.lines[0].startswith("+2 facts, +1 rule, 2 predicates recompiled, ")
    assert re.search(r", [0-9.]+ m?s$", ran.lines[0])  # how long it took, on any machine
    assert "?- parent(ann, X)." in ran.lines[1]
    assert isinstance(ran.result, Answers)
    assert ran.result.weights == {("cid",): 0.5}
    assert notebook.run("_").result is ran.result


def test_running_again_replaces_and_says_what_went(notebook):
    notebook.neurallog(f"{FAMILY}\n{RULE}", "one")
    ran = notebook.neurallog("parent(ann, bob).\n0.7::parent(bob, cid).\nlearn(parent).", "one")
    assert "1 fact replaced, -1 rule, +1 directive" in ran.lines[0]
    assert f"- {RULE}" in ran.lines[0]
    assert "- 0.5::parent(bob, cid)." in ran.lines[0]
    assert program() == "learn(parent).\nparent(ann, bob).\n0.7::parent(bob, cid)."


def test_running_unchanged_says_nothing(notebook):
    notebook.neurallog(FAMILY, "one")
    assert notebook.neurallog(FAMILY, "one").lines == []


def test_a_copy_of_a_cell_owns_its_own_clauses(notebook):
    notebook.neurallog("p(a).", "one")
    notebook.neurallog("p(b).", "copy")
    notebook.neurallog("p(c).", "copy")
    assert program() == "p(a).\np(c)."


def test_append_keeps_what_earlier_runs_added(notebook):
    notebook.neurallog("p(a).", "one", "--append")
    notebook.neurallog("p(b).", "one", "--append")
    assert program() == "p(a).\np(b)."


def test_a_name_overrides_the_cell(notebook):
    notebook.neurallog("p(a).", "one", "--name family")
    notebook.neurallog("p(b).", "two", "--name family")
    assert program() == "p(b)."
    assert neurallog_magics.session().sources == ("family",)


def test_a_cell_that_changes_its_name_leaves_nothing_behind(notebook):
    notebook.neurallog("p(a).", "one")
    ran = notebook.neurallog("p(b).", "one", "--name family")
    assert program() == "p(b)."
    assert "- p(a)." in ran.lines[0]
    notebook.neurallog("p(c).", "one", "--session other")
    assert program() == ""
    assert neurallog_magics.session("other").query("p(X)").weights == {("c",): 1.0}


def test_a_deleted_cell_goes_with_the_next_run(notebook):
    notebook.neurallog("p(a).", "one")
    ran = notebook.neurallog("q(b).", "two", deleted=["one"])
    assert "- p(a)." in ran.lines[0]
    assert program() == "q(b)."


def test_a_cell_that_becomes_python_is_retracted(notebook):
    notebook.neurallog("p(a).", "one")
    ran = notebook.run("1 + 1", "one")
    assert "this cell is not NeuralLog any more" in ran.lines[0]
    assert program() == ""


def test_an_emptied_cell_is_retracted(notebook):
    notebook.neurallog("p(a).", "one")
    ran = notebook.run("%%neurallog", "one")
    assert ran.error is None
    assert program() == ""


@pytest.mark.parametrize(
    "bad",
    ["q(a :- b.", "p(X).", "q(b).\n?- nothing_of_the_kind(X).", "q(b).\n?- p(zebra)."],
)
def test_an_error_changes_nothing(notebook, bad):
    notebook.neurallog("p(a).", "one")
    before = neurallog_magics.session().program()
    for cell, options in (
        ("one", ""),
        ("two", ""),
        ("one", "--name other"),
        ("one", "--session s"),
    ):
        ran = notebook.neurallog(bad, cell, options)
        assert isinstance(ran.error, NeuralLogError)
        assert neurallog_magics.session().program() == before
    notebook.neurallog("p(b).", "one")
    assert program() == "p(b)."


def test_an_error_is_a_few_lines_with_a_caret(notebook):
    ran = notebook.neurallog("p(a).\nq(b) :- r(b", "one")
    text = ran.out.strip().splitlines()
    assert text[0].startswith("cell [1]:3:12: ")  # the lines of the cell, its first line included
    assert text[1:3] == ["  3 | q(b) :- r(b", "    |            ^"]
    assert 3 <= len(text) <= 6
    assert "Traceback" not in ran.out
    assert ran.err == ""
    assert "Traceback" in str(notebook.line("traceback"))


def test_an_error_names_other_cells_as_people_do(notebook):
    notebook.neurallog("age(ann, 5).", "6f1c-22")
    ran = notebook.neurallog("age(bob, old).", "77aa")
    assert "6f1c" not in ran.out
    assert "cell [1]:2:10" in ran.out


def test_notices_come_in_one_line(notebook):
    ran = notebook.neurallog("p(a).\nq(X) :- p(X), nix(X).\nr(X) :- p(X), nox(X).")
    assert ran.lines[1].startswith("⚠ 2 notices\n  cell [1]:3:15: unknown predicate nix/1")
    assert ran.err == ""


def test_an_answer_can_be_assigned(notebook):
    ran = notebook.neurallog(f"{FAMILY}\n  who << ?- parent(ann, X).\n% no << ?- q.\n")
    assert ran.result is None
    assert notebook.run("who.weights").result == {("bob",): 1.0}
    notebook.run("%neurallog them << ?- parent(X, Y).")
    assert len(notebook.run("them").result) == 2


def test_scalars_come_from_python(notebook):
    notebook.run("w = 0.25; who = 'Ann'; import numpy as np; n = np.float64(4)")
    notebook.neurallog('{{w}}::likes({{who}}, "{{who}}"). {{ n }}::p(a). % {{nothing}}')
    assert program() == '0.25::likes("Ann", "{{who}}").\n4::p(a).'
    assert notebook.line("query likes({{who}}, Y)").weights == {("{{who}}",): 0.25}
    assert "no Python variable whom\n" in (ran := notebook.neurallog("p({{whom}}).").out)
    assert "did you mean who?" in ran
    notebook.run("table = [1]")
    assert "-i" in notebook.neurallog("p({{table}}).").out


@pytest.mark.parametrize("code", ["__import__('os').getcwd()", "n.real", "[1]", "n + 1", ""])
def test_a_program_runs_no_python(notebook, code):
    notebook.run("n = 1")
    ran = notebook.neurallog(f"p({{{{{code}}}}}).")
    assert f":2:3: {{{{{code}}}}} is not the name of a Python variable" in ran.out
    assert program() == ""


def test_loops_keep_their_braces(notebook):
    notebook.neurallog("for i in a b do p_{i}(x). done")
    assert program() == "p_a(x).\np_b(x)."


def test_tables_come_from_python(notebook):
    notebook.run("import pandas as pd")
    notebook.run(
        "df = pd.DataFrame({'x': ['a', 'B', None], 'y': [1.5, 2, 3], 'weight': [1, .5, 1]})"
    )
    ran = notebook.neurallog("?- age(X, Y).", "t", "-i age=df -i pairs")
    assert "no Python variable pairs" in ran.out
    notebook.run("pairs = [('a', 'b'), ('b', 'c')]")
    ran = notebook.neurallog("?- pairs(a, Y).", "t", "-i age=df -i pairs")
    assert "1 of 3 rows without a value in x left out" in ran.lines[0]
    assert set(program().splitlines()) == {
        "age(a, 1.5).",
        '0.5::age("B", 2).',
        "pairs(a, b).",
        "pairs(b, c).",
    }
    notebook.run("wide = [(1, 2, 3)]")
    notebook.neurallog("p(a).", "t", "-i wide")
    assert "wide(1, 2, 3)." in program().splitlines()  # numbers of three and more are names
    ran = notebook.neurallog("?- lives(a, Y).", "t", '-i "lives(x, y: entity)=df"')
    assert ran.result.weights == {("1.5",): 1.0}


def test_the_sets_of_examples_in_cells(notebook):
    text = "likes(ann, tea). example(likes, bob, tea). example_set(train). likes(cid, tea)."
    notebook.run(f"%%examples --set test\n{text}", "one")
    notebook.neurallog("example(likes, dan, tea). example_set(valid). example(likes, eve, tea).")
    listed = neurallog_magics.session().examples()
    assert {one.text[6:9]: one.set for one in listed} == {
        "ann": "test",
        "bob": "test",
        "cid": "train",
        "dan": "program",
        "eve": "valid",
    }


def test_examples_cells(notebook):
    notebook.run("%%examples --set test\nlikes(ann, tea).\n0.0::likes(ann, mud).", "e")
    table = str(notebook.line("examples"))
    assert "test  likes(ann, tea)      1" in table
    notebook.run("%%examples --set test\nlikes(bob, tea).", "e")
    assert "ann" not in str(notebook.line("examples"))


def test_sessions_do_not_touch_each_other(notebook):
    notebook.neurallog("p(a).", "one", "--session left")
    notebook.neurallog("p(b).", "two", "--session right")
    assert notebook.line("query --session left p(X)").weights == {("a",): 1.0}
    assert notebook.line("query --session right p(X)").weights == {("b",): 1.0}


def test_python_and_magics_share_the_session(notebook):
    notebook.run("import neurallog_magics as nm; change = nm.session().add('p(a).', source='py')")
    assert notebook.neurallog("?- p(X).").result.weights == {("a",): 1.0}


def test_reloading_keeps_the_session(notebook):
    notebook.neurallog("p(a).", "one")
    notebook.run("%reload_ext neurallog_magics")
    notebook.neurallog("p(b).", "one")
    assert program() == "p(b)."


def test_commands_inside_a_cell_run_in_order(notebook):
    ran = notebook.neurallog("p(a).\n%neurallog status p\n?- p(X).\n%neurallog rules")
    assert "p/1" in ran.lines[1]
    assert ran.lines[2].startswith("?- p(X).")
    assert str(ran.result) == "There is no rule."


def test_undo_takes_back_a_whole_cell(notebook):
    notebook.neurallog("p(a).", "one")
    notebook.neurallog("q(b).", "one", "--name named")
    notebook.line("undo")
    assert program() == "p(a)."
    notebook.neurallog("p(c).", "one")
    assert program() == "p(c)."
    notebook.line("undo")
    notebook.line("undo")
    assert program() == ""


def test_notices_are_given_again(notebook):
    text = "p(a).\nq(X) :- p(X), nix(X)."
    first = notebook.neurallog(text, "one")
    again = notebook.neurallog(text, "one")
    assert again.lines == [first.lines[1].replace("cell [1]", "cell [2]")]


@pytest.mark.parametrize("where", ["query", "add"])
def test_an_interrupt_leaves_the_state_before_the_cell(notebook, monkeypatch, where):
    notebook.neurallog("p(a).", "one")
    before = neurallog_magics.session().program()
    real = getattr(Session, where)

    def interrupted(self, *arguments, **options):
        real(self, *arguments, **options)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Session, where, interrupted)
        ran = notebook.neurallog("p(b).\n?- p(X).", "one", "--name other")
    assert "interrupted; the session is as it was" in ran.out
    assert neurallog_magics.session().program() == before
    notebook.neurallog("p(c).", "one")
    assert program() == "p(c)."


def test_warnings_of_python_come_in_the_same_line(notebook):
    notebook.run("import warnings, numpy, neurallog_magics as nm")
    notebook.run("def f(x): warnings.warn('odd'); return x")
    notebook.run("g = nm.session().register('f', f)")
    ran = notebook.neurallog("p(a).\nq(X) :- p(X), f(X).\n?- q(X).")
    assert ran.err == ""
    assert "⚠ UserWarning: odd" in ran.lines


def test_cells_of_a_front_end_without_ids_and_history_are_cells_of_their_own(shell):
    """nbval runs a notebook so: every cell has the prompt's first number."""
    shell.parent_header = {}
    for text in ("p(a).", "p(b).", "?- p(X)."):
        ran = shell.run_cell(f"%%neurallog\n{text}", store_history=False)
        assert ran.success
    assert set(ran.result.weights) == {("a",), ("b",)}


@pytest.mark.parametrize("code", ["x = 3", "import os", "for x in range(3):\n    print(x)"])
def test_python_in_a_cell_is_recognised(notebook, code):
    assert "this is Python: put it in a cell without %%neurallog" in notebook.neurallog(code).out
    assert "this is Python" not in notebook.neurallog("parent(ann, bob)").out


@pytest.mark.parametrize("code", ["p(ann, bob).", "%neurallog\np(ann, bob).", "?- p(ann, X)"])
def test_neurallog_without_its_first_line_is_recognised(notebook, code):
    said = "this is NeuralLog: write %%neurallog on the first line of the cell"
    assert notebook.run(code).lines == [said]
    assert notebook.run("p(ann, bob").lines == []


def test_what_was_meant_by_a_line(notebook):
    notebook.neurallog(FAMILY)
    assert "%neurallog ?- parent(ann, X)" in notebook.run("%neurallog parent(ann, X)").out
    assert "a name: df = ..." in notebook.neurallog("", "t", "-i city=df.city").out
