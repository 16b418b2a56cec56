"""Facts that stay in a database: which table, which columns, and what reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, TypeAlias

import numpy as np

from neurallog_kernel.knowledge.roles import Numeric
from neurallog_kernel.language.syntax import Signature


class Duplicates(StrEnum):
    """What two rows with the same arguments mean, in the user's word."""

    UNIQUE = "unique"  # there are none
    SUM = "sum"  # one fact, with the sum of their weights
    MAX = "max"  # one fact, with the largest of their weights


Needs: TypeAlias = tuple[tuple[str, str], ...]
"""Columns that must have a value, each with its type; of a weight the type does not matter."""


@dataclass(frozen=True, slots=True)
class AttachedColumn:
    """A column whose values are the names of entities."""

    reader: TableReader = field(repr=False)
    table: str
    origin: str  # what stands for the table after FROM
    column: str
    kind: str  # its type, in the words of the database
    needs: Needs  # columns without which a row of the table is no fact
    rows: int  # of its table
    predicate: str = field(compare=False)  # whose facts they are
    state: object = field(default=None, repr=False)  # what the table was when it was attached

    def __str__(self) -> str:
        return f"column {self.column} of {self.table}"


@dataclass(frozen=True, eq=False)
class AttachedTable:
    """A predicate whose facts are the rows of a table. It is part of the program: another `attach`
    of the same table is another value, so that nothing that was read before is taken for it."""

    signature: Signature
    source: str
    table: str  # as the user named it
    origin: str  # what stands for it after FROM, with its names quoted
    columns: tuple[str, ...]  # of each place
    kinds: tuple[str, ...]  # their types, in the words of the database
    numeric: Numeric  # whether a place holds numbers
    weight: str | float  # a column, or one weight for all rows
    duplicates: Duplicates
    count: int  # facts: rows that have a value at every place
    skipped: int  # rows that have not
    lowest: float  # of its weights and numbers
    reader: TableReader = field(repr=False)
    state: object = field(default=None, repr=False)  # what the table was when it was attached

    @property
    def is_unweighted(self) -> bool:
        """Whether every fact has the weight 1, as far as can be told without reading them."""
        return self.weight == 1.0 and self.duplicates is not Duplicates.SUM

    @property
    def predicate(self) -> str:
        return f"{self.signature[0]}/{self.signature[1]}"

    @property
    def needs(self) -> Needs:
        """The columns that must have a value, if there are rows that have none."""
        return self.wanted if self.skipped else ()

    @property
    def wanted(self) -> Needs:
        """The columns of a fact."""
        weight = ((self.weight, ""),) if isinstance(self.weight, str) else ()
        return (*zip(self.columns, self.kinds, strict=True), *weight)

    @property
    def address(self) -> str:
        """Where the table is, without any password."""
        return self.reader.address

    def column(self, place: int) -> AttachedColumn:
        name, kind = self.columns[place], self.kinds[place]
        return AttachedColumn(
            self.reader,
            self.table,
            self.origin,
            name,
            kind,
            self.needs,
            self.count,
            self.predicate,
            self.state,
        )

    @property
    def entity_columns(self) -> Mapping[int, AttachedColumn]:
        """The columns that name entities, by place."""
        return {p: self.column(p) for p, number in enumerate(self.numeric) if not number}

    def __str__(self) -> str:
        return f"{self.table} ({', '.join(self.columns)})"

    @property
    def described(self) -> str:
        """Where the facts are, for those who read the program."""
        return f"{self.predicate}: {self.count:,} facts attached from {self} of {self.address}"


@dataclass(frozen=True, eq=False)
class TableFacts:
    """Some facts of a table: of each place the codes of names or the numbers, and the weights."""

    names: Mapping[int, tuple[np.ndarray, Sequence[str]]]  # codes, and the name of each code
    numbers: Mapping[int, np.ndarray]
    weights: np.ndarray

    def __len__(self) -> int:
        return len(self.weights)


class TableReader(Protocol):
    """An open connection that reads attached tables. Every name in it is escaped, every value is
    handed over apart from the text; a table that is not as it was attached is an error."""

    @property
    def address(self) -> str:
        """Where it leads, without any password."""
        ...

    def check(self, table: AttachedTable | AttachedColumn) -> None:
        """Refuse a table that is not what it was when it was attached."""
        ...

    def facts(self, table: AttachedTable, given: Mapping[int, Sequence[str]]) -> TableFacts:
        """The facts that have one of these names at each given place; all, if none is given."""
        ...

    def rows(self, table: AttachedTable, keys: Sequence[Sequence[str]]) -> TableFacts:
        """The facts with these arguments: `keys` has a list of names for each entity place."""
        ...

    def sums(self, table: AttachedTable, place: int) -> TableFacts:
        """For each name at a place the sum of the weights of its facts."""
        ...

    def diagonal(self, table: AttachedTable) -> TableFacts:
        """The facts of a binary predicate whose two arguments are one entity."""
        ...

    def distinct(self, columns: Sequence[AttachedColumn]) -> int:
        """How many names these columns have together."""
        ...

    def present(self, columns: Sequence[AttachedColumn], names: Sequence[str]) -> np.ndarray:
        """For each name, whether one of these columns has it."""
        ...

    def names(self, columns: Sequence[AttachedColumn], limit: int | None = None) -> Sequence[str]:
        """All names that these columns have together, or some."""
        ...

    def place_of(self, table: AttachedTable, key: Sequence[str]) -> str:
        """Which row of the table a fact is, in words; nothing if it is not there."""
        ...
