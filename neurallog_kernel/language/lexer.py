"""Text to tokens: the terminals of grammar.lark, each token with its span."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lark.lexer import Lexer, LexerState, Token

from neurallog_kernel.errors import Span


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
    """What one parse reads. `statement_start` follows the lexer, for the report of an error."""

    text: str
    source: str
    fast: bool
    statement_start: int = 0


class NeuralLogLexer(Lexer):
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
        text, source = given.text, given.source
        position, line, line_start = 0, 1, 0
        while found := self._match(text, position):
            kind, value, after = found.lastgroup or "", found[0], found.end()
            end_line, end_start = line, line_start
            if "\n" in value:
                end_line += value.count("\n")
                end_start = position + value.rindex("\n") + 1
            if kind not in self._ignored:
                start, end = position - line_start + 1, after - end_start + 1
                yield Lexeme(kind, value, position, Span(source, line, start, end_line, end))
            position, line, line_start = after, end_line, end_start
