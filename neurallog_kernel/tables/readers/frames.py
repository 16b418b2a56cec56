"""Any dataframe (pandas, polars, pyarrow and others), through narwhals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from neurallog_kernel.errors import TableError
from neurallog_kernel.packages import there_is
from neurallog_kernel.tables.columns import Batch, ColumnValues, NumberColumn, OpenTable, values_of
from neurallog_kernel.tables.mapping import TableMap
from neurallog_kernel.tables.readers.arrow import arrow_values
from neurallog_kernel.tabular import Tabular

BATCH = 1 << 22


def dataframe(table: Any, mapping: TableMap, name: str) -> OpenTable | None:
    """The table of a dataframe, or None if it is not one."""
    import narwhals.stable.v2 as nw

    frame = nw.from_native(_with_index(table), pass_through=True, allow_series=True)
    if isinstance(frame, nw.Series):
        frame = frame.to_frame()
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, nw.DataFrame):
        return None
    columns = tuple(mapping.columns or map(str, frame.columns))
    if len(columns) != len(frame.columns):
        raise TableError(f"{name} has {len(frame.columns)} columns, and columns= {len(columns)}")
    inside = list(frame.columns)

    def batches(wanted: Sequence[int]) -> Iterator[Batch]:
        chosen = frame.select(*(inside[column] for column in wanted))
        for start in range(0, len(chosen), BATCH):
            part = chosen[start : start + BATCH]
            made = tuple(
                _values(part[inside[column]], start, columns[column], name) for column in wanted
            )
            yield Batch(made, start + 1)

    return OpenTable(name, columns, batches, typed=True, rows=len(frame))


def _with_index(table: Any) -> Any:
    """Answers and other results are their tables; a pandas series is a column about its index."""
    if isinstance(table, Tabular):
        return table.to_pandas()
    pandas = there_is("pandas") if type(table).__module__.partition(".")[0] == "pandas" else None
    if pandas is not None and isinstance(table, pandas.Series):
        return table.reset_index()
    if pandas is not None and isinstance(table, pandas.DataFrame):
        return _unique(table, pandas)
    return table


def _unique(table: Any, pandas: Any) -> Any:
    """narwhals wants names that are texts, each once."""
    names = [str(column) for column in table.columns]
    if list(table.columns) == names and len(set(names)) == len(names):
        return table
    return table.set_axis(names, axis=1)


def _values(series: Any, start: int, column: str, name: str) -> ColumnValues:
    dtype = series.dtype
    if dtype.is_numeric() or repr(dtype) == "Boolean":
        made = _numbers(series)
        if made is not None:
            return made
    if there_is("pyarrow") is not None:
        try:
            return arrow_values(series.to_arrow())
        except (TypeError, ValueError, OverflowError, NotImplementedError):
            pass  # a column of Python values that Arrow does not have
    try:
        return values_of(series.to_list())
    except ValueError as error:
        raise TableError(f"{name}, column {column}: {error}") from None


def _numbers(series: Any) -> NumberColumn | None:
    if not series.null_count():
        values = np.asarray(series.to_numpy())
        if values.dtype.kind in "biuf":
            return NumberColumn(values)
        return (
            None
            if values.dtype.kind == "O" and repr(series.dtype) == "Boolean"
            else NumberColumn(values.astype(np.float64))
        )
    missing = np.asarray(series.is_null().to_numpy(), dtype=bool)
    filled = series.fill_null(False) if repr(series.dtype) == "Boolean" else series.fill_null(0)
    values = np.asarray(filled.to_numpy())
    return NumberColumn(
        values if values.dtype.kind in "biuf" else values.astype(np.float64), missing
    )
