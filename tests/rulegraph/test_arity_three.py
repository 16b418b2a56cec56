"""Literals of three terms are walked once, and are exact where nothing is reported (3.1 d)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from neurallog_kernel import Session
from neurallog_kernel.language.parser import parse_by_grammar
from neurallog_kernel.language.syntax import Fact, Rule, Term, Variable

LOANS = """
loan(r1, b1, m1). loan(r1, b2, m1). 2::loan(r2, b2, m2). kind(b1, novel). 0.5::kind(b2, poem).
kind(b1, old). month(m1). 0.25::month(m2). big(m1, x). big(m2, y). big(m1, y).
near(x, r1). near(y, r2).
"""
JOINS = [  # natural joins: the logic's answer is the sum over all bindings
    "h(R, K) :- loan(R, B, _), kind(B, K).",
    "h(R, K) :- loan(R, B, M), kind(B, K), month(M).",
    "h(R, K) :- loan(R, B, M), kind(B, K), big(M, Z).",
    "h(R, K) :- big(M, Z), kind(B, K), loan(R, B, M).",
    "h(R, Z) :- loan(R, B, M), kind(B, K), big(M, Z).",
    "h(R, K) :- loan(R, B, m1), kind(B, K).",
    "h(K, R) :- loan(R, B, _), kind(B, K).",
    "h(K, L) :- kind(B, K), loan(R, B, _), loan(R, C, _), kind(C, L).",
    "h(B, C) :- loan(R, B, _), loan(R, C, _).",
    "h(R) :- loan(R, B, M), kind(B, K).",
    "h(R) :- loan(R, B, M), big(M, Z), kind(B, K).",
    "h(K) :- loan(R, B, M), kind(B, K), big(M, Z), near(Z, _).",
    "h(R, M, K) :- loan(R, B, M), kind(B, K).",
    "h(R, B, Z) :- loan(R, B, M), big(M, Z), kind(B, K).",
]
ENTITIES = "abc"
TERNARY = {"s": "xz,yz->xyz", "t": "xy,yz->xyz"}  # both defined by rules over p
PLACES = {"p": 2, "s": 3, "t": 3, "u": 1}


def kinds(session: Session) -> set[str]:
    return {notice.kind for notice in session.check()}


def test_a_literal_in_two_paths_counts_once() -> None:
    session = Session()
    session.add(
        "2::b0(a, a). b0(a, b). b0(b, a). s(X, Y, Z) :- b0(X, Z), b0(Y, Z)."
        "h(X) :- s(A, B, X), s(X, A, C)."
    )
    assert session.query("h(a)").weights == {(): 36.0}


def test_a_literal_whose_last_term_is_taken_goes_on_to_another() -> None:
    session = Session()
    session.add(
        "b0(a, a). t0(X, Y, W) :- b0(Y, W). t1(X) :- t0(A, X, B), not t0(B, Z, A).",
    )
    assert session.query("t1(X)").weights == {}
    (view,) = session.rules("t1/1")
    assert not view.dag.unused
    assert "separate_sums" in {finding.kind for finding in view.report}
    assert "separate_sums" in kinds(session)


@pytest.mark.parametrize(
    "head", ["h", "h(A)", "h(P)", "h(D, A)", "h(D, B)", "h(A, B)", "h(P, D)", "h(D, P)"]
)
def test_a_unary_literal_on_a_further_input_acts_once(head: str) -> None:
    """In a triangle the path that would pass P is given up; `light(P)` raised StopIteration."""
    facts = "tie(a, b). tie(b, c). 2::pull(b, c). pull(c, a). 3::wire(c, a, k). 0.5::light(k)."
    rule = f"{head} :- tie(D, A), pull(A, B), wire(B, D, P), light(P)."
    session = Session()
    session.add(facts + rule)
    (view,) = session.rules("h")
    assert not view.dag.unused
    assert sum(len(literals) for literals in view.dag.loops.values()) == 1
    assert session.query(head).weights == pytest.approx(by_bindings(facts, rule))


def test_a_further_input_of_a_path_given_up_has_no_any() -> None:
    """`near(X, B, Y)` goes to Y, so the path over B is given up; E is no dead end for that."""
    session = Session()
    session.add(
        "near(a, a, b). far(a, b, e). far(a, c, e). dark(e)."
        "h(X, Y) :- near(X, B, Y), not far(B, Y, E), dark(E)."
    )
    (view,) = session.rules("h")
    assert not view.dag.any_edges


@pytest.mark.parametrize("rule", JOINS)
def test_a_natural_join_is_what_the_logic_says(rule: str) -> None:
    """Every literal counts, whichever term of a literal of three the next one goes on from."""
    session = Session()
    session.add(LOANS)
    assert not session.add(rule).notices
    (view,) = session.rules("h")
    assert not view.dag.unused
    heads = [str(place) for place in "ABC"[: view.rule.head.arity]]
    found = session.query(f"h({', '.join(heads)})").weights
    assert found == pytest.approx(by_bindings(LOANS, rule))


def test_no_literal_beside_one_of_three_terms_is_lost() -> None:
    for seed in range(200):
        text, head, _ = drawn(random.Random(seed))
        session = Session()
        session.add(text)
        for view in session.rules(f"h/{len(head)}"):
            wide = any(literal.arity > 2 for literal in view.rule.body)
            assert not (wide and view.dag.unused), text


@pytest.mark.parametrize("block", range(5))
def test_what_is_not_reported_is_what_the_logic_says(block: int) -> None:
    """The sum over all bindings of the product of the literals, unless `check` warns."""
    exact = 0
    for seed in range(block * 40, (block + 1) * 40):
        text, head, expected = drawn(random.Random(seed))
        session = Session()
        session.add(text)
        if kinds(session) & {"separate_sums", "unused_literal", "counted_twice"}:
            continue
        exact += 1
        assert asked(session, len(head)) == pytest.approx(expected), text
    assert exact > 10


def by_bindings(facts: str, rule: str) -> dict[tuple[str, ...], float]:
    """The sum over all bindings of the product of the facts' weights."""
    known = [clause for clause in parse_by_grammar(facts, "facts") if isinstance(clause, Fact)]
    (asked,) = (c for c in parse_by_grammar(rule, "rule") if isinstance(c, Rule))
    bindings: list[tuple[dict, float]] = [({}, 1.0)]
    for literal in asked.body:
        bindings = [
            (bound, weight * fact.weight)
            for binding, weight in bindings
            for fact in known
            if fact.atom.signature == literal.signature
            and (bound := matched(literal.terms, fact.atom.terms, binding)) is not None
        ]
    found: dict[tuple[str, ...], float] = {}
    for bound, weight in bindings:
        key = tuple(bound[term].name for term in asked.head.terms)
        found[key] = found.get(key, 0.0) + weight
    return found


