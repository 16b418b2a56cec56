"""Errors a user can act on: a message, the place, a hint, and a rendering with a caret.

Each kind is also the exception of Python that a caller would expect: a file that cannot be read is
an `OSError`, a wrong value a `ValueError`, an unknown name a `LookupError`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of program text; lines and columns count from 1, the end column is exclusive."""

    source: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}"

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of `other`."""
        return Span(self.source, self.line, self.column, other.end_line, other.end_column)


class NeuralLogError(Exception):
    """Something is wrong with the user's text or data.

    `kind` is a short stable name for the sort of mistake, `span` the place (or None), `hint` a
    suggestion (or an empty string), and `text` the source text the span points into, if known.
    """

    kind: ClassVar[str] = "error"

    def __init__(
        self, message: str, span: Span | None = None, hint: str = "", text: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.hint = hint
        self.text = text

    def with_text(self, text: str) -> NeuralLogError:
        """Attach the source text, so that the rendering can show the line; an earlier one stays."""
        if self.text is None:
            self.text = text
        return self

    def __str__(self) -> str:
        return render(self.message, self.span, self.hint, self.text)


class ProgramSyntaxError(NeuralLogError, ValueError):
    """The text is not NeuralLog."""

    kind = "syntax"


class NotGroundError(NeuralLogError, ValueError):
    """A fact holds a variable."""

    kind = "not_ground"


class ArityError(NeuralLogError, ValueError):
    """A fact has more arguments than can be stored, or a function more than it takes."""

    kind = "arity"


class TypeConflictError(NeuralLogError, TypeError):
    """A place holds a number here and an entity there."""

    kind = "type"


class AttributeJoinError(NeuralLogError, TypeError):
    """A numeric variable would join two owners, or a number and an entity."""

    kind = "attribute_join"


class NegationError(NeuralLogError, ValueError):
    """`not` before something that has no complement."""

    kind = "negation"


class TemplateError(NeuralLogError, ValueError):
    """A placeholder where none can be filled in."""

    kind = "template"


class DirectiveError(NeuralLogError, ValueError):
    """A directive with missing, surplus or wrong terms."""

    kind = "directive"


class ParameterError(NeuralLogError, ValueError):
    """A parameter set to a value it cannot have."""

    kind = "parameter"


class UnknownNameError(NeuralLogError, LookupError):
    """A parameter or function that does not exist."""

    kind = "unknown_name"


class UnknownPredicateError(NeuralLogError, LookupError):
    """A predicate that the program does not have."""

    kind = "unknown_predicate"


class UnknownEntityError(NeuralLogError, LookupError):
    """An entity that is not in the type of its place."""

    kind = "unknown_entity"


class QueryError(NeuralLogError, ValueError):
    """A question of a form that cannot be answered."""

    kind = "query"


class BoundError(NeuralLogError, ValueError):
    """Something legal that would take too long or too much memory: refused before it runs."""

    kind = "bound"


class LoadError(NeuralLogError, OSError):
    """A file that cannot be read."""

    kind = "load"


class TableError(LoadError):
    """A table that cannot be read; the message says which, and the row and column if it is one."""

    kind = "table"


class CheckpointError(LoadError):
    """A saved model that is damaged, foreign, or of another program."""

    kind = "checkpoint"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a user should know that stops nothing: what happened, where, and what to do."""

    kind: str
    message: str
    span: Span | None = field(default=None, compare=False)
    hint: str = ""

    def __str__(self) -> str:
        place = f"{self.span}: " if self.span else ""
        text = f"{place}{self.message}" + (f" ({self.hint})" if self.hint else "")
        return visible(text, lines=True)


def render(message: str, span: Span | None, hint: str = "", text: str | None = None) -> str:
    """The message with its place, the line, a caret under the span, and the hint.

    >>> print(render("unknown predicate parnet/2", Span("family", 1, 9, 1, 15),
    ...              "did you mean parent/2?", "h(X) :- parnet(X, Y)."))
    family:1:9: unknown predicate parnet/2
      1 | h(X) :- parnet(X, Y).
        |         ^^^^^^
        did you mean parent/2?
    """
    message, hint = visible(message), visible(hint, lines=True)
    lines = [f"{visible(str(span))}: {message}" if span else message]
    indent = "    "
    if span and text is not None:
        shown = _source_line(text, span.line)
        if shown is not None:
            label = str(span.line)
            gutter = " " * len(label)
            excerpt, column, width = _excerpt(shown, span)
            lines.append(f"  {label} | {excerpt}".rstrip())
            lines.append(f"  {gutter} | {' ' * column}{'^' * width}")
            indent = " " * (len(label) + 3)
    lines.extend(indent + part for part in hint.splitlines())
    return "\n".join(lines)


