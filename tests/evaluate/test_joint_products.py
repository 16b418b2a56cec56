"""Rules that end with the same relation are one product, and nobody can tell from the answers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurallog_kernel import Session
from neurallog_kernel.evaluate.evaluation import Evaluation

WEIGHT = st.sampled_from(["", "0.5::", "-1::", "3::", "0::"])
FACT = st.tuples(WEIGHT, st.sampled_from("pq"), st.integers(0, 4), st.integers(0, 4))
BODY = st.tuples(
    st.sampled_from(["p(X, Z)", "q(X, Z)", "not p(X, Z)", "p(X, A), q(A, Z)", "q(X, Z), tanh(Z)"]),
    st.sampled_from(["p(Z, Y)", "q(Z, Y)", "p(Y, Z)"]),
)
ASKED = ("f(e0, Y)", "f(X, e1)", "f(X, Y)", "f(X, X)", "g(e0)", "g(X)")


@settings(deadline=None, database=None, derandomize=True, max_examples=60)
@given(st.lists(FACT, min_size=3, max_size=10), st.lists(BODY, min_size=2, max_size=6))
def test_answers_are_those_of_each_product_by_itself(facts: list, bodies: list) -> None:
    text = "".join(f"{w}{p}(e{a}, e{b}). " for w, p, a, b in facts)
    text += "p(e0, e1). q(e1, e0). "
    text += "".join(f"f(X, Y) :- {first}, {last}. " for first, last in bodies)
    text += "g(X) :- f(X, Y), p(Y, Z). g(X) :- f(X, Y), q(Y, Z)."
    jointly, apart = Session(), Session()
    jointly.add(text)
    apart.add(text)
    found = [jointly.query(question).weights for question in ASKED]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Evaluation, "joint", lambda self, terms: [])
        expected = [apart.query(question).weights for question in ASKED]
    for question, one, other in zip(ASKED, found, expected, strict=True):
        for key in {*one, *other}:
            wanted = pytest.approx(other.get(key, 0.0), rel=1e-9, abs=1e-9, nan_ok=True)
            assert one.get(key, 0.0) == wanted, (question, key)


def test_one_product_for_all_rules_that_end_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session()
    session.add("p0(a, b). p1(a, b). p2(a, c). r(b, d). r(c, d). s(b, d).")
    session.add("".join(f"f(X, Y) :- p{i}(X, Z), r(Z, Y). " for i in range(3)), source="rules")
    session.add("f(X, Y) :- p0(X, Z), s(Z, Y).", source="other")
    made = []
    product = Evaluation._product
    monkeypatch.setattr(
        Evaluation,
        "_product",
        lambda self, node, rows: made.append(node.scan.signature[0]) or product(self, node, rows),
    )
    assert session.query("f(a, Y)").weights == {("d",): 4.0}
    assert sorted(made) == ["p0", "p1", "p2", "r", "s"]
