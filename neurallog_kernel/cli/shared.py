"""A shared command on the shell: files into a session, the command on it, its result as text."""

from __future__ import annotations

import sys
from argparse import Namespace
from dataclasses import dataclass, replace
from typing import Any

from neurallog_kernel import Answers, Profile, Session
from neurallog_kernel.answers import SHOWN_ROWS
from neurallog_kernel.cli.files import SETS, load_examples, open_files
from neurallog_kernel.commands import Command, Table


@dataclass(frozen=True)
class ShellContext:
    """A session made of the files on the command line."""

    session: Session
    rows: int
    name: str = ""

    def relabel(self, text: str) -> str:
        return text

    def show(self, result: Any) -> None:
        print(rendered(result, self.rows))


def run_on_files(command: Command, options: Namespace) -> None:
    """Load what the options name, run the command, print its result."""
    session = Session()
    if not (command.name == "functions" and not _names_files(options)):
        session, _ = open_files(options, options.files)
    for name in SETS:
        load_examples(session, getattr(options, name), name)
    everything = options.all or getattr(options, "top", None) is not None
    context = ShellContext(session, sys.maxsize if everything else SHOWN_ROWS)
    context.show(command(context, options))


def _names_files(options: Namespace) -> bool:
    return bool(options.files or options.input or options.map)


def rendered(result: Any, rows: int) -> str:
    """The text of a result, with so many of its rows."""
    if isinstance(result, (Answers, Profile)):
        return result.to_text(rows)
    if isinstance(result, Table):
        return str(replace(result, limit=rows))
    return str(result)
