"""What a load did, for the reader: rows, facts, duplicates, what was skipped and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from neurallog_kernel.errors import Notice

_SHOWN = 8


@dataclass(frozen=True)
class Progress:
    """How far a load is; `total` is None where the number of rows is not known before the end."""

    table: str
    rows: int
    total: int | None = None

    def __str__(self) -> str:
        whole = f" of {self.total:,}" if self.total is not None else ""
        return f"{self.table}: {self.rows:,}{whole} rows"


@dataclass(frozen=True)
class Skipped:
    """Rows that were left out, and the first of them."""

    reason: str
    rows: int
    first: str

    def __str__(self) -> str:
        return f"{counted(self.rows, 'row')} {self.reason} (the first: {self.first})"


@dataclass(frozen=True)
class Loaded:
    """What a table became. `readings` say how columns were understood, `renamed` which predicates
    could not keep their names."""

    source: str
    table: str
    rows: int = 0
    facts: int = 0
    examples: Mapping[str, int] = field(default_factory=dict)  # by set
    negatives: int = 0
    duplicates: int = 0  # rows that say again what another row says
    conflicts: int = 0  # of these, rows that said it with another weight or number
    skipped: tuple[Skipped, ...] = ()
    readings: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)
    replaced: int = 0  # facts and examples of an earlier load under this name that are gone
    notices: tuple[Notice, ...] = ()
    seconds: float = 0.0

    @property
    def skipped_rows(self) -> int:
        return sum(one.rows for one in self.skipped)

    def __str__(self) -> str:
        return "\n".join([self.line, *(f"  {detail}" for detail in self.details)])

    __repr__ = __str__

    @property
    def line(self) -> str:
        """All of it in one line."""
        parts = [counted(self.rows, "row")]
        parts += [counted(self.facts, "fact")] if self.facts or not self.examples else []
        parts += [
            f"{counted(number, 'example')} in {name}" for name, number in self.examples.items()
        ]
        parts += [f"{self.negatives:,} of them drawn as negative"] if self.negatives else []
        parts += [counted(self.duplicates, "duplicate")] if self.duplicates else []
        parts += [f"{self.skipped_rows:,} skipped"] if self.skipped else []
        parts += [f"{self.replaced:,} earlier ones replaced"] if self.replaced else []
        return f"{self.source}: {', '.join(parts)}"

    @property
    def details(self) -> tuple[str, ...]:
        """How it was read, what was left out and why, what was renamed, and what to look at."""
        lines = [*self.readings, *map(str, self.skipped)]
        if self.conflicts:
            again = "rows say" if self.conflicts > 1 else "row says"
            lines.append(
                f"{self.conflicts:,} {again} the same with another weight; the last counts"
            )
        names = [f"{old} as {new}" for old, new in self.renamed.items()]
        if names:
            more = f", and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            lines.append(f"renamed: {', '.join(names[:_SHOWN])}{more}")
        return (*lines, *map(str, self.notices))


def counted(number: int, noun: str) -> str:
    """As in `1 row` and `1,200 rows`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
