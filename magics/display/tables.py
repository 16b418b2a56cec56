"""Tables in HTML, with a bar for each weight."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from neurallog_kernel import Answers, format_weight
from neurallog_kernel.commands import Table
from neurallog_kernel.commands.results import SHOWN_ROWS
from neurallog_magics.display.style import framed


def table_html(table: Table) -> str:
    """The table as a notebook shows it."""
    return framed(table_body(table))


def table_body(table: Table) -> str:
    """The table without its style, to be put beside others."""
    parts = [f'<div class="nl-title">{escape(table.title)}</div>'] if table.title else []
    if table.rows:
        parts.append(_rows_html(table))
    parts += [
        f'<div class="nl-quiet">{escape(text)}</div>'
        for text in (table.left_out, table.note)
        if text
    ]
    return "".join(parts)


def _rows_html(table: Table) -> str:
    heads = "".join(f"<th{_class(name)}>{escape(name.lstrip('#$'))}</th>" for name in table.columns)
    if len(table.bars):
        heads += '<th aria-hidden="true"></th>'
    longest = _full_bar(table.bars)
    body = []
    for place, row in enumerate(table.shown):
        cells = "".join(
            f"<td{_class(name)}>{escape(cell)}</td>"
            for name, cell in zip(table.columns, row, strict=True)
        )
        if len(table.bars):
            cells += _bar(table.bars[place], longest)
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


def _distinct(variables: Sequence[str]) -> list[str]:
    """Column names: the variables, numbered where a query has several `_`."""
    names: list[str] = []
    for place, name in enumerate(variables, start=1):
        names.append(f"_{place}" if name == "_" or name in names else name)
    return names


def answers_table(answers: Answers, limit: int = SHOWN_ROWS) -> Table:
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
