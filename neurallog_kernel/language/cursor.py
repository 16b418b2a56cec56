"""Where a cursor stands in a text that is being written: read by the language's own lexer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from neurallog_kernel.language.lexer import Lexeme
from neurallog_kernel.language.parser import tokens

_NAMES = ("NAME", "TEMPLATE", "VARIABLE")


@dataclass(frozen=True)
class Cursor:
    """The atom whose bracket is open at the cursor and the place in it; whether the cursor is in
    a body, and the variables of the clause so far."""

    predicate: str | None = None
    place: int = 0
    in_body: bool = False
    variables: tuple[str, ...] = ()


def cursor_after(text: str) -> Cursor:
    """Where a cursor at the end of the text stands.

    >>> cursor_after('h(X) :- likes("a, b. c", ')
    Cursor(predicate='likes', place=1, in_body=True, variables=('X',))
    """
    clause = _last_clause(text)
    opened: list[tuple[str | None, int]] = []
    for before, token in zip([None, *clause], clause, strict=False):
        if token.type == "_LPAR":
            named = before is not None and before.type in _NAMES
            opened.append((str(before) if named else None, 0))
        elif token.type == "RPAR" and opened:
            opened.pop()
        elif token.type == "_COMMA" and opened:
            opened[-1] = (opened[-1][0], opened[-1][1] + 1)
    predicate, place = opened[-1] if opened else (None, 0)
    variables = dict.fromkeys(str(t) for t in clause if t.type == "VARIABLE")
    return Cursor(predicate, place, any(t.type == "IF" for t in clause), tuple(variables))


def _last_clause(text: str) -> list[Lexeme]:
    clause: list[Lexeme] = []
    for token in _written(text):
        if token.type in ("_STOP", "DO", "DONE"):
            clause = []
        else:
            clause.append(token)
    return clause


def _written(text: str) -> Iterator[Lexeme]:
    """The tokens up to a quote or a comment that is still open."""
    for token in tokens(text):
        if token.type in ("OPEN_QUOTE", "OPEN_COMMENT"):
            return
        yield token
