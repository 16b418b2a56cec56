"""The session and the reference evaluator agree on random programs.

The default run is short and always the same. `NEURALLOG_FUZZ=5000` draws that many new programs
for each test instead.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, assume, given, note, settings
from hypothesis import strategies as st

from neurallog_kernel import Session
from tests.programs import Edit, ProgramText, live, programs, queries, sessions
from tests.reference import Reference, Weights

FUZZ = int(os.environ.get("NEURALLOG_FUZZ", "0"))


def examples(default: int) -> settings:
    return settings(
        max_examples=FUZZ or default,
        derandomize=not FUZZ,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )


def agree(found: Weights, expected: Weights) -> bool:
    """To 1e-6, absolute and relative; what is missing is 0."""
    return all(
        found.get(key, 0.0) == pytest.approx(expected.get(key, 0.0), rel=1e-6, abs=1e-6)
        for key in {*found, *expected}
    )


def check(session: Session, reference: Reference, asked: list[str]) -> None:
    for question in asked:
        expected = reference.query(question)
        assume(not reference.delicate)
        found = session.query(question).weights
        assert agree(found, expected), f"{question}: {found}, the reference says {expected}"


@examples(100)
@given(programs(), st.data())
def test_session_agrees_with_the_reference(program: ProgramText, data: st.DataObject) -> None:
    note(str(program))
    reference = Reference(str(program))
    asked = data.draw(queries(reference))
    session = Session()
    session.add(str(program), source="program")
    check(session, reference, asked)


@examples(12)
@given(sessions(), st.data())
def test_session_agrees_after_every_edit(edits: list[Edit], data: st.DataObject) -> None:
    session = Session()
    for i, edit in enumerate(edits):
        note(f"{edit.source}: {edit.text}")
        if edit.text is None:
            session.remove(edit.source)
        else:
            session.add(edit.text, source=edit.source)
        reference = Reference(*live(edits[: i + 1]))
        check(session, reference, data.draw(queries(reference, count=2)))
