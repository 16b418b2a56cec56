"""Calls that are planned once: what they cost grows with the rules, not with the ways to them."""

from __future__ import annotations

import pytest

from neurallog_kernel import Session
from neurallog_kernel.evaluate import calls
from neurallog_kernel.evaluate.evaluation import Evaluation
from neurallog_kernel.plan import sharing


def _work(rules: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many nodes are computed or counted to answer through so many rules."""
    done = 0
    compute, everything = Evaluation.compute, calls.everything

    def computed(self, node):
        nonlocal done
        done += 1
        return compute(self, node)

    def counted(roots):
        nonlocal done
        found = everything(roots)
        done += len(found)
        return found

    session = Session()
    session.add("".join(f"p0(a{i}, a{(i * 7 + 1) % 20}). p1(a{i}, a{i}). " for i in range(20)))
    session.add("\n".join(f"p{i + 2}(X, Y) :- p{i}(X, Z), p{i + 1}(Z, Y)." for i in range(rules)))
    with monkeypatch.context() as patch:
        patch.setattr(Evaluation, "compute", computed)
        patch.setattr(calls, "everything", counted)
        assert len(session.query(f"p{rules + 1}(a0, Y)")) == 1
    return done


def test_rules_that_call_along_many_ways_take_work_in_proportion(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    small, large = (_work(rules, monkeypatch) for rules in (50, 200))
    assert large < 5 * small


@pytest.mark.parametrize("weight", ["", "0.5::"])
def test_matrices_on_the_way_give_the_numbers_of_plain_recursion(
    weight: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where nothing is reached: d has no rule that gives anything."""
    text = (
        "set_parameter(recursion_depth, 7). e(a, b). e(b, c). e(c, a). 2::e(c, d).\n"
        f"{weight}p(X, Y) :- e(X, Y). p(X, Y) :- p(X, Z), p(Z, Y).\n"
        "q(X, Y) :- p(X, Z), n(Z, Y). n(X, Y) :- p(X, Z), m(Z, Y). m(X, Y) :- f(X, Y). f(z, z)."
    )
    found = []
    monkeypatch.setattr(calls, "FEW_STEPS", 0)
    monkeypatch.setattr(calls, "STEPS_A_NODE", 0)
    for is_shared, bound in ((False, 10**9), (True, 0)):
        monkeypatch.setattr(sharing, "SHARED_FROM", bound)
        session = Session()
        session.add(text)
        asked = ("p(a, Y)", "p(X, Y)", "q(a, Y)")
        found.append([dict(session.query(one).weights) for one in asked])
        assert bool(len(session._executor.known.calls._tables)) is is_shared
    for opened, by_matrix in zip(*found, strict=True):
        assert opened == pytest.approx(by_matrix)
