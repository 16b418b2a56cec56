"""What every reader gives: batches of columns, each of texts or of numbers, with their rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from neurallog_kernel.language.printer import format_number

MISSING = -1  # the code of a missing text


@dataclass(frozen=True, eq=False)
class Texts:
    """A column of names: a code a row, `MISSING` where there is none, and the name of each code.

    `readable` says that a text may be meant as a number, as in CSV, where all is text.
    """

    codes: np.ndarray  # int32
    names: Sequence[str]
    readable: bool = False

    def __len__(self) -> int:
        return len(self.codes)

    @classmethod
    def of(cls, values: Sequence[str | None], readable: bool = False) -> Texts:
        """The texts of a list; None is missing.

        >>> column = Texts.of(["b", None, "b", "a"])
        >>> column.codes.tolist(), column.names
        ([0, -1, 0, 1], ['b', 'a'])
        """
        found = dict.fromkeys(values)
        found.pop(None, None)
        places: dict[str | None, int] = {name: place for place, name in enumerate(found)}
        places[None] = MISSING
        codes = np.fromiter(map(places.__getitem__, values), np.int32, len(values))
        return cls(codes, list(found), readable)  # type: ignore[arg-type]

    def chosen(self, rows: np.ndarray) -> Texts:
        return Texts(self.codes[rows], self.names, self.readable)


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """A column of numbers (or truth values), and which of them are missing."""

    values: np.ndarray  # bool, int64, uint64 or float64
    missing: np.ndarray | None = None  # bool; None: those that are not a number (NaN)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def absent(self) -> np.ndarray:
        """Which rows have no value."""
        nan = np.isnan(self.values) if self.values.dtype.kind == "f" else None
        if self.missing is None:
            return np.zeros(len(self.values), bool) if nan is None else nan
        return self.missing if nan is None else self.missing | nan

    def chosen(self, rows: np.ndarray) -> NumberColumn:
        missing = None if self.missing is None else self.missing[rows]
        return NumberColumn(self.values[rows], missing)

    def texts(self) -> Texts:
        """The numbers as names: shortest text, so that 7 and 7.0 are one entity."""
        absent = self.absent
        distinct, codes = np.unique(self.values, return_inverse=True)
        names = [text_of(value) for value in distinct.tolist()]
        if absent.any():
            codes = np.where(absent, MISSING, codes)
        return Texts(codes.astype(np.int32).reshape(-1), names)


ColumnValues = Texts | NumberColumn


@dataclass(frozen=True, eq=False)
class Batch:
    """Some rows: the wanted columns, and the number of each row, and its line in a text file."""

    columns: tuple[ColumnValues, ...]
    first: int  # the number of the first row, from 1
    lines: np.ndarray | None = None  # int32; None where there are no lines, only rows
    rows: np.ndarray | None = None  # the numbers of the rows, where they do not follow each other

    def __len__(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    @property
    def numbers(self) -> np.ndarray:
        """The number of each row."""
        if self.rows is not None:
            return self.rows
        return np.arange(self.first, self.first + len(self), dtype=np.int32)


@dataclass(frozen=True, eq=False)
class OpenTable:
    """An open table: the columns there are, and a stream of batches of those that are wanted.

    `pattern` and `weight` say what the rows mean where the format itself does, as in RDF.
    """

    name: str  # what messages call it
    columns: tuple[str, ...]
    batches: Callable[[Sequence[int]], Iterator[Batch]]
    named: bool = True  # whether the names of the columns are the user's
    typed: bool = False  # whether texts are texts: none of them is meant as a number
    lines: bool = False  # whether rows have lines
    header: bool = False  # whether the first line was taken as the names of the columns
    rows: int | None = None  # how many, where that is known
    pattern: str | None = None
    weight: str | None = None
    label: str | None = None
    entities: bool = False  # whether no column can be a number
    ragged: bool = False  # whether rows may have fewer columns than others: then a lower arity
    with_false: bool = False  # whether a weight of 0 says that the fact is false
    example: bool = False  # whether the format is one of examples

    def place(self, row: int, line: int | None = None, column: str | None = None) -> str:
        """The place for a message: the table, the row and the column."""
        where = f"{self.name}, row {row}" + (f" (line {line})" if line is not None else "")
        return where + (f", column {column}" if column is not None else "")


# -- Python values --------------------------------------------------------------------------------


def values_of(values: Sequence[Any]) -> ColumnValues:
    """A column of Python values: numbers if all are, else texts.

    >>> values_of([1, None, 3]).absent.tolist()
    [False, True, False]
    >>> values_of(["a", 1.0, True]).names
    ['a', '1', 'true']
    """
    kinds = {type(value) for value in values}
    kinds.discard(type(None))
    if kinds == {str}:
        return Texts.of(values)
    numeric = bool(kinds) and all(issubclass(kind, _NUMERIC) for kind in kinds)
    if numeric or kinds == {np.bool_}:
        try:
            with np.errstate(over="ignore"):  # what is too large is infinite, and refused as such
                made = _numbers(values, kinds)
        except (ValueError, OverflowError):  # NaN that signals, a fraction of millions of digits
            made = None
        if made is not None:
            return made
    texts = [None if is_missing(value) else text_of(value) for value in values]
    return Texts.of(texts, readable=not kinds <= {str, float} or float in kinds)


_NUMERIC = (int, float, np.number, Decimal)


def _numbers(values: Sequence[Any], kinds: set[type]) -> NumberColumn | None:
    truth = {kind for kind in kinds if issubclass(kind, bool | np.bool_)}
    if truth and truth != kinds:
        return None  # truth values and numbers in one column
    if any(value is None for value in values):
        if not truth and all(issubclass(kind, int | np.integer) for kind in kinds):
            missing = np.array([value is None for value in values])
            filled = [0 if value is None else value for value in values]
            whole = _integers(filled)
            return None if whole is None else NumberColumn(whole, missing)
        return NumberColumn(np.array([math.nan if v is None else float(v) for v in values]))
    if truth:
        return NumberColumn(np.array(values, dtype=bool))
    if all(issubclass(kind, int | np.integer) for kind in kinds):
        whole = _integers(values)
        return None if whole is None else NumberColumn(whole)
    return NumberColumn(np.array(values, dtype=np.float64))


def _integers(values: Sequence[int]) -> np.ndarray | None:
    try:
        return np.array(values, dtype=np.int64)
    except OverflowError:
        return None  # names, if anything


def is_missing(value: Any) -> bool:
    """Whether a Python value stands for no value: None, NaN, pandas' NA and NaT."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    if isinstance(value, Decimal):
        return value.is_nan()
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    return isinstance(value, float | np.floating) and math.isnan(value)


def text_of(value: Any) -> str:
    """The name of the entity that a value is.

    >>> text_of("Ann"), text_of(7.0), text_of(False)
    ('Ann', '7', 'false')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float | np.floating):
        with np.errstate(over="ignore"):
            return format_number(float(value))
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, list | tuple | dict | set | np.ndarray):
        raise ValueError(f"a {type(value).__name__}; a table holds single texts and numbers")
    try:
        if isinstance(value, Decimal) and value == value.to_integral_value():
            return str(int(value))
        return str(value)
    except Exception as error:  # whatever the text of an object does
        raise ValueError(f"a {type(value).__name__} that has no text ({error})") from error


def first_bad(values: Sequence[Any]) -> int:
    """The first value that cannot be a name or a number."""
    for place, value in enumerate(values):
        try:
            if not is_missing(value):
                text_of(value)
        except ValueError:
            return place
    return 0
