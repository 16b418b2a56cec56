"""What commands give back where the kernel has no object for it: tables, notes and plain text.

Each knows its text, for a terminal. A notebook has its own renderer of the same data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from neurallog_kernel.tabular import Tabular

SHOWN_ROWS = 50


@dataclass(frozen=True)
class Table:
    """Columns and rows of text. A column name that begins with `#` is right-aligned, with `$` code.

    `bars` holds a number for each row, which a notebook shows as a bar; `total` counts the rows,
    also those not given; `limit` is how many are shown.

    >>> print(Table(("name", "#weight"), [("a", "1"), ("long", "0.25")], title="two facts"))
    two facts
      name  weight
      a          1
      long    0.25
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    bars: Sequence[float] = ()
    total: int | None = None
    limit: int = SHOWN_ROWS
    note: str = ""
    asks: Sequence[str] = ()  # for each row, the question that it is the answer of
    yes: float | None = None  # the weight of an answer to a question with no open place

    @property
    def shown(self) -> Sequence[Sequence[str]]:
        return self.rows[: self.limit]

    @property
    def left_out(self) -> str:
        rest = (len(self.rows) if self.total is None else self.total) - len(self.shown)
        return f"… {rest:,} more" if rest > 0 else ""

    def __str__(self) -> str:
        lines = [self.title] if self.title else []
        names = [name.lstrip("#$") for name in self.columns]
        cells = [names, *(row for one in self.shown for row in _text_rows(one))]
        if self.rows:
            widths = [max(len(row[i]) for row in cells) for i in range(len(names))]
            lines += [f"  {self._aligned(row, widths)}" for row in cells]
        lines += [f"  {text}" for text in (self.left_out, self.note) if text]
        return "\n".join(lines)

    def _aligned(self, row: Sequence[str], widths: Sequence[int]) -> str:
        parts = [
            cell.rjust(width) if name.startswith("#") else cell.ljust(width)
            for name, cell, width in zip(self.columns, row, widths, strict=True)
        ]
        return "  ".join(parts).rstrip()

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Note:
    """One quiet line, with details below it."""

    line: str
    details: tuple[str, ...] = ()
    mark: str = ""

    def __str__(self) -> str:
        return "\n".join([f"{self.mark}{self.line}", *(f"  {one}" for one in self.details)])

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Text:
    """Plain text that keeps its lines."""

    text: str

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text


def saved(table: Tabular, path: str, spreadsheet_safe: bool) -> Note:
    """Write a table to a file, and say so."""
    table.save_table(path, spreadsheet_safe)
    rows = len(table.to_pandas())
    return Note(f"{path}: {rows:,} row{'' if rows == 1 else 's'}")


def _text_rows(row: Sequence[str]) -> list[list[str]]:
    """A row, and one for each further line of its last cell."""
    *cells, last = row
    first, *more = last.split("\n")
    blank = [""] * len(cells)
    return [
        [_on_one_line(cell) for cell in (*start, line)]
        for start, line in [(cells, first), *((blank, line) for line in more)]
    ]


def _on_one_line(cell: str) -> str:
    return "".join(c if c.isprintable() else " " for c in cell)
