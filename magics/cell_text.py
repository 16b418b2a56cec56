"""A cell before the session reads it: Python values, assigned queries, command lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from neurallog_kernel import NeuralLogError, Span, did_you_mean, format_constant, format_number

# What is never looked into. An apostrophe in a comment opens nothing, so comments come first.
_SKIPPED = r"""%[^\n]*|\#[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'"""
_SCALAR = re.compile(rf"(?P<skip>{_SKIPPED})|\{{\{{(?P<name>.*?)\}}\}}", re.DOTALL)
_ASSIGNED = re.compile(
    rf"(?P<skip>{_SKIPPED})|(?P<assign>^[ \t]*(?P<name>[^\W\d]\w*)[ \t]*<<\s*)(?=\?-)",
    re.DOTALL | re.MULTILINE,
)
_COMMAND = re.compile(rf"^[ \t]*%neurallog(?:[ \t]+(?P<line>[^\n]*))?$|{_SKIPPED}", re.S | re.M)

_COMMENT = re.compile(rf"^[ \t]*%(?P<word>[a-z]\w*)(?:[ \t][^\n]*)?$|{_SKIPPED}", re.S | re.M)


@dataclass(frozen=True)
class CellText:
    """A cell ready for the session. Lines and columns are those of the cell."""

    program: str
    assigned: Mapping[tuple[int, int], str]  # where a query begins -> the variable it is for
    commands: tuple[tuple[int, str], ...]  # line and text of each `%neurallog` line
    unread: tuple[tuple[int, str], ...] = ()  # the same of comments that are like one


def read_cell(
    text: str, names: Mapping[str, object], source: str, commands: Iterable[str] = ()
) -> CellText:
    """Fill in `{{x}}`, and note what the session does not read itself."""
    filled = fill_scalars(text, names, source)
    assigned: dict[tuple[int, int], str] = {}

    def blank(found: re.Match[str]) -> str:
        if found["assign"] is None:
            return found[0]
        assigned[_place(filled, found.end())] = found["name"]
        return re.sub(r"[^\n]", " ", found[0])

    program = _ASSIGNED.sub(blank, filled)
    unread = tuple(unread_commands(text, commands))
    return CellText(program, assigned, tuple(_commands(text)), unread)


def _commands(text: str) -> Iterator[tuple[int, str]]:
    for found in _COMMAND.finditer(text):
        if found[0].lstrip().startswith("%neurallog") and found["line"] is not None:
            yield _place(text, found.start("line"))[0], found["line"].strip()


def unread_commands(text: str, names: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Line and text of comments that are like a command: `%show p/2`."""
    for found in _COMMENT.finditer(text):
        if found["word"] is not None and found["word"] in names:
            yield _place(text, found.start())[0], found[0].strip().removeprefix("%")


def _place(text: str, offset: int) -> tuple[int, int]:
    """Line and column, counted from 1."""
    return text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1


def fill_scalars(text: str, names: Mapping[str, object], source: str = "query") -> str:
    """The text with `{{name}}` replaced by its Python value; not in comments, not in quotes.

    A name and nothing else: a program that somebody else wrote must not be able to run Python.

    >>> fill_scalars("{{w}}::likes({{who}}, X).", {"w": 0.5, "who": "Ann B."})
    '0.5::likes("Ann B.", X).'
    """
    if "{{" not in text:
        return text

    def value(found: re.Match[str]) -> str:
        if found["name"] is None:
            return found[0]
        try:
            return scalar(_named(found["name"].strip(), names))
        except NeuralLogError as error:
            start, end = (_place(text, place) for place in found.span())
            error.span = Span(source, *start, *end)
            raise error.with_text(text) from None

    return _SCALAR.sub(value, text)


def _named(name: str, names: Mapping[str, object]) -> object:
    if not name.isidentifier():
        raise NeuralLogError(
            f"{{{{{name}}}}} is not the name of a Python variable",
            hint=f"give the value a name in Python first: x = {name}, then {{{{x}}}}",
        )
    if name not in names:
        near = did_you_mean(name, (n for n in names if not n.startswith("_")))
        raise NeuralLogError(f"{{{{{name}}}}}: there is no Python variable {name}", hint=near)
    return names[name]


def scalar(value: object) -> str:
    """A Python value as a term.

    >>> scalar(3), scalar(0.25), scalar("ann"), scalar("Ann")
    ('3', '0.25', 'ann', '"Ann"')
    """
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()  # type: ignore[union-attr]  # a NumPy scalar
    if isinstance(value, bool):
        return f'"{value}"'
    if isinstance(value, int | float):
        return format_number(float(value))
    if isinstance(value, str):
        return format_constant(value)
    raise NeuralLogError(
        f"{{{{...}}}} takes a number or a text, not a {type(value).__name__}",
        hint="a table comes in with -i, as in: %%neurallog -i friends=df",
    )
