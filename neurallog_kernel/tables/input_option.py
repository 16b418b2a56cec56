"""Tables given on a line, as in `-i friends=people.csv`, with the map that describes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from neurallog_kernel.errors import TableError, did_you_mean
from neurallog_kernel.language.words import is_name
from neurallog_kernel.tables.mapping import TableMap
from neurallog_kernel.tables.readers.opening import format_of
from neurallog_kernel.tables.readers.sql import is_query

_PLAIN = TableMap()
GivenTable = tuple[Any, TableMap, str]  # the table, its map, and what messages call it


def table_given(
    text: str,
    maps: Mapping[str, TableMap],
    find: Callable[[str], Any] | None = None,
    example_set: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> GivenTable:
    """The table of `NAME=TABLE` or `TABLE`. NAME is a section of the map, a predicate or a pattern;
    TABLE is what `find` finds (a Python variable), else a file or a query. `options` are those of
    `TableMap`, for what the map does not say.

    >>> table_given("friends(a, b)=people.csv", {})[:2]  # doctest: +ELLIPSIS
    ('people.csv', TableMap(pattern='friends(a, b)', ...
    """
    name, equals, table = (part.strip() for part in text.partition("="))
    if not equals:
        name, table = Path(name).stem, name
    found = find(table) if find is not None else None
    if found is None:
        if find is not None and not is_query(table) and not Path(table).exists():
            hint = "" if table.isidentifier() else "a table that is computed needs a name: df = ..."
            message = f"-i {text}: there is no Python variable {table}, and no file"
            raise TableError(message, hint=hint)
        found = table
    mapping = maps.get(name)
    if mapping is None:
        if maps and not is_name(name) and "(" not in name:
            raise TableError(f"the map has no section {name}", hint=did_you_mean(name, maps))
        mapping = TableMap(name)
    for option, value in (options or {}).items():
        if value is not None and getattr(mapping, option) == getattr(_PLAIN, option):
            mapping = replace(mapping, **{option: value})
    if example_set is not None and mapping.set is None and mapping.split is None:
        mapping = replace(mapping, set=example_set)
    return found, mapping, table


def is_table(text: str) -> bool:
    """Whether a file (or a query) is a table, and not program text.

    >>> is_table("people.csv"), is_table("SELECT 1 AS x"), is_table("family.pl")
    (True, True, False)
    """
    if is_query(text):
        return True
    try:
        return bool(format_of(Path(text)))
    except TableError:
        return False
