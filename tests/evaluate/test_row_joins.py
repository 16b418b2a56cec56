"""A question with several given places touches the facts of the rarest one, not of the others."""

from __future__ import annotations

import pytest

from neurallog_kernel import Session

RARE = "".join(f"gave(f{i}, e{i}, t0). sent(f{i}, e{i}, t0, c{i}).\n" for i in range(5))
RULES = """
got(X, Y, Z) :- gave(X, Y, Z).
through(X, Z) :- gave(X, Y, Z), rare(Y).
post(X, Y, Z, C) :- sent(X, Y, Z, C).
rare(e1). 0.5::rare(e2).
"""


def touched(hub: int, question: str) -> int:
    session = Session()
    session.add(
        "".join(f"gave(hub, e{i}, t{i % 3}). sent(hub, e{i}, t0, c0).\n" for i in range(hub))
    )
    session.add(RARE + RULES)
    assert session.query(question).weights
    return sum(rule.facts for rule in session.profile(question).rules)


@pytest.mark.parametrize(
    "question",
    [
        "got(hub, e1, Z)",
        "got(X, e1, t1)",
        "got(hub, e1, t1)",
        "through(hub, Z)",
        "post(hub, e1, t0, C)",
        "post(X, e3, t0, c3)",
    ],
)
def test_facts_of_a_hub_are_not_touched(question: str) -> None:
    assert touched(50, question) == touched(1_000, question)
