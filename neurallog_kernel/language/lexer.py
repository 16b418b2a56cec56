"""Text to tokens: the terminals of grammar.lark, each token with its span, and runs of facts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lark.lexer import Lexer, LexerState, Token

from neurallog_kernel.errors import Span
from neurallog_kernel.language.runs import Reading, read_run

_STATEMENT_ENDS = frozenset({"_STOP", "DO", "DONE"})


class Lexeme(Token):
    """A token that knows its span."""

    __slots__ = ("span",)
    span: Span

    def __new__(cls, kind: str, value: str, position: int, span: Span) -> Lexeme:
        made = str.__new__(cls, value)
        made.type, made.value, made.span = kind, value, span
        made.start_pos, made.end_pos = position, position + len(value)
        made.line, made.column = span.line, span.column
        made.end_line, made.end_column = span.end_line, span.end_column
        return made


@dataclass(slots=True)
class TextInput:
    """What one parse reads: a text, its name, and whether runs of facts are taken at once.

    The lexer leaves here what the report of a mistake needs: the tokens of the statement it is in,
    the last token and the one before it, and the `for` keywords of the loops that are open.
    """

    text: str
    source: str
    fast: bool = True
    statement: list[Lexeme] = field(default_factory=list)
    last: Lexeme | None = None
    previous: Lexeme | None = None
    loops: list[Lexeme] = field(default_factory=list)

    def note(self, token: Lexeme, starts: bool) -> None:
        if starts:
            self.statement.clear()
        self.statement.append(token)
        self.previous, self.last = self.last, token
        if token.type == "FOR":
            self.loops.append(token)
        elif token.type == "DONE" and self.loops:
            self.loops.pop()


@dataclass(slots=True)
class _Cursor:
    """A place in the text that moves forward."""

    source: str
    position: int = 0
    line: int = 1
    line_start: int = 0

    def column(self) -> int:
        return self.position - self.line_start + 1

    def pass_over(self, value: str) -> None:
        if "\n" in value:
            self.line += value.count("\n")
            self.line_start = self.position + value.rindex("\n") + 1
        self.position += len(value)

    def token(self, kind: str, value: str) -> Lexeme:
        position, line, column = self.position, self.line, self.column()
        self.pass_over(value)
        return Lexeme(
            kind, value, position, Span(self.source, line, column, self.line, self.column())
        )

    def run(self, reading: Reading, text: str) -> Lexeme:
        position, line, column = self.position, self.line, self.column()
        self.position, self.line = reading.end, reading.end_line
        self.line_start = text.rfind("\n", 0, reading.end) + 1
        span = Span(self.source, line, column, self.line, self.column())
        made = Lexeme("FACT_RUN", "", position, span)
        made.value = reading.run
        return made


class ProgramLexer(Lexer):
    """One regular expression over the terminals of the grammar, the higher priority first."""

    __future_interface__ = 2  # Lark then hands over its input as it is: a TextInput

    def __init__(self, conf: Any) -> None:
        terminals = sorted(conf.terminals, key=lambda one: -one.priority)
        groups = (f"(?P<{one.name}>{one.pattern.to_regexp()})" for one in terminals)
        self._match = re.compile("|".join(groups)).match
        self._ignored = frozenset(conf.ignore)

    def lex(self, lexer_state: LexerState, parser_state: Any) -> Iterator[Token]:
        given: Any = lexer_state.text
        return self.tokens(given)

    def tokens(self, given: TextInput) -> Iterator[Lexeme]:
        """The tokens of a text, one after the other, as the parser asks for them."""
        text, match = given.text, self._match
        cursor = _Cursor(given.source)
        starts, slow_until = True, 0
        while found := match(text, cursor.position):
            # Statements of a loop are copied and filled in one by one: no runs there.
            if starts and given.fast and not given.loops and cursor.position >= slow_until:
                reading = read_run(text, cursor.position, cursor.line, given.source)
                if reading is not None:
                    slow_until = reading.end if reading.run else reading.examined
                    if reading.run:
                        yield cursor.run(reading, text)
                        continue
            kind, value = found.lastgroup or "", found[0]
            if kind in self._ignored:
                cursor.pass_over(value)
                continue
            token = cursor.token(kind, value)
            given.note(token, starts)
            yield token
            starts = kind in _STATEMENT_ENDS
