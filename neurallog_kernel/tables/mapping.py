"""How a table is read: declared in a call, or once in a file that is used again (`--map`)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from neurallog_kernel.errors import TableError, did_you_mean
from neurallog_kernel.paths import path_of
from neurallog_kernel.tables.kinds import check_kinds
from neurallog_kernel.tables.pattern import Pattern, parse_patterns
from neurallog_kernel.unpacking import TIMES

LONGEST_NAME = 256  # a longer one is most often a quote that was left open
SETS = ("train", "validation", "test")


@dataclass(frozen=True)
class TableMap:
    """What the columns of a table mean; every keyword of `Session.load_table` in one value.

    >>> TableMap("friends(person, other)", weight="w").patterns
    (Pattern(predicate='friends', places=(ArgumentColumn(column='person', kind=None), \
ArgumentColumn(column='other', kind=None)), by_column=False),)
    """

    pattern: str | Sequence[str] | None = None
    key: str | None = None  # instead of a pattern: every other column is about this one
    weight: str | int | float | None = None  # a column, or one number for all
    label: str | int | None = None
    set: str | None = None
    split: str | Sequence[float] | Mapping[str, float] | None = None
    seed: int = 0
    negatives: int = 0
    group: str | int | None = None  # the column with the ids of mega examples
    missing: str = "skip"
    na: Sequence[str] = ()
    longest: int | None = LONGEST_NAME
    # -- how to read it
    format: str | None = None
    columns: Sequence[str] | None = None
    header: bool | None = None
    delimiter: str | None = None
    database: Any = None
    unpacked: int | None = TIMES  # how many times its size a .gz file may unpack to
    names: str = "local"  # of RDF: the last part of an IRI, or "full"
    file: str | None = None  # in a map file: the table, seen from the map

    def __post_init__(self) -> None:
        check_kinds(vars(self))
        if self.missing not in ("skip", "error"):
            hint = did_you_mean(str(self.missing), ("skip", "error"))
            raise TableError(f'missing is "skip" or "error", not {self.missing!r}', hint=hint)
        if self.pattern is not None and self.key is not None:
            raise TableError("a table has a pattern or a key, not both")
        if self.group is not None and (self.negatives or self.shares):
            raise TableError(
                "group keeps rows together: use it without negatives and without a split by "
                "numbers",
                hint="split= can name a column of sets; train(negatives=2) draws for each step",
            )
        if self.names not in ("local", "full"):
            raise TableError(f'names is "local" or "full", not {self.names!r}')
        if isinstance(self.na, str):
            object.__setattr__(self, "na", (self.na,))
        if self.weight is not None and not isinstance(self.weight, str):
            object.__setattr__(self, "weight", float(self.weight))

    @classmethod
    def of(cls, pattern: str | Sequence[str] | None, options: Mapping[str, Any]) -> TableMap:
        """A map from the keywords of a call."""
        for option in options:
            if option not in _OPTIONS:
                near = did_you_mean(option, _OPTIONS)
                raise TableError(
                    f"there is no option {option}", hint=near or f"there are: {_options()}"
                )
        return cls(pattern, **options)

    @property
    def set_name(self) -> str:
        """The set of the examples, where the rows do not tell."""
        return self.set or "train"

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        return () if self.pattern is None else parse_patterns(self.pattern)

    @property
    def is_example(self) -> bool:
        """Whether the rows are examples, not facts."""
        said = (self.label, self.set, self.split, self.group)
        return any(v is not None for v in said) or self.negatives > 0

    @property
    def shares(self) -> dict[str, float]:
        """The part of the examples that each set gets, where they are split by number."""
        split = self.split
        if split is None or isinstance(split, str):
            return {}
        shares = dict(split) if isinstance(split, Mapping) else _named_shares(split)
        total = sum(shares.values())
        if not shares or min(shares.values()) < 0 or not 0.999 < total < 1.001:
            raise TableError(
                f"the parts of a split are positive and add up to 1, not to {total:g}",
                hint="as in split=(0.8, 0.1, 0.1)",
            )
        return shares


def _named_shares(split: Sequence[float]) -> dict[str, float]:
    if len(split) == 2:
        return {"train": split[0], "test": split[1]}
    if len(split) != 3:
        raise TableError("a split has two parts (train, test) or three, with validation between")
    return dict(zip(SETS, split, strict=True))


# -- map files ------------------------------------------------------------------------------------

_OPTIONS = {field.name for field in fields(TableMap)}


def _options() -> str:
    return ", ".join(sorted(_OPTIONS))


def read_maps(path: str | Path) -> dict[str, TableMap]:
    """The tables of a map file that are loaded: TOML with a section for each.

    ```toml
    [friends]
    file = "people.csv"                  # may be left out, and named with the load instead
    pattern = "friends(person, other)"   # without one: all columns, in order
    weight = "w"
    ```
    """
    file, content = _sections(path)
    return {name: _map(file, name, one) for name, one in content.items() if "table" not in one}


def read_attach_maps(path: str | Path) -> dict[str, AttachMap]:
    """The tables of a map file that are attached: sections that name a `table`.

    ```toml
    [rated]
    connect = "duckdb:facts.duckdb"
    table = "ratings"
    pattern = "rated(user, item)"
    weight = "stars"
    duplicates = "unique"                # or "sum", "max"
    ```
    """
    file, content = _sections(path)
    return {name: _attach_map(file, name, one) for name, one in content.items() if "table" in one}


@dataclass(frozen=True)
class AttachMap:
    """A table that is attached, as a map file names it."""

    table: str
    pattern: str
    connect: str | None = None
    memory: str | None = None
    weight: str | float | None = None
    duplicates: str | None = None


def _attach_map(file: Path, name: str, options: dict[str, Any]) -> AttachMap:
    known = [field.name for field in fields(AttachMap)]
    for option, value in options.items():
        if option not in known:
            hint = did_you_mean(option, known) or f"there are: {', '.join(known)}"
            raise TableError(f"{file}, section {name}: there is no option {option}", hint=hint)
        if not isinstance(value, str) and not (option == "weight" and type(value) in (int, float)):
            raise TableError(f"{file}, section {name}: {option} is a text, not {value!r}")
    if "pattern" not in options:
        raise TableError(
            f"{file}, section {name}: an attached table needs a pattern",
            hint=f'write pattern = "{name}(a, b)", with its columns',
        )
    return AttachMap(**options)


def _sections(path: str | Path) -> tuple[Path, dict[str, dict[str, Any]]]:
    file = path_of(path)
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise TableError(f"{file}: {error.strerror or 'cannot be read'}") from error
    except (RecursionError, ValueError) as error:  # not TOML, not UTF-8, a date that is none
        raise TableError(f"{file} is not a map: {error}", hint=_MAP_HINT) from error
    for name, options in content.items():
        if not isinstance(options, dict):
            raise TableError(f"{file}: {name} stands outside of a section", hint=_MAP_HINT)
    if not content:
        raise TableError(f"{file} describes no table", hint=_MAP_HINT)
    return file, content


_MAP_HINT = 'a map has a section for each table, as in\n[friends]\npattern = "friends(a, b)"'


def _map(file: Path, name: str, options: dict[str, Any]) -> TableMap:
    for option in options:
        if option not in _OPTIONS:
            near = did_you_mean(option, _OPTIONS)
            raise TableError(
                f"{file}, section {name}: there is no option {option}",
                hint=near or f"there are: {_options()}",
            )
    if "pattern" not in options and "key" not in options and "format" not in options:
        options["pattern"] = name
    try:
        made = TableMap(**options)
        _ = made.patterns, made.shares
    except TableError as error:
        raise TableError(f"{file}, section {name}: {error.message}", hint=error.hint) from None
    except TypeError as error:
        raise TableError(f"{file}, section {name}: {error}") from None
    if made.file and made.database is not None:
        raise TableError(
            f"{file}, section {name}: file names a file, and database a place for queries",
            hint="leave file out, and give the query with the load, as in -i friends='SELECT ...'",
        )
    return replace(made, file=str(file.parent / made.file)) if made.file else made
