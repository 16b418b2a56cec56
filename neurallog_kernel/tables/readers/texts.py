"""CSV, TSV and JSON lines: rows of a text file, each with its line."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from neurallog_kernel.errors import NeuralLogError, TableError
from neurallog_kernel.tables.columns import Batch, ColumnValues, OpenTable, Texts, values_of
from neurallog_kernel.tables.mapping import TableMap
from neurallog_kernel.unpacking import Unpacked

BATCH = 100_000  # rows
_DELIMITERS = (",", "\t", ";", "|")
_LIMIT = 1 << 24  # characters of a field; the csv module's own limit hides what went wrong


@contextmanager
def opened(path: Path, mapping: TableMap) -> Iterator[IO[str]]:
    """A text file, unpacked if it ends in .gz; bytes that are not UTF-8 are kept as such, so that
    the error can say in which row and column they are."""
    with (
        opened_bytes(path, mapping) as raw,
        io.TextIOWrapper(raw, "utf-8-sig", "surrogateescape", newline="") as stream,
    ):
        yield stream


@contextmanager
def opened_bytes(path: Path, mapping: TableMap) -> Iterator[Any]:
    """The bytes of a file, unpacked if it ends in .gz."""
    try:
        with path.open("rb") as file:
            if path.suffix.lower() != ".gz":
                yield file
                return
            with io.BufferedReader(Unpacked(file, path, mapping.unpacked), 1 << 16) as raw:
                yield raw
    except NeuralLogError:
        raise
    except (EOFError, zlib.error) as error:
        raise TableError(
            f"{path}: the file is cut off in the middle", hint="copy it again"
        ) from error
    except gzip.BadGzipFile as error:
        raise TableError(f"{path}: not a gzip file, or a damaged one") from error
    except OSError as error:
        raise TableError(f"{path}: {error.strerror or 'cannot be read'}") from error


def lines_of(stream: IO[str], name: object) -> Iterator[str]:
    """The lines of a file; one that is longer than any line is refused before it fills memory."""
    number = 1
    while line := stream.readline(_LIMIT):
        if len(line) == _LIMIT and not line.endswith("\n"):
            raise TableError(
                f"{name}, line {number}: the line has more than {_LIMIT:,} characters",
                hint="the file may be damaged, or of another kind",
            )
        yield line
        number += 1


# -- CSV and TSV ----------------------------------------------------------------------------------

Row = tuple[int, list[str]]  # with the line it begins on


def delimited(path: Path, mapping: TableMap, delimiter: str | None) -> OpenTable:
    """A file of rows with a delimiter; the first row names the columns unless told otherwise."""
    delimiter = mapping.delimiter or delimiter or _delimiter(path, mapping)
    with opened(path, mapping) as stream:
        first = next(_rows(stream, str(path), delimiter), None)
    if first is None:
        raise TableError(f"{path} is empty")
    header = mapping.header if mapping.header is not None else mapping.columns is None
    columns, named = _columns(path, first[1], header, mapping)
    return OpenTable(
        str(path),
        columns,
        _delimited_batches(path, delimiter, columns, header, mapping),
        named=named,
        lines=True,
        header=header,
    )


def _delimiter(path: Path, mapping: TableMap) -> str:
    """The most frequent one of the first line."""
    with opened(path, mapping) as stream:
        line = stream.readline(1 << 16)
    return max(_DELIMITERS, key=line.count)


def _columns(
    path: Path, first: list[str], header: bool, mapping: TableMap
) -> tuple[tuple[str, ...], bool]:
    if mapping.columns is not None:
        if len(mapping.columns) != len(first):
            raise TableError(
                f"{path} has {len(first)} columns, and columns= names {len(mapping.columns)}"
            )
        return tuple(mapping.columns), True
    if header:
        return tuple(name.strip() for name in first), True
    return tuple(str(number + 1) for number in range(len(first))), False


def _delimited_batches(
    path: Path, delimiter: str, columns: Sequence[str], header: bool, mapping: TableMap
) -> Callable[[Sequence[int]], Iterator[Batch]]:
    def batches(wanted: Sequence[int]) -> Iterator[Batch]:
        with opened(path, mapping) as stream:
            rows = _rows(stream, str(path), delimiter)
            if header:
                next(rows, None)
            number = 1
            while part := _part(rows, str(path), len(columns), number):
                lines, values = zip(*part, strict=True)
                places = list(zip(*values, strict=True))
                made = tuple(Texts.of(places[column], readable=True) for column in wanted)
                yield Batch(made, number, np.array(lines, dtype=np.int32))
                number += len(part)

    return batches


def _rows(stream: IO[str], name: str, delimiter: str) -> Iterator[Row]:
    """The rows that are not empty, each with the line it begins on."""
    csv.field_size_limit(_LIMIT)
    plain = delimiter == "\t"  # benchmarks ship TSV with quotes that mean nothing
    reader = csv.reader(
        _lines(stream, name),
        delimiter=delimiter,
        skipinitialspace=not plain,
        strict=True,
        quoting=csv.QUOTE_NONE if plain else csv.QUOTE_MINIMAL,
    )
    line = 1
    try:
        for row in reader:
            if row:
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        open_quote = "unexpected end" in str(error)
        what = "the quote is not closed before the end of the file" if open_quote else str(error)
        hint = "a quote was left open, or the file is cut off in the middle" if open_quote else ""
        raise TableError(f"{name}, line {line}: {what}", hint=hint) from None


def _lines(stream: IO[str], name: str) -> Iterator[str]:
    for line in lines_of(stream, name):
        yield line.replace("\0", "\ufffd") if "\0" in line else line


def _part(rows: Iterator[Row], name: str, width: int, number: int) -> list[Row]:
    part = []
    for row in rows:
        if len(row[1]) != width:
            raise _wrong_width(name, row, width, number + len(part))
        part.append(row)
        if len(part) == BATCH:
            break
    return part


def _wrong_width(name: str, row: Row, width: int, number: int) -> TableError:
    line, values = row
    found = f"{len(values)} column{'' if len(values) == 1 else 's'}"
    hint = (
        "the file may be cut off here, or a delimiter is missing"
        if len(values) < width
        else "a value with the delimiter in it stands in quotes"
    )
    return TableError(
        f"{name}, row {number} (line {line}), column {min(len(values), width) + 1}: the row has "
        f"{found}, and the first row has {width}",
        hint=hint,
    )


# -- JSON lines -----------------------------------------------------------------------------------


def json_lines(path: Path, mapping: TableMap) -> OpenTable:
    """A file with an object (or an array) on every line; columns are those of the first line."""
    with opened(path, mapping) as stream:
        first = next(_objects(stream, str(path)), None)
    if first is None:
        raise TableError(f"{path} is empty")
    value = first[1]
    if isinstance(value, dict):
        columns, named = tuple(map(str, value)), True
        if mapping.columns is not None:
            columns = tuple(mapping.columns)
    else:
        columns, named = _columns(path, value, False, mapping)

    def batches(wanted: Sequence[int]) -> Iterator[Batch]:
        names = [columns[column] for column in wanted]
        with opened(path, mapping) as stream:
            yield from _object_batches(stream, str(path), wanted, names, len(columns))

    return OpenTable(str(path), columns, batches, named=named, lines=True)


def _objects(stream: IO[str], name: str) -> Iterator[tuple[int, Any]]:
    for line, text in enumerate(lines_of(stream, name), start=1):
        if not text.strip():
            continue
        try:
            value = json.loads(text)
        except json.JSONDecodeError as error:
            raise TableError(
                f"{name}, line {line}, character {error.colno}: not JSON: {error.msg.lower()}",
                hint="every line is one JSON object; the file may be cut off here",
            ) from None
        except RecursionError:
            raise TableError(
                f"{name}, line {line}: nested values; a table holds single texts and numbers"
            ) from None
        except ValueError:  # Python reads numbers of a few thousand digits
            raise TableError(f"{name}, line {line}: a number with too many digits") from None
        if not isinstance(value, dict | list):
            raise TableError(f"{name}, line {line}: neither a JSON object nor an array")
        yield line, value


def _object_batches(
    stream: IO[str], name: str, wanted: Sequence[int], names: Sequence[str], width: int
) -> Iterator[Batch]:
    number, lines = 1, []
    values: list[list[Any]] = [[] for _ in wanted]
    for line, value in _objects(stream, name):
        if isinstance(value, list):
            if len(value) != width:
                raise _wrong_width(name, (line, value), width, number + len(lines))
            row = [value[column] for column in wanted]
        else:
            row = [value.get(column) for column in names]
        for place, one in enumerate(row):
            if isinstance(one, list | dict):
                where = f"{name}, row {number + len(lines)} (line {line}), column {names[place]}"
                raise TableError(f"{where}: a nested value; a table holds single texts and numbers")
            values[place].append(one)
        lines.append(line)
        if len(lines) == BATCH:
            yield _batch(values, number, lines)
            number, lines, values = number + len(lines), [], [[] for _ in wanted]
    if lines:
        yield _batch(values, number, lines)


def _batch(values: list[list[Any]], number: int, lines: list[int]) -> Batch:
    columns: tuple[ColumnValues, ...] = tuple(map(values_of, values))
    return Batch(columns, number, np.array(lines, dtype=np.int32))
