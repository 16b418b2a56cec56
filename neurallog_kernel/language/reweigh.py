"""Another weight for a clause of a text: the text stays as it is but for that number."""

from __future__ import annotations

import re

from neurallog_kernel.language.printer import format_number

_QUOTED = r""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'"""
_TOKEN = re.compile(rf"{_QUOTED}|\w+|:-|\S", re.DOTALL)
_NUMBER = r"-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?"
_WEIGHT = re.compile(rf"{_NUMBER}\s*::\s*")
_APART = re.compile(rf"({_QUOTED})|[%#][^\n]*|/\*.*?\*/", re.DOTALL)  # quotes, and comments
_END = re.compile(r"(?:\.|\b(?:do|done)|^)$")  # of what can stand before a clause


def without_weight(clause: str) -> str:
    """A clause as it is named: no weight, no full stop.

    >>> without_weight("0.5::p(a, b).")
    'p(a, b)'
    """
    bare = clause.strip()
    weight = _WEIGHT.match(bare)
    return bare[weight.end() if weight else 0 :].removesuffix(".").rstrip()


def reweighed(text: str, clause: str, weight: float, line: int | None = None) -> str | None:
    """The text in which a clause has another weight; None where it does not stand as it is, once,
    and on the line if one is given.

    >>> reweighed("p(a). 0.5::p(b,c).  % p(b, c).", "p(b, c)", 2.0)
    'p(a). 2::p(b,c).  % p(b, c).'
    >>> reweighed("h(X) :- q(X), w(one).", "w(one)", 0.5) is None
    True
    >>> reweighed("for i in a b do p({i}). done", "p(a)", 0.5) is None
    True
    """
    tokens = r"\s*".join(map(re.escape, _TOKEN.findall(without_weight(clause))))
    pattern = rf"(?<![\w:])(?:{_NUMBER}\s*::(?P<gap>\s*))?(?P<rest>{tokens}\s*\.(?!\d))"
    code, quotes = _code_of(text)
    found = [
        match
        for match in re.finditer(pattern, code)
        if _END.search(code[: match.start()].rstrip()[-5:])
        and not any(start < match.start() < end for start, end in quotes)
    ]
    if len(found) != 1:
        return None
    (match,) = found
    first, last = (code.count("\n", 0, place) + 1 for place in match.span())
    if line is not None and not first <= line <= last:
        return None
    said = "" if weight == 1.0 else f"{format_number(weight)}::"
    said += "\n" * (match["gap"] or "").count("\n")  # what stands below stays on its line
    return f"{text[: match.start()]}{said}{text[match.start('rest') :]}"


def _code_of(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text with blanks for its comments, and where its quotes are."""
    quotes: list[tuple[int, int]] = []

    def kept(found: re.Match[str]) -> str:
        if found[1] is None:
            return re.sub(r"[^\n]", " ", found[0])
        quotes.append(found.span())
        return found[0]

    return _APART.sub(kept, text), quotes