_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_LONG = re.compile(r"\S{201,}")


def visible(text: str, lines: bool = False) -> str:
    r"""A text that a terminal shows as it is: control characters and marks that turn the direction
    of writing are escaped, and what is longer than any word is cut; `lines` may stand.

    >>> print(visible("a\x1b[31mb\u202e"), visible("x" * 1000)[90:110])
    a\x1b[31mb\u202e xxxxxxxxxx...xxxxxxx
    """
    shown = _HIDDEN.sub(lambda found: _escaped(found[0], lines), text)
    return _LONG.sub(lambda found: f"{found[0][:100]}...{found[0][-60:]}", shown)


def _escaped(character: str, lines: bool) -> str:
    return character if lines and character == "\n" else ascii(character)[1:-1]


_SHOWN_WIDTH = 100  # a longer line is cut around the caret


def _source_line(text: str, number: int) -> str | None:
    lines = text.split("\n")
    return lines[number - 1].rstrip("\r") if 1 <= number <= len(lines) else None


def _excerpt(line: str, span: Span) -> tuple[str, int, int]:
    """The part of the line around the span, the caret's column in it, and the caret's width."""
    start = min(span.column - 1, len(line))
    end = span.end_column - 1 if span.end_line == span.line else len(line)
    width = max(1, min(end, len(line)) - start)
    clean = "".join(c if c.isprintable() else " " for c in line)  # a tab is one column, as in spans
    if len(clean) <= _SHOWN_WIDTH:
        return clean, start, width
    left = max(0, min(start - _SHOWN_WIDTH // 3, len(clean) - _SHOWN_WIDTH))
    cut = clean[left : left + _SHOWN_WIDTH]
    prefix = "..." if left else ""
    suffix = "..." if left + _SHOWN_WIDTH < len(clean) else ""
    return prefix + cut + suffix, start - left + len(prefix), min(width, _SHOWN_WIDTH)


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that looks most like `name`, or None; an arity only decides between equals.

    >>> nearest("parnet", ["parent", "person"])
    'parent'
    >>> nearest("parnet/2", ["parent/1", "parent/2", "part/2"])
    'parent/2'
    >>> nearest("adma", ["adamax", "adam"])
    'adam'
    >>> nearest("write/1", ["step/1"])
    """
    bare, arity = _without_arity(name)
    alike: dict[str, str] = {}
    for candidate in candidates:
        known, other = _without_arity(candidate)
        if known not in alike or other == arity:
            alike[known] = candidate
    found = difflib.get_close_matches(bare, alike, n=3, cutoff=0.6)
    exchanged = [one for one in found if sorted(one) == sorted(bare)]  # two letters, most often
    return alike[(exchanged or found)[0]] if found else None


def _without_arity(name: str) -> tuple[str, str]:
    bare, _, arity = name.rpartition("/")
    return (bare, arity) if bare and arity.isdecimal() else (name, "")


def nearest_predicate(name: str, known: Iterable[str]) -> str | None:
    """The predicate whose name looks most like that of `name`; both are written as p/2.

    >>> nearest_predicate("parnet/1", ["parent/2"]), nearest_predicate("different/2", ["parent/2"])
    ('parent/2', None)
    """
    named: dict[str, list[str]] = {}
    for one in known:
        named.setdefault(one.rpartition("/")[0], []).append(one)
    word, slash, arity = name.rpartition("/")
    found = nearest(word, named)
    same = [one for one in named.get(found or "", ()) if one.endswith(slash + arity)]
    return next(iter(same or named.get(found or "", ())), None)


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """A ready hint, or an empty string when nothing is near."""
    found = nearest(name, candidates)
    return f"did you mean {found}?" if found else ""
