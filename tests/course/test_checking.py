"""Exercises from files of one's own: what is read, what is refused, and what a check says."""

from __future__ import annotations

from pathlib import Path

import pytest

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.course import (
    Hints,
    Outcome,
    check_exercise,
    find_exercise,
    find_solution,
    list_exercises,
)

HEAD = """
[1]
level = "easy"
title = "A title"
task = "Do it."
hints = ["first", "second"]
start = "% here"
"""


@pytest.fixture
def write(tmp_path: Path):
    (tmp_path / "exercises").mkdir()

    def write(check: str, head: str = HEAD) -> Path:
        (tmp_path / "exercises" / "07.toml").write_text(f"{head}\n[[1.check]]\n{check}", "utf-8")
        return tmp_path

    return write


def outcomes(folder: Path, program: str) -> list[tuple[Outcome, tuple[str, ...]]]:
    session = Session()
    session.add(program)
    report = check_exercise(session, find_exercise(folder, "07.1"))
    return [(one.outcome, one.lines) for one in report.verdicts]


PAIRS = 'ask = "p(a, Y)"\nanswers = { b = 1.0, c = 0.5 }'


@pytest.mark.parametrize(
    ("program", "outcome", "differs"),
    [
        ("p(a, b). 0.5::p(a, c).", Outcome.RIGHT, ()),
        ("p(a, b). 0.504::p(a, c).", Outcome.RIGHT, ()),
        ("p(a, b). 0.6::p(a, c).", Outcome.WRONG, ("c is 0.6, it should be 0.5",)),
        ("p(a, b).", Outcome.WRONG, ("c is missing",)),
        ("p(a, b). 0.5::p(a, c). p(a, d).", Outcome.WRONG, ("d should not be an answer",)),
        ("q(a, b).", Outcome.MISSING, ("unknown predicate p/2",)),
        ("p(b, a).", Outcome.MISSING, ("unknown entity a at place 1 of p/2",)),
        ("p(X, Y) :- q(X, Y). q(c, a). r(X) :- p(X, Y), p(Y, X).", Outcome.WRONG, None),
    ],
)
def test_answers_are_compared_by_name_and_weight(write, program, outcome, differs):
    ((found, said),) = outcomes(write(PAIRS), program)
    assert found is outcome
    if differs is not None:
        assert said == differs


@pytest.mark.parametrize(
    ("program", "outcome", "says"),
    [
        ("p(b, a). 0.5::p(c, a). p(a, d).", Outcome.WRONG, "exchange them in the head"),
        ("p(b, a). 0.5::p(c, a).", Outcome.WRONG, "exchange them in the head"),
        ("q(b, a). 0.5::q(c, a). p(X, Y) :- q(X, Y), r(Y). r(a). p(a, d).", Outcome.WRONG, ""),
        ("2::p(a, b). p(a, c).", Outcome.WRONG, "all weights are 2 times as large"),
        ("p(a, b, x). p(a, c, x).", Outcome.WRONG, "the program has p/3"),
        ("q(a, b). p(X, Y) :- q(X, Y), q(Y, X).", Outcome.WRONG, "ask its conditions one by one"),
        (
            "q(b, a). 0.5::q(c, a). r(b, b). r(c, c). p(X, Y) :- q(X, Y), r(Y, Y).",
            Outcome.WRONG,
            "look at the order of the arguments in `q(X, Y)`",
        ),
        (
            "q(a, b). 0.5::q(a, c). r(a, b). p(X, Y) :- q(X, Y). p(X, Y) :- r(X, Y).",
            Outcome.WRONG,
            "without the rule `p(X, Y) :- r(X, Y).` this is right: take one rule out",
        ),
    ],
)
def test_what_is_nearly_right_says_what_differs(write, program, outcome, says):
    ((found, said),) = outcomes(write(PAIRS), program)
    assert found is outcome
    assert says in said[-1]


