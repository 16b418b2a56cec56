"""Commands that say why: explanations of answers, and what to look at in a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from neurallog_kernel import NeuralLogError
from neurallog_magics.arguments import argument, command

if TYPE_CHECKING:
    from argparse import Namespace

    from neurallog_magics.magic import NeuralLogMagics


@command(
    "explain",
    "Why an answer has its weight: facts, rules and their strongest groundings.",
    argument("--best", type=int, default=5, metavar="N", help="show the N best groundings"),
    argument(
        "--without",
        action="append",
        metavar="FACT",
        help="as if this fact were not there, written without blanks",
    ),
    rest="p(a, b)",
)
def explain(magics: NeuralLogMagics, options: Namespace) -> Any:
    if not options.rest:
        raise NeuralLogError("explain what?", hint="%neurallog explain p(a, b)")
    session = magics.live(options.session).session
    return session.explain(_question(options.rest), options.best, options.without)


def _question(text: str) -> str:
    return text.strip().removeprefix("?-").strip().removesuffix(".")
