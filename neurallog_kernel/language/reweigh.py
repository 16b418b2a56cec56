"""Another weight for a clause of a text: the text stays as it is but for that number."""

from __future__ import annotations

import re

from neurallog_kernel.language.printer import format_number

_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\w+|:-|\S')
_WEIGHT = r"(?<![\w:.])(?:-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?\s*::\s*)?"


def reweighed(text: str, clause: str, weight: float) -> str | None:
    """The text in which a clause has another weight; None where it does not stand as it is, once.

    >>> reweighed("p(a). 0.5::p(b,c).  % p(b, c).", "p(b, c)", 2.0)
    'p(a). 2::p(b, c).  % p(b, c).'
    >>> reweighed("for i in a b do p({i}). done", "p(a)", 0.5) is None
    True
    """
    body = re.sub(r"^-?[\d.]+(?:[eE][-+]?\d+)?::", "", clause.strip()).removesuffix(".")
    tokens = r"\s*".join(map(re.escape, _TOKEN.findall(body)))
    found = [
        match
        for match in re.finditer(rf"{_WEIGHT}{tokens}\s*\.(?!\d)", text)
        if "%" not in text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
    ]
    if len(found) != 1:
        return None
    (match,) = found
    said = "" if weight == 1.0 else f"{format_number(weight)}::"
    return f"{text[: match.start()]}{said}{body}.{text[match.end() :]}"
