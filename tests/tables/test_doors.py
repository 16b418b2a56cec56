"""The same knowledge base gives the same answers, whatever door it comes in by."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from neurallog_kernel import Session
from tests.tables.doors import PLAIN, PLAIN_DOORS, WILD, WILD_DOORS, Base, answers, bases

SOME = settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def as_program(base: Base):
    """What the base says as program text; names come in another order, so sums may round apart."""
    session = Session()
    session.add(base.text(), source="text")
    return pytest.approx(answers(session), rel=1e-12)


def through(door, base: Base, folder) -> dict[tuple, float]:
    session = Session()
    door(session, base, folder)
    return answers(session)


@pytest.mark.parametrize("door", WILD_DOORS, ids=lambda door: door.__name__)
@SOME
@given(base=bases(WILD))
def test_any_names_through(door, base, tmp_path):
    assert through(door, base, tmp_path) == as_program(base)


@pytest.mark.parametrize("door", PLAIN_DOORS, ids=lambda door: door.__name__)
@SOME
@given(base=bases(PLAIN, weighted=False))
def test_plain_names_through(door, base, tmp_path):
    assert through(door, base, tmp_path) == as_program(base)


@SOME
@given(base=bases(WILD))
def test_what_came_in_can_be_printed_and_read(base):
    session = Session()
    session.load_table(base.likes, "likes(a, b)", weight="w", columns=("a", "b", "w"))
    session.load_table(base.ages, "age(a, n: number)", columns=("a", "n"))
    again = Session()
    again.add(session.program())
    assert answers(session) == as_program(base)
    assert answers(again) == as_program(base)


@SOME
@given(first=bases(WILD), second=bases(WILD))
def test_loading_again_replaces(first, second):
    session = Session()
    for base in (first, second):
        session.load_table(base.likes, "likes(a, b)", weight="w", columns=("a", "b", "w"))
        session.load_table(base.ages, "age(a, n: number)", columns=("a", "n"))
    assert answers(session) == as_program(second)
