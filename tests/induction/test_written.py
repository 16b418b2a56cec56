"""Accepted rules say what the table counted: an answer is there or not, however many ways lead to
it."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurallog_kernel import Session
from neurallog_kernel.induction.written import written
from neurallog_kernel.language.parser import parse
from neurallog_kernel.language.printer import format_clause
from neurallog_kernel.language.syntax import Rule, Variable

ENTITIES = "abcd"
RULES = (
    "h(X, Y) :- p(X, Y).",
    "h(X, Y) :- p(X, A), q(A, Y).",
    "h(X, Y) :- p(A, X), q(B, A), p(B, Y).",
    "h(X, Y) :- p(A, Y).",
    "h(X, Y) :- q(X, A).",
    "h(X, Y) :- q(X, A), p(B, A).",
    "h(X, Y) :- p(Y, A), q(A, B), c(B).",
    "h(X, Y) :- c(Y).",
    "h(X, Y) :- p(X, Y), q(A, Y).",
    "h(X, Y) :- p(X, A), q(A, Y), q(X, B), p(C, Y).",
    "h(X, Y) :- p(X, A), p(Y, B).",
    "h(X, a) :- p(X, A).",
    "h(b, Y) :- q(Y, A), p(A, B).",
    "g(X) :- p(A, X).",
    "g(X) :- p(X, A), q(A, B).",
    "g(X) :- p(X, A), q(B, A), c(B), q(X, C).",
)
facts = st.sets(
    st.one_of(
        st.tuples(*map(st.sampled_from, ("pq", ENTITIES, ENTITIES))),
        st.tuples(st.just("c"), st.sampled_from(ENTITIES)),
    ),
    min_size=1,
)


def existing(rule: Rule, known: set) -> set[tuple[str, ...]]:
    """The answers of a rule by trying all entities for its variables."""
    literals = (rule.head, *rule.body)
    names = list(dict.fromkeys(t for x in literals for t in x.terms if isinstance(t, Variable)))
    found = set()
    for chosen in product(ENTITIES, repeat=len(names)):
        at = dict(zip(names, chosen, strict=True))
        atoms = [
            (
                x.predicate,
                *(at[t] if isinstance(t, Variable) else getattr(t, "name", "") for t in x.terms),
            )
            for x in literals
        ]
        if all(atom in known for atom in atoms[1:]):
            found.add(atoms[0][1:])
    return found


@settings(max_examples=8, deadline=None)
@given(facts)
@pytest.mark.parametrize("text", RULES)
def test_every_answer_has_the_weight_of_its_rule(text: str, known: set) -> None:
    (rule,) = parse(text, "rule")
    assert isinstance(rule, Rule)
    clauses = " ".join(map(format_clause, written(rule, 0.25, set())))
    # every predicate knows every entity, so that types leave nobody out
    types = " ".join(
        f"0.0::{p}({e}, {e})." for p in "pqh" for e in ENTITIES if (p, e, e) not in known
    )
    types += " ".join(f"0.0::{p}({e})." for p in "cg" for e in ENTITIES if (p, e) not in known)
    session = Session()
    session.add(types + " ".join(f"{p}({', '.join(at)})." for p, *at in sorted(known)) + clauses)
    variables = ", ".join(f"V{n}" for n in range(len(rule.head.terms)))
    answers = session.query(f"{rule.head.predicate}({variables})").weights
    assert {at: w for at, w in answers.items() if w} == {
        at: pytest.approx(0.25) for at in existing(rule, known)
    }


def test_names_of_conditions_are_free_ones() -> None:
    (rule,) = parse("h(X, Y) :- q(X, A), q(B, Y).", "rule")
    assert isinstance(rule, Rule)
    helpers = written(rule, 1.0, {"h_if_q"})[:-1]
    assert [one.head.predicate for one in helpers] == ["h_if_q_2", "h_if_q_3"]


def test_what_was_accepted_is_known_when_the_search_is_repeated() -> None:
    session = Session()
    session.add(
        "".join(f"p(a{i}, b{i % 7}). q(b{i % 7}, c{i % 5}). " for i in range(35))
        + "".join(f"r(c{i % 3}, d{i})." for i in range(9))
        + "".join(f"{float(i % 5 < 3)}::example(h, a{i}, c{i % 5})." for i in range(35))
    )
    table = session.learn_rules("h/2", length=2)
    rows = [row.number for row in table][:12]
    assert any("r(" in table[number].text for number in rows)
    texts = {table[number].text for number in rows}
    table.accept(rows)
    again = session.learn_rules("h/2", length=2)
    assert texts <= {row.text for row in again if row.known}
    assert not {row.text for row in again if row.known} - texts
