"""Changes to a program that must not change its answers, or change them in a known way."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from neurallog_kernel import Session
from tests.programs import Hypothesis, ProgramText, programs, query
from tests.reference import Reference

few = settings(
    max_examples=12,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


def ask(text: str, question: str) -> dict:
    session = Session()
    session.add(text)
    return session.query(question).weights


def same(found: dict, expected: dict) -> bool:
    return all(
        found.get(key, 0.0)
        == pytest.approx(expected.get(key, 0.0), rel=1e-8, abs=1e-9, nan_ok=True)
        for key in {*found, *expected}
    )


def question_of(program: ProgramText, data: st.DataObject) -> str:
    reference = Reference(str(program))
    question = query(Hypothesis(data.draw), reference)
    assume(question is not None)
    assert question is not None
    reference.query(question)
    assume(not reference.delicate)
    return question


@few
@given(programs(), st.data())
def test_renamed_variables_change_nothing(program: ProgramText, data: st.DataObject) -> None:
    question = question_of(program, data)
    renamed = re.sub(r"\b([A-Z]\w*)\b", r"\1_renamed", str(program))
    assert same(ask(renamed, question), ask(str(program), question))


@few
@given(programs(), st.data())
def test_renamed_entities_rename_answers(program: ProgramText, data: st.DataObject) -> None:
    question = question_of(program, data)

    def renamed(text: str) -> str:
        return re.sub(r"(?<=[(, ])([abcd])(?=[,)])", r"\1_other", text)

    expected = {
        tuple(f"{name}_other" if name in "abcd" else name for name in key): weight
        for key, weight in ask(str(program), question).items()
    }
    assert same(ask(renamed(str(program)), renamed(question)), expected)


@few
@given(programs(), st.data())
def test_order_of_facts_changes_nothing(program: ProgramText, data: st.DataObject) -> None:
    question = question_of(program, data)
    last = {fact.split("::")[-1]: fact for fact in program.facts}  # a later fact wins
    owners = {re.sub(r"-?[\d.]+(?=[,)])", "#", atom): fact for atom, fact in last.items()}
    facts = data.draw(st.permutations(list(owners.values())))
    rest = [*map(str, program.rules), *program.directives]
    text = "\n".join([*rest, *program.fixed, *facts])
    assert same(ask(text, question), ask(str(program), question))


@few
@given(programs(), st.data())
def test_unrelated_entities_change_nothing(program: ProgramText, data: st.DataObject) -> None:
    question = question_of(program, data)
    more = f"{program}\nunrelated(x1, x2). unrelated(x2, x3). other(X, Y) :- unrelated(X, Y)."
    assert same(ask(more, question), ask(str(program), question))


@few
@given(programs(), st.data())
def test_listing_gives_the_same_program(program: ProgramText, data: st.DataObject) -> None:
    question = question_of(program, data)
    first, second = Session(), Session()
    first.add(str(program), source="program")
    second.add(first.program(), source="program")
    assert second.program() == first.program()
    assert same(second.query(question).weights, first.query(question).weights)


CHAINS = """
p(a, b). 2::p(a, c). 0.5::p(b, c). p(c, a). 3::q(b, d). q(c, d). 0.25::q(c, a). u(b). 0.5::u(c).
"""
entity = st.sampled_from("abcd")
chain = st.lists(st.sampled_from(["p", "q", "p_back", "q_back", "u"]), min_size=1, max_size=4)


def body(steps: list[str]) -> str:
    literals, at = [], 0
    for step in steps:
        if step == "u":
            literals.append(f"u(V{at})")
        else:
            pair = (at, at + 1) if "back" not in step else (at + 1, at)
            literals.append(f"{step[0]}(V{pair[0]}, V{pair[1]})")
            at += 1
    return ", ".join(literals).replace(f"V{at}", "Y") if at else ""


@few
@given(chain)
def test_inverse_question_is_the_transpose(steps: list[str]) -> None:
    text = body(steps)
    assume(text and "V0" in text)
    session = Session()
    session.add(f"{CHAINS} h(V0, Y) :- {text}.")
    pairs = session.query("h(X, Y)").weights
    for first in {key[0] for key in pairs}:
        row = session.query(f"h({first}, Y)").weights  # a batch is its single questions
        assert {(first, *key): weight for key, weight in row.items()} == pytest.approx(
            {key: weight for key, weight in pairs.items() if key[0] == first}
        )
    for second in {key[1] for key in pairs}:
        column = session.query(f"h(X, {second})").weights
        assert {(*key, second): weight for key, weight in column.items()} == pytest.approx(
            {key: weight for key, weight in pairs.items() if key[1] == second}
        )


@few
@given(chain, st.sampled_from([0.5, 2.0, -1.0]), st.sampled_from([0.25, 3.0]))
def test_weights_of_a_rule_add_up(steps: list[str], one: float, two: float) -> None:
    text = body(steps)
    assume(text and "V0" in text)
    single = ask(f"{CHAINS} h(V0, Y) :- {text}.", "h(X, Y)")
    both = ask(f"{CHAINS} {one}::h(V0, Y) :- {text}. {two}::h(V0, Y) :- {text}.", "h(X, Y)")
    whole = ask(f"{CHAINS} {one + two}::h(V0, Y) :- {text}.", "h(X, Y)")
    assert both == pytest.approx({key: (one + two) * weight for key, weight in single.items()})
    assert both == pytest.approx(whole)
