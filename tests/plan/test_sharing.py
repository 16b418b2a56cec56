"""Calls that are planned once give what calls that are opened each time give, in few nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from neurallog_kernel import Session
from neurallog_kernel.errors import BoundError
from neurallog_kernel.evaluate import calls
from neurallog_kernel.plan import linear, planner, sharing
from neurallog_kernel.plan.exprs import Call, Expr, everything, walk
from tests.programs import Drawn, program, query
from tests.reference import Reference
from tests.reference.test_differential import difference


@pytest.fixture
def always_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every call is planned once, however small."""
    monkeypatch.setattr(sharing, "SHARED_FROM", 0)
    monkeypatch.setattr(sharing, "OPENINGS_A_LEVEL", 0)
    monkeypatch.setattr(sharing, "SMALL", 0)


@pytest.fixture(params=["vector by vector", "all rows", "needed rows"])
def evaluated(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The ways to evaluate such a call."""
    if request.param != "vector by vector":
        monkeypatch.setattr(calls, "FEW_STEPS", -1)
        monkeypatch.setattr(calls, "STEPS_A_NODE", 0)
    monkeypatch.setattr(calls, "SMALL_TABLE", 10**6 if request.param == "all rows" else 0)
    return request.param


def _fibonacci(rules: int) -> str:
    facts = "p0(a, b). p0(b, c). p0(c, a). p1(a, c). p1(b, b). p1(c, a).\n"
    heads = range(rules)
    return facts + "\n".join(f"p{i + 2}(X, Y) :- p{i}(X, Z), p{i + 1}(Z, Y)." for i in heads)


def _nodes(session: Session, predicate: str) -> list:
    layer = session._evaluator.layer((predicate, 2), 1)
    return list(everything([layer.result]))


def test_rules_that_call_two_others_are_planned_once() -> None:
    session = Session()
    session.add(_fibonacci(40))
    found = session.query("p41(a, Y)").weights
    matrices = [np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])]
    matrices.append(np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0]]))
    for _ in range(40):
        matrices.append(matrices[-2] @ matrices[-1])
    (last,) = np.flatnonzero(matrices[-1][0])
    assert found == {("abc"[last],): 1.0}
    assert session._planner.compiled < 500
    assert len(_nodes(session, "p41")) < 500


def _closure(depth: int, facts: int) -> str:
    chain = "".join(f"p(n{i}, n{i + 1}). " for i in range(facts))
    depths = f'set_predicate_parameter("p/2", recursion_depth, {depth}).\n'
    return depths + chain + "p(X, Y) :- p(X, Z), p(Z, Y)."


def test_nonlinear_recursion_is_planned_once_for_each_depth() -> None:
    session = Session()
    session.add(_closure(12, 300))
    found = session.query("p(n0, Y)").weights
    assert len(found) == 300
    matrix = np.eye(301, k=1)
    total = matrix
    for _ in range(12):
        total = matrix + total @ total
    expected = {(f"n{i}",): total[0, i] for i in range(1, 301)}
    assert found == pytest.approx(expected)
    assert session._planner.compiled < 100


def test_recursion_with_several_rules_is_one_call_for_each_depth() -> None:
    session = Session()
    edges = "".join(f"e{k}(n{i}, n{i + 1}). " for i in range(50) for k in range(3))
    rules = "".join(f"p(X, Y) :- e{k}(X, Z), p(Z, Y).\n" for k in range(3))
    session.add('set_predicate_parameter("p/2", recursion_depth, 40).')
    session.add(edges + "p(X, Y) :- e0(X, Y).\n" + rules)
    assert session.query("p(n0, n30)").weight == 3.0**29
    called = [node for node in _nodes(session, "p") if isinstance(node, Call)]
    bodies = {node.body for node in called}
    assert len(bodies) <= 40


@pytest.mark.usefixtures("always_shared", "evaluated")
@pytest.mark.parametrize("block", range(4))
def test_shared_calls_agree_with_the_reference(block: int) -> None:
    for seed in range(7_000 + 20 * block, 7_020 + 20 * block):
        choices = Drawn(seed)
        text = str(program(choices))
        reference, session = Reference(text), Session()
        session.add(text, source="program")
        for _ in range(4):
            question = query(choices, reference)
            if question is not None:
                found = difference(session, reference, question)
                assert not found, f"seed {seed}\n{text}\n{found}"


def _weighted(seed: int) -> Iterator[str]:
    numbers = np.random.default_rng(seed)
    for name in ("e", "f"):
        for _ in range(8):
            a, b = numbers.integers(0, 5, 2)
            yield f"{numbers.uniform(0.1, 0.9):.3f}::{name}(n{a}, n{b})."


RECURSIVE = """
set_parameter(recursion_depth, 2).
p(X, Y) :- e(X, Y).
p(X, Y) :- p(X, Z), f(Z, W), p(W, Y).
0.5::p(X, Y) :- f(X, Z), not p(Z, Y).
h(X) :- p(X, Y), p(Y, Z).
"""


def _opened_and_shared(text: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """A session that opens every call, and one that plans each once."""
    for bound in (sharing.SHARED_FROM, 0):
        for name in ("SHARED_FROM", "OPENINGS_A_LEVEL", "SMALL"):
            monkeypatch.setattr(sharing, name, bound)
        session = Session()
        session.add(text)
        yield session
        nodes = _nodes(session, "p")
        assert any(isinstance(node, Call) for node in nodes) is not bool(bound)


def test_slopes_of_shared_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n".join(_weighted(1)) + RECURSIVE
    found = []
    for session in _opened_and_shared(text, monkeypatch):
        for question in ("p(n0, n1)", "h(n0)"):
            slopes = session.sensitivity(question).to_pandas()
            found.append(dict(zip(slopes["name"], slopes["slope"], strict=True)))
    assert found[0] == pytest.approx(found[2])
    assert found[1] == pytest.approx(found[3])


def test_training_through_shared_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    examples = "example(p, n0, n1). 0::example(p, n2, n3). example(h, n1)."
    text = "\n".join(_weighted(2)) + RECURSIVE + 'learn("f/2").\n' + examples
    losses = []
    for session in _opened_and_shared(text, monkeypatch):
        history = session.train(epochs=3, seed=1, dtype="float64", learning_rate=0.01)
        losses.append(history.to_pandas()["loss"].tolist())
    assert losses[0] == pytest.approx(losses[1], rel=1e-9)


def test_all_that_looks_at_a_plan_looks_at_shared_calls_once() -> None:
    session = Session()
    session.add(_fibonacci(40) + "\nh(X) :- p41(X, Y), p40(Y, Z).")
    assert session.query("h(a)").weight > 0
    assert session.plan("p41/2").count("\n") < 1_000
    explained = session.explain("p41(a, Y)")
    assert str(explained).count("\n") < 2_000
    assert "(as above)" in str(explained)
    assert len(explained.to_pandas()) < 2_000
    assert len(list(explained.part.walk())) < 5_000
    slopes = session.sensitivity("p41(a, Y)").to_pandas()
    assert set(slopes[slopes["kind"] == "fact"]["name"].str[:2]) == {"p0", "p1"}


@pytest.mark.parametrize("levels", [sharing.MOST_LEVELS + 5])
def test_calls_that_are_too_deep_are_refused_with_their_place(levels: int) -> None:
    session = Session()
    rules = "\n".join(f"p{i + 1}(X, Y) :- p{i}(X, Y)." for i in range(levels))
    session.add("p0(a, b).\n" + rules, source="rules")
    with pytest.raises(BoundError, match=f"p{levels}/2") as refused:
        session.query(f"p{levels}(a, Y)")
    assert refused.value.span is not None and refused.value.span.line == levels + 1


def test_functions_between_too_many_calls_are_refused_by_name() -> None:
    rules = [f"p{i + 2}(X, Y) :- p{i}(X, Z), tanh(Z), p{i + 1}(Z, Y)." for i in range(30)]
    session = Session()
    session.add("p0(a, b). p1(b, a).\n" + "\n".join(rules), source="rules")
    with pytest.raises(BoundError) as refused:
        session.query("p31(a, Y)")
    assert "the rules below p" in refused.value.message and refused.value.span is not None
    assert session._planner.compiled < 10 * planner.MOST_OPENED_AGAIN


def test_mutual_recursion_that_is_too_wide_is_refused_by_name() -> None:
    pairs = [(i, j) for i in range(10) for j in range(10)]
    rules = "\n".join(f"p{i}(X, Y) :- e(X, Z), p{j}(Z, Y)." for i, j in pairs)
    session = Session()
    session.add("e(a, b). e(b, a).\n" + rules, source="rules")
    with pytest.raises(BoundError, match="p0/2") as refused:
        session.query("p0(a, Y)")
    assert refused.value.span is not None
    assert session._planner.compiled == 0


def test_each_part_of_a_plan_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a call is linear, and how many steps it takes, is asked of bodies that begin with
    each other: what is known of one is not found out again for the next."""
    seen: Counter[str] = Counter()
    degree = linear._degree

    def counted(node: Expr, place: int, known: linear.Degrees) -> int | None:
        seen["degrees"] += 1
        return degree(node, place, known)

    def walked(root: Expr, **options: Any) -> Iterator[Expr]:
        for node in walk(root, **options):
            seen["steps"] += 1
            yield node

    monkeypatch.setattr(linear, "_degree", counted)
    monkeypatch.setattr(calls, "walk", walked)
    session = Session()
    session.add(_fibonacci(160))
    session.query("p161(a, Y)")
    nodes = len(_nodes(session, "p161"))
    assert 0 < seen["degrees"] <= nodes
    assert 0 < seen["steps"] <= 3 * nodes


@pytest.mark.parametrize("predicates", [7, 8, 12])
def test_predicates_that_all_call_all_are_refused_before_they_are_planned(predicates: int) -> None:
    every = range(predicates)
    session = Session()
    session.add("".join(f"e{i}(a, b). p{i}(X, Y) :- e{i}(X, Y). " for i in every))
    calling = [f"p{i}(X, Y) :- p{j}(X, Z), e{i}(Z, Y)." for i in every for j in every if i != j]
    session.add("\n".join(calling), source="calling")
    with pytest.raises(BoundError, match="the rules below p0/2 call each other in more than"):
        session.query("p0(a, Y)")
    assert session._planner.compiled == 0
    session.add("set_parameter(recursion_depth, 0).")
    if predicates == 7:
        assert session.query("p0(a, Y)").weights == {("b",): 1.0}
