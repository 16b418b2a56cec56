"""From the words after a command to its options; a mistake names the nearest flag."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterable
from typing import NoReturn

from neurallog_kernel.commands.declaration import Argument, Usage
from neurallog_kernel.commands.learning import TRAINING
from neurallog_kernel.errors import did_you_mean

_LISTED = 12  # more options than this are for --help
_USUAL = {"lr": "--learning-rate", "batch": "--batch-size", "set": "--examples"}
"""Names that options have elsewhere."""


class ArgumentParser(argparse.ArgumentParser):
    """Raises `Usage` where argparse would end the process."""

    def error(self, message: str) -> NoReturn:
        flags = [flag for action in self._actions for flag in action.option_strings]
        is_value = message.startswith("argument ") and "expected" not in message
        known = f"known: {', '.join(flags)}" if flags and not is_value else ""
        words = re.findall(r"(?<= )\S+", message.partition("unrecognized arguments:")[2])
        for word in words[:1]:
            known = self._meant(word, words[1:], flags) or known
        if "unrecognized" in message and message.endswith(")"):
            known = f"{self.prog} takes no question: explain, xray and live take one"
        raise Usage(f"{self.prog}: {message}", hint=known)

    def _meant(self, word: str, rest: list[str], flags: list[str]) -> str:
        """What to write for a word that the command does not take."""
        bare = word.partition("=")[0]
        usual = _USUAL.get(bare.lstrip("-"))
        if bare.startswith("--") and any(bare in one.flags for one in TRAINING):
            written = self._as_value(bare, word, rest)
            if written:
                return written
        if bare.startswith("--"):
            return f"did you mean {usual}?" if usual in flags else did_you_mean(bare, flags)
        if word.isdecimal() and not rest and "--epochs" in flags:
            return f"did you mean --epochs {word}?"
        return f"{self.prog} --help says what it takes" if len(flags) > _LISTED else ""

    def _as_value(self, flag: str, word: str, rest: list[str]) -> str:
        """How an option of train is written where settings of a training are NAME=VALUE."""
        for action in self._actions:
            if str(action.metavar).startswith("NAME=VALUE"):
                value = word.partition("=")[2] or next(iter(rest), "VALUE")
                pair = f"{flag[2:].replace('-', '_')}={value}"
                return f"write {' '.join([*action.option_strings[:1], pair])}"
        return ""


def make_parser(prog: str, arguments: Iterable[Argument], summary: str = "") -> ArgumentParser:
    """A parser of these arguments, without a help option of its own."""
    parser = ArgumentParser(prog, description=summary, add_help=False, allow_abbrev=False)
    for one in arguments:
        parser.add_argument(*one.flags, **one.options)
    return parser


def words_of(line: str, prog: str) -> list[str]:
    """The words of a line, with quotes as in a shell."""
    try:
        return shlex.split(line)
    except ValueError as error:
        raise Usage(f"{prog}: {error}") from error


def split_options(line: str, arguments: Iterable[Argument]) -> tuple[str, str]:
    """The options at the beginning of a line, and the rest of it as it is.

    >>> from neurallog_kernel.commands.declaration import argument
    >>> split_options("--top 3 p(a, 'b c')", [argument("--top")])
    ('--top 3', "p(a, 'b c')")
    >>> split_options("p(a, b) --top 3", [argument("--top")])
    (' --top 3', 'p(a, b)')
    """
    end = 0
    arguments = list(arguments)
    takes_value = {flag for one in arguments if one.takes_value for flag in one.flags}
    for found in re.finditer(r"\s*(--?[A-Za-z][\w-]*)(=\S+)?", line):
        if found.start() != end:
            break
        end = found.end()
        if found[1] in takes_value and not found[2]:
            value = re.compile(r"\s+\S+").match(line, end)
            end = value.end() if value else end
    options, rest = line[:end], line[end:]
    known = {flag for one in arguments for flag in one.flags if flag.startswith("--")}
    while found := _AFTER.search(rest):  # a question has no word that begins so
        value = found[2] is not None and found[1] in takes_value
        if found[1] not in known or (found[2] is not None and not value):
            break
        options, rest = f"{options}{rest[found.start() :]}", rest[: found.start()]
    return options, rest.strip()


_AFTER = re.compile(r"\s(--[A-Za-z][\w-]*)(?:[= ]+([^\s()]+))?\s*$")
