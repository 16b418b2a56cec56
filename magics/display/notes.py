"""Quiet lines: what a cell changed, what was retracted, and notices, collected in one place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from neurallog_kernel import Change, Loaded, Notice
from neurallog_kernel.commands import Note, Text
from neurallog_magics.display.style import framed

_SHOWN = 8


def note_html(note: Note) -> str:
    """The line; its details can be opened."""
    line = escape(f"{note.mark}{note.line}")
    kind = "nl-warning" if note.mark else "nl-quiet"
    if not note.details:
        return framed(f'<div class="{kind}">{line}</div>')
    inner = escape("\n".join(note.details))
    return framed(
        f'<details class="{kind}" open><summary>{line}</summary>'
        f'<pre class="nl-text nl-details">{inner}</pre></details>'
    )


def text_html(text: Text) -> str:
    """The text with its lines."""
    return framed(f'<pre class="nl-text">{escape(text.text)}</pre>')


def change_note(changes: Sequence[Change], extra: Sequence[str] = ()) -> Note:
    """What one or several changes did together, and which clauses went away.

    >>> print(change_note([Change("cell", facts_added=3, rules_added=1, rules_removed=1)]))
    +3 facts, 1 rule replaced, 0 ms
    """
    parts = []
    nouns = ("fact", "rule", "example", "directive", "function")
    for field, noun in (*((f"{one}s", one) for one in nouns), ("attached", "attached fact")):
        added = sum(getattr(change, f"{field}_added") for change in changes)
        removed = sum(getattr(change, f"{field}_removed") for change in changes)
        replaced = min(added, removed)
        parts += [_count(replaced, noun) + " replaced"] if replaced else []
        parts += ["+" + _count(added - replaced, noun)] if added > replaced else []
        parts += ["-" + _count(removed - replaced, noun)] if removed > replaced else []
    if not parts:
        parts = ["nothing changed"]
    recompiled = {name for change in changes for name in change.predicates}
    if recompiled:
        parts.append(_count(len(recompiled), "predicate") + " recompiled")
    parts += extra
    parts.append(f"{sum(change.seconds for change in changes) * 1000:,.0f} ms")
    return Note(", ".join(parts), retracted_lines(changes))


def table_notes(table: Loaded) -> list[str]:
    """What a reader of the cell should know of a table: what was left out, and what was there
    twice."""
    said = [
        f"{skipped.rows:,} of {table.rows:,} rows {skipped.reason} left out"
        for skipped in table.skipped
    ]
    if table.duplicates:
        said.append(f"{_count(table.duplicates, 'row')} repeated")
    return said


def retracted_lines(changes: Sequence[Change]) -> tuple[str, ...]:
    """The clauses that went away, each on a line that begins with a minus."""
    lines = [f"- {text}" for change in changes for text in change.retracted]
    number = sum(
        c.facts_removed + c.rules_removed + c.examples_removed + c.directives_removed
        for c in changes
    )
    shown = lines[:_SHOWN]
    rest = max(number, len(lines)) - len(shown)
    return (*shown, f"- … {rest:,} more") if rest > 0 and shown else tuple(shown)


def notices_note(notices: Sequence[Notice], relabel: Callable[[str], str] = str) -> Note | None:
    """All notices in one line; more than one are listed below it."""
    texts = list(dict.fromkeys(relabel(str(notice)) for notice in notices))
    if not texts:
        return None
    if len(texts) == 1:
        return Note(texts[0], mark="⚠ ")
    shown = texts[:_SHOWN]
    if len(texts) > len(shown):
        shown.append(f"… {len(texts) - len(shown)} more")
    return Note(f"{len(texts)} notices", tuple(shown), mark="⚠ ")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
