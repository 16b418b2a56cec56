"""The commands of the shell: the shared ones on files, and those that only a shell has."""

from __future__ import annotations

import argparse
import re
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from dataclasses import replace
from pathlib import Path
from typing import Any

from neurallog_kernel import __version__
from neurallog_kernel.commands import (
    CHECKPOINT,
    DEVICE,
    SHARED,
    TRAINING,
    Argument,
    Command,
    argument,
    at_least,
)
from neurallog_kernel.pictures.show import KINDS

_FILES = argument(
    "files",
    nargs="*",
    metavar="FILE",
    help="program text, a saved model (.nlz), or a table that names its predicates (.nt, .cfacts)",
)
_TABLES = (
    argument(
        "--input",
        "-i",
        action="append",
        default=[],
        metavar="NAME=TABLE",
        help="facts from a table (CSV, TSV, JSON lines, Parquet, ...) or a query (SELECT ...); "
        'NAME is a predicate or a pattern, as in "likes(who, what)"',
    ),
    argument(
        "--map",
        metavar="FILE",
        help="how tables are read: the section NAME of this TOML file; sections that name a file "
        "are loaded without -i",
    ),
    argument("--weight", metavar="COLUMN", help="the weights of the tables' rows"),
    argument("--database", metavar="URL", help="where queries go, as in sqlite:///people.db"),
    argument(
        "--connect",
        metavar="ADDRESS",
        help="the database of --attach: duckdb:FILE, duckdb: for tables in files, or Spark",
    ),
    argument(
        "--attach",
        action="append",
        default=[],
        metavar="PATTERN=TABLE",
        help="facts that stay in a table, as in 'rated(user, item)=ratings'",
    ),
    argument(
        "--duplicates",
        choices=("unique", "sum", "max"),
        help="what two rows of an attached table with the same arguments mean",
    ),
    argument("--database-memory", metavar="SIZE", help="what it may take, as in 2GB"),
)


def _examples(*flags: str, help: str) -> Argument:
    return argument(*flags, nargs="+", default=[], metavar="FILE", help=help)


_SETS = (
    _examples("--train", "-t", help="examples to learn from"),
    _examples("--validation", "-valid", help="examples to look at after each epoch"),
    _examples("--test", "-test", help="examples to evaluate on"),
)
_ALL = argument("--all", action="store_true", help="show all rows (otherwise 20)")
_SHORT = {"predicate": ("--predicate", "-p")}

_OWN = (
    Command(
        "run",
        "Add program files and answer the questions (?- ...) in them.",
        (
            _FILES,
            *_TABLES,
            argument("--strict", action="store_true", help="an unknown predicate is an error"),
        ),
        examples="neurallog run family.pl\nneurallog run facts.pl rules.pl questions.pl\n"
        'neurallog run rules.pl -i "friends(person, other)=people.csv"',
    ),
    Command(
        "train",
        "Learn weights from examples; write the model, the program and the answers.",
        (
            _FILES,
            argument(
                "--program", "-p", nargs="+", default=[], metavar="FILE", help="more such files"
            ),
            *_TABLES,
            *_SETS,
            argument(
                "--loadModel", "-l", metavar="FILE", help="start from a saved model's weights"
            ),
            argument("--outputPath", "-o", metavar="FOLDER", help="where the files named below go"),
            argument("--lastModel", "-lm", metavar="FILE", help="save the trained model (.nlz)"),
            argument("--lastProgram", "-lp", metavar="FILE", help="write the trained program"),
            argument(
                "--lastInference",
                "-li",
                metavar="PREFIX",
                help="write the weights of each set's examples to PREFIX<set>_set.pl",
            ),
            argument("--logFile", "-log", metavar="FILE", help="write what happened to a file"),
            argument("--tensorBoard", "-tb", metavar="FOLDER", help="write TensorBoard events"),
            argument("--verbose", "-v", action="store_true", help="say more: notices, each epoch"),
            *TRAINING,
            DEVICE,
            *CHECKPOINT,
        ),
        examples="neurallog train theory.pl facts.pl -t train.pl -test test.pl --epochs 10\n"
        "neurallog train -p program.pl -t train.pl -o out -lm model.nlz -lp program.pl -li last_",
    ),
    Command(
        "draw",
        "Write a picture of a rule, a predicate's network or the types.",
        (
            _FILES,
            *_TABLES,
            argument(
                "--target",
                metavar="P/N",
                help="the predicate, as in grandparent/2",
                completes="predicate",
            ),
            argument("--kind", choices=KINDS, help="which picture"),
            argument(
                "--output",
                "-o",
                default="picture.svg",
                metavar="FILE",
                help="svg, png, pdf, dot, txt",
            ),
        ),
        examples="neurallog draw family.pl grandparent/2 -o grandparent.svg",
    ),
    Command(
        "worker",
        "Wait for trainings of other processes and take a share of their examples. Both sides "
        "prove that they have the same secret, the environment variable NEURALLOG_SECRET; only at "
        "127.0.0.1 a worker may have none.",
        (
            argument("address", metavar="HOST:PORT", help="where to listen; port 0: a free one"),
            argument("--once", action="store_true", help="end after one training"),
        ),
        examples="neurallog worker 127.0.0.1:7700\n"
        "neurallog train -p theory.pl -t train.pl --workers 127.0.0.1:7700",
    ),
    Command(
        "lab",
        "Start JupyterLab.",
        (
            argument(
                "folder",
                nargs="?",
                metavar="FOLDER",
                help="default: tutorials, or else the current folder",
            ),
            argument("--port", type=at_least(0), default=8888, help="default: 8888"),
            argument("--no-browser", action="store_true", help="only print the address"),
        ),
        examples="neurallog lab\nneurallog lab notebooks --port 9000",
    ),
)


