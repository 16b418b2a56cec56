"""The reference evaluator agrees with every worked case, and with itself under changes of a program
that must not change its answers (or change them in a known way)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from neurallog_kernel.language.syntax import (
    Clause,
    Constant,
    Example,
    Fact,
    Literal,
    Rule,
    Term,
    Variable,
)
from tests.programs import BINARY, ENTITIES, UNARY, ProgramText, programs, queries
from tests.reference import Reference, Weights, clauses_of, evaluate

CASES = [
    case
    for name in ("open_cases.json", "nary_cases.json")
    for case in json.loads(
        (Path(__file__).parents[1] / "conformance" / name).read_text(encoding="utf-8")
    )
]
SOME = settings(
    max_examples=40,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_worked_case(case: dict) -> None:
    reference = Reference(case["program"])
    for asked in case["queries"]:
        expected = {tuple(key): weight for key, weight in asked["weights"]}
        answers = reference.query(asked["query"])
        found = {key: weight for key, weight in answers.items() if weight or key in expected}
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-9), asked["query"]


# Changes that change no answer ---------------------------------------------------------------


def mapped(
    clause: Clause, term: Callable[[Term], Term], body: Callable[[str], str] = str
) -> Clause:
    """The clause with its terms, and its body predicates, replaced."""

    def literal(one: Literal) -> Literal:
        return replace(one, terms=tuple(map(term, one.terms)))

    if isinstance(clause, Fact | Example):
        return replace(clause, atom=literal(clause.atom))
    if isinstance(clause, Rule):
        called = [replace(literal(x), predicate=body(x.predicate)) for x in clause.body]
        return replace(clause, head=literal(clause.head), body=tuple(called))
    return clause


def same(clauses: list[Clause], changed: list[Clause], asked: list[str]) -> None:
    one, other = Reference.of(clauses), Reference.of(changed)
    for question in asked:
        expected = one.query(question)
        assume(not one.delicate)
        assert close(other.query(question), expected), question


def close(found: Weights, expected: Weights) -> bool:
    return all(
        found.get(key, 0.0) == pytest.approx(expected.get(key, 0.0), rel=1e-6, abs=1e-6)
        for key in {*found, *expected}
    )


@st.composite
def asked_programs(draw: st.DrawFn) -> tuple[list[Clause], list[str]]:
    program: ProgramText = draw(programs())
    clauses = clauses_of([str(program)])
    return clauses, draw(queries(Reference.of(clauses)))


@SOME
@given(asked_programs())
def test_names_of_variables(drawn: tuple[list[Clause], list[str]]) -> None:
    clauses, asked = drawn

    def term(one: Term) -> Term:
        return replace(one, name=f"Z{one.name}") if isinstance(one, Variable) else one

    same(clauses, [mapped(c, term) for c in clauses], asked)


@SOME
@given(asked_programs())
def test_names_of_entities(drawn: tuple[list[Clause], list[str]]) -> None:
    clauses, asked = drawn
    turned = dict(zip(ENTITIES, ENTITIES[1:] + ENTITIES[:1], strict=True))

    def term(one: Term) -> Term:
        return (
            replace(one, name=turned.get(one.name, one.name)) if isinstance(one, Constant) else one
        )

    one, other = Reference.of(clauses), Reference.of([mapped(c, term) for c in clauses])
    for question in asked:
        if any(f"({name}" in question or f" {name}" in question for name in ENTITIES):
            continue
        answers = one.query(question)
        assume(not one.delicate)
        expected = {tuple(turned.get(k, k) for k in key): w for key, w in answers.items()}
        assert close(other.query(question), expected), question


@SOME
@given(asked_programs())
def test_order_of_clauses(drawn: tuple[list[Clause], list[str]]) -> None:
    clauses, asked = drawn
    assume(not any("subtract" in str(c) for c in clauses))
    last: dict[object, Clause] = {}
    for i, clause in enumerate(clauses):
        if isinstance(clause, Fact):
            entities = tuple(t for t in clause.atom.terms if isinstance(t, Constant))
            last[clause.atom.signature, entities] = clause
        else:
            last[i] = clause
    settings_ = [c for c in last.values() if not isinstance(c, Fact | Rule)]
    others = [c for c in last.values() if isinstance(c, Fact | Rule)]
    same(clauses, [*reversed(others), *settings_], asked)


@SOME
@given(asked_programs())
def test_aliases(drawn: tuple[list[Clause], list[str]]) -> None:
    clauses, asked = drawn
    changed = [
        mapped(c, lambda t: t, lambda p: f"{p}_too" if p in BINARY + UNARY else p) for c in clauses
    ]
    aliases = clauses_of([f"{p}_too(X, Y) :- {p}(X, Y)." for p in BINARY])
    aliases += clauses_of([f"{p}_too(X) :- {p}(X)." for p in UNARY])
    same([*clauses, *aliases], [*changed, *aliases], asked)


@SOME
@given(asked_programs())
def test_unrelated_entities(drawn: tuple[list[Clause], list[str]]) -> None:
    clauses, asked = drawn
    other = clauses_of(["other(a, stranger). other(stranger, b). k(X, Y, Z, U) :- other(X, Y)."])
    same(clauses, [*clauses, *other], asked)


@SOME
@given(asked_programs())
def test_weight_of_a_rule_in_two_parts(drawn: tuple[list[Clause], list[str]]) -> None:
    clauses, asked = drawn
    assume(not any("literal_combining_function" in str(c) for c in clauses))
    distinct = {str(replace(c, weight=1.0)) for c in clauses if isinstance(c, Rule)}
    assume(len(distinct) == sum(isinstance(c, Rule) for c in clauses))
    changed: list[Clause] = []
    for clause in clauses:
        if isinstance(clause, Rule):
            changed.append(replace(clause, weight=clause.weight * 0.375))
            changed.append(replace(clause, weight=clause.weight * 0.625))
        else:
            changed.append(clause)
    same(clauses, changed, asked)


@SOME
@given(st.data())
def test_a_chain_asked_backwards_is_the_transpose(data: st.DataObject) -> None:
    """4.3: for chains with unary literals and no functions."""
    facts = data.draw(programs()).facts
    links = data.draw(st.lists(st.sampled_from(BINARY), min_size=1, max_size=4))
    nodes = ["X", *(f"Z{i}" for i in range(1, len(links))), "Y"]
    body = [
        f"{name}({one}, {other})" if data.draw(st.booleans()) else f"{name}({other}, {one})"
        for name, one, other in zip(links, nodes, nodes[1:], strict=False)
    ]
    body += [f"{data.draw(st.sampled_from(UNARY))}({node})" for node in nodes[::2]]
    text = "\n".join([*facts, f"chain(X, Y) :- {', '.join(body)}."])
    pairs = evaluate(text, "chain(X, Y)")
    reference = Reference(text)
    backwards = {
        (key[0], entity): weight
        for entity in reference.members(("chain", 2), 1)
        for key, weight in reference.query(f"chain(X, {entity})").items()
    }
    assert close(backwards, pairs)
