"""One declaration for each command: its options, its help, its completion and what it runs."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn

from neurallog_kernel import NeuralLogError, did_you_mean


class Usage(NeuralLogError):
    """A command written the wrong way."""

    kind = "usage"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        flags = [flag for action in self._actions for flag in action.option_strings]
        known = f"known: {', '.join(flags)}" if flags else ""
        for word in re.findall(r"(?<= )--[\w-]+", message.partition("unrecognized")[2]):
            known = did_you_mean(word, flags) or known
        raise Usage(f"{self.prog}: {message}", hint=known)


@dataclass(frozen=True)
class Argument:
    """An option or a positional argument; `completes` names what Tab offers for its value."""

    flags: tuple[str, ...]
    options: dict[str, Any]
    completes: str = ""


def argument(*flags: str, completes: str = "", **options: Any) -> Argument:
    return Argument(flags, options, completes)


SESSION = argument("--session", metavar="NAME", help="the session to use", completes="session")
HELP = argument("-h", "--help", action="store_true", help="show this text")


@dataclass(frozen=True)
class Command:
    """A magic or one of its commands; with `rest` the line after the options is taken as it is."""

    name: str
    summary: str
    arguments: tuple[Argument, ...] = ()
    run: Callable[..., Any] | None = None
    rest: str = ""
    common: tuple[Argument, ...] = field(default=(SESSION, HELP))

    @cached_property
    def parser(self) -> argparse.ArgumentParser:
        parser = _Parser(self.name, description=self.summary, add_help=False, allow_abbrev=False)
        for one in (*self.arguments, *self.common):
            parser.add_argument(*one.flags, **one.options)
        return parser

    @property
    def help(self) -> str:
        text = self.parser.format_help().rstrip()
        return text.replace("\n\n", f" {self.rest}\n\n", 1) if self.rest else text

    @property
    def flags(self) -> list[str]:
        return [f for one in (*self.arguments, *self.common) for f in one.flags if f[0] == "-"]

    def parse(self, line: str) -> argparse.Namespace:
        """The options; `.rest` holds what follows them, where the command takes it."""
        rest = ""
        if self.rest:
            line, rest = self._split(line)
        try:
            words = shlex.split(line)
        except ValueError as error:
            raise Usage(f"{self.name}: {error}") from error
        if {"-h", "--help"} & set(words):
            return argparse.Namespace(help=True, rest=rest, session=None)
        known = self.parser.parse_args(words)
        known.rest = rest
        return known

    def _split(self, line: str) -> tuple[str, str]:
        """The options at the beginning, and the rest."""
        end = 0
        takes_value = {
            flag
            for one in (*self.arguments, *self.common)
            if one.options.get("action") != "store_true"
            for flag in one.flags
        }
        for found in re.finditer(r"\s*(--?[A-Za-z][\w-]*)(=\S+)?", line):
            if found.start() != end:
                break
            end = found.end()
            if found[1] in takes_value and not found[2]:
                value = re.compile(r"\s+\S+").match(line, end)
                end = value.end() if value else end
        return line[:end], line[end:].strip()


COMMANDS: dict[str, Command] = {}
PREDICATE = argument(
    "predicate",
    nargs="?",
    metavar="PREDICATE",
    help="p/2, or p for every arity",
    completes="predicate",
)
TO = argument(
    "--to",
    metavar="FILE",
    help="write the table to a file: .csv, .tsv, .parquet, .json or .jsonl",
    completes="path",
)


def command(name: str, summary: str, *arguments: Argument, rest: str = ""):
    """Declare a command of `%neurallog`."""

    def declare(run: Callable[..., Any]) -> Callable[..., Any]:
        COMMANDS[name] = Command(f"%neurallog {name}", summary, arguments, run, rest)
        return run

    return declare