@pytest.mark.parametrize(
    ("program", "outcome", "says"),
    [
        (
            "visted(a, b).",
            Outcome.WRONG,
            "the program has visted: write the name as in the task, visited",
        ),
        (
            "visi(a, b).",
            Outcome.WRONG,
            "the program has visi: write the name as in the task, visited",
        ),
        ("visits(a, b).", Outcome.MISSING, "unknown predicate visited/2"),
    ],
)
def test_a_misspelt_name_is_told_and_a_name_of_the_tutorial_is_not(write, program, outcome, says):
    ((found, said),) = outcomes(write('ask = "visited(a, Z)"\nnames = ["b"]'), program)
    assert found is outcome
    assert said[-1] == says


def test_a_question_that_must_find_nothing_is_not_taken_for_exchanged_arguments(write):
    ((found, said),) = outcomes(write('ask = "p(a, Z)"\nnames = []'), "q(a, b).")
    assert found is Outcome.MISSING
    assert said == ("unknown predicate p/2",)


def test_an_exercise_is_named_by_its_tutorial_alone(write):
    with pytest.raises(NeuralLogError) as caught:
        find_exercise(write(PAIRS), "7")
    assert caught.value.hint == "there are 07.1"


def test_a_rule_is_tried_on_facts_that_its_author_has_not_seen(write):
    folder = write('ask = "g(x, Z)"\ngiven = "p(x, y). p(y, z)."\nnames = ["z"]')
    facts = "p(a, b). p(b, c)."
    assert outcomes(folder, f"{facts} g(X, Z) :- p(X, Y), p(Y, Z).")[0][0] is Outcome.RIGHT
    assert outcomes(folder, f"{facts} g(a, c). g(x, x).")[0][0] is Outcome.WRONG


def test_facts_are_no_answer_where_other_facts_are_tried(write):
    folder = write('ask = "g(x, Z)"\ngiven = "p(x, y)."\nnames = ["y"]')
    ((outcome, said),) = outcomes(folder, "p(a, b). g(a, b).")
    assert outcome is Outcome.WRONG
    assert said[0] == "the other facts are `p(x, y).`"
    assert said[-1].startswith("g has facts and no rule")


@pytest.mark.parametrize(
    ("program", "outcome"),
    [("p(a, b). g(X, Y) :- q(X, Y).", Outcome.WRONG), ("p(a, b).", Outcome.MISSING)],
)
def test_a_rule_about_other_things_is_an_answer(write, program, outcome):
    ((found, _),) = outcomes(write('ask = "g(a, Z)"\nnames = ["b"]'), program)
    assert found is outcome


def test_advice_is_given_once(write):
    folder = write(f"{PAIRS}\n[[1.check]]\n{PAIRS}")
    first, second = outcomes(folder, "p(b, a). 0.5::p(c, a).")
    assert "exchange them" in first[1][-1] and second[0] is Outcome.WRONG
    assert not any("exchange them" in line for line in second[1])


def test_trying_on_other_facts_leaves_the_session_alone(write):
    folder = write('ask = "p(x, Z)"\ngiven = "p(x, y)."\nnames = ["y"]')
    session = Session()
    session.add("p(a, b).")
    check_exercise(session, find_exercise(folder, "07.1"))
    assert session.program().count("p(") == 1


@pytest.mark.parametrize(
    ("check", "program", "outcome"),
    [
        ('ask = "p(a, Y)"\nbest = "c"', "p(a, b). 2::p(a, c).", Outcome.RIGHT),
        ('ask = "p(a, Y)"\nbest = "b"', "p(a, b). 2::p(a, c).", Outcome.WRONG),
        ('ask = "p(a, b)"\nbetween = [0.4, 0.6]', "0.5::p(a, b).", Outcome.RIGHT),
        ('ask = "p(a, b)"\nbetween = [0.4, 0.6]', "0.7::p(a, b).", Outcome.WRONG),
        (
            'metric = "roc_auc"\nset = "train"\nat_least = 0.9',
            "p(a, b). p(b, c). example_set(train). example(p, a, b). 0::example(p, a, c).",
            Outcome.RIGHT,
        ),
        (
            'metric = "roc_auc"\nset = "train"\nat_least = 0.9',
            "p(a, c). p(b, b). example_set(train). example(p, a, b). 0::example(p, a, c).",
            Outcome.WRONG,
        ),
        ('metric = "roc_auc"\nset = "nowhere"\nat_least = 0.9', "p(a, b).", Outcome.MISSING),
    ],
)
def test_other_checks(write, check, program, outcome):
    assert outcomes(write(check), program)[0][0] is outcome


