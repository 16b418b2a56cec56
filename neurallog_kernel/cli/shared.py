"""A shared command on the shell: files into a session, the command on it, its result as text."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from neurallog_kernel import Answers, Profile, Session
from neurallog_kernel.answers import SHOWN_ROWS
from neurallog_kernel.cli.files import MODEL, SETS, load_examples, open_files
from neurallog_kernel.cli.progress import TableLine
from neurallog_kernel.commands import Command, Table
from neurallog_kernel.errors import NeuralLogError


@dataclass(frozen=True)
class ShellContext:
    """A session made of the files on the command line."""

    session: Session
    rows: int
    name: str = ""

    def relabel(self, text: str) -> str:
        return text

    def show(self, result: Any) -> None:
        if result is not None:
            print(rendered(result, self.rows))

    @contextmanager
    def progress(self) -> Iterator[Callable[[Any], None]]:
        line = TableLine()
        try:
            yield line
        finally:
            line.clear()


def run_on_files(command: Command, options: Namespace) -> None:
    """Load what the options name, run the command, print its result."""
    session = Session()
    if command.rest and not _names_files(options) and _is_file(options.rest):
        asked = command.rest.replace("\n", " ")
        hint = f'write it after the file, as in neurallog {command.name} {options.rest} "{asked}"'
        raise NeuralLogError(f"{command.name} needs more than the file {options.rest}", hint=hint)
    if not (command.name == "functions" and not _names_files(options)):
        session, _ = open_files(options, options.files)
    for name in SETS:
        load_examples(session, getattr(options, name), name)
    everything = options.all or getattr(options, "top", None) is not None
    context = ShellContext(session, sys.maxsize if everything else SHOWN_ROWS)
    context.show(command(context, options))


def _is_file(text: str) -> bool:
    """Whether what should be a question is the name of a file."""
    name = text.strip()
    return name.endswith((".pl", MODEL)) or (
        bool(name) and "(" not in name and Path(name).is_file()
    )


def _names_files(options: Namespace) -> bool:
    return bool(options.files or options.input or options.map)


def rendered(result: Any, rows: int) -> str:
    """The text of a result, with so many of its rows."""
    if isinstance(result, (Answers, Profile)):
        return result.to_text(rows)
    if isinstance(result, Table):
        return str(replace(result, limit=rows))
    return str(result)
