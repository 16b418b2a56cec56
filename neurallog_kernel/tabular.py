"""Results as tables: one way for answers, weights, reasons, histories and figures to leave."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from neurallog_kernel.errors import NeuralLogError, did_you_mean
from neurallog_kernel.writing import whole_file

if TYPE_CHECKING:
    import pandas as pd

_INSTALL = 'install it with: pip install "neurallog[tables]"'


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
        try:
            import polars
        except ImportError as error:
            raise NeuralLogError("to_polars needs polars", hint=_INSTALL) from error
        frame = self._flat()
        return polars.DataFrame({str(name): _plain(column) for name, column in frame.items()})

    def to_csv(self, path: str | Path) -> None:
        """Write the table as comma separated values; what holds a comma, a quote or a line break is
        quoted, everything else stands as it is."""
        self._write(path, _csv)

    def to_parquet(self, path: str | Path) -> None:
        """Write the table as a Parquet file."""
        self._write(path, _parquet)

    def to_json(self, path: str | Path) -> None:
        """Write the table as a JSON list with an object for each row; what is no number is null."""
        self._write(path, _json)

    def save_table(self, path: str | Path) -> None:
        """Write the table in the format that the file's suffix names: .csv, .tsv, .parquet, .json
        or .jsonl (an object a line)."""
        self._write(path, _FORMATS[check_format(path)])

    def _write(self, path: str | Path, form: Callable[[pd.DataFrame, IO[bytes]], None]) -> None:
        try:
            frame = self._flat()
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


def check_format(path: str | Path) -> str:
    """The suffix of a file, if it names a format that tables can be written in.

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
    return suffix


def _csv(frame: pd.DataFrame, stream: IO[bytes]) -> None:
    frame.to_csv(stream, index=False, encoding="utf-8", lineterminator="\n")


def _tsv(frame: pd.DataFrame, stream: IO[bytes]) -> None:
    frame.to_csv(stream, index=False, sep="\t", encoding="utf-8", lineterminator="\n")


def _parquet(frame: pd.DataFrame, stream: IO[bytes]) -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise NeuralLogError("Parquet files need pyarrow", hint=_INSTALL) from error
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
