"""Patterns: which facts the rows of a table are, as in `friends(person, other)`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from neurallog_kernel.errors import TableError, did_you_mean
from neurallog_kernel.knowledge.loaded import counted
from neurallog_kernel.language.words import is_name, is_predicate
from neurallog_kernel.tables.columns import OpenTable

Kind = Literal["entity", "number"]

_WORD = r'"(?:[^"]|"")*"|[^\s,:(){}"][^,:(){}"]*'
_INSIDE = r'(?:"(?:[^"]|"")*"|[^()"])*'
_PATTERN = re.compile(
    rf"""\s*(?:\{{\s*({_WORD})\s*\}}|([^\s,:(){{}}"]+))\s*(\(({_INSIDE})\))?\s*[.;,]?"""
)
_PLACE = re.compile(rf"\s*({_WORD})\s*(?::\s*(\w+))?\s*(,|$)")


@dataclass(frozen=True)
class ArgumentColumn:
    """One argument: the column it comes from, and what it holds if the pattern says so."""

    column: str
    kind: Kind | None = None

    def __str__(self) -> str:
        name = self.column if re.fullmatch(_WORD, self.column) else f'"{self.column}"'
        return name + (f": {self.kind}" if self.kind else "")


@dataclass(frozen=True)
class Pattern:
    """A predicate and the columns of its arguments; None: all columns, in order.

    `by_column` says that `predicate` is the column that names the predicate of each row.
    """

    predicate: str
    places: tuple[ArgumentColumn, ...] | None = None
    by_column: bool = False

    def __str__(self) -> str:
        name = f"{{{self.predicate}}}" if self.by_column else self.predicate
        return name if self.places is None else f"{name}({', '.join(map(str, self.places))})"


def parse_patterns(text: str | Sequence[str]) -> tuple[Pattern, ...]:
    """The patterns of a text, or of several.

    >>> [str(p) for p in parse_patterns("age(id, years: number); lives(id, Home Town)")]
    ['age(id, years: number)', 'lives(id, Home Town)']
    >>> parse_patterns("{relation}(head, tail)")[0].by_column
    True
    """
    if not isinstance(text, str):
        return tuple(one for part in text for one in parse_patterns(part))
    found = tuple(_patterns(text))
    if not found:
        raise _mistake(text, "it is empty")
    return found


def _patterns(text: str) -> Iterator[Pattern]:
    position = 0
    while text[position:].strip():
        found = _PATTERN.match(text, position)
        if found is None or found.end() == position:
            raise _mistake(text, f"cannot be read from {text[position:].strip()[:20]!r} on")
        position = found.end()
        column, name, brackets, inside = found.groups()
        if name is not None and not is_name(name):
            lower = name[:1].lower() + name[1:]
            hint = f"write {lower}" if is_name(lower) else ""
            raise TableError(f"{name} cannot name a predicate", hint=hint or _NAMES)
        if name is not None and not is_predicate(name):
            raise TableError(
                f"{name} is a directive, and cannot name a predicate",
                hint=f"choose another name, as in p_{name}",
            )
        places = None if brackets is None else tuple(_places(text, inside))
        if column is not None:
            yield Pattern(_bare(column), places, by_column=True)
        else:
            yield Pattern(str(name), places)


_NAMES = "a predicate begins with a lower-case letter, followed by letters, digits, _ and -"


def _places(text: str, inside: str) -> Iterator[ArgumentColumn]:
    position = 0
    while position < len(inside) or not position:
        found = _PLACE.match(inside, position)
        if found is None or (found[3] == "," and found.end() == len(inside)):
            raise _mistake(text, f"({inside}) is not a list of columns")
        position = found.end()
        kind = found[2]
        if kind not in (None, "entity", "number"):
            near = did_you_mean(kind, ("entity", "number"))
            raise TableError(
                f"the pattern {text}: a column holds entity or number, not {kind}", hint=near
            )
        yield ArgumentColumn(_bare(found[1]), kind)
        if found[3] == "":
            return


def _bare(word: str) -> str:
    return word[1:-1].replace('""', '"') if word.startswith('"') else word.strip()


def _mistake(text: str, what: str) -> TableError:
    return TableError(
        f"the pattern {text!r} {what}"
        if not what.startswith("(")
        else f"the pattern {text}: {what}",
        hint="write a predicate and its columns, as in friends(person, other)",
    )


# -- patterns meet the columns of a table ---------------------------------------------------------


@dataclass(frozen=True)
class Resolved:
    """A pattern whose places are numbers of columns."""

    pattern: Pattern
    columns: tuple[int, ...]
    kinds: tuple[Kind | None, ...]
    predicate_column: int | None = None
    by_position: bool = False  # whether the names in the pattern were not those of columns


def resolve(pattern: Pattern, table: OpenTable, taken: Sequence[int]) -> Resolved:
    """Find the columns of a pattern. A name that is a column's is that column. Where no name is
    one, the columns stand in order, if there are as many as places; `taken` ones (the weight, the
    label) do not count. Whatever else is an error that lists the columns."""
    free = [place for place in range(len(table.columns)) if place not in taken]
    predicate = None
    if pattern.by_column:
        predicate = column_named(pattern.predicate, table)
        free = [place for place in free if place != predicate]
    if pattern.places is None:
        return Resolved(pattern, tuple(free), (None,) * len(free), predicate)
    kinds: tuple[Kind | None, ...] = tuple(place.kind for place in pattern.places)
    names = [place.column for place in pattern.places]
    known = [name in table.columns for name in names]
    if all(known):
        return Resolved(pattern, _named(pattern, names, table), kinds, predicate)
    if any(known):
        wrong = names[known.index(False)]
        near = did_you_mean(wrong, table.columns)
        raise TableError(
            f"{table.name} has no column {wrong}, which {pattern} names",
            hint=near or _columns_hint(table),
        )
    if len(free) == len(names):
        # friends(person, person) names types; what is of one type with the first is an entity
        kinds = tuple(
            kind or ("entity" if names.count(name) > 1 else None)
            for name, kind in zip(names, kinds, strict=True)
        )
        return Resolved(pattern, tuple(free), kinds, predicate, by_position=True)
    near = did_you_mean(names[0], table.columns)
    raise TableError(
        f"{table.name} has none of the columns that {pattern} names, and "
        f"{counted(len(free), 'column')} for {counted(len(names), 'place')}",
        hint="\n".join(filter(None, [near, _columns_hint(table)])),
    )


def _named(pattern: Pattern, names: Sequence[str], table: OpenTable) -> tuple[int, ...]:
    """The columns of these names; a name that stands twice must be the name of two columns."""
    found = []
    for number, name in enumerate(names):
        same = [place for place, column in enumerate(table.columns) if column == name]
        before = names[:number].count(name)
        if before >= len(same):
            raise TableError(
                f"{pattern} names the column {name} twice, and {table.name} has one of that name",
                hint=f"every row would be related to itself. {_columns_hint(table)}",
            )
        found.append(same[before])
    return tuple(found)


def column_named(name: str | int, table: OpenTable) -> int:
    """The number of a column given by its name, or by its number from 1."""
    if isinstance(name, int):
        if not 1 <= name <= len(table.columns):
            raise TableError(
                f"{table.name} has no column {name}", hint=f"{_columns_hint(table)} (from 1)"
            )
        return name - 1
    if name not in table.columns:
        near = did_you_mean(name, table.columns)
        raise TableError(f"{table.name} has no column {name}", hint=near or _columns_hint(table))
    return table.columns.index(name)


def _columns_hint(table: OpenTable) -> str:
    if not table.named:
        number = counted(len(table.columns), "column")
        return f"it has {number} without names: name them in order with columns=[...]"
    return f"its columns are: {', '.join(table.columns)}"
