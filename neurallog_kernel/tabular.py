"""Results as tables: one way for answers, weights, reasons, histories and figures to leave."""

from __future__ import annotations

import csv
import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from neurallog_kernel.errors import NeuralLogError, ParameterError, did_you_mean
from neurallog_kernel.packages import needed
from neurallog_kernel.writing import whole_file

if TYPE_CHECKING:
    import pandas as pd


class Tabular(ABC):
    """Something with a table: `to_pandas` gives it, the rest follows from that.

    >>> import tempfile, pandas as pd
    >>> class Squares(Tabular):
    ...     def to_pandas(self):
    ...         return pd.DataFrame({"n": ["one", "two, or so"], "square": [1.0, 4.0]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Squares().to_csv(f"{folder}/squares.csv")
    ...     print(Path(folder, "squares.csv").read_text().rstrip())
    n,square
    one,1.0
    "two, or so",4.0
    """

    @abstractmethod
    def to_pandas(self) -> pd.DataFrame:
        """The table as a pandas dataframe."""

    def to_polars(self) -> Any:
        """The table as a polars dataframe."""
        polars = needed("polars", "to_polars", "tables")
        frame = self._flat()
        return polars.DataFrame({str(name): _plain(column) for name, column in frame.items()})

    def to_csv(self, path: str | Path, spreadsheet_safe: bool = False) -> None:
        """Write the table as comma separated values; what holds a comma, a quote or a line break is
        quoted, everything else stands as it is.

        A spreadsheet runs a cell that begins with =, +, - or @. With `spreadsheet_safe` such names
        get an apostrophe before them, which says that they are text; numbers stay numbers.
        """
        self._write(path, _csv, spreadsheet_safe)

    def to_parquet(self, path: str | Path) -> None:
        """Write the table as a Parquet file."""
        self._write(path, _parquet)

    def to_json(self, path: str | Path) -> None:
        """Write the table as a JSON list with an object for each row; what is no number is null."""
        self._write(path, _json)

    def save_table(self, path: str | Path, spreadsheet_safe: bool = False) -> None:
        """Write the table in the format that the file's suffix names: .csv, .tsv, .parquet, .json
        or .jsonl (an object a line). `spreadsheet_safe` is as in `to_csv`."""
        self._write(path, _FORMATS[check_format(path, spreadsheet_safe)], spreadsheet_safe)

    def _write(
        self,
        path: str | Path,
        form: Callable[[pd.DataFrame, IO[bytes]], None],
        spreadsheet_safe: bool = False,
    ) -> None:
        try:
            frame = self._flat()
            if spreadsheet_safe:
                frame = _as_text_only(frame)
            with whole_file(path) as stream:
                form(frame, stream)
        except UnicodeEncodeError as error:
            raise NeuralLogError(
                f"{path}: the name {error.object!r} holds half a character, "
                "which no text file can hold"
            ) from error

    def _flat(self) -> pd.DataFrame:
        """The table with its index, if that says something, as the first column."""
        frame = self.to_pandas()
        return frame.reset_index() if frame.index.name is not None else frame


def check_format(path: str | Path, spreadsheet_safe: bool = False) -> str:
    """The suffix of a file, if it names a format that tables can be written in; one that a
    spreadsheet opens, if the table shall be safe there.

    >>> check_format("weights.CSV")
    '.csv'
    """
    suffix = Path(path).suffix.lower()
    if suffix not in _FORMATS:
        known = ", ".join(_FORMATS)
        near = did_you_mean(suffix, _FORMATS)
        raise NeuralLogError(
            f"{path}: {f'unknown format {suffix}' if suffix else 'a format is missing'}",
            hint=f"{near} " * bool(near) + f"the suffix says the format: {known}",
        )
    if spreadsheet_safe and suffix not in _FOR_SPREADSHEETS:
        raise ParameterError(
            f"{path}: spreadsheet_safe is for tables that a spreadsheet reads as text",
            hint=f"leave it out, or write {' or '.join(_FOR_SPREADSHEETS)}",
        )
    return suffix


def _csv(frame: pd.DataFrame, stream: IO[bytes], between: str = ",") -> None:
    frame.to_csv(
        stream,
        index=False,
        sep=between,
        encoding="utf-8",
        lineterminator="\n",
        quoting=_quoting(frame),
    )


def _tsv(frame: pd.DataFrame, stream: IO[bytes]) -> None:
    _csv(frame, stream, "\t")


def _quoting(frame: pd.DataFrame) -> Any:
    """The writer takes a carriage return for no line break, but readers do: then all names are
    quoted."""
    columns = (column for _, column in frame.items() if column.dtype.kind not in "iufb")
    cells = (cell for column in (frame.columns, *columns) for cell in column)
    returns = any(isinstance(cell, str) and "\r" in cell for cell in cells)
    return csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL


def _parquet(frame: pd.DataFrame, stream: IO[bytes]) -> None:
    needed("pyarrow", "a Parquet file", "tables")
    frame.to_parquet(stream, engine="pyarrow", index=False)


def _json(frame: pd.DataFrame, stream: IO[bytes]) -> None:
    rows = ",\n ".join(_objects(frame))
    stream.write(f"[{rows}]\n".encode())


def _json_lines(frame: pd.DataFrame, stream: IO[bytes]) -> None:
    stream.writelines(f"{row}\n".encode() for row in _objects(frame))


_FORMATS: dict[str, Callable[[Any, IO[bytes]], None]] = {
    ".csv": _csv,
    ".tsv": _tsv,
    ".parquet": _parquet,
    ".json": _json,
    ".jsonl": _json_lines,
}

_FOR_SPREADSHEETS = (".csv", ".tsv")
_RUN_BY_SPREADSHEETS = ("=", "+", "-", "@", "\t", "\r", "\n")


def _as_text_only(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with an apostrophe before each name that a spreadsheet would run."""
    safe = frame.rename(columns=_not_run)
    for place, (_, column) in enumerate(frame.items()):
        if column.dtype.kind not in "iufb":
            safe.isetitem(place, column.astype(object).map(_not_run))
    return safe


def _not_run(cell: Any) -> Any:
    """
    >>> _not_run("=1+1"), _not_run("-0.5"), _not_run("ann"), _not_run(-1.0)
    ("'=1+1", '-0.5', 'ann', -1.0)
    """
    if not isinstance(cell, str) or not cell.startswith(_RUN_BY_SPREADSHEETS):
        return cell
    return cell if _NUMBER.fullmatch(cell) else f"'{cell}"


_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


def _objects(frame: pd.DataFrame) -> Iterator[str]:
    """Each row as JSON, with all digits of its numbers (pandas' own writer keeps ten)."""
    names = [str(name) for name in frame.columns]
    columns = [_plain(column) for _, column in frame.items()]
    for row in zip(*columns, strict=True):
        values = {name: _number_or_none(value) for name, value in zip(names, row, strict=True)}
        yield json.dumps(values, ensure_ascii=False, allow_nan=False)


def _plain(column: pd.Series) -> list[Any]:
    """The values of a column; where it holds something else than numbers, what is missing is
    None."""
    if column.dtype.kind == "f" or not column.hasnans:
        return column.tolist()
    return [None if gone else value for value, gone in zip(column, column.isna(), strict=True)]


def _number_or_none(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
