"""Slots that share a type: joined by many rules at once, as by one after the other."""

from __future__ import annotations

from neurallog_kernel import Session
from neurallog_kernel.knowledge.types import SlotUnion


def _slots(text: str) -> list[tuple[str, int, int]]:
    return [(name, 1, 0) for name in text]


def test_joins_at_once_are_joins_one_by_one() -> None:
    joins = [_slots(text) for text in ("ab", "cd", "bc", "ef", "da", "g", "fgh", "gh")]
    at_once, one_by_one = SlotUnion(), SlotUnion()
    found = at_once.join(joins)
    assert found == {("a", 1, 0), ("c", 1, 0), ("b", 1, 0), ("e", 1, 0), ("f", 1, 0)}
    assert found == {slot for join in joins for slot in one_by_one.join([join])}
    for slot in _slots("abcdefgh"):
        assert set(at_once.group(slot)) == set(one_by_one.group(slot))
        assert slot in at_once.group(slot) and at_once.root(slot) in at_once.group(slot)
    assert set(at_once.group(("a", 1, 0))) == set(_slots("abcd"))
    assert sorted(at_once) == _slots("abcdefgh")


def test_one_predicate_with_many_users() -> None:
    session = Session()
    session.add("p(a, b).\n" + "\n".join(f"r{i}(X, Y) :- p(X, Y)." for i in range(300)))
    session.add("r7(X, Y) :- q(X, Y). q(c, d).", source="more")
    assert len(session._program.users["p", 2]) == 300
    assert session._program.users["q", 2] == {("r7", 2)}
    session.add("p(c, e).", source="p")
    assert session.query("r7(c, Y)").weights == {("d",): 1.0, ("e",): 1.0}
