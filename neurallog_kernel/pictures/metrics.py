"""How wide a text is: by the widths of one font, so the same on every machine."""

from __future__ import annotations

import unicodedata
from functools import cache
from pathlib import Path

FAMILY = "DejaVu Sans"
ROOM = 1.1  # a reader's font may be wider: Verdana's brackets and commas are, by a sixth
LINE = 1.25  # from one line to the next
WIDTHS = Path(__file__).with_name("widths.txt")
_UNITS = 2048  # of that font, to its size


def width(text: str, size: float) -> float:
    """The width of a text in this size, with room for a reader who has another font."""
    return ROOM * size * sum(map(_advance, text))


def wrap(text: str, size: float, limit: float) -> list[str]:
    """Lines of at most this width, broken between words, and not in brackets, where that can be.

    >>> wrap("the rule gives director 0.4028", 10, 110)
    ['the rule gives', 'director 0.4028']
    >>> wrap("aaaaaaaaaaaa", 10, 50)
    ['aaaaaaa', 'aaaaa']
    >>> wrap("p(X) :- q(X, Y), r(Y, Z).", 10, 110)
    ['p(X) :- q(X, Y),', 'r(Y, Z).']
    """
    lines: list[str] = []
    line = ""
    for word in _words(text, size, limit):
        longer = f"{line} {word}" if line else word
        if width(longer, size) <= limit:
            line = longer
            continue
        lines += [line] if line else []
        *full, line = _pieces(word, size, limit)
        lines += full
    return [*lines, line] if line else lines


def _words(text: str, size: float, limit: float) -> list[str]:
    """Words; an atom with its brackets is one, where it has room on a line."""
    words: list[str] = []
    for word in text.split():
        longer = f"{words[-1]} {word}" if words else word
        opened = bool(words) and words[-1].count("(") > words[-1].count(")")
        if opened and width(longer, size) <= limit:
            words[-1] = longer
        else:
            words.append(word)
    return words


def _pieces(word: str, size: float, limit: float) -> list[str]:
    pieces = [""]
    for character in word:
        if pieces[-1] and width(pieces[-1] + character, size) > limit:
            pieces.append("")
        pieces[-1] += character
    return pieces


@cache
def _advance(character: str) -> float:
    """How far a character moves the pen, as a share of the size."""
    found = _advances().get(ord(character))
    if found is None:  # another font's: a square, or an accent over the last one
        return 0.0 if unicodedata.combining(character) else 1.0
    return found


@cache
def _advances() -> dict[int, float]:
    """By the code of a character. A table, so that nobody needs the font to draw."""
    advances: dict[int, float] = {}
    for line in WIDTHS.read_text(encoding="ascii").splitlines():
        if line.startswith("#"):
            continue
        first, _, runs = line.partition(":")
        code = int(first, 16)
        for run in runs.split():
            times, _, units = run.rpartition("x")
            for _ in range(int(times or 1)):
                advances[code] = int(units) / _UNITS
                code += 1
    return advances
