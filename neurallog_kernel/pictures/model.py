"""A picture before it is laid out: marks, arrows between them, and what is said beside them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace

LABEL = 40  # characters of a label; the whole text is in the hover text
HOVER = 400
MAXIMUM_MARKS = 60


@dataclass(frozen=True, slots=True)
class Mark:
    """A node of a picture. `kind` decides its looks; `hover` is shown under the pointer; `links`
    names the parts of a sister picture that show the same thing."""

    id: str
    label: str
    kind: str
    hover: str = ""
    learned: bool = False
    links: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Arrow:
    """A connection from one mark to another."""

    id: str
    start: str
    end: str
    label: str
    kind: str = "literal"
    hover: str = ""
    learned: bool = False
    links: tuple[str, ...] = ()


@dataclass(frozen=True)
class Picture:
    """What is drawn. `direction` is Graphviz's: LR from left to right, TB downwards, BT upwards."""

    kind: str
    title: str
    marks: tuple[Mark, ...]
    arrows: tuple[Arrow, ...]
    notes: tuple[str, ...] = ()
    direction: str = "LR"
    text: str = ""  # the same as a plain-text tree
    left_out: str = ""  # a sentence, if something was cut
    roomy: bool = False  # leave room for numbers that are written in later

    def cut(self, limit: int = MAXIMUM_MARKS, noun: str = "nodes") -> Picture:
        """The picture with its first marks only, and a sentence that says so."""
        if len(self.marks) <= limit:
            return self
        kept = self.marks[:limit]
        ids = {mark.id for mark in kept}
        arrows = tuple(a for a in self.arrows if a.start in ids and a.end in ids)
        said = (
            f"showing {limit:,} of {len(self.marks):,} {noun} "
            f"and {len(arrows):,} of {len(self.arrows):,} connections"
        )
        return replace(self, marks=kept, arrows=arrows, left_out=said)


def shorten(text: str, limit: int = LABEL) -> str:
    """One line of at most `limit` characters, without anything that does not print.

    >>> shorten("a" * 50, 10), shorten("two\\nlines"), shorten("ok")
    ('aaaaaaaaa…', 'two lines', 'ok')
    """
    line = " ".join(printable(text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def printable(text: str) -> str:
    """The text without control characters and marks that turn the direction of writing."""
    if text.isprintable():
        return text
    return "".join(
        " " if character.isspace() else character
        for character in text
        if character.isspace() or unicodedata.category(character) not in _HIDDEN
    )


_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn"}


def lines(*parts: str | Iterable[str]) -> str:
    """Hover text of several lines; empty ones are left out, long ones cut."""
    flat = [p for part in parts for p in ([part] if isinstance(part, str) else part)]
    return "\n".join(shorten(p, HOVER) for p in flat if p)
