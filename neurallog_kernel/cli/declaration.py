"""The commands and their options, declared once: what is parsed is what `--help` shows."""

from __future__ import annotations

import argparse
from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from neurallog_kernel import __version__


@dataclass(frozen=True)
class Argument:
    """An argument or option as `ArgumentParser.add_argument` takes it."""

    names: tuple[str, ...]
    help: str
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Command:
    """A command: what it does, its arguments, and examples of its use."""

    help: str
    arguments: tuple[Argument, ...]
    examples: str


def _argument(*names: str, help: str, **more: Any) -> Argument:
    return Argument(names, help, more)


def _at_least(least: int):
    def whole(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise ArgumentTypeError(f"{text} is not a whole number") from None
        if number < least:
            raise ArgumentTypeError(f"{number} is less than {least}")
        return number

    return whole


_FILES = _argument(
    "files",
    nargs="*",
    metavar="FILE",
    help="program text, a saved model (.nlz), or a table that names its predicates (.nt, .cfacts)",
)
_TABLES = (
    _argument(
        "--input",
        "-i",
        action="append",
        default=[],
        metavar="NAME=TABLE",
        help="facts from a table (CSV, TSV, JSON lines, Parquet, ...) or a query (SELECT ...); "
        'NAME is a predicate or a pattern, as in "likes(who, what)"',
    ),
    _argument(
        "--map",
        metavar="FILE",
        help="how tables are read: the section NAME of this TOML file; sections that name a file "
        "are loaded without -i",
    ),
    _argument("--weight", metavar="COLUMN", help="the weights of the tables' rows"),
    _argument("--database", metavar="URL", help="where queries go, as in sqlite:///people.db"),
)
_TEST = _argument(
    "--test", "-test", nargs="+", default=[], metavar="FILE", help="examples to evaluate on"
)
_TO = _argument(
    "--to",
    metavar="FILE",
    help="write the table to a file (.csv, .tsv, .parquet, .json, .jsonl) instead of showing it",
)

COMMANDS: dict[str, Command] = {
    "run": Command(
        "add program files and answer the questions (?- ...) in them",
        (
            _FILES,
            *_TABLES,
            _argument("--strict", action="store_true", help="an unknown predicate is an error"),
        ),
        "neurallog run family.pl\nneurallog run facts.pl rules.pl questions.pl\n"
        'neurallog run rules.pl -i "friends(person, other)=people.csv"',
    ),
    "query": Command(
        "ask one question",
        (
            _FILES,
            *_TABLES,
            _argument("question", metavar="QUESTION", help='as in "grandparent(ann, Who)"'),
            _argument("--top", type=_at_least(1), metavar="K", help="show the K best answers"),
            _argument("--all", action="store_true", help="show all answers (otherwise 20)"),
            _TO,
        ),
        'neurallog query family.pl "grandparent(ann, Who)"\n'
        'neurallog query model.nlz "likes(X, Y)" --top 5\n'
        'neurallog query model.nlz "likes(X, Y)" --to likes.parquet\n'
        'neurallog query rules.pl --map tables.toml "friends(ann, Who)"',
    ),
    "train": Command(
        "learn weights from examples; write the model, the program and the answers",
        (
            _argument(
                "--program", "-p", nargs="+", required=True, metavar="FILE", help="program files"
            ),
            *_TABLES,
            _argument(
                "--train",
                "-t",
                nargs="+",
                default=[],
                metavar="FILE",
                help="examples to learn from",
            ),
            _argument(
                "--validation",
                "-valid",
                nargs="+",
                default=[],
                metavar="FILE",
                help="examples to look at after each epoch",
            ),
            _TEST,
            _argument(
                "--loadModel", "-l", metavar="FILE", help="start from a saved model's weights"
            ),
            _argument(
                "--outputPath", "-o", metavar="FOLDER", help="where the files named below go"
            ),
            _argument("--lastModel", "-lm", metavar="FILE", help="save the trained model (.nlz)"),
            _argument("--lastProgram", "-lp", metavar="FILE", help="write the trained program"),
            _argument(
                "--lastInference",
                "-li",
                metavar="PREFIX",
                help="write the weights of each set's examples to PREFIX<set>.pl",
            ),
            _argument("--logFile", "-log", metavar="FILE", help="write what happened to a file"),
            _argument("--tensorBoard", "-tb", metavar="FOLDER", help="write TensorBoard events"),
            _argument("--verbose", "-v", action="store_true", help="say more: notices, each epoch"),
            _argument("--epochs", type=_at_least(0), help="default: the program's, else 10"),
            _argument("--batch-size", type=_at_least(1), help="inputs a step"),
            _argument("--learning-rate", type=float, metavar="RATE", help="of the optimiser"),
            _argument("--optimizer", metavar="NAME", help="any of Keras, as in adagrad"),
            _argument("--loss", metavar="NAME", help="any of Keras, as in mean_squared_error"),
            _argument("--seed", type=_at_least(0), default=0, help="of every random choice"),
            _argument(
                "--unlisted",
                choices=("false", "unknown"),
                help="what an output is that no example lists",
            ),
            _argument(
                "--negatives",
                type=_at_least(0),
                metavar="K",
                help="draw K negative examples for each subject",
            ),
            _argument(
                "--patience",
                type=_at_least(1),
                metavar="EPOCHS",
                help="stop after so many epochs without improvement, and keep the best weights",
            ),
        ),
        "neurallog train -p theory.pl facts.pl -t train.pl -test test.pl --epochs 10 --seed 1\n"
        "neurallog train -p program.pl -t train.pl -o out -lm model.nlz -lp program.pl -li last_",
    ),
    "evaluate": Command(
        "compare answers with a set of examples",
        (
            _FILES,
            *_TABLES,
            _TEST,
            _argument("--set", default="test", metavar="NAME", help="the set to look at (test)"),
            _argument("--no-ranks", action="store_true", help="leave out ranks, which take longer"),
            _TO,
        ),
        "neurallog evaluate model.nlz --test test.pl\nneurallog evaluate model.nlz --set train",
    ),
    "export": Command(
        "write weights, embeddings, the program, or a predicate as a TensorFlow SavedModel",
        (
            _FILES,
            *_TABLES,
            _argument(
                "--predicate",
                "-p",
                metavar="P/N",
                help="which predicate; for --weights and --embedding by default all learned ones",
            ),
            _argument(
                "--weights",
                metavar="FILE",
                help="facts with their weights, as a table (.csv, .parquet, ...)",
            ),
            _argument(
                "--embedding",
                metavar="FILE",
                help="predicates (also a pattern such as 'feature_*') as features of entities",
            ),
            _argument("--history", metavar="FILE", help="losses and metrics of the last training"),
            _argument("--program", metavar="FILE", help="the program as text, with its weights"),
            _argument(
                "--saved-model",
                metavar="FOLDER",
                help="the predicate's network: names in, weights out, without NeuralLog",
            ),
            _argument(
                "--output",
                type=_at_least(1),
                metavar="PLACE",
                help="of the SavedModel: the open place, counted from 1 (default: the last)",
            ),
            _argument(
                "--unknown",
                choices=("error", "zero"),
                default="error",
                help="of the SavedModel: what a name is that the program does not know",
            ),
            _argument(
                "--dtype",
                choices=("float32", "float64"),
                default="float64",
                help="of the SavedModel's weights",
            ),
            _argument("--force", action="store_true", help="overwrite the SavedModel's folder"),
        ),
        "neurallog export model.nlz -p grandparent/2 --saved-model grandparent\n"
        "neurallog export model.nlz --weights weights.csv --history history.parquet\n"
        "neurallog export model.nlz -p 'feature_*' --embedding features.parquet\n"
        "neurallog export model.nlz --program trained.pl",
    ),
    "profile": Command(
        "show where time and memory go, by stage and by rule",
        (
            _FILES,
            *_TABLES,
            _argument(
                "question", metavar="QUESTION", help='as in "grandparent(ann, Who)"; or: train'
            ),
            _argument(
                "--train",
                "-t",
                nargs="+",
                default=[],
                metavar="FILE",
                help="examples to learn from",
            ),
            _argument("--epochs", type=_at_least(1), help="of a training (default: 3)"),
            _argument("--batch-size", type=_at_least(1), help="inputs a step"),
            _argument("--all", action="store_true", help="show all rules (otherwise 20)"),
        ),
        'neurallog profile family.pl "grandparent(ann, Who)"\n'
        "neurallog profile theory.pl facts.pl train --train train.pl --batch-size 32",
    ),
    "draw": Command(
        "write a picture of a rule, a predicate's network or the types",
        (
            _FILES,
            *_TABLES,
            _argument("--target", metavar="P/N", help="the predicate, as in grandparent/2"),
            _argument("--kind", choices=("rule", "tree", "network", "types"), help="which picture"),
            _argument(
                "--output",
                "-o",
                default="picture.svg",
                metavar="FILE",
                help="svg, png, pdf, dot, txt",
            ),
        ),
        "neurallog draw family.pl --target grandparent/2 -o grandparent.svg",
    ),
    "lab": Command(
        "start JupyterLab",
        (
            _argument(
                "folder",
                nargs="?",
                metavar="FOLDER",
                help="default: tutorials, or else the current folder",
            ),
            _argument("--port", type=_at_least(0), default=8888, help="default: 8888"),
            _argument("--no-browser", action="store_true", help="only print the address"),
        ),
        "neurallog lab\nneurallog lab notebooks --port 9000",
    ),
}


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
        help=command.help,
        description=command.help[0].upper() + command.help[1:] + ".",
        epilog=f"examples:\n{_indented(command.examples)}",
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    for argument in command.arguments:
        own.add_argument(*argument.names, help=argument.help, **argument.more)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
