"""The table of machines: its rows are made of conditions, and none is left out."""

from tests.machines import CONDITIONS, TABLE


def test_every_condition_is_in_the_table() -> None:
    rows = {name for row in TABLE for name in row.split("+")}
    assert rows <= set(CONDITIONS)
    here = {"plain", "python3.11"}  # what `make test` is by itself
    assert set(CONDITIONS) - rows == here
