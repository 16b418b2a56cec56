"""The session and the reference evaluator agree on random programs.

The default run is short and always the same. `NEURALLOG_FUZZ=5000` draws that many new programs
for each test instead; `NEURALLOG_FUZZ_SEED` says from which seed the seeded ones start.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, assume, given, note, settings
from hypothesis import strategies as st

from neurallog_kernel import Session
from tests.programs import (
    Drawn,
    Edit,
    ProgramText,
    live,
    program,
    programs,
    queries,
    query,
    session,
    sessions,
)
from tests.reference import Reference, Weights

FUZZ = int(os.environ.get("NEURALLOG_FUZZ", "0"))
SEED = int(os.environ.get("NEURALLOG_FUZZ_SEED", "0"))
BLOCKS = 10  # of seeds, a test each


def examples(default: int) -> settings:
    """Settings for hypothesis: the same programs every time, unless `NEURALLOG_FUZZ` is set."""
    return settings(
        max_examples=FUZZ or default,
        derandomize=not FUZZ,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )


def seeds(block: int, default: int) -> range:
    size = (FUZZ or default) // BLOCKS
    return range(SEED + block * size, SEED + (block + 1) * size)


def agree(found: Weights, expected: Weights) -> bool:
    """To 1e-6, absolute and relative; what is missing is 0."""
    return all(
        found.get(key, 0.0) == pytest.approx(expected.get(key, 0.0), rel=1e-6, abs=1e-6)
        for key in {*found, *expected}
    )


def difference(live_session: Session, reference: Reference, question: str) -> str | None:
    """What the two disagree on, if the answer is one that rounding cannot change altogether."""
    expected = reference.query(question)
    if reference.delicate:
        return None
    found = live_session.query(question).weights
    if agree(found, expected):
        return None
    return f"{question}: {found}, the reference says {expected}"


def edited(live_session: Session, edit: Edit) -> None:
    if edit.text is None:
        live_session.remove(edit.source)
    else:
        live_session.add(edit.text, source=edit.source)


@examples(100)
@given(programs(), st.data())
def test_programs(drawn: ProgramText, data: st.DataObject) -> None:
    text = str(drawn)
    note(text)
    reference = Reference(text)
    asked = data.draw(queries(reference))
    live_session = Session()
    live_session.add(text, source="program")
    for question in asked:
        assert not (found := difference(live_session, reference, question)), found
        assume(not reference.delicate)


@examples(20)
@given(sessions(), st.data())
def test_sessions_after_every_edit(edits: list[Edit], data: st.DataObject) -> None:
    live_session = Session()
    for i, edit in enumerate(edits):
        note(f"{edit.source}: {edit.text}")
        edited(live_session, edit)
        reference = Reference(*live(edits[: i + 1]))
        for question in data.draw(queries(reference, count=2)):
            assert not (found := difference(live_session, reference, question)), found


@pytest.mark.parametrize("block", range(BLOCKS))
def test_seeded_programs(block: int) -> None:
    for seed in seeds(block, 200):
        choices = Drawn(seed)
        text = str(program(choices, ternary=seed % 4 == 3))
        reference = Reference(text)
        live_session = Session()
        live_session.add(text, source="program")
        for _ in range(4):
            question = query(choices, reference)
            if question is not None:
                found = difference(live_session, reference, question)
                assert not found, f"seed {seed}\n{text}\n{found}"


@pytest.mark.parametrize("block", range(BLOCKS))
def test_seeded_sessions_after_every_edit(block: int) -> None:
    for seed in seeds(block, 40):
        choices = Drawn(seed)
        edits = session(choices)
        live_session = Session()
        for i, edit in enumerate(edits):
            edited(live_session, edit)
            reference = Reference(*live(edits[: i + 1]))
            for _ in range(2):
                question = query(choices, reference)
                if question is not None:
                    found = difference(live_session, reference, question)
                    assert not found, f"seed {seed}\n{edits[: i + 1]}\n{found}"
