"""What is looked at when a table is attached: facts are counted, and wrong ones are errors."""

from __future__ import annotations

import sys
from dataclasses import replace

from neurallog_kernel.engines.connections import Connection
from neurallog_kernel.engines.statements import literal
from neurallog_kernel.engines.table_text import TableText
from neurallog_kernel.errors import TableError
from neurallog_kernel.knowledge.attached import AttachedTable, Duplicates
from neurallog_kernel.knowledge.loaded import counted

CHECKED_ROWS = 1_000_000  # of a larger table it is not looked at what is there twice
_LARGEST = literal(sys.float_info.max)  # NaN counts as more than that, as infinity does


def checked(connection: Connection, table: AttachedTable) -> AttachedTable:
    """The table with the number of its facts."""
    made = _counted(connection, table)
    if made.count <= CHECKED_ROWS:
        if made.duplicates is Duplicates.UNIQUE:
            _check_unique(connection, made)
        if any(made.numeric):
            _check_one_number(connection, made)
    return made


def _counted(connection: Connection, table: AttachedTable) -> AttachedTable:
    """Weights that are no numbers are errors, and so are infinite numbers."""
    text = TableText(connection.dialect)
    there = " AND ".join(text.present(table.wanted))
    wide = text.weight(table)
    numbers = [c for c, n in zip(table.columns, table.numeric, strict=True) if n]
    lowest = ", ".join([wide, wide, *map(text.number, numbers)])  # least takes two and more
    endless = [f"abs({text.number(one)}) > {_LARGEST}" for one in numbers]
    row = connection.rows(
        f"SELECT min(least({lowest})) AS lowest, "
        f"count(*) AS n, count(*) FILTER (WHERE {there}) AS facts, "
        f"count(*) FILTER (WHERE NOT (abs({wide}) <= {_LARGEST})) AS odd, "
        f"count(*) FILTER (WHERE {' AND '.join([there, *endless])}) AS endless "
        f"FROM {table.origin} t"
    ).to_pylist()[0]
    if row["odd"]:
        raise TableError(
            f"{table.table}, column {table.weight}: "
            f"{counted(row['odd'], 'weight')} infinite or not a number"
        )
    if numbers and row["endless"]:
        raise TableError(
            f"{table.table}, column {numbers[0]}: {counted(row['endless'], 'infinite number')}",
            hint="correct it, or attach a view without these rows",
        )
    found = row["lowest"] or 0.0
    return replace(table, count=row["facts"], skipped=row["n"] - row["facts"], lowest=found)


def _check_unique(connection: Connection, table: AttachedTable) -> None:
    text = TableText(connection.dialect)
    columns = text.listed(table.columns)
    named = ", ".join(f"{text.name(one)} AS p{n}" for n, one in enumerate(table.columns))
    twice = connection.rows(
        f"SELECT {named}, count(*) AS n FROM {table.origin} t{text.where(table.wanted)} "
        f"GROUP BY {columns} HAVING count(*) > 1 LIMIT 1"
    ).to_pylist()
    if twice:
        *values, times = twice[0].values()
        raise TableError(
            f"{table.table} has {table.signature[0]}({', '.join(map(str, values))}) {times} times, "
            "and unique=True says that no fact is there twice",
            hint='say duplicates="sum" or duplicates="max" instead',
        )


def _check_one_number(connection: Connection, table: AttachedTable) -> None:
    """An owner with several numbers: names that look like numbers, or a mistake."""
    text = TableText(connection.dialect)
    ((place, owner),) = table.entity_columns.items()
    number = text.number(table.columns[1 - place])
    several = connection.rows(
        f"SELECT {text.raw(owner)} AS p, min({number}) AS low, max({number}) AS high "
        f"FROM {table.origin} t{text.where(table.wanted)} "
        f"GROUP BY 1 HAVING min({number}) < max({number}) LIMIT 1"
    ).to_pylist()
    if several:
        name, low, high = several[0].values()
        raise TableError(
            f"{table.table}, column {table.columns[1 - place]}: {name} has several numbers "
            f"({low} and {high}), and an attribute has one",
            hint="if they are names, write `: entity` after the column",
        )
