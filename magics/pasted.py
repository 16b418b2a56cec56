"""Command lines inside the text of a cell: which files they may write.

A text is pasted from anywhere, and its clauses can do nothing but be a program. Its command lines
write files, so in a text they write in the notebook's folder alone. A line in a cell of its own is
what the user wants to do, and so is `%config NeuralLog.write_anywhere = True`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from neurallog_kernel import NeuralLogError, Span
from neurallog_magics.arguments import Magic
from neurallog_magics.cell_text import CellText, fill_scalars

HINT = (
    "run this line in a cell of its own, or allow it with %config NeuralLog.write_anywhere = True"
)


def refuse_outside(
    cell: CellText, text: str, names: Mapping[str, object], magics: Mapping[str, Magic], source: str
) -> None:
    """Raise an error at the first line that would write outside the notebook's folder."""
    lines = text.split("\n")
    if sum(not line.isspace() for line in lines if line) == 1:
        return  # a cell of its own
    for number, command in cell.commands:
        for path in _written(command, names, magics):
            if not _is_inside(path):
                span = Span(source, number, 1, number, len(lines[number - 1]) + 1)
                message = f"a line inside a text would write outside the notebook's folder: {path}"
                raise NeuralLogError(message, span, HINT).with_text(text)


def _written(line: str, names: Mapping[str, object], magics: Mapping[str, Magic]) -> Iterator[str]:
    """The files that a command line names to be written; a line with a mistake writes nothing."""
    name, _, rest = line.strip().partition(" ")
    magic = magics.get(name)
    if magic is None:
        return
    try:
        options = vars(magic.parse(fill_scalars(rest, names)))
    except NeuralLogError:
        return
    for one in magic.arguments:
        if one.writes:
            path = options.get(one.flags[-1].lstrip("-").replace("-", "_"))
            if isinstance(path, str):
                yield path


def _is_inside(path: str) -> bool:
    try:
        return Path(path).resolve().is_relative_to(Path.cwd().resolve())
    except (OSError, ValueError, RuntimeError):  # no file can have this name
        return False