def _on_files(command: Command) -> Command:
    """A shared command as the shell has it: files before its arguments, which are then options
    where they may be left out, and the question as the last word."""
    arguments = [_FILES, *_TABLES, *_SETS]
    arguments += [_as_option(one) for one in command.arguments]
    if command.rest:
        arguments.append(argument("rest", metavar="QUESTION", help=f'as in "{command.rest}"'))
    return replace(command, arguments=(*arguments, _ALL))


def _as_option(one: Argument) -> Argument:
    if one.is_option or one.options.get("nargs") not in ("?", "*"):
        return one
    name = one.flags[0]
    options = {key: value for key, value in one.options.items() if key != "nargs"}
    if one.options["nargs"] == "*":
        options |= {"nargs": "+", "default": []}
    return replace(one, flags=_SHORT.get(name, (f"--{name}",)), options=options)


_EVERY = {one.name: one for one in _OWN} | {
    name.replace("_", "-"): _on_files(one) for name, one in SHARED.commands.items()
}
_FIRST = ("run", "query", "train", "evaluate", "export", "profile", "draw", "lab")
COMMANDS: dict[str, Command] = {
    name: _EVERY[name] for name in (*_FIRST, *(n for n in _EVERY if n not in _FIRST))
}
"""By name; the ones used most come first."""


def sort_words(command: Command, options: argparse.Namespace) -> None:
    """Words such as `likes/2` among the files are predicates, where the command takes some."""
    taker = next((one for one in command.arguments if one.completes == "predicate"), None)
    if taker is None or not hasattr(options, "files"):
        return
    words = [word for word in options.files if _is_predicate(word)]
    if not taker.takes_many:
        words = [] if getattr(options, taker.name) else words[:1]
    if words:
        options.files = [word for word in options.files if word not in words]
        found = [*getattr(options, taker.name), *words] if taker.takes_many else words[0]
        setattr(options, taker.name, found)


def _is_predicate(word: str) -> bool:
    return bool(re.fullmatch(r"[a-z]\w*/\d+", word)) and not Path(word).exists()


class _Mixed(ArgumentParser):
    """Takes arguments before, between and after options: `query a.pl --map m.toml "p(X)"`."""

    _mixing = False

    def parse_known_args(  # type: ignore[override]
        self, args: Any = None, namespace: Any = None
    ) -> Any:
        if self._mixing:
            return super().parse_known_args(args, namespace)
        self._mixing = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._mixing = False


def make_parser() -> ArgumentParser:
    """The parser of all commands."""
    parser = ArgumentParser(
        prog="neurallog",
        description="NeuralLog: logic programs that learn.",
        epilog="examples:\n" + "\n".join(_indented(c.examples) for c in COMMANDS.values()),
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"neurallog {__version__}")
    table = parser.add_subparsers(
        dest="command", required=True, metavar="COMMAND", parser_class=_Mixed
    )
    for name, command in COMMANDS.items():
        _add(table, name, command)
    return parser


def _add(table: argparse._SubParsersAction, name: str, command: Command) -> None:
    own = table.add_parser(
        name,
        help=command.summary[0].lower() + command.summary[1:].removesuffix("."),
        description=command.summary,
        epilog=f"examples:\n{_indented(command.examples)}",
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    for one in command.arguments:
        own.add_argument(*one.flags, **one.options)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
