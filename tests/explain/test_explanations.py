"""Explanations: their parts make up the answer, and their text says what a reader needs."""

from __future__ import annotations

import math

import pytest

from neurallog_kernel import NeuralLogError, Session
from tests.explain.ground import ground_questions
from tests.programs import Drawn, program

FAMILY = """
0.9::parent(ann, bob). 0.5::parent(bob, cid).
parent(ann, eve). 0.25::parent(eve, cid). parent(cid, dan).
male(bob). male(cid). age(ann, 40). 0.5::age(bob, 12). 0.3::w(w1). 0.1::b(close).
grandparent(X, Z) :- parent(X, Y), parent(Y, Z).
ancestor(X, Y) :- parent(X, Y).
ancestor(X, Y) :- parent(X, Z), ancestor(Z, Y).
close(X, Z) :- close_sum(X, Z), tanh(Z).
close_sum(X, Z) :- grandparent(X, Z), w(w1).
close_sum(X, Z) :- b(close).
daughter(X, Y) :- parent(X, Y), not male(Y).
years(X) :- parent(X, Y), age(Y, A).
"""


@pytest.fixture
def family() -> Session:
    session = Session()
    session.add(FAMILY, source="family")
    return session


def same(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6) or (a != a and b != b)


@pytest.mark.parametrize("start", range(0, 40, 10))
def test_the_parts_make_up_every_ground_answer(start: int) -> None:
    for seed in range(start, start + 10):
        session = Session()
        session.add(str(program(Drawn(seed))))
        for question, weight in ground_questions(session):
            for best in (2, 10_000):
                explanation = session.explain(question, best)
                assert same(explanation.weight, weight), (seed, question)
                for part in explanation.part.walk():
                    computed = part.computed()
                    assert computed is None or same(computed, part.value), (seed, question, part)
                    complete = best > 2 and part.kind == "rest"
                    assert not complete or abs(part.value) < 1e-6, (seed, question, part)


@pytest.mark.parametrize("seed", range(8))
def test_without_a_fact_is_the_answer_with_the_fact_at_zero(seed: int) -> None:
    text = program(Drawn(seed))
    facts = sorted({f.split("::")[-1].rstrip(".") for f in text.facts if f[0] in "pqruv-0123."})
    facts = [fact for fact in facts if fact.startswith(("p(", "q(", "u(")) and "_" not in fact][:3]
    session = Session()
    session.add(str(text), source="program")
    for fact in facts:
        changed = Session()
        changed.add(str(text), source="program")
        changed.add(f"0::{fact}.", source="zero")
        for question, weight in list(ground_questions(session, 3)):
            found = session.explain(question, without=fact)
            assert found.before == pytest.approx(weight, rel=1e-6, abs=1e-6)
            expected = changed.query(question).weight
            assert same(found.weight, expected), (fact, question)


def test_a_rule_computed_for_each_entity_says_where_it_stops() -> None:
    """A repeated head variable, called with a whole vector, and nothing comes of it."""
    session = Session()
    session.add("r(c, b). n(d, d, a, d).")
    session.add("0.5::f(Y, Y) :- not r(Y, B), not u(C), not t.")
    session.add("0.5::g(X, Y) :- not f(Y, D), n(X, C, D, X).")
    weight = session.query("g(d, c)").weight
    assert session.explain("g(d, c)").weight == pytest.approx(weight)


def test_two_ways_and_the_facts_they_use(family: Session) -> None:
    assert str(family.explain("grandparent(ann, cid)")).splitlines() == [
        "grandparent(ann, cid) = 0.7",
        "└─ 0.7  grandparent(X, Z) :- parent(X, Y), parent(Y, Z).   [family:5]",
        "   ├─ 0.45  Y = bob: parent(ann, bob) 0.9 × parent(bob, cid) 0.5   [family:2]",
        "   └─ 0.25  Y = eve: parent(ann, eve) 1 × parent(eve, cid) 0.25   [family:3]",
    ]


def test_the_best_and_one_line_for_the_rest(family: Session) -> None:
    text = str(family.explain("grandparent(ann, cid)", best=1))
    assert "0.45  Y = bob" in text
    assert "0.25  all other groundings" in text
    assert "eve" not in text


def test_recursion_is_followed_to_its_depth(family: Session) -> None:
    text = str(family.explain("ancestor(ann, cid)"))
    assert "parent(ann, bob) 0.9 × ancestor(bob, cid) 0.5" in text
    assert "ancestor(bob, cid) = 0.5" in text
    deep = str(family.explain("ancestor(ann, dan)"))
    assert "ancestor(ann, dan) = 0" in deep
    family.add("set_parameter(recursion_depth, 2).", source="depth")
    assert "ancestor(ann, dan) = 0.7" in str(family.explain("ancestor(ann, dan)"))


def test_a_function_is_shown_with_its_input_and_output(family: Session) -> None:
    weight = family.query("close(ann, cid)").weight
    text = str(family.explain("close(ann, cid)"))
    assert f"tanh(0.31) = {weight:.4g}" in text
    assert "close_sum(ann, cid) = 0.31" in text
    assert "b(close) 0.1" in text


