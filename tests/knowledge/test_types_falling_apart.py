"""A type that a rule held together falls apart when the rule goes: each slot keeps its entities."""

import pytest

from neurallog_kernel import Session

FACTS = " ".join(f"p{i}(a{i}, b{i})." for i in range(4))
RULES = "\n".join(f"r{i}(X, Y) :- p{i}(X, Y)." for i in range(4))


def edited(*rules: str) -> Session:
    session = Session()
    session.add(FACTS, source="facts")
    session.add(RULES, source="rules")
    for rule in rules:
        session.add(rule, source="last")
        session.query("r1(a1, Y)")
    return session


@pytest.mark.parametrize("number", range(4))
def test_slots_of_a_type_that_goes_on_elsewhere_keep_their_entities(number):
    """One rule joins both places of p1; the next one joins the first place with another type."""
    joined = "r1(X, Y) :- p1(X, Z), p1(Z, Y)."
    rule = f"r1(X, Y) :- p{number}(X, Z), p1(Z, Y)."
    live, fresh = edited(joined, rule), edited(rule)
    for question in ("r1(a1, Y)", "r1(X, b1)", "r1(X, Y)", "p1(X, Y)", f"r{number}(X, Y)"):
        assert live.query(question).weights == fresh.query(question).weights, question


def test_every_chain_of_two_rules_is_as_if_only_the_last_had_been_there():
    bodies = [
        f"p{i}({one}), p{j}({two})"
        for i in range(2)
        for j in range(2)
        for one in ("X, Z", "Z, X", "X, Y")
        for two in ("Z, Y", "Y, Z", "X, X")
    ]
    for first in bodies:
        session = edited(f"r1(X, Y) :- {first}.")
        for second in bodies[::5]:
            rule = f"r1(X, Y) :- {second}."
            session.add(rule, source="last")
            assert session.query("r1(X, Y)").weights == edited(rule).query("r1(X, Y)").weights


def test_an_instance_that_goes_takes_the_entities_with_it_that_it_alone_named():
    """The template names b in its head, and nothing else says that k is about b."""
    two = "e_2(d, c). 0.5::k(X) :- ."
    live, fresh = Session(), Session()
    live.add("e_1(b, a). k(b) :- e_{i}(X, X).", source="one")
    live.add(two, source="two")
    assert live.query("k(X)").weights == {("b",): 0.5}
    live.remove("one")
    fresh.add(two, source="two")
    assert live.query("k(X)").weights == fresh.query("k(X)").weights == {}
