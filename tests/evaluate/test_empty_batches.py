"""Where a type has no entities there are no rows, and an answer all the same."""

from neurallog_kernel import Session


def test_a_check_of_rules_over_no_entities() -> None:
    session = Session()
    session.add("e(b). p(X, Y) :- e(Y), not p(X, Y). r(d).")
    assert "cut_recursion" not in session.check().kinds
    assert session.query("p(X, Y)").weights == {}
