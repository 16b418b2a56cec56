"""Rule files of AnyBURL, PyClause and AMIE come in as program text, and that reads back equal."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.induction.rule_files import parse_rules, read_rules
from neurallog_kernel.language.parser import parse
from neurallog_kernel.language.printer import format_clause
from neurallog_kernel.language.syntax import Rule

ANYBURL = """286\t27\t0.0944\tadvised(X,Y) <= wrote(A,X), wrote(A,Y)
40\t30\t0.75\tspeaks(X,french) <= lives(X,paris)
12\t3\t0.25\t/film/director(X,Y) <= /film/producer(X,Y)
9\t3\t0.33\tborn(smith, john,Y) <= lives(X,Y), in(X,Y)
7\t5\t0.71\tspeaks(X,french) <=
"""
AMIE = """Using 4 threads
Rule\tHead Coverage\tStd Confidence\tPCA Confidence\tPositive Examples\tBody size\tPCA Body size
?e  <isMarriedTo>  ?a  ?e  <hasChild>  ?b   => ?a  <hasChild>  ?b\t0.2\t0.57\t0.6\t57\t100\t95\t?a
?b  <isMarriedTo>  ?a   => ?a  <isMarriedTo>  ?b\t0.9\t0.5\t0.9\t50\t100\t55\t?a
Mining done in 1 s
"""


def rules_of(text: str) -> list[Rule]:
    return [clause for clause in parse(text, "rules") if isinstance(clause, Rule)]


@pytest.mark.parametrize("text", [ANYBURL, AMIE])
def test_program_text_reads_back_as_the_same_rules(text: str) -> None:
    found = parse_rules(text)
    read = rules_of(found.text())
    taken = {"advised", "wrote"}
    expected = [clause for one in found for clause in one.clauses(taken)]
    assert [format_clause(rule) for rule in read] == [format_clause(rule) for rule in expected]
    assert [rule.body for rule in read] == [rule.body for rule in expected]


def test_counts_names_and_what_was_left_out() -> None:
    found = parse_rules(ANYBURL)
    assert [(one.right, one.fires) for one in found] == [(27, 286), (30, 40), (3, 12), (3, 9)]
    assert found.renamed == {
        "/film/director": "film_director",
        "/film/producer": "film_producer",
        "in": "p_in",
    }
    assert found.left_out == ["line 5: a rule without a body"]
    assert format_clause(found.rules[3].rule).startswith('born("smith, john", Y)')
    assert [format_clause(one.rule) for one in parse_rules(AMIE)] == [
        "hasChild(A, B) :- isMarriedTo(E, A), hasChild(E, B).",
        "isMarriedTo(A, B) :- isMarriedTo(B, A).",
    ]


def test_the_rules_answer_questions() -> None:
    session = Session()
    session.add("wrote(p, ann). wrote(p, bob).")
    session.add(parse_rules(ANYBURL).text(least=20), source="anyburl")
    assert set(session.query("advised(ann, Y)").weights) == {("ann",), ("bob",)}
    assert "speaks" in session.program() and "film_director" not in session.program()


def test_a_session_loads_a_file(tmp_path: Path) -> None:
    file = tmp_path / "rules.txt"
    file.write_text(AMIE)
    session = Session()
    session.add("isMarriedTo(ann, bob). hasChild(ann, eve).")
    assert "rules.txt: +2 rules" in str(session.load_rules(file))
    assert session.query("hasChild(bob, Y)").weights.keys() == {("eve",)}


@pytest.mark.parametrize(
    "text",
    ["", "hello", "1\tx\t0.5\th(X,Y) <= p(X,Y)", "1\t1\t1\th(X,Y) <= p X,Y", "?a p => ?a h ?b\t1"],
)
def test_what_is_no_rule_file_is_named(text: str, tmp_path: Path) -> None:
    file = tmp_path / "rules.txt"
    file.write_text(text)
    with pytest.raises(NeuralLogError, match=r"rules\.txt"):
        read_rules(file)
    with pytest.raises(NeuralLogError):
        read_rules(tmp_path / "absent")


@given(st.text(max_size=80), st.sampled_from(["", "3\t2\t0.5\t", "?a p ?b => "]))
def test_any_text_is_rules_or_a_clear_error(text: str, before: str) -> None:
    try:
        found = parse_rules(before + text)
    except NeuralLogError:
        return
    assert len([r for r in rules_of(found.text()) if "_if_" not in r.head.predicate]) == len(found)
