"""A cell before the session reads it: Python values, assigned queries, command lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from neurallog_kernel import NeuralLogError, format_constant, format_number

# What is never looked into. An apostrophe in a comment opens nothing, so comments come first.
_SKIPPED = r"""%[^\n]*|\#[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'"""
_SCALAR = re.compile(rf"(?P<skip>{_SKIPPED})|\{{\{{(?P<code>.*?)\}}\}}", re.DOTALL)
_ASSIGNED = re.compile(
    rf"(?P<skip>{_SKIPPED})|(?P<assign>^[ \t]*(?P<name>[^\W\d]\w*)[ \t]*<<\s*)(?=\?-)",
    re.DOTALL | re.MULTILINE,
)
_COMMAND = re.compile(rf"^[ \t]*%neurallog(?:[ \t]+(?P<line>[^\n]*))?$|{_SKIPPED}", re.S | re.M)


@dataclass(frozen=True)
class CellText:
    """A cell ready for the session. Lines and columns are those of the cell."""

    program: str
    assigned: Mapping[tuple[int, int], str]  # where a query begins -> the variable it is for
    commands: tuple[tuple[int, str], ...]  # line and text of each `%neurallog` line


def read_cell(text: str, evaluate: Callable[[str], object]) -> CellText:
    """Fill in `{{x}}`, and note what the session does not read itself."""
    filled = fill_scalars(text, evaluate)
    assigned: dict[tuple[int, int], str] = {}

    def blank(found: re.Match[str]) -> str:
        if found["assign"] is None:
            return found[0]
        assigned[_place(filled, found.end())] = found["name"]
        return re.sub(r"[^\n]", " ", found[0])

    program = _ASSIGNED.sub(blank, filled)
    return CellText(program, assigned, tuple(_commands(text)))


def _commands(text: str) -> Iterator[tuple[int, str]]:
    for found in _COMMAND.finditer(text):
        if found[0].lstrip().startswith("%neurallog") and found["line"] is not None:
            yield _place(text, found.start("line"))[0], found["line"].strip()


def _place(text: str, offset: int) -> tuple[int, int]:
    """Line and column, counted from 1."""
    return text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1


def fill_scalars(text: str, evaluate: Callable[[str], object]) -> str:
    """The text with `{{expression}}` replaced by its value; not in comments, not in quotes.

    >>> fill_scalars("{{w}}::likes({{who}}, X).", {"w": 0.5, "who": "Ann B."}.__getitem__)
    '0.5::likes("Ann B.", X).'
    """
    if "{{" not in text:
        return text

    def value(found: re.Match[str]) -> str:
        if found["code"] is None:
            return found[0]
        code = found["code"].strip()
        try:
            return scalar(evaluate(code))
        except NeuralLogError:
            raise
        except Exception as error:
            raise NeuralLogError(
                f"{{{{{code}}}}} cannot be filled in: {type(error).__name__}: {error}",
                hint="it is a Python expression, evaluated in the notebook",
            ) from error

    return _SCALAR.sub(value, text)


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