def test_a_known_mistake_is_named(write):
    mistake = '\n[[1.check.mistake]]\nanswers = { d = 1.0 }\nsays = "You took d."'
    said = outcomes(write(PAIRS + mistake), "p(a, d).")[0][1]
    assert said[-1] == "You took d."


def test_many_differences_are_cut(write):
    facts = " ".join(f"p(a, x{i})." for i in range(20))
    said = outcomes(write(PAIRS), facts)[0][1]
    assert len(said) == 5 and said[-1] == "and 18 more"


@pytest.mark.parametrize(
    ("check", "head", "message"),
    [
        ('ask = "p(a, Y)"', HEAD, "one of answers, names"),
        ('ask = "p(a, Y)"\nbest = "b"\nnames = ["b"]', HEAD, "one of answers, names"),
        ('ask = "p(a, Y)"\nbest = "b"\nrun = "rm"', HEAD, "run"),
        ('best = "b"', HEAD, "ask"),
        ('ask = "p(a, Y)"\nbest = "b"', HEAD.replace("easy", "odd"), "no level odd"),
        ('ask = "p(a, Y)"\nbest = "b"', HEAD.replace("title", "name"), "title"),
        ("ask = ", HEAD, "07.toml"),
    ],
)
def test_a_file_that_is_wrong_says_where(write, check, head, message):
    with pytest.raises(NeuralLogError, match=message):
        list_exercises(write(check, head))


def test_an_unknown_exercise_names_the_nearest(write, tmp_path):
    folder = write(PAIRS)
    with pytest.raises(NeuralLogError) as caught:
        find_exercise(folder, "07.2")
    assert "07.1" in (caught.value.hint or "")
    with pytest.raises(NeuralLogError, match="no folder exercises"):
        find_exercise(tmp_path / "elsewhere", "07.1")
    with pytest.raises(NeuralLogError, match="not in this copy"):
        find_solution(folder, "07.1")


def test_hints_come_one_by_one(write):
    exercise = find_exercise(write(PAIRS), "07.1")
    assert str(Hints(exercise, 1)).splitlines() == [
        "Exercise 07.1, 1 of 2 hints; --hint 2 shows one more",
        "1. first",
    ]
    assert str(Hints(exercise, 9)).splitlines()[0] == "Exercise 07.1, 2 of 2 hints"


def test_what_was_written_and_finds_nothing_is_not_called_unanswered(write):
    session = Session()
    session.add("q(a, b). p(X, Y) :- q(X, Y), q(Y, X).")
    report = check_exercise(session, find_exercise(write(PAIRS), "07.1"))
    assert report.said == "Not yet right. 2 hints: --hint 1 shows the first."


@pytest.mark.parametrize(("least", "outcome"), [(0.9, Outcome.RIGHT), (1.1, Outcome.WRONG)])
def test_a_metric_that_was_there_before_is_not_taken_for_an_answer(write, least, outcome):
    metric = f'metric = "roc_auc"\nset = "train"\nat_least = {least}'
    exercise = find_exercise(write(f"{PAIRS}\n\n[[1.check]]\n{metric}"), "07.1")
    session = Session()
    session.add("q(a, b). q(b, c). example_set(train). example(q, a, b). 0::example(q, a, c).")
    report = check_exercise(session, exercise)
    assert [one.outcome for one in report.verdicts] == [Outcome.MISSING, outcome]
    assert report.said == "Not answered yet. 2 hints: --hint 1 shows the first."
    session.add("example_set(program). p(a, b).", source="answer")
    assert check_exercise(session, exercise).said.startswith("Not yet right.")