def test_negation_says_what_was_not_found(family: Session) -> None:
    text = str(family.explain("daughter(ann, eve)"))
    assert "not male(eve) 1 (no such fact)" in text


def test_an_attribute_shows_its_fact(family: Session) -> None:
    text = str(family.explain("years(ann)"))
    assert "age(bob, 12) 6" in text
    assert "A = " not in text


def test_a_rule_that_gives_nothing_says_where_it_stops(family: Session) -> None:
    text = str(family.explain("grandparent(dan, ann)"))
    assert "grandparent(dan, ann) = 0" in text
    assert "stops at Y: no entity is reached by parent(X, Y)" in text


def test_an_open_question_means_its_best_answer(family: Session) -> None:
    assert family.explain("grandparent(ann, Who)").query == "grandparent(ann, cid)"


def test_without_a_fact(family: Session) -> None:
    found = family.explain("grandparent(ann, cid)", without="parent(ann, bob)")
    assert found.weight == pytest.approx(0.25)
    assert "without parent(ann, bob); with it 0.7 (-0.45)" in str(found)
    assert family.query("grandparent(ann, cid)").weight == pytest.approx(0.7)
    with pytest.raises(NeuralLogError, match="not a fact"):
        family.explain("grandparent(ann, cid)", without="parent(ann, cid)")


def test_the_table_adds_up(family: Session) -> None:
    table = family.explain("ancestor(ann, cid)").to_pandas()
    top = table[table.level == 0]
    assert top.contribution.sum() == pytest.approx(family.query("ancestor(ann, cid)").weight)
    assert set(top.path) == {"X -parent→ Z -ancestor→ Y"}


def test_another_or_is_named() -> None:
    session = Session()
    session.add(
        "0.4::p(a, b). 0.3::q(a, b). p(X, Y) :- q(X, Y). "
        "set_parameter(literal_combining_function, maximum)."
    )
    assert "the maximum of its parts" in str(session.explain("p(a, b)"))


# Where explanations had a meaning of their own, they said something else than the network computed


def adds_up(session: Session, question: str) -> bool:
    explanation = session.explain(question)
    parts = [(part.computed(), part.value) for part in explanation.part.walk()]
    return same(explanation.weight, session.query(question).weight) and all(
        computed is None or same(computed, value) for computed, value in parts
    )


def test_ground_literals_alone_are_all_there_is() -> None:
    """With paths that are added there is no 1 of a body beside them."""
    session = Session()
    session.add("set_parameter(path_combining_function, add). 0.5::u(a). 0.25::u(b).")
    session.add("t :- u(a), u(b).")
    assert session.query("t").weight == 0.75
    assert adds_up(session, "t")
    assert "true" not in str(session.explain("t"))


def test_a_ground_literal_of_an_unknown_predicate_says_so() -> None:
    session = Session()
    session.add("0.5::u(a). h(X) :- u(X), not none(c).")
    assert adds_up(session, "h(a)")
    assert "not none(c) 1 (nothing is known of it)" in str(session.explain("h(a)"))


def test_an_end_of_nothing_but_ones_is_not_a_line() -> None:
    session = Session()
    session.add("0.5::p(a, b). 0.25::p(c, b). 0::h(a). h(X) :- p(Y, Z).")
    assert str(session.explain("h(a)")).splitlines()[2:] == [
        "   ├─ 0.5  Y = a, Z = b: p(a, b) 0.5   [input-1:1]",
        "   └─ 0.25  Y = c, Z = b: p(c, b) 0.25   [input-1:1]",
    ]


def test_an_answer_within_any_keeps_its_name() -> None:
    session = Session()
    session.add("0.5::u(a). l(X) :- u(X). q(c, d). g(X, Y) :- l(Z), q(X, Y).", source="program")
    session.add("m(X, Y) :- l(X), q(A, Y).", source="more")
    assert adds_up(session, "m(a, d)")
    assert "l(a) = 0.5" in str(session.explain("m(a, d)"))


def test_a_number_taken_for_every_entity_is_counted_so_often() -> None:
    """`max(X)` is one number; what `not e(X, c)` takes away from is that number at each X."""
    session = Session()
    session.add("0.5::r(a, d). 2::r(b, d). e(b, c). e(a, d). k(X) :- r(X, d), max(X), not e(X, c).")
    assert adds_up(session, "k(a)")
    assert "entities" in str(session.explain("k(a)"))


def test_a_recursion_with_learned_rules_is_told_by_its_entities() -> None:
    """Its call was told for all entities at once, as anc(·, c): the rule that ends the recursion
    gives nothing, and its learned weight hid that."""
    session = Session()
    session.add('p(a, b). p(b, c). 0.9::p(a, d). p(d, e). learn_rule_weights("anc/2").')
    session.add("anc(X, Y) :- p(X, Y).\nanc(X, Z) :- p(X, Y), anc(Y, Z).", source="rules")
    said = str(session.explain("anc(a, c)"))
    assert "Y = b: p(a, b) 1 × anc(b, c) 1" in said
    assert "·" not in said
