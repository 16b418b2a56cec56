"""The table of learned rules in HTML: what stays in a saved notebook."""

from __future__ import annotations

from html import escape

from neurallog_kernel import RuleTable
from neurallog_kernel.commands import Table
from neurallog_magics.display.style import framed
from neurallog_magics.display.tables import table_body

_MARKS = {"[x]": "☑", "[ ]": "☐"}
_COLUMNS = (
    "",
    "#",
    "#weight",
    "#right / fires",
    "#conf.",
    "#+held-out",
    "#new",
    "$rule",
    "like it",
)

# a long rule takes a second line, so that what is said beside it stays in sight
_STYLE = (
    "<style>.nl-rules{overflow-x:auto}"
    ".nl-out .nl-rules .nl-table td.nl-code{white-space:normal;max-width:none;min-width:15em;"
    "padding-left:1.2em;text-indent:-1.2em}"
    ".nl-out .nl-rules .nl-table td:last-child{white-space:normal;min-width:5em}</style>"
)


def rules_html(table: RuleTable, name: str = "") -> str:
    """The table without life. It hides, in a notebook that is opened again, the message that there
    is no widget any more."""
    parts = []
    for section in table.sections():
        rows = [(_MARKS[cells[0]], *cells[1:]) for _, cells in section.rows]
        note = section.held_out if rows else section.none
        parts.append(
            table_body(Table(_COLUMNS, rows, title=section.title, limit=len(rows), note=note))
        )
    parts += [f'<div class="nl-quiet">{escape(line)}</div>' for line in table.notes]
    content = framed(f'{_STYLE}<div class="nl-rules">{"".join(parts)}</div>')
    if not name:
        return content
    gone = f".jp-OutputArea-child:has(+ .jp-OutputArea-child .{name}):not(:has(.nlx))"
    return f'<style>{gone} {{ display: none; }}</style><div class="{name}">{content}</div>'
