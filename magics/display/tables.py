"""Tables: aligned text for every front end, HTML with weight bars for the notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from neurallog_kernel import Answers, format_weight
from neurallog_magics.display.style import framed

ROWS = 50


@dataclass(frozen=True)
class Table:
    """Columns and rows of text. A column name that begins with `#` is right-aligned, with `$` code.

    `bars` holds a number for each row, shown as a bar; `total` counts the rows, also those not
    given; `limit` is how many are shown.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    bars: Sequence[float] = ()
    total: int | None = None
    limit: int = ROWS
    note: str = field(default="")

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
        cells = [names, *([_flat(cell) for cell in row] for row in self.shown)]
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

    def _repr_html_(self) -> str:
        return framed(self.html())

    def html(self) -> str:
        """The table without its style, to be put beside others."""
        parts = [f'<div class="nl-title">{escape(self.title)}</div>'] if self.title else []
        if self.rows:
            parts.append(self._html_table())
        parts += [
            f'<div class="nl-quiet">{escape(text)}</div>'
            for text in (self.left_out, self.note)
            if text
        ]
        return "".join(parts)

    def _html_table(self) -> str:
        heads = "".join(
            f"<th{_class(name)}>{escape(name.lstrip('#$'))}</th>" for name in self.columns
        )
        if len(self.bars):
            heads += '<th aria-hidden="true"></th>'
        longest = _full_bar(self.bars)
        body = []
        for place, row in enumerate(self.shown):
            cells = "".join(
                f"<td{_class(name)}>{escape(cell)}</td>"
                for name, cell in zip(self.columns, row, strict=True)
            )
            if len(self.bars):
                cells += _bar(self.bars[place], longest)
            body.append(f"<tr>{cells}</tr>")
        return (
            f'<table class="nl-table"><thead><tr>{heads}</tr></thead>'
            f"<tbody>{''.join(body)}</tbody></table>"
        )


def _class(name: str) -> str:
    kind = {"#": "nl-number", "$": "nl-code"}.get(name[:1])
    return f' class="{kind}"' if kind else ""


def _full_bar(weights: Sequence[float]) -> float:
    """The weight of a full bar: 1, so that tables compare, unless that would show nothing."""
    longest = max((abs(weight) for weight in weights if abs(weight) < float("inf")), default=0.0)
    return 1.0 if 0.1 <= longest < 1.0 else longest


def _bar(weight: float, longest: float) -> str:
    if weight != weight or not longest:
        return "<td class='nl-barcell'></td>"
    width = min(100.0, 100 * abs(weight) / longest)
    sign = " nl-negative" if weight < 0 else ""
    return (
        f'<td class="nl-barcell"><span class="nl-bar{sign}" style="width:{width:.1f}%"></span></td>'
    )


def _flat(cell: str) -> str:
    """A cell on one line."""
    return "".join(c if c.isprintable() else " " for c in cell)


def _distinct(variables: Sequence[str]) -> list[str]:
    """Column names: the variables, numbered where a query has several `_`."""
    names: list[str] = []
    for place, name in enumerate(variables, start=1):
        names.append(f"_{place}" if name == "_" or name in names else name)
    return names


def answers_table(answers: Answers, limit: int = ROWS) -> Table:
    """Answers, best first, each with its weight and a bar."""
    title = f"?- {answers.query}."
    if not answers.variables:
        return Table((), (), title=f"{title}  {format_weight(answers.weight)}")
    if not len(answers):
        return Table((), (), title=f"{title}  no answer")
    shown = list(answers[:limit])
    names = _distinct(answers.variables)
    return Table(
        (*names, "#weight"),
        [(*key, format_weight(weight)) for key, weight in shown],
        title=title,
        bars=[weight for _, weight in shown],
        total=answers.total,
        limit=limit,
    )
