"""Arrow columns: names are dictionary-encoded by Arrow, so that Python sees each name once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from neurallog_kernel.errors import TableError
from neurallog_kernel.packages import needed
from neurallog_kernel.tables.columns import (
    MISSING,
    Batch,
    ColumnValues,
    NumberColumn,
    OpenTable,
    Texts,
)

BATCH = 1 << 22  # rows; a name that comes again in the same batch costs nothing in Python


def arrow_values(array: Any) -> ColumnValues:
    """An Arrow array (or chunked array) as a column."""
    import pyarrow as pa

    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    kind = array.type
    if pa.types.is_dictionary(kind):
        return _texts(array)
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return _numbers(array)
    if pa.types.is_decimal(kind):
        return _numbers(array.cast(pa.float64()))
    if pa.types.is_null(kind):
        return Texts(np.full(len(array), MISSING, np.int32), [])
    if pa.types.is_nested(kind):
        raise ValueError(f"a {kind}; a table holds single texts and numbers")
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        try:
            array = array.cast(pa.string())
        except pa.ArrowNotImplementedError as error:
            raise ValueError(f"a {kind}, which has no text") from error
    return _texts(array.dictionary_encode())


def _texts(array: Any) -> ColumnValues:
    import pyarrow as pa

    words = array.dictionary
    if not (pa.types.is_string(words.type) or pa.types.is_large_string(words.type)):
        return arrow_values(words.take(array.indices))
    codes = array.indices.fill_null(MISSING) if array.indices.null_count else array.indices
    codes = codes.to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
    names = words.to_pylist()
    if None in names:
        empty = names.index(None)
        names[empty] = ""
        codes = np.where(codes == empty, np.int32(MISSING), codes)
    return Texts(codes, names)


def _numbers(array: Any) -> NumberColumn:
    if not array.null_count:
        return NumberColumn(array.to_numpy(zero_copy_only=False))
    missing = array.is_null().to_numpy(zero_copy_only=False)
    filled = array.fill_null(False) if str(array.type) == "bool" else array.fill_null(0)
    return NumberColumn(filled.to_numpy(zero_copy_only=False), missing)


def arrow_batches(parts: Any, names: Sequence[str], name: str) -> Iterator[Batch]:
    """Arrow record batches as ours."""
    number = 1
    for part in parts:
        made = []
        for column, shown in zip(part.columns, names, strict=True):
            try:
                made.append(arrow_values(column))
            except ValueError as error:
                raise TableError(f"{name}, column {shown}: {error}") from None
        yield Batch(tuple(made), number)
        number += part.num_rows


def parquet(path: Path) -> OpenTable:
    """A Parquet file; only the columns that are wanted are read."""
    needed("pyarrow", f"{path}: Parquet", "tables")
    pq = needed("pyarrow.parquet", f"{path}: Parquet", "tables")
    with _sound(path):
        meta = pq.read_metadata(path)
        columns = tuple(meta.schema.to_arrow_schema().names)

    def batches(wanted: Sequence[int]) -> Iterator[Batch]:
        names = [columns[column] for column in wanted]
        with _sound(path), pq.ParquetFile(path) as file:
            parts = (
                part.select(names) for part in file.iter_batches(batch_size=BATCH, columns=names)
            )
            yield from arrow_batches(parts, names, str(path))

    return OpenTable(str(path), columns, batches, typed=True, rows=meta.num_rows)


class _sound:  # used as a statement
    """Turns what Arrow says of a bad file into an error that names it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        import pyarrow as pa

        if isinstance(error, FileNotFoundError):
            raise TableError(f"{self.path}: No such file or directory") from error
        if isinstance(error, pa.ArrowException | OSError):
            text = str(error).splitlines()[0]
            raise TableError(
                f"{self.path}: not a whole Parquet file: {text}",
                hint="the file may be cut off in the middle; copy it again",
            ) from error
