"""What changed between two points, and which rules did it."""

from __future__ import annotations

import pytest

from neurallog_kernel import NeuralLogError, Session


@pytest.fixture
def session() -> Session:
    session = Session()
    session.add("0.5::p(a, b). 0.5::p(b, c). q(a, c). unrelated(z).", source="facts")
    session.add("h(X, Z) :- s(X, Z), tanh(Z).\ng(X) :- unrelated(X).", source="top")
    session.add("s(X, Z) :- p(X, Y), p(Y, Z).\ns(X, Z) :- q(X, Z).", source="sum")
    return session


def test_the_largest_moves_and_the_rules_that_made_them(session: Session) -> None:
    session.add("0.5::p(a, b). 0.9::p(b, c). q(a, c). unrelated(z).", source="facts")
    found = session.diff()
    assert [move.query for move in found] == ["s(a, c)", "h(a, c)"]
    assert found[0].before == pytest.approx(1.25)
    assert found[0].after == pytest.approx(1.45)
    for move in found:  # seen through the tanh
        ((label, before, after),) = move.parts
        assert label == "s(X, Z) :- p(X, Y), p(Y, Z)."
        assert (before, after) == (pytest.approx(0.25), pytest.approx(0.45))
    assert "since before facts" in str(found)


def test_an_edit_of_rules_and_a_named_point(session: Session) -> None:
    session.add("s(X, Z) :- q(X, Z).", source="sum")
    session.add("extra(a).", source="other")
    assert [move.query for move in session.diff()] == ["extra(a)"]
    found = session.diff("sum")
    assert {move.query for move in found} == {"s(a, c)", "h(a, c)"}
    assert found[0].parts == (("s(X, Z) :- p(X, Y), p(Y, Z).", 0.25, 0.0),)
    assert session.diff(2, query="h(a, Y)").total == 1


def test_answers_that_came_and_went(session: Session) -> None:
    session.remove("sum")
    found = session.diff()
    assert all(move.after == 0 for move in found)
    assert "→ 0" in str(found)


def test_points_that_are_not_there(session: Session) -> None:
    with pytest.raises(NeuralLogError, match="no point 40"):
        session.diff(40)
    with pytest.raises(NeuralLogError, match="was training"):
        session.diff("training")


def test_the_table(session: Session) -> None:
    session.add("0.5::p(a, b). q(a, c). unrelated(z).", source="facts")
    table = session.diff().to_pandas()
    assert list(table.columns) == ["answer", "before", "after", "change"]
    assert (table.change < 0).all()


def test_the_parts_of_a_function_of_a_row_are_those_of_the_same_entity():
    session = Session()
    rules = "score(X, C) :- has(X, I), w(I, C). kind(X, C) :- score(X, C), softmax(C)."
    session.add(rules, source="rules")
    session.add("has(f, one). 9::w(one, a). w(one, b). 0.5::w(one, c).", source="facts")
    session.add("has(f, one). 9::w(one, a). 2::w(one, b). 3::w(one, c).", source="facts")
    found = {move.query: move for move in session.diff(query="kind(f, Y)")}
    assert found["kind(f, b)"].parts == (("score(X, C) :- has(X, I), w(I, C).", 1.0, 2.0),)
    places = {query: move.places for query, move in found.items()}
    assert places == {"kind(f, a)": (1, 1), "kind(f, b)": (2, 3), "kind(f, c)": (3, 2)}


def test_a_rule_whose_own_weight_moved_too_is_not_looked_through() -> None:
    """What the inner call gave fell, and it stood beside an answer that rose."""
    session = Session()
    rules = "0.7::anc(X, Y) :- p(X, Y), not old(Y).\nanc(X, Z) :- p(X, Y), anc(Y, Z)."
    session.add("p(a, b). p(b, c). old(b).", source="facts")
    session.add(rules, source="rules")
    session.add(rules.replace("0.7::", "0.4::"), source="rules")
    (move,) = session.diff("rules", query="anc(a, c)")
    assert all("not old(Y)" in label for label, _, _ in move.parts)  # it is passed on
    session.add(rules.replace("0.7::", "0.4::").replace("\nanc", "\n3::anc"), source="rules")
    (move,) = session.diff(2, query="anc(a, c)")
    assert (move.before, move.after) == (0.7, pytest.approx(1.2))
    assert sum(after - before for _, before, after in move.parts) == pytest.approx(move.change)
    assert all("anc(Y, Z)" in label for label, _, _ in move.parts)
