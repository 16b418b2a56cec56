"""What grows with the program grows in proportion, and what cannot is refused with its place.

Function calls are counted, never seconds.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from itertools import combinations
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurallog_kernel import Session
from neurallog_kernel.errors import BoundError
from neurallog_kernel.evaluate import open_places
from neurallog_kernel.knowledge import near_names
from neurallog_kernel.knowledge.update import rule_review
from neurallog_kernel.language.templates import _filled_in
from neurallog_kernel.rulegraph import build_dag


def calls_of(work: Callable[[], object]) -> int:
    """How many Python functions a work calls."""
    count = 0

    def note(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def growth(text_of: Callable[[int], str], small: int, large: int) -> float:
    """How many times as many calls the larger text takes, for each time that it is larger."""
    Session().add("warm(up).")  # what is made once is made now
    few, many = (calls_of(lambda n=n: Session().add(text_of(n))) for n in (small, large))
    return (many / few) / (large / small)


# -- rules before their facts -------------------------------------------------------------------


def _without_facts(rules: int) -> str:
    return "\n".join(f"head{i}(X, Y) :- body{i}(X, Z), other{i}(Z, Y)." for i in range(rules))


def test_near_names_are_looked_for_a_few_times_only(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    nearest = near_names.nearest_predicate

    def counted(name: str, known: list[str]) -> str | None:
        looked.append(name)
        return nearest(name, known)

    monkeypatch.setattr(near_names, "nearest_predicate", counted)
    change = Session().add(_without_facts(200))
    unknown = [notice for notice in change.notices if notice.kind == "empty_predicate"]
    assert len(unknown) == 400
    assert len(looked) == rule_review.NAMES_COMPARED


def test_an_unknown_predicate_still_gets_its_near_name() -> None:
    change = Session().add("parent(a, b).\nh(X, Y) :- parnet(X, Y).")
    assert [n.hint for n in change.notices if n.kind == "empty_predicate"] == [
        "did you mean parent/2?"
    ]


# -- templates ----------------------------------------------------------------------------------


def _instances(number: int) -> str:
    facts = "\n".join(f"rel_{i}(a, b)." for i in range(number))
    return facts + "\nt_{i}(X, Y) :- rel_{i}(X, Y), rel_{i}(X, c)."


def test_templates_grow_with_their_instances() -> None:
    assert growth(_instances, 100, 400) < 1.3


@given(
    st.lists(st.sampled_from(["", "a", "ab", "b", "_"]), min_size=2, max_size=4),
    st.text("ab_", max_size=8),
)
def test_placeholders_take_what_a_greedy_pattern_takes(between: list[str], name: str) -> None:
    found = re.search("(.+)".join(map(re.escape, between)), name)
    assert _filled_in(name, between) == (list(found.groups()) if found else [])


def test_adjacent_placeholders_do_not_backtrack() -> None:
    placeholders = "".join(f"{{{letter}}}" for letter in "abcdefgh")
    text = f"{'x' * 400}(a, b).\nh(X, Y) :- {placeholders}zz(X, Y)."
    assert calls_of(lambda: Session().add(text)) < 100_000


# -- paths --------------------------------------------------------------------------------------


def _clique(size: int) -> str:
    names = ["X", *(f"V{i}" for i in range(size - 2)), "Y"]
    body = ", ".join(f"e({a}, {b})" for a, b in combinations(names, 2))
    return f"e(a, b).\nh(X, Y) :- {body}."


def test_a_body_with_many_paths_is_read_in_proportion_to_them() -> None:
    session = Session()
    session.add(_clique(7))
    rule = session.rules("h/2")[0].rule
    paths = 326  # simple paths between two of seven
    assert calls_of(lambda: build_dag(rule)) < 400 * paths


def test_too_many_paths_are_refused_when_the_rule_is_added() -> None:
    session = Session()
    with pytest.raises(BoundError, match="paths") as refused:
        session.add(_clique(12), source="rules")
    span = refused.value.span
    assert span is not None and (span.source, span.line, span.column) == ("rules", 2, 1)
    assert session.sources == ()


# -- pairs --------------------------------------------------------------------------------------


def test_very_many_pairs_are_refused_before_they_are_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = Session()
    session.add("".join(f"u(n{i}). " for i in range(100)) + "r(X, Y) :- u(X), u(Y).")
    assert len(session.query("r(X, Y)")) == 10_000
    monkeypatch.setattr(open_places, "MOST_LISTED", 5_000)
    with pytest.raises(BoundError, match="about 10,000 pairs") as refused:
        session.query("r(X, Y)")
    assert refused.value.span is not None and "r(n0, Y)" in refused.value.hint
    assert len(session.query("r(n0, Y)")) == 100


def test_few_pairs_among_very_many_entities_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session()
    session.add("".join(f"e(n{i}, n{i + 1}). " for i in range(200)) + "r(X, Y) :- e(X, Y).")
    monkeypatch.setattr(open_places, "MOST_LISTED", 5_000)
    assert len(session.query("r(X, Y)")) == 200


@pytest.mark.parametrize("body", ["p(X, Y)", "p(X, k)", "p(X, Y), q(X)", "p(X, Y), not q(Y)"])
def test_very_many_rules_of_one_concept(monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """They are one deep sum, and no call of one rule by another."""
    monkeypatch.setattr("neurallog_kernel.depth._FRAMES", 1500)
    made = Session()
    made.add("p(a, b). p(a, k). q(a). q(b).")
    made.add("".join(f"{n}::h(X) :- {body}.\n" for n in range(1, 1501)), source="rules")
    one = Session()
    one.add(f"p(a, b). p(a, k). q(a). q(b). h(X) :- {body}.")
    expected = one.query("h(a)").weight * 1500 * 1501 / 2
    assert made.query("h(a)").weight == pytest.approx(expected)
    assert made.query("h(X)").weights == pytest.approx({("a",): expected})
