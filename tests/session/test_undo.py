"""Taking changes back, and what a session says about itself."""

import pytest

from neurallog_kernel import NeuralLogError, Session

FAMILY = "parent(ann, bob). 0.5::parent(bob, cid). age(ann, 50)."
RULE = "grandparent(X, Z) :- parent(X, Y), parent(Y, Z)."


def test_undo_brings_back_what_was_there():
    s = Session()
    s.add(FAMILY, source="facts")
    s.add(RULE, source="rules")
    before = s.program(), s.query("grandparent(ann, Who)").weights
    s.add("parent(ann, dora). parent(dora, eve).", source="facts")
    assert s.query("grandparent(ann, Who)").weights == {("eve",): 1.0}
    s.undo()
    assert (s.program(), s.query("grandparent(ann, Who)").weights) == before


def test_undo_of_a_removal_keeps_the_order_of_the_sources():
    s = Session()
    s.add("w(0.1).", source="a")
    s.add("w(0.2).", source="b")
    s.remove("a")
    s.undo()
    assert s.sources == ("a", "b")
    assert s.query("w(X)").weights == {("0.2",): 1.0}


def test_after_undo_another_entity_may_take_the_place_of_the_first():
    s = Session()
    s.add("p(a, b). q(b, c).", source="1")
    s.add("r(X, Z) :- p(X, Y), q(Y, Z).", source="2")
    s.add("p(a, d). q(d, e).", source="3")
    assert s.query("r(a, Z)").weights == {("c",): 1.0, ("e",): 1.0}
    s.undo()
    assert s.query("r(a, Z)").weights == {("c",): 1.0}
    s.add("p(a, x). q(x, y).", source="3")
    assert s.query("r(a, Z)").weights == {("c",): 1.0, ("y",): 1.0}


def test_undo_all_the_way_and_no_further():
    s = Session()
    s.add(FAMILY)
    s.undo()
    assert s.program() == ""
    with pytest.raises(NeuralLogError, match="no change"):
        s.undo()


def test_a_change_lists_what_it_took_back():
    s = Session()
    s.add(FAMILY + RULE + "learn(parent).", source="x")
    change = s.add("parent(ann, bob). 0.7::parent(bob, cid).", source="x")
    assert set(change.retracted) == {
        "0.5::parent(bob, cid).",
        "age(ann, 50).",
        RULE,
        "learn(parent).",
    }
    assert (change.directives_added, change.directives_removed) == (0, 1)


def test_predicates_and_constants():
    s = Session()
    s.add(FAMILY, source="facts")
    s.add(RULE, source="rules")
    parent, age, grandparent = sorted(s.predicates(), key=lambda p: -p.facts)
    assert (parent.name, parent.kind, parent.facts) == ("parent/2", "relation", 2)
    assert (age.kind, age.types[1]) == ("attribute", "number")
    assert (grandparent.rules, grandparent.sources) == (1, ("rules",))
    s.add("likes(bob, beer).", source="more")
    assert s.constants("b", place=("likes", 1)) == ["beer", "bob"]
    assert s.constants("b", place=("parent", 1)) == ["bob", "beer"]
    s.remove("more")
    assert s.constants("b") == ["bob"]


def test_a_query_of_a_cell_points_into_the_cell():
    s = Session()
    change = s.add("p(a).\n?- q(X).", source="cell")
    with pytest.raises(NeuralLogError) as caught:
        s.query(change.queries[0])
    assert str(caught.value).startswith("cell:2:4: ")
    assert "?- q(X)." in str(caught.value)
