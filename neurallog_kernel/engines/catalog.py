"""The catalog: which predicates have their facts in which tables of a connection."""

from __future__ import annotations

import re

from neurallog_kernel.addresses import holds_password, without_password
from neurallog_kernel.engines.reading import SqlReader
from neurallog_kernel.engines.table_checks import checked
from neurallog_kernel.engines.table_text import FRACTIONS
from neurallog_kernel.errors import TableError, did_you_mean
from neurallog_kernel.knowledge.attached import AttachedTable, Duplicates
from neurallog_kernel.tables.pattern import Pattern, parse_patterns
from neurallog_kernel.tables.to_facts import Known

_NUMBERS = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|UHUGEINT|DOUBLE|FLOAT|DECIMAL\(.*\)")
_NAMES = re.compile(
    r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|UHUGEINT|VARCHAR|BOOLEAN|DATE|TIME|TIMESTAMP.*|UUID"
    r"|ENUM\(.*\)|DOUBLE|FLOAT|DECIMAL\(.*\)",
    re.DOTALL,
)


def attached_table(
    reader: SqlReader,
    table: str,
    pattern: str | Pattern,
    weight: str | float | None = None,
    unique: bool = False,
    duplicates: str | None = None,
    source: str | None = None,
    known: Known = lambda slot: None,
) -> AttachedTable:
    """A table as the facts of a predicate; everything that can be wrong with it is found here."""
    connection = reader.connection
    if holds_password(table):
        raise TableError(
            f"{without_password(table)}: the place of a table is shown and saved, and it may hold "
            "no password",
            hint="give the password to the database, make a view there, and attach the view",
        )
    columns = connection.columns(table)
    found = pattern if isinstance(pattern, Pattern) else _one_pattern(pattern)
    names = _places(found, table, columns)
    signature = (found.predicate, len(names))
    kinds = tuple(columns[name] for name in names)
    told = [known((*signature, place)) for place in range(len(names))]
    numeric = _numeric(found, names, kinds, table, told)
    said = _weight(weight, table, names, columns)
    word = _word(unique, duplicates, table)
    origin = connection.origin(table)
    state = connection.state(table, origin)
    made = AttachedTable(
        signature,
        source or f"{signature[0]}/{signature[1]}",
        table,
        origin,
        names,
        kinds,
        numeric,
        said,
        word,
        0,
        0,
        0.0,
        reader,
        state,
    )
    return checked(connection, made)


def _one_pattern(text: str) -> Pattern:
    patterns = parse_patterns(text)
    if (
        len(patterns) != 1
        or patterns[0].by_column
        or not (patterns[0].places is None or len(patterns[0].places))
    ):
        raise TableError(
            f"attach takes one predicate with its columns, not {text}",
            hint='as in attach("ratings", "rated(user, item)"); call it once for each predicate',
        )
    return patterns[0]


def _places(pattern: Pattern, table: str, columns: dict[str, str]) -> tuple[str, ...]:
    """The columns of the pattern, all of which the table must have."""
    if pattern.places is None:
        raise TableError(
            f"{pattern} names no columns",
            hint=f"write {pattern}({', '.join(columns)}), or fewer of these",
        )
    names = tuple(place.column for place in pattern.places)
    for number, name in enumerate(names):
        if name not in columns:
            raise TableError(
                f"{table} has no column {name}, which {pattern} names",
                hint=did_you_mean(name, columns) or f"its columns are: {', '.join(columns)}",
            )
        if name in names[:number]:
            raise TableError(
                f"{pattern} names the column {name} twice",
                hint=f"every row would be related to itself. Its columns are: {', '.join(columns)}",
            )
    return names


def _numeric(
    pattern: Pattern,
    names: tuple[str, ...],
    kinds: tuple[str, ...],
    table: str,
    known: list[bool | None],
) -> tuple[bool, ...]:
    """Which places hold numbers: as the pattern says, as the program has it, or, in the last place
    of two, a column of fractions. Whole numbers are the keys of databases: names."""
    assert pattern.places is not None
    found = []
    for place, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        said = pattern.places[place].kind
        if said is None and known[place] is not None and len(names) < 3:
            number = bool(known[place]) and _NUMBERS.fullmatch(kind) is not None
        else:
            last_of_two = len(names) == 2 and place == 1
            number = said == "number" or (
                said is None and last_of_two and FRACTIONS.fullmatch(kind) is not None
            )
        if number and not _NUMBERS.fullmatch(kind):
            raise TableError(f"{table}, column {name}: {kind} is not a number")
        if not _NAMES.fullmatch(kind):
            raise TableError(
                f"{table}, column {name}: {kind} can be neither a name nor a number",
                hint="make a view in which it is a text or a whole number",
            )
        found.append(number)
    if any(found) and len(names) > 2:
        raise TableError(
            f"{pattern}: with three or more arguments, a column holds names",
            hint="leave `: number` out, or attach a view with two columns",
        )
    if found and all(found):
        raise TableError(
            f"{pattern} names no column with entities",
            hint="name the column of its owner too, or write `: entity` after a column",
        )
    return tuple(found)


def _weight(
    weight: str | float | None, table: str, names: tuple[str, ...], columns: dict[str, str]
) -> str | float:
    if weight is None:  # as in load_table
        weight = "weight" if "weight" in columns and "weight" not in names else 1.0
    if not isinstance(weight, str):
        return float(weight)
    if weight not in columns:
        raise TableError(
            f"{table} has no column {weight} for the weight",
            hint=did_you_mean(weight, columns) or f"its columns are: {', '.join(columns)}",
        )
    if not _NUMBERS.fullmatch(columns[weight]):
        raise TableError(f"{table}, column {weight}: {columns[weight]} is not a weight")
    return weight


def _word(unique: bool, duplicates: str | None, table: str) -> Duplicates:
    """What two equal rows mean: nobody but the user knows."""
    choices = [one.value for one in Duplicates]
    if duplicates is None and not unique:
        raise TableError(
            f"say what two rows of {table} with the same arguments mean",
            hint='unique=True: there are none; duplicates="sum" or "max": they are one fact with '
            "the sum or the largest of their weights",
        )
    if duplicates is not None and duplicates not in choices:
        near = did_you_mean(duplicates, choices)
        raise TableError(f"duplicates is one of {', '.join(choices)}, not {duplicates}", hint=near)
    if unique and duplicates not in (None, Duplicates.UNIQUE):
        raise TableError(f"give unique=True or duplicates={duplicates!r}, not both")
    return Duplicates(duplicates or "unique")
