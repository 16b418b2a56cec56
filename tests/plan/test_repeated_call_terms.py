"""A literal such as p(X, Y, X), where p has rules, takes what has one entity there (4.3, 4.8)."""

from __future__ import annotations

from pathlib import Path

import pytest

from neurallog_kernel import ArityError, Session
from tests.reference import Reference

FACTS = """
f(a, b, a). 0.5::f(b, b, b). 3::f(a, b, c). 2::f(a, a, b). f(c, a, c). 0.25::f(c, c, a).
k(a, b, a, c). 2::k(b, b, b, a). k(a, b, b, c). 3::k(c, a, c, a).
2::e(c, a). e(a, b). 0.5::e(a, a). e(b, c). u(a). 0.5::u(b). u(c).
"""
ALIAS = "alias(X, Y, Z) :- f(X, Y, Z). wide(X, Y, Z, W) :- k(X, Y, Z, W).\n"
BODIES = [  # with f or alias, k or wide
    "h(A, Y) :- e(A, X), {f}(X, X, Y).",
    "h(A, Y) :- e(A, X), {f}(X, Y, X).",
    "h(A, X) :- e(A, Y), {f}(X, Y, X).",
    "h(A, X) :- e(A, Y), {f}(Y, X, X), u(X).",
    "h(A, X) :- e(A, Y), not {f}(X, Y, X).",
    "h(A, Y) :- e(A, X), not {f}(X, X, Y).",
    "h(A, X) :- e(A, Y), {k}(X, Y, X, _).",
    "h(A, Y) :- e(A, X), {k}(X, Y, Y, _).",
    "h(A, Y) :- e(A, X), {k}(X, Y, X, Y).",
    "h(A, Y) :- e(A, X), {f}(a, X, a), u(Y).",
    "h(X) :- {f}(X, Y, X).",
    "h(Y) :- {f}(X, Y, X), u(X).",
    "h(Y) :- {f}(c, Y, c).",
    "h :- {f}(X, b, X).",
]
RULES = [  # of p, which `QUESTIONS` call
    "p(X, Y, Z) :- f(X, Y, W), e(W, Z).",
    "p(X, Y, Z) :- e(X, Z), u(Y).",
    "p(X, X, Z) :- e(X, Z).",
    "p(X, Y, X) :- e(X, Y), tanh(Y).",
    "p(a, Y, Z) :- e(Y, Z).",
    "p(a, Y, b) :- u(Y). p(a, Y, a) :- u(Y). 0.5::p(a, a, c).",
    "0.5::p(X, Y, Z) :- f(X, Y, Z), sigmoid(Z). 2::p(b, a, b).",
    "set_parameter(literal_combining_function, maximum). p(X, Y, Z) :- f(X, Y, Z). p(b, a, b).",
    "p(X, Y, Z) :- f(X, Y, Z). p(X, Y, Z) :- f(Z, W, X), p(W, Y, W).",
]
QUESTIONS = """
one(A, Y) :- e(A, X), p(X, Y, X), u(Y).
two(A, X) :- e(A, Y), p(X, Y, X), u(X).
three(A, Y) :- e(A, X), p(X, X, Y), u(Y).
four(A) :- p(A, B, A), u(B).
five(A, X) :- e(A, Y), not p(X, Y, X), u(X).
"""


@pytest.mark.parametrize("body", BODIES)
def test_an_alias_changes_no_answer(body: str) -> None:
    """LANGUAGE 4.3. The alias gave a value to places that do not agree, or was refused."""
    answers = []
    for f, k in (("f", "k"), ("alias", "wide")):
        session = Session()
        session.add(FACTS + ALIAS + body.format(f=f, k=k))
        (view,) = session.rules("h")
        question = f"h({', '.join('PQ'[: view.rule.head.arity])})".replace("()", "")
        answers.append(session.query(question).weights)
    assert answers[0] == pytest.approx(answers[1])
    assert answers[0]


@pytest.mark.parametrize("rule", RULES)
def test_rules_agree_with_the_reference_and_explanations_add_up(rule: str) -> None:
    text = FACTS + rule + QUESTIONS
    session, reference = Session(), Reference(text)
    session.add(text)
    for name in ("one", "two", "three", "five"):
        for question in (f"{name}(A, B)", f"{name}(a, B)", f"{name}(A, b)"):
            expected = {k: v for k, v in reference.query(question).items() if v}
            assert session.query(question).weights == pytest.approx(expected), question
    assert session.query("four(A)").weights == pytest.approx(reference.query("four(A)"))
    for name in ("one", "two", "three"):
        for key in session.query(f"{name}(A, B)").weights:
            explained = session.explain(f"{name}({', '.join(key)})")
            for part in explained.part.walk():
                made = part.computed()
                assert made is None or not part.children or made == pytest.approx(part.value)


def test_it_is_trained_and_kept(tmp_path: Path) -> None:
    """The network gives what the executor gives."""
    session = Session()
    session.add(FACTS + RULES[0] + QUESTIONS + 'learn("f/3"). 0.75::example(two, a, c).')
    loss = session.train(epochs=300, learning_rate=0.2, seed=1).to_pandas()["loss"].iloc[-1]
    learned = session.query("two(a, X)").weights
    assert learned[("c",)] == pytest.approx(0.75, abs=1e-2)
    others = sum(weight**2 for key, weight in learned.items() if key != ("c",))
    assert (others + (learned[("c",)] - 0.75) ** 2) / 3 == pytest.approx(loss, abs=1e-4)
    session.save(tmp_path / "model.nlz")
    assert Session.open(tmp_path / "model.nlz").query("two(a, X)").weights == learned


def test_edits_are_seen() -> None:
    """What is kept of a called rule goes with the rule."""
    session = Session()
    session.add(FACTS + QUESTIONS, source="facts")
    session.add("p(X, Y, Z) :- f(X, Y, Z).", source="rule")
    before = session.query("two(a, X)").weights
    session.add("2::p(X, Y, Z) :- f(X, Y, Z).", source="rule")
    assert session.query("two(a, X)").weights == {key: 2 * v for key, v in before.items()}
    session.undo()
    assert session.query("two(a, X)").weights == before


def test_a_number_at_such_a_place_is_refused_where_it_would_be_the_output() -> None:
    session = Session()
    session.add(
        "age(a, 3). age(b, 4). q(a, b). q(b, b). p(X, Y, N) :- q(X, Y), age(X, N)."
        "h(A, X) :- q(A, Y), p(X, Y, X).",
        source="text",
    )
    with pytest.raises(ArityError, match="holds numbers in a rule of p") as caught:
        session.query("h(a, X)")
    assert caught.value.span is not None and caught.value.span.column == 94
