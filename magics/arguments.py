"""How a line of a notebook is read: the magics and their commands, with help and completion."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from functools import cached_property

from neurallog_kernel.commands import SHARED, Argument, Command, CommandTable, argument
from neurallog_kernel.commands.parsing import make_parser, split_options, words_of

NOTEBOOK = CommandTable()
"""The commands that only a notebook has; one of a shared name replaces the shared one."""

SESSION = argument("--session", metavar="NAME", help="the session to use", completes="session")
HELP = argument("-h", "--help", action="store_true", help="show this text")
COMMON = (SESSION, HELP)


@dataclass(frozen=True)
class Magic:
    """A magic, or a command of `%neurallog`, as it is written in a cell."""

    name: str  # with its percent signs
    command: Command

    @property
    def summary(self) -> str:
        return self.command.summary

    @property
    def arguments(self) -> tuple[Argument, ...]:
        return (*self.command.arguments, *COMMON)

    @cached_property
    def parser(self) -> argparse.ArgumentParser:
        return make_parser(self.name, self.arguments, self.summary)

    @property
    def help(self) -> str:
        text = self.parser.format_help().rstrip()
        rest = self.command.rest
        return text.replace("\n\n", f" {rest}\n\n", 1) if rest else text

    @property
    def flags(self) -> list[str]:
        return [flag for one in self.arguments for flag in one.flags if one.is_option]

    def parse(self, line: str) -> argparse.Namespace:
        """The options; `.rest` holds what follows them, where the command takes it."""
        rest = ""
        if self.command.rest:
            line, rest = split_options(line, self.arguments)
        words = words_of(line, self.name)
        if {"-h", "--help"} & set(words):
            return argparse.Namespace(help=True, rest=rest, session=None)
        known = self.parser.parse_args(words)
        known.rest = rest
        return known


def line_magics() -> dict[str, Magic]:
    """Every command of `%neurallog` by its name."""
    commands = SHARED.commands | NOTEBOOK.commands
    return {name: Magic(f"%neurallog {name}", one) for name, one in commands.items()}
