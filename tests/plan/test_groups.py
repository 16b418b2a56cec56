"""Groups of predicates that call each other, for one version of a program after another."""

from __future__ import annotations

import pytest

from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.plan.recursion import RecursiveGroups
from neurallog_kernel.session import Session

X, Y, Z = ("x", 2), ("y", 2), ("z", 2)
FACTS = "e(a, b). e(b, a)."
MUTUAL = "x(X, Y) :- e(X, Z), y(Z, Y). x(X, Y) :- e(X, Y). z(X, Y) :- x(X, Y)."
CALLS_BACK, CALLS_NONE = "y(X, Y) :- e(X, Z), x(Z, Y).", "y(X, Y) :- e(X, Y)."


def versions() -> tuple[Program, Program]:
    """A program in which x and y call each other, and the next one, in which y calls none."""
    session = Session()
    session.add(FACTS, source="facts")
    session.add(MUTUAL, source="x")
    session.add(CALLS_BACK, source="y")
    before = session._program
    session.add(CALLS_NONE, source="y")
    return before, session._program


@pytest.mark.parametrize("asked", [X, Y, Z])
def test_an_older_version_that_is_asked_again_has_its_groups(asked):
    """A training at work asks the version that it began with, while cells are edited."""
    before, after = versions()
    groups = RecursiveGroups()
    right = {X: {X, Y}, Y: {X, Y}, Z: {Z}}
    assert groups.of(before, X) == right[X]
    assert groups.of(after, Y) == {Y}
    assert groups.of(before, asked) == right[asked]
    assert groups.of(before, Y) == right[Y]


@pytest.mark.parametrize("forgotten", [X, Y])
def test_a_part_of_a_group_that_was_forgotten_is_found_again(forgotten):
    """As an interrupt within `forget` leaves it."""
    before, _ = versions()
    groups = RecursiveGroups()
    groups.of(before, X)
    groups.forget([forgotten])
    assert groups.of(before, forgotten) == {X, Y}
