"""Python tables as facts: `-i friends=df`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from neurallog_kernel import NeuralLogError, format_constant, format_number

WEIGHT = "weight"


def table_facts(given: str, namespace: Mapping[str, Any]) -> tuple[str, int]:
    """Facts for `name=variable` (or `variable`), one a line, and how many rows were left out."""
    name, equals, variable = given.partition("=")
    name, variable = name.strip(), (variable if equals else name).strip()
    if variable not in namespace:
        raise NeuralLogError(f"-i {given}: there is no Python variable {variable}")
    if format_constant(name).startswith('"'):
        raise NeuralLogError(
            f"-i {given}: {name} cannot name a predicate",
            hint=f"a predicate begins with a lower-case letter: -i {name.lower()}={variable}",
        )
    frame = _frame(namespace[variable], given)
    lines = list(_facts(name, frame, given))
    left_out = sum(line is None for line in lines)
    return "\n".join(line for line in lines if line is not None), left_out


def _frame(table: Any, given: str) -> Any:
    import pandas as pd

    if hasattr(table, "to_pandas"):
        table = table.to_pandas()
    if isinstance(table, pd.Series):
        return table.reset_index()
    if isinstance(table, pd.DataFrame):
        return table
    try:
        return pd.DataFrame(table)
    except ValueError as error:
        raise NeuralLogError(
            f"-i {given}: a {type(table).__name__} is not a table",
            hint="give a DataFrame, or a list of tuples, or a dictionary of columns",
        ) from error


def _facts(name: str, frame: Any, given: str) -> Iterator[str | None]:
    columns = [column for column in frame.columns if column != WEIGHT]
    if not 1 <= len(columns) <= 2:
        raise NeuralLogError(
            f"-i {given}: the table has {len(columns)} columns; facts have one or two arguments",
            hint=f"choose columns in Python first; a column named {WEIGHT} is the weight",
        )
    weights = frame[WEIGHT].tolist() if WEIGHT in frame.columns else [1.0] * len(frame)
    rows = zip(*(frame[column].tolist() for column in columns), strict=True)
    for row, weight in zip(rows, weights, strict=True):
        terms = [_term(value) for value in row]
        if None in terms or _missing(weight):
            yield None
            continue
        shown = "" if weight == 1 else f"{format_number(float(weight))}::"
        yield f"{shown}{name}({', '.join(str(t) for t in terms)})."


def _term(value: Any) -> str | None:
    if _missing(value):
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return format_number(float(value))
    return format_constant(str(value))


def _missing(value: Any) -> bool:
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, float) and not math.isfinite(value)
