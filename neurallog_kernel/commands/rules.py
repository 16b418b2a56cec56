"""The command that looks for rules, with the options that every front end has."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError, Namespace
from typing import Any

from neurallog_kernel.commands.context import Context
from neurallog_kernel.commands.declaration import argument, at_least, number
from neurallog_kernel.commands.results import Note, saved
from neurallog_kernel.commands.shared import SPREADSHEET_SAFE, TO, command
from neurallog_kernel.tabular import check_format
from neurallog_kernel.writing import write_text

_SECONDS = {"": 1.0, "s": 1.0, "ms": 0.001, "m": 60.0, "min": 60.0}


def duration(text: str) -> float:
    """Seconds, as in 10, 10s, 500ms or 2m.

    >>> duration("10s"), duration("2m"), duration("0.5")
    (10.0, 120.0, 0.5)
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(\w*)", text.strip())
    if found is None or found[2] not in _SECONDS:
        raise ArgumentTypeError(f"{text} is not a time: write 10s, 500ms or 2m")
    return float(found[1]) * _SECONDS[found[2]]


LEARNING = (
    argument(
        "heads",
        nargs="*",
        metavar="PREDICATE",
        help="predicates that the rules define, as in advises/2 (default: everything)",
        completes="predicate",
    ),
    argument("--budget", type=duration, metavar="TIME", help="as in 10s (default) or 2m"),
    argument("--length", type=at_least(1), metavar="N", help="literals of a body (default: 3)"),
    argument(
        "--body", nargs="+", metavar="PREDICATE", help="predicates of bodies (all)", dest="bodies"
    ),
    argument(
        "--constants", nargs="+", metavar="PREDICATE", help="predicates that may hold constants"
    ),
    argument(
        "--each",
        nargs="+",
        metavar="PREDICATE",
        help="predicates whose entities get a weight each, in one rule",
    ),
    argument(
        "--metarule",
        action="append",
        metavar="RULE",
        dest="metarules",
        help='only rules of this form, as in "P(X, Y) :- Q(X, Z), R(Z, Y)."',
    ),
    argument("--min-support", type=at_least(1), metavar="N", help="examples a rule must get right"),
    argument(
        "--held-out",
        type=number,
        metavar="PART",
        help="share of the examples used only to judge (0.2)",
    ),
    argument("--shown", type=at_least(1), metavar="N", help="rows of the table (25)"),
    argument("--seed", type=at_least(0), help="the same seed gives the same rules"),
    argument("--set", help="the set of examples to learn from", completes="set"),
)
_NAMES = (
    "budget",
    "length",
    "bodies",
    "constants",
    "each",
    "metarules",
    "min_support",
    "held_out",
)


def learn_options(options: Namespace) -> dict[str, Any]:
    """The options of a search that were given, as `Session.learn_rules` takes them."""
    given = {name: getattr(options, name) for name in (*_NAMES, "shown", "seed", "set")}
    found = {name: value for name, value in given.items() if value is not None}
    return {n: tuple(v) if isinstance(v, list) else v for n, v in found.items()}


@command(
    "learn_rules",
    "Look for rules that explain facts or examples; an interrupt keeps the best so far.",
    *LEARNING,
    argument("--rows", nargs="+", type=at_least(1), metavar="N", help="the rows to --write"),
    argument(
        "--write",
        metavar="FILE",
        help="write the rows (by default those kept) as program text",
        completes="path",
        writes=True,
    ),
    TO,
    SPREADSHEET_SAFE,
    examples="neurallog learn-rules facts.pl advises/2 --budget 10s\n"
    "neurallog learn-rules facts.pl advises/2 --write rules.pl --rows 1 3",
)
def learn_rules(context: Context, options: Namespace) -> Any:
    if options.to:
        check_format(options.to, options.spreadsheet_safe)
    table = context.session.learn_rules(*options.heads, **learn_options(options))
    if options.write:
        text = table.text(options.rows)
        context.show(table)
        write_text(options.write, text)
        rules = len(options.rows or table.ticked)
        return Note(f"{options.write}: {rules} rule{'' if rules == 1 else 's'}")
    if options.to:
        return saved(table, options.to, options.spreadsheet_safe)
    return table
