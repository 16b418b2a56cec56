"""The cost of a question is known before it is asked, and an expensive one can be interrupted."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from neurallog_kernel import Session, UnknownPredicateError


def grid(entities: int, degree: int) -> Session:
    session = Session()
    facts = (f"p(e{i}, e{(i * 7 + k) % entities})." for i in range(entities) for k in range(degree))
    session.add("\n".join(facts), "facts")
    session.add(
        "one(X, Y) :- p(X, Y).\ntwo(X, Y) :- p(X, Z), p(Z, Y).\nalone(X, Y) :- q(X, Y). q(a, b).",
        "rules",
    )
    return session


def test_the_cost_is_what_the_question_goes_through():
    session = grid(100, 5)
    assert session.cost("one/2").entries == pytest.approx(5, abs=10)
    assert session.cost("two/2").entries == pytest.approx(5 + 25, abs=30)
    assert session.cost("two/2").entries > session.cost("one/2").entries
    assert str(session.cost("alone/2")).startswith("about ")


def test_the_cost_grows_with_the_facts_that_are_touched_and_with_no_others():
    small, large = grid(100, 5), grid(100, 20)
    assert large.cost("two/2").entries > 10 * small.cost("two/2").entries / 2
    assert large.cost("alone/2").entries == small.cost("alone/2").entries


def test_an_unknown_predicate_has_no_cost():
    with pytest.raises(UnknownPredicateError):
        grid(10, 2).cost("missing/2")


def test_a_question_past_the_budget_is_found_by_the_check():
    session = grid(100, 20)
    assert "expensive_question" not in session.check().kinds
    session.add("set_parameter(question_budget, 100).", "settings")
    found = [f for f in session.check() if f.kind == "expensive_question"]
    assert [f.message.split()[0] for f in found] == ["two/2"]
    assert "100" in found[0].message and found[0].span is not None
    session.add('set_predicate_parameter("two/2", question_budget, 1000000).', "settings")
    assert "expensive_question" not in session.check().kinds


EXPENSIVE = """
import sys
from neurallog_kernel import Session
session = Session()
session.add("".join(f"p(e{i}, e{(i * 7 + k) % 3000}).\\n" for i in range(3000) for k in range(30)))
rules = "".join(f"r{n}(X, Y) :- r{n - 1}(X, Z), p(Z, Y).\\n" for n in range(1, 400))
session.add("r0(X, Y) :- p(X, Y).\\n" + rules)
try:
    print("ready", flush=True)
    while True:
        session.rank("r399/2", top=1)
except KeyboardInterrupt:
    print("interrupted", len(session.query("p(e1, Y)")), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be sent SIGINT there")
def test_an_expensive_question_can_be_interrupted_and_nothing_is_lost():
    with subprocess.Popen(
        [sys.executable, "-c", EXPENSIVE], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted 30\n"
    assert process.returncode == 0