def matched(terms: Sequence[Term], names: Sequence[Term], binding: dict) -> dict | None:
    bound = dict(binding)
    for term, name in zip(terms, names, strict=True):
        given = bound.setdefault(term, name) if isinstance(term, Variable) else term
        if given != name:
            return None
    return bound


def drawn(choice: random.Random) -> tuple[str, list[str], np.ndarray]:
    """A rule for h over p, u and two predicates of three places; its value by brute force. The
    weights of u are 0 and 1: on a term with several exits u enters each of them (LANGUAGE 4.1)."""
    p = np.array([[choice.choice([0, 0, 1, 2, 3]) for _ in ENTITIES] for _ in ENTITIES])
    u = np.array([choice.choice([0, 1, 1]) for _ in ENTITIES])
    values = {"p": p, "u": u}
    values |= {name: np.einsum(places, p, p) for name, places in TERNARY.items()}
    head = ["X", "Y", "Z"][: choice.choice([1, 1, 2, 2, 3])]
    names = list(head)
    body: dict[str, np.ndarray] = {}
    sums: list[tuple[str, np.ndarray]] = [(variable, np.ones(3)) for variable in head]
    for _ in range(choice.randint(1, 4)):
        predicate = choice.choice("psstu")
        known = list(dict.fromkeys([*names, "A", "B", "C"]))
        terms = choice.sample(known, PLACES[predicate])
        if PLACES[predicate] > 1 and choice.random() < 0.25:  # one of them at two places
            terms[0] = terms[-1]
        names += [term for term in terms if term not in names]
        negated = choice.random() < 0.15
        literal = f"{'not ' if negated else ''}{predicate}({', '.join(terms)})"
        if literal not in body:
            body[literal] = 1 - values[predicate] if negated else values[predicate]
            sums.append(("".join(terms), body[literal]))
    facts = [
        f"{p[i, j]}::p({a}, {b})."
        for (i, a), (j, b) in product(enumerate(ENTITIES), enumerate(ENTITIES))
    ]
    facts += [f"{u[i]}::u({a})." for i, a in enumerate(ENTITIES)]
    rules = [
        "s(X, Y, Z) :- p(X, Z), p(Y, Z).",
        "t(X, Y, Z) :- p(X, Y), p(Y, Z).",
        f"h({', '.join(head)}) :- {', '.join(body)}.",
        f"0::h({', '.join(head)}) :- {', '.join(f'u({v})' for v in head)}.",  # for the types
    ]
    subscripts = f"{','.join(terms for terms, _ in sums)}->{''.join(head)}"
    expected = np.einsum(subscripts, *(value for _, value in sums))
    return "\n".join([*facts, *rules]), head, expected


def asked(session: Session, arity: int) -> np.ndarray:
    found = np.zeros([len(ENTITIES)] * arity)
    for given in product(ENTITIES, repeat=arity - 1):
        for (last,), weight in session.query(f"h({', '.join([*given, 'Q'])})").weights.items():
            found[tuple(ENTITIES.index(e) for e in (*given, last))] = weight
    return found
