"""What an edit looks at among the layers that are kept, and what it leaves to be used again."""

from __future__ import annotations

import pytest

from neurallog_kernel import Session
from neurallog_kernel.plan.kept import KeptLayers
from neurallog_kernel.plan.rule_planner import RuleReader


def test_an_edit_looks_at_the_predicates_that_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[set] = []
    changed = KeptLayers.changed

    def watched(self, program):
        looked.append(changed(self, program))
        return looked[-1]

    monkeypatch.setattr(KeptLayers, "changed", watched)
    session = Session()
    session.add("".join(f"p{i}(a, b). r{i}(X, Y) :- p{i}(X, Y).\n" for i in range(200)))
    for i in range(200):
        session.query(f"r{i}(a, Y)")
    session.add("z(c, d).", source="z")
    looked.clear()
    session.add("0.5::z(c, d).", source="z")
    session.add("0.5::p7(a, b).", source="p")
    assert looked == [{("z", 2)}, {("p7", 2), ("r7", 2)}]
    assert session.query("r7(a, b)").weight == 0.5


def test_rules_below_a_call_are_read_again_only_if_they_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The input of t is no question's: its layers lived by that of h alone."""
    session = Session()
    session.add("q(a, b). h(X, Y) :- q(X, Z), t(Z, Y).")
    session.add("".join(f"p{i}(b, c). t(X, Y) :- p{i}(X, Y).\n" for i in range(50)))
    session.add("0.5::t(X, Y) :- p0(X, Y).", source="one")
    session.query("h(a, Y)")
    read: list[str] = []
    monkeypatch.setattr(RuleReader, "read", _noted(RuleReader.read, read))
    session.add("0.25::t(X, Y) :- p0(X, Y).", source="one")
    assert session.query("h(a, c)").weight == 50.25
    assert sorted(read) == ["h", "t"]


def _noted(method, read: list[str]):
    def noted(self):
        read.append(self.rule.head.predicate)
        return method(self)

    return noted
