"""Python's own tables: lists of tuples or dictionaries, dictionaries of columns, arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np

from neurallog_kernel.errors import TableError
from neurallog_kernel.tables.columns import Batch, OpenTable, first_bad, values_of
from neurallog_kernel.tables.mapping import TableMap

BATCH = 100_000


def python_rows(rows: Iterable[Any], mapping: TableMap, name: str) -> OpenTable:
    """A list (or any other iterable) of tuples, of dictionaries, or of single names."""
    if isinstance(rows, Mapping):
        return _of_columns(rows, mapping, name)
    if isinstance(rows, np.ndarray) and rows.ndim == 2:
        rows = rows.tolist()
    stream = iter(rows)
    first = next(stream, None)
    if first is None:
        raise TableError(f"{name} is empty")
    if isinstance(first, Mapping):
        columns = tuple(mapping.columns or map(str, first))
        named = True
    else:
        width = len(_tuple(first))
        columns = tuple(mapping.columns or (str(number + 1) for number in range(width)))
        named = mapping.columns is not None
        if len(columns) != width:
            raise TableError(f"{name} has {width} columns, and columns= names {len(columns)}")
    whole = rows if isinstance(rows, Sequence | np.ndarray) else chain([first], stream)

    def batches(wanted: Sequence[int]) -> Iterator[Batch]:
        left, number = iter(whole), 1
        while part := list(islice(left, BATCH)):
            yield _batch(part, columns, wanted, number, name)
            number += len(part)

    total = len(rows) if isinstance(rows, Sequence) else None
    return OpenTable(name, columns, batches, named=named, rows=total)


def _tuple(row: Any) -> Sequence[Any]:
    return row if isinstance(row, Sequence) and not isinstance(row, str | bytes) else (row,)


def _batch(
    rows: list[Any], columns: Sequence[str], wanted: Sequence[int], number: int, name: str
) -> Batch:
    values: list[list[Any]] = [[] for _ in wanted]
    for place, row in enumerate(rows):
        if isinstance(row, Mapping):
            found = [row.get(columns[column]) for column in wanted]
        else:
            row = _tuple(row)
            if len(row) != len(columns):
                raise TableError(
                    f"{name}, row {number + place}, column {min(len(row), len(columns)) + 1}: "
                    f"the row has {len(row)} columns, and the first row has {len(columns)}"
                )
            found = [row[column] for column in wanted]
        for column, one in zip(values, found, strict=True):
            column.append(one)
    made = []
    for column, listed in zip(wanted, values, strict=True):
        try:
            made.append(values_of(listed))
        except ValueError as error:
            where = f"{name}, row {number + first_bad(listed)}, column {columns[column]}"
            raise TableError(f"{where}: {error}") from None
    return Batch(tuple(made), number)


def _is_column(value: Any) -> bool:
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        return False
    return not isinstance(value, np.ndarray) or value.ndim > 0


def _of_columns(table: Mapping[Any, Any], mapping: TableMap, name: str) -> OpenTable:
    """A dictionary of columns."""
    listed = {
        str(key): list(column) if _is_column(column) else [column] for key, column in table.items()
    }
    lengths = {len(column) for column in listed.values()}
    if len(lengths) != 1:
        shown = ", ".join(f"{key} {len(column)}" for key, column in listed.items())
        raise TableError(f"the columns of {name} differ in length: {shown or 'there is none'}")
    rows = list(zip(*listed.values(), strict=True))
    names = mapping.columns or tuple(listed)
    if not rows:
        return OpenTable(name, tuple(names), lambda wanted: iter(()), rows=0)
    from dataclasses import replace

    return python_rows(rows, replace(mapping, columns=tuple(names)), name)
