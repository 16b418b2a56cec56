"""The words of the language: keywords, the shapes of names and numbers, quotes and escapes."""

from __future__ import annotations

import math
import re

from neurallog_kernel.errors import ProgramSyntaxError, Span
from neurallog_kernel.language.syntax import (
    DIRECTIVES,
    Constant,
    Number,
    TemplateTerm,
    Term,
    Variable,
    format_number,
)

KEYWORDS = frozenset({"for", "in", "do", "done", "not"})

NUMBER = r"-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
NAME = r"[a-z][A-Za-z0-9_-]*"
_NUMBER = re.compile(NUMBER)
_NAME = re.compile(NAME)
_VARIABLE = re.compile(r"[A-Z_][A-Za-z0-9_-]*")
_PLACEHOLDER = re.compile(r"\{([A-Za-z0-9_-]+)\}")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|([\s\S]))")
_TURNING = frozenset(
    "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
"""Marks that turn the direction of writing, and ends of lines: a text would look like another."""
_DECODED = {"n": "\n", "t": "\t", "r": "\r"}
_ENCODED = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\", '"': '\\"'}


def is_name(text: str) -> bool:
    """Whether the text can stand unquoted as a predicate or a constant."""
    return _NAME.fullmatch(text) is not None and text not in KEYWORDS


def is_predicate(text: str) -> bool:
    """Whether the text can name a predicate with facts: a directive's name would make it one.

    >>> is_predicate("likes"), is_predicate("learn"), is_predicate("for")
    (True, False, False)
    """
    return is_name(text) and text not in DIRECTIVES


def is_variable(text: str) -> bool:
    return _VARIABLE.fullmatch(text) is not None


def is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None


def is_number_name(text: str) -> bool:
    """Whether a name is the shortest text of a number, as a number among three terms is.

    >>> is_number_name("2024"), is_number_name("02"), is_number_name("inf")
    (True, False, False)
    """
    return is_number(text) and format_number(float(text)) == text


def placeholders(text: str) -> tuple[str, ...]:
    """The names of the placeholders in a text, in order, repeated where they are.

    >>> placeholders("q_{i}_{t}")
    ('i', 't')
    """
    return tuple(_PLACEHOLDER.findall(text)) if "{" in text else ()


def fill(text: str, values: dict[str, str]) -> str:
    """The text with the placeholders that have a value replaced; the others stay."""
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), text)


def number_of(text: str, span: Span | None) -> Number:
    """The number; one too large for a float is refused."""
    value = float(text)
    if not math.isfinite(value):
        raise ProgramSyntaxError("this number is too large", span)
    return Number(value, span)


def term_of(text: str, span: Span | None) -> Term | None:
    """The term that an unquoted text stands for, or None where it stands for none."""
    if placeholders(text):
        return TemplateTerm(text, span)
    if is_number(text):
        return number_of(text, span)
    if _NAME.fullmatch(text):
        return Constant(text, span)
    return Variable(text, span) if is_variable(text) else None


def unquote(text: str) -> str:
    """The bare text of a quoted constant, its escapes decoded.

    An unknown escape stands for the character after the backslash.

    >>> unquote(r'"a \\"b\\""')
    'a "b"'
    """
    inner = text[1:-1]
    return _ESCAPE.sub(_decoded, inner) if "\\" in inner else inner


def _decoded(found: re.Match[str]) -> str:
    short, long, character = found.groups()
    code = short or long
    return chr(int(code, 16)) if code else _DECODED.get(character, character)


def quote(text: str) -> str:
    r"""The text in double quotes, with escapes where they are needed to read it back or to be seen.

    >>> print(quote("a\nb\u202ec"))
    "a\nb\u202ec"
    """
    return f'"{"".join(map(_encoded, text))}"'


def _encoded(character: str) -> str:
    code = ord(character)
    if character in _ENCODED:
        return _ENCODED[character]
    if character in _TURNING:
        return f"\\u{code:04x}"
    return f"\\x{code:02x}" if code < 32 or 127 <= code < 160 else character
