"""An interrupt at any line or call leaves the session as before the operation or as after it."""

import random

import pytest

from tests.faults.interrupts import operations, try_all

TRIED = 12  # places of each operation; `python -m tests.faults interrupts` tries them all


def some(places: int) -> list[int]:
    """Places all over, the last ones among them: there the new state is taken over."""
    drawn = random.Random(places).sample(range(1, places + 1), min(TRIED, places))
    return sorted({*drawn, *range(max(1, places - 8), places + 1)})


@pytest.mark.parametrize(
    "name",
    [
        "add",
        "replace",
        "remove",
        "undo",
        "load_table",
        "load_tables",
        "register",
        "query",
        "explain",
    ],
)
def test_an_interrupt_does_all_or_nothing(name, tmp_path):
    outcome = try_all(name, operations(tmp_path)[name], some)
    assert outcome.tried and not outcome.wrong
