"""What nothing names any more leaves nothing behind."""

from neurallog_kernel import Session


def test_a_removed_predicate_has_no_stamp() -> None:
    session = Session()
    session.add("p(a, b). h(X, Y) :- p(X, Y).", source="stays")
    session.query("h(a, Y)")
    before = len(session._program.stamps)
    for number in range(50):
        session.add(f"q{number}(a, b). r{number}(X, Y) :- q{number}(X, Y).", source="goes")
        assert session.query(f"r{number}(a, Y)").weights == {("b",): 1.0}
    session.remove("goes")
    assert len(session._program.stamps) == before


def test_a_predicate_that_comes_back_is_computed_anew() -> None:
    session = Session()
    session.add("h(X, Y) :- p(X, Y). u(a). u(b).", source="rules")
    for weight in (0.5, 0.25):
        session.add(f"{weight}::p(a, b).", source="facts")
        assert session.query("h(a, Y)").weights == {("b",): weight}
        session.remove("facts")
        session.remove("rules")
        session.add("h(X, Y) :- p(X, Y). u(a). u(b).", source="rules")
    session.add("2::p(a, b).", source="facts")
    assert session.query("h(a, Y)").weights == {("b",): 2.0}
