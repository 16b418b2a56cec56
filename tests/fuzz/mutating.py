"""Damage to texts: by token and by character, with splices, odd characters and deep nesting."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

_TOKEN = re.compile(r"\s+|[A-Za-z0-9_-]+|\"[^\"\n]*\"|'[^'\n]*'|::|:-|\?-|\.\.|/\*|\*/|[\s\S]")
_SYMBOLS = "()[]{}.,:;|=<>-_#%/*'\"\\ \n\t\r\0"
_ODD = "é\u2028\u00a0\u200b\u202e\ufeff\u0130\ud800\U0001f600\u0660\x1b\x7f"
_PIECES = [
    *_SYMBOLS,
    *_ODD,
    *("::", ":-", "?-", "..", "/*", "*/", "{i}", "{{", "}}", "{0..2}", ":=", "<-", "\\n", "\\x0"),
    *("for ", " in ", " do ", " done ", "not ", "X", "_", "Y", "1", ".5", "1e5", "1e", "a-b", "\\"),
    *(
        "learn",
        "learn_rule_weights",
        "example",
        "mega_example",
        "example_set",
        "set_parameter",
        "true",
        "false",
        "p",
        "q",
    ),
    *("p(a).", "q(X) :- p(X).", "p(X, Y)", "example(p, a).", "example_set(train).", "w(w1)"),
    *("tanh", "softmax", "sum", "count", "normalize", "inverse", "exponential", "recursion_depth"),
    *("at_least(A, 3)", "top_2", "logistic", "crf", "p(X, Y, Z)", "p(a, b, c).", "p(a, 1, b, c)"),
    *("mega_example(m, p, a).", "learn_rule_weights(p).", "0::example(p, a)."),
    *(
        "0",
        "-1",
        "1e308",
        "-1e308",
        "1e-320",
        "9" * 400,
        "1" + "0" * 20,
        "0x10",
        "nan",
        "inf",
        "-0",
    ),
    *("null", "true", "[]", "{}", '""', '","', "\r\n", ";", "=", "[a]", "1e999", "2147483648"),
]
_NESTS = [
    "(",
    "[",
    "{",
    "not ",
    "p(",
    "for i in a b do ",
    "/*",
    '"',
    "{i}",
    "-",
    "::",
    '{"a":',
    "[[",
]

Mutator = Callable[[random.Random, list[str], Sequence[str]], None]


def tokens(text: str) -> list[str]:
    """The text in pieces, which joined give it back.

    >>> tokens("p(a_1).")
    ['p', '(', 'a_1', ')', '.']
    """
    return _TOKEN.findall(text)


def mutated(chance: random.Random, text: str, corpus: Sequence[str]) -> list[str]:
    """The tokens of a text after some changes: half of the texts are changed in ways that most
    often leave them legal, so that more than the parser is tried."""
    parts = tokens(text)
    tame = chance.random() < 0.5
    for _ in range(chance.choice((1, 1, 2, 3, 6))):
        chance.choice(_TAME if tame else [*_TAME, *_WILD, *_WILD])(chance, parts, corpus)
        if sum(map(len, parts)) > 20_000:
            break
    return parts


def _span(chance: random.Random, parts: list[str], most: int = 12) -> tuple[int, int]:
    start = chance.randint(0, len(parts))
    return start, min(len(parts), start + chance.randint(0, most))


def _delete(chance: random.Random, parts: list[str], corpus: Sequence[str]) -> None:
    start, end = _span(chance, parts)
    del parts[start:end]


def _insert(chance: random.Random, parts: list[str], corpus: Sequence[str]) -> None:
    parts.insert(chance.randint(0, len(parts)), chance.choice(_PIECES))


def _replace(chance: random.Random, parts: list[str], corpus: Sequence[str]) -> None:
    if parts:
        parts[chance.randrange(len(parts))] = chance.choice(_PIECES)


def _borrow(chance: random.Random, parts: list[str], corpus: Sequence[str]) -> None:
    """One token for another of the same text: the most likely to stay legal."""
    if parts:
        parts[chance.randrange(len(parts))] = chance.choice(parts)


def _double(chance: random.Random, parts: list[str], corpus: Sequence[str]) -> None:
    start, end = _span(chance, parts)
    parts[start:start] = parts[start:end] * chance.choice((1, 1, 2, 30))


def _move(chance: random.Random, parts: list[str], corpus: Sequence[str]) -> None:
    start, end = _span(chance, parts)
    taken = parts[start:end]
    del parts[start:end]
    place = chance.randint(0, len(parts))
    parts[place:place] = taken


def _splice(chance: random.Random, parts: list[str], corpus: Sequence[str]) -> None:
    other = tokens(chance.choice(corpus))
    start, end = _span(chance, other, 40)
    place = chance.randint(0, len(parts))
    parts[place:place] = other[start:end]


def _cut(chance: random.Random, parts: list[str], corpus: Sequence[str]) -> None:
    del parts[chance.randint(0, len(parts)) :]


def _nest(chance: random.Random, parts: list[str], corpus: Sequence[str]) -> None:
    times = chance.choice((2, 5, 40, 1000))
    parts.insert(chance.randint(0, len(parts)), chance.choice(_NESTS) * times)


def _character(chance: random.Random, parts: list[str], corpus: Sequence[str]) -> None:
    """One character changed, whatever it belongs to."""
    if not parts:
        return
    place = chance.randrange(len(parts))
    word = parts[place]
    at = chance.randrange(len(word)) if word else 0
    new = chance.choice(
        (chr(chance.randrange(0x180)), chance.choice(_ODD), "", word[at : at + 1] * 2)
    )
    parts[place] = word[:at] + new + word[at + 1 :]


def _alike(chance: random.Random, parts: list[str], corpus: Sequence[str]) -> None:
    """A name for a name, a variable for a variable: most often the text stays legal."""
    if not parts:
        return
    place = chance.randrange(len(parts))
    kind = _kind(parts[place])
    others = parts if chance.random() < 0.7 else tokens(chance.choice(corpus))
    parts[place] = chance.choice([part for part in others if _kind(part) == kind] or [parts[place]])


def _kind(token: str) -> str:
    first = token[:1]
    if first.isdigit():
        return "number"
    if first.isalpha() or first == "_":
        return "variable" if first.isupper() or first == "_" else "name"
    return first


def _clauses(parts: list[str]) -> list[tuple[int, int]]:
    """Where the clauses of a text, or its lines, begin and end."""
    ends = [place + 1 for place, part in enumerate(parts) if part == "." or "\n" in part]
    return list(zip([0, *ends], [*ends, len(parts)], strict=True))


def _take_clause(chance: random.Random, parts: list[str], corpus: Sequence[str]) -> None:
    other = tokens(chance.choice(corpus))
    start, end = chance.choice(_clauses(other))
    place, _ = chance.choice(_clauses(parts))
    parts[place:place] = [*other[start:end], "\n"]


def _drop_clause(chance: random.Random, parts: list[str], corpus: Sequence[str]) -> None:
    start, end = chance.choice(_clauses(parts))
    del parts[start:end]


_WILD: list[Mutator] = [
    *(_delete, _insert, _replace, _borrow, _double, _move, _splice, _cut, _nest, _character),
]
_TAME: list[Mutator] = [*(_alike,) * 4, _take_clause, _take_clause, _drop_clause, _borrow]
