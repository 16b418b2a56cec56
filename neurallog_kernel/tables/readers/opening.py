"""Which reader a table needs: by what it is, by the end of its name, or as told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from neurallog_kernel.addresses import holds_password, without_password
from neurallog_kernel.errors import TableError, did_you_mean
from neurallog_kernel.paths import path_of
from neurallog_kernel.tables.columns import OpenTable
from neurallog_kernel.tables.mapping import TableMap
from neurallog_kernel.tables.readers.arrow import parquet
from neurallog_kernel.tables.readers.frames import dataframe
from neurallog_kernel.tables.readers.python import python_rows
from neurallog_kernel.tables.readers.rdf import rdf
from neurallog_kernel.tables.readers.relational import (
    alchemy,
    cfacts,
    proppr_examples,
    relnn,
    statements,
    triples,
)
from neurallog_kernel.tables.readers.sql import is_query, query, sqlite_file
from neurallog_kernel.tables.readers.texts import delimited, json_lines

FORMATS: dict[str, Callable[[Path, TableMap], OpenTable]] = {
    "csv": lambda path, mapping: delimited(path, mapping, None),
    "tsv": lambda path, mapping: delimited(path, mapping, "\t"),
    "jsonl": json_lines,
    "parquet": lambda path, mapping: parquet(path),
    "triples": triples,
    "statements": statements,
    "rdf": rdf,
    "sqlite": sqlite_file,
    "cfacts": cfacts,
    "examples": proppr_examples,
    "alchemy": alchemy,
    "relnn": relnn,
}
"""The readers of files, by the name of the format."""

SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".triples": "triples",
    **dict.fromkeys((".nt", ".ttl", ".nq", ".trig", ".rdf"), "rdf"),
    **dict.fromkeys((".sqlite", ".sqlite3", ".db3"), "sqlite"),
    ".cfacts": "cfacts",
    **dict.fromkeys((".examples", ".exam"), "examples"),
}


def open_table(table: Any, mapping: TableMap, name: str) -> OpenTable:
    """Open a table: the path of a file, a dataframe, or rows in Python, which go by `name`."""
    if isinstance(table, str) and (mapping.database is not None or is_query(table)):
        return query(table, mapping)
    if isinstance(table, str | Path):
        path = path_of(table)
        if not path.exists() and ("://" in str(table) or holds_password(str(table))):
            raise TableError(
                f"{without_password(str(table))}: no file of this computer",
                hint="copy the file here first; for a database, write a query and database=",
            )
        return open_file(path, mapping)
    found = dataframe(table, mapping, name)
    if found is not None:
        return found
    if isinstance(table, Iterable) and not isinstance(table, bytes):
        return python_rows(table, mapping, name)
    raise TableError(
        f"a {type(table).__name__} is not a table",
        hint="give a dataframe, a list of tuples, a dictionary of columns, or the path of a file",
    )


def open_file(path: Path, mapping: TableMap) -> OpenTable:
    """Open a file in its format."""
    form = mapping.format or format_of(path)
    if form not in FORMATS:
        near = did_you_mean(form, FORMATS)
        raise TableError(
            f"there is no format {form}", hint=near or f"there are: {', '.join(FORMATS)}"
        )
    return FORMATS[form](path, mapping)


def format_of(path: Path) -> str:
    """The format that the end of a file's name tells."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes[-1:] == [".gz"]:
        suffixes.pop()
    last = suffixes[-1] if suffixes else ""
    found = SUFFIXES.get(last) or _looked_at(path, last)
    if found is None:
        raise TableError(
            f"{path}: the end of the name does not tell the format",
            hint=f"say it with format=, one of {', '.join(FORMATS)}",
        )
    return found


def _looked_at(path: Path, suffix: str) -> str | None:
    """The format of a file whose name several systems use."""
    if suffix not in (".db", ".txt") or not path.is_file():
        return None
    with path.open("rb") as file:
        start = file.read(4096)
    if start.startswith(b"SQLite format 3"):
        return "sqlite"
    if suffix == ".txt":
        return "triples" if start.split(b"\n", 1)[0].count(b"\t") == 2 else None
    atom = re.search(rb"^\s*!?\s*([A-Za-z])", start, re.MULTILINE)
    return "alchemy" if atom and atom[1].isupper() else "relnn"
