"""Tables in HTML, with a bar for each weight."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from neurallog_kernel import Answers, format_constant, format_weight
from neurallog_kernel.commands import Table
from neurallog_kernel.commands.results import SHOWN_ROWS
from neurallog_magics.display.colours import coloured
from neurallog_magics.display.style import framed


def table_html(table: Table) -> str:
    """The table as a notebook shows it."""
    return framed(table_body(table))


def table_body(table: Table) -> str:
    """The table without its style, to be put beside others."""
    parts = [f'<div class="nl-title">{escape(table.title)}</div>'] if table.title else []
    if table.yes is not None:
        parts = [_yes_html(table)]
    if table.rows:
        parts.append(_rows_html(table))
    parts += [
        f'<div class="nl-quiet">{escape(text)}</div>'
        for text in (table.left_out, table.note)
        if text
    ]
    return "".join(parts)


def _yes_html(table: Table) -> str:
    """The answer to a question without an open place, as visible as a table."""
    asked, _, answer = table.title.rpartition("  ")
    assert table.yes is not None
    kind = "nl-yes" if table.yes > 0 else "nl-no"
    word = "" if answer == "no answer" else "yes" if table.yes > 0 else "no"
    bar = _bar(table.yes, 1.0 if abs(table.yes) <= 1 else abs(table.yes), table.yes < 0)
    return (
        f'<div class="nl-title">{escape(asked)}</div><table class="nl-table"><tbody><tr>'
        f'<td class="{kind}">{word}</td><td class="nl-number nl-answer">{escape(answer)}</td>{bar}'
        "</tr></tbody></table>"
    )


def _rows_html(table: Table) -> str:
    heads = [f"<th{_class(name)}>{escape(name.lstrip('#$'))}</th>" for name in table.columns]
    beside = _bar_place(table.columns)
    if len(table.bars):
        heads.insert(beside, '<th aria-hidden="true"></th>')
    longest = _full_bar(table.bars)
    signed = any(weight < 0 for weight in table.bars)
    rows = aligned(table)
    body = []
    for place, row in enumerate(rows):
        cells = [
            f"<td{_class(name)}>{_cell(name, cell)}</td>"
            for name, cell in zip(table.columns, row, strict=True)
        ]
        if len(table.bars):
            cells.insert(beside, _bar(table.bars[place], longest, signed))
        why = ""
        if place < len(table.asks):
            asked = escape(table.asks[place])
            why = f' data-nl-why="{asked}" title="why? click explains {asked}"'
        body.append(f"<tr{why}>{''.join(cells)}</tr>")
    return (
        f'<table class="nl-table"><thead><tr>{"".join(heads)}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table>"
    )


def _bar_place(columns: Sequence[str]) -> int:
    """Bars stand beside the last column of numbers."""
    return max((at for at, name in enumerate(columns, 1) if name[:1] == "#"), default=len(columns))


def _class(name: str) -> str:
    kind = {"#": "nl-number", "$": "nl-code"}.get(name[:1])
    return f' class="{kind}"' if kind else ""


def _full_bar(weights: Sequence[float]) -> float:
    """The weight of a full bar: 1, so that tables compare, unless that would show nothing."""
    longest = max((abs(weight) for weight in weights if abs(weight) < float("inf")), default=0.0)
    return 1.0 if 0.1 <= longest < 1.0 else longest


def _bar(weight: float, longest: float, signed: bool = False) -> str:
    """A bar for a weight; where some are negative, those go to the left of a line at zero."""
    kind = "nl-barcell nl-signed" if signed else "nl-barcell"
    if weight != weight or not longest:
        return f'<td class="{kind}"></td>'
    width = min(100.0, 100 * abs(weight) / longest) / (2 if signed else 1)
    sign = " nl-negative" if weight < 0 else ""
    start = f";margin-left:{50 - width if weight < 0 else 50:.1f}%" if signed else ""
    bar = f'<span class="nl-bar{sign}" style="width:{width:.1f}%{start}"></span>'
    return f'<td class="{kind}">{bar}</td>'


def _cell(name: str, cell: str) -> str:
    if name.startswith("$"):
        return "".join(f"<div>{coloured(line)}</div>" for line in cell.split("\n"))
    return escape(cell)


def aligned(table: Table) -> list[list[str]]:
    r"""The rows, in which the points of a column of numbers stand under each other.

    >>> [row[0] for row in aligned(Table(("#w",), [("0.25",), ("1",)]))]
    ['0.25', '1\u2008\u2007\u2007']
    """
    rows = [list(row) for row in table.shown]
    for place, name in enumerate(table.columns):
        cells = [row[place] for row in rows]
        if name.startswith("#") and all(_NUMBER.fullmatch(cell) for cell in cells):
            most = max((len(cell.partition(".")[2]) for cell in cells), default=0)
            for row in rows:
                whole, point, digits = row[place].partition(".")
                blank = "" if point or not most else "\u2008"  # as wide as a point
                row[place] = f"{whole}{point}{digits}{blank}" + "\u2007" * (most - len(digits))
    return rows


_NUMBER = re.compile(r"[-+]?[\d,]+(?:\.\d+)?")


def _distinct(variables: Sequence[str]) -> list[str]:
    """Column names: the variables, numbered where a query has several `_`."""
    names: list[str] = []
    for place, name in enumerate(variables, start=1):
        names.append(f"_{place}" if name == "_" or name in names else name)
    return names


def _filled(answers: Answers, key: Sequence[str]) -> str:
    """The question with an answer in its open places."""
    values = {name: format_constant(one) for name, one in zip(answers.variables, key, strict=True)}
    text = str(answers.query)
    parts = re.split(r'("(?:\\.|[^"\\])*")', text)  # what is quoted stays
    return "".join(
        part if n % 2 else re.sub(r"[A-Z_]\w*", lambda found: values.get(found[0], found[0]), part)
        for n, part in enumerate(parts)
    )


def answers_table(answers: Answers, limit: int = SHOWN_ROWS) -> Table:
    """Answers, best first, each with its weight and a bar."""
    title = f"?- {answers.query}."
    if not answers.variables:
        spread = f" ± {format_weight(answers.spread[()])}" if answers.spread else ""
        said = f"{title}  {format_weight(answers.weight)}{spread}{answers.said_chance()}"
        return Table((), (), title=said, yes=answers.weight)
    if not len(answers):
        return Table((), (), title=f"{title}  no answer", yes=0.0)
    shown = list(answers[:limit])
    names = _distinct(answers.variables)
    spread, chance = answers.spread, answers.probabilities  # of an ensemble; calibrated
    more = [*(["#spread"] if spread else []), *(["#probability"] if chance else [])]
    return Table(
        (*names, "#weight", *more),
        [
            (
                *key,
                format_weight(weight),
                *([format_weight(spread[key])] if spread else []),
                *([f"{chance[key]:.3f}"] if chance else []),
            )
            for key, weight in shown
        ],
        title=title,
        bars=[weight for _, weight in shown],
        asks=[_filled(answers, key) for key, _ in shown],
        total=answers.total,
        limit=limit,
    )
