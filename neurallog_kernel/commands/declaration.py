"""What a command is: its name, its options, its help and what it runs, declared once."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from neurallog_kernel.commands.context import Context
from neurallog_kernel.errors import NeuralLogError

CommandRun: TypeAlias = Callable[..., Any]
"""Takes a `Context` and the parsed options, gives back a result to be shown."""


class Usage(NeuralLogError):
    """A command written the wrong way."""

    kind = "usage"


@dataclass(frozen=True)
class Argument:
    """An option or a positional argument, as `ArgumentParser.add_argument` takes it; `completes`
    names what Tab offers for its value, or `offers` lists it; `writes` says that it is a file which
    the command writes.
    """

    flags: tuple[str, ...]
    options: dict[str, Any]
    completes: str = ""
    writes: bool = False
    offers: tuple[str, ...] = ()

    @property
    def is_option(self) -> bool:
        return self.flags[0].startswith("-")

    @property
    def takes_value(self) -> bool:
        return self.options.get("action") != "store_true"

    @property
    def takes_many(self) -> bool:
        return self.options.get("nargs") in ("*", "+")

    @property
    def name(self) -> str:
        """What its value is called among the parsed options."""
        return self.options.get("dest") or self.flags[0].lstrip("-").replace("-", "_")


def at_least(least: int) -> Callable[[str], int]:
    """The type of an argument that is a whole number, and not too small."""

    def whole(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise ArgumentTypeError(f"{text} is not a whole number") from None
        if number < least:
            raise ArgumentTypeError(f"{number} is less than {least}")
        return number

    return whole


def number(text: str) -> float:
    """The type of an argument that is any number."""
    try:
        return float(text)
    except ValueError:
        share = text.removesuffix("%")
        meant = f": write {float(share) / 100:g}" if share != text and _is_number(share) else ""
        raise ArgumentTypeError(f"{text} is not a number{meant}") from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def argument(
    *flags: str,
    completes: str = "",
    writes: bool = False,
    offers: tuple[str, ...] = (),
    **options: Any,
) -> Argument:
    return Argument(flags, options, completes, writes, offers)


@dataclass(frozen=True)
class Command:
    """One command. `rest` is an example of the text that follows the options, where the command
    takes the rest of the line as it is; `examples` are for the help of the shell."""

    name: str
    summary: str
    arguments: tuple[Argument, ...] = ()
    run: CommandRun | None = None
    rest: str = ""
    examples: str = ""

    def __call__(self, context: Context, options: Any) -> Any:
        assert self.run is not None
        return self.run(context, options)


@dataclass
class CommandTable:
    """Commands by name, in the order of their declaration.

    >>> table = CommandTable()
    >>> @table.command("hello", "Greet.", argument("--name", help="who is greeted"))
    ... def hello(context, options):
    ...     return "hello"
    >>> table.commands["hello"].summary
    'Greet.'
    """

    commands: dict[str, Command] = field(default_factory=dict)

    def command(
        self, name: str, summary: str, *arguments: Argument, rest: str = "", examples: str = ""
    ) -> Callable[[CommandRun], CommandRun]:
        """Declare the function below as a command."""

        def declare(run: CommandRun) -> CommandRun:
            self.commands[name] = Command(name, summary, arguments, run, rest, examples)
            return run

        return declare
