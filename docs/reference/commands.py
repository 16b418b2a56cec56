"""The magics, the settings of the notebook and the command line, from their declarations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from docs.reference.markdown import block, code, sections, table
from neurallog_kernel.cli.declaration import COMMANDS as SHELL_COMMANDS
from neurallog_kernel.commands import Argument
from neurallog_magics.arguments import COMMON, Magic
from neurallog_magics.commands import COMMANDS
from neurallog_magics.config import NeuralLog
from neurallog_magics.magic import CELL, EXAMPLES


def cell_magics() -> str:
    """`%%neurallog` and `%%examples`."""
    return sections(_magic(one) for one in (CELL, EXAMPLES))


def line_commands() -> str:
    """Every `%neurallog` command."""
    return sections(_magic(one) for one in COMMANDS.values())


def _magic(magic: Magic) -> str:
    command = magic.command
    parts = [f"### `{magic.name}`", magic.summary]
    usage = " ".join(
        [magic.name, *(_usage(a.flags, a.options) for a in command.arguments), command.rest]
    )
    parts.append(block(usage.strip()))
    if command.arguments:
        rows = [_described(a) for a in command.arguments]
        parts.append(table(("argument", "what it does"), rows))
    return "\n\n".join(parts)


def _described(one: Argument) -> tuple[str, str]:
    return _names(one.flags, one.options), _help(one.options)


def _usage(flags: Iterable[str], options: dict[str, Any]) -> str:
    flags = tuple(flags)
    value = options.get("metavar") or "|".join(options.get("choices", ())) or ""
    if not flags[0].startswith("-"):
        name = value or flags[0].upper()
        return f"[{name}]" if options.get("nargs") == "?" else name
    if options.get("action") == "store_true":
        return f"[{flags[0]}]"
    return f"[{flags[0]} {value or flags[-1].lstrip('-').upper().replace('-', '_')}]"


def _names(flags: Iterable[str], options: dict[str, Any]) -> str:
    flags = tuple(flags)
    if flags[0].startswith("-"):
        return ", ".join(map(code, flags))
    return code(options.get("metavar") or flags[0].upper())


def _help(options: dict[str, Any]) -> str:
    said = str(options.get("help", ""))
    choices = options.get("choices")
    return said + (f" ({', '.join(map(code, choices))})" if choices else "")


def common_options() -> tuple[Argument, ...]:
    """What every magic takes."""
    return COMMON


def notebook_settings() -> str:
    """`%config NeuralLog`."""
    rows = []
    for name, trait in sorted(NeuralLog.class_traits(config=True).items()):
        default = trait.default_value
        shown = "" if default is None else code(repr(default))
        rows.append([code(name), shown, trait.help])
    return table(("setting", "default", "what it does"), rows) + "\n"


def command_line() -> str:
    """Every command of `neurallog`."""
    parts = []
    for name, command in SHELL_COMMANDS.items():
        rows = [_described(one) for one in command.arguments]
        parts += [
            f"### `neurallog {name}`",
            command.summary,
            table(("argument", "what it does"), rows),
            block(command.examples, "sh"),
        ]
    return sections(parts)
