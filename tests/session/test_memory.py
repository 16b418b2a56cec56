"""Edits and questions leave nothing behind. `python -m tests.soak` does ten thousand of them."""

from __future__ import annotations

import gc
from collections import Counter

import pytest

from neurallog_kernel import Session
from tests.soak import edits, started

ROUND = 300  # edits: the soak comes back to the same names and weights, and the undo list is full
PARTS = ("knowledge", "plan", "evaluate", "rulegraph", "functions", "language")


def alive() -> Counter[str]:
    """How many objects of the kernel there are, by kind."""
    gc.collect()
    modules = tuple(f"neurallog_kernel.{part}" for part in PARTS)
    kinds = (type(thing) for thing in gc.get_objects())
    return Counter(kind.__name__ for kind in kinds if str(kind.__module__).startswith(modules))


def kept(session: Session) -> dict[str, int]:
    """How much the caches of a session hold."""
    planner, known = session._planner, session._executor.known
    return {
        "literal layers": len(planner._kept.literals),
        "rule layers": len(planner._kept.rules),
        "graphs of rules": len(planner._dags),
        "nodes": len(planner.algebra.interner),
        "constants": len(known.constants),
        "concepts": len(known.concepts),
        "values of questions": sum(map(len, known.asked.values())),
        "matrices": len(session._relations._kept),
        "clocks": len(session._state.loading),
    }


def test_edits_and_questions_leave_nothing_behind() -> None:
    session = started(200)
    counts = []
    for done in edits(session, 3 * ROUND):
        if (done + 1) % ROUND == 0:
            counts.append((alive(), kept(session)))
    (first, held), *later = counts
    for found, holds in later:
        assert found == first, {k: (first[k], found[k]) for k in found if first[k] != found[k]}
        assert holds == held


@pytest.mark.parametrize("asked", ["h(X, Y)", "h(a, Y)", "c(X)"])
def test_a_plan_goes_with_the_facts_it_was_made_for(asked: str) -> None:
    """The second literal did not change; the plan of it was made for what the first one was."""
    session = Session()
    session.add("q(b, c). q(c, b).", source="q")
    session.add("h(X, Z) :- p(X, Y), q(Y, Z). c(X) :- h(X, Y), q(Y, Z).", source="rules")
    sizes = []
    for number in range(30):
        session.add(f"p(a, b). 0.{number + 1}::p(c, e{number}).", source="p")
        session.query(asked)
        sizes.append(kept(session))
    assert all(size == sizes[15] for size in sizes[15:])


def test_what_did_not_change_is_not_planned_again() -> None:
    """Edits one after the other, and then a question: only what they concern is made anew."""
    session = Session()
    names = range(40)
    session.add(
        "".join(f"r{i}(a, b). h(X, Y) :- g{i}(X, Y). g{i}(X, Y) :- r{i}(X, Y).\n" for i in names)
    )
    session.query("h(a, Y)")
    for number in range(3):
        session.add(f"0.{number + 1}::r0(a, b).", source="edit")
    compiled = session._planner.compiled
    assert session.query("h(a, b)").weight == pytest.approx(39.3)
    assert session._planner.compiled - compiled == 3, "h, g0 and r0"
