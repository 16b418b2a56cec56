"""Markdown from plain data: tables, code spans and fenced blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A pipe table.

    >>> print(table(("name", "is"), [("`a|b`", "either")]))
    | name | is |
    |---|---|
    | `a\\|b` | either |
    """
    lines = [_row(header), "|" + "---|" * len(header)]
    return "\n".join([*lines, *map(_row, rows)])


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def code(text: object) -> str:
    """A code span, or nothing for nothing."""
    return f"`{text}`" if str(text) else ""


def block(text: str, language: str = "text") -> str:
    """A fenced block."""
    return f"```{language}\n{text.rstrip()}\n```"


def sections(parts: Iterable[str]) -> str:
    """Parts with an empty line between them."""
    return "\n\n".join(parts) + "\n"
