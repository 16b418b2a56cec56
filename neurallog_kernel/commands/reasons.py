"""Commands that say why: explanations, sensitivity, differences, the program check, the profile."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from neurallog_kernel.answers import format_weight
from neurallog_kernel.commands.context import Context
from neurallog_kernel.commands.declaration import argument, at_least
from neurallog_kernel.commands.learning import TRAINING, training_options
from neurallog_kernel.commands.parsing import make_parser, words_of
from neurallog_kernel.commands.results import Table, Text
from neurallog_kernel.commands.shared import TOP, command, question
from neurallog_kernel.explain.change import WhatWouldChange
from neurallog_kernel.explain.difference import Difference


@command(
    "explain",
    "Why an answer has its weight: facts, rules and their strongest groundings.",
    argument("--best", type=at_least(1), default=5, metavar="N", help="show the N best groundings"),
    argument(
        "--without",
        action="append",
        metavar="FACT",
        help="as if this fact were not there, written without blanks",
    ),
    argument(
        "--change",
        action="store_true",
        help="say which smallest edit of a weight would put another answer first",
    ),
    argument("--instead", metavar="NAME", help="with --change: put this answer first"),
    rest="p(a, b)",
    examples='neurallog explain family.pl "grandparent(ann, cid)"',
)
def explain(context: Context, options: Namespace) -> Any:
    asked = question(options.rest, "explain", "explain p(a, b)")
    if options.change or options.instead:
        return _changes(context, context.session.what_would_change(asked, options.instead))
    return context.session.explain(asked, options.best, options.without)


def _changes(context: Context, found: WhatWouldChange) -> Any:
    """The smallest edits, one a row."""
    if not len(found):
        return Text(str(found))
    rows = [
        (
            edit.name,
            format_weight(edit.weight),
            f"{'below' if edit.to < edit.weight else 'above'} {format_weight(edit.to)}",
            edit.first,
            context.relabel(edit.place),
        )
        for edit in found
    ]
    return Table(
        ("$weight of", "#is", "would be", "$then first", "from"),
        rows,
        title=f"{found.first} is first, with {format_weight(found.weight)}: what would change it",
        limit=context.rows,
    )


@command(
    "sensitivity",
    "Change of an answer per unit of each fact's and rule's weight (derivative).",
    rest="p(a, b)",
    examples='neurallog sensitivity family.pl "grandparent(ann, cid)"',
)
def sensitivity(context: Context, options: Namespace) -> Any:
    asked = question(options.rest, "sensitivity", "sensitivity p(a, b)")
    found = context.session.sensitivity(asked)
    rows = [
        (
            one.name,
            format_weight(one.weight),
            context.relabel(one.place),
            format_weight(one.slope),
        )
        for one in found
    ]
    return Table(
        ("$weight of", "#is", "from", "#slope"),
        rows,
        title=f"{found.query} = {format_weight(found.weight)}",
        bars=[one.slope for one in found],
        limit=context.rows,
        note="slope: change of the answer per unit of the weight (derivative)",
    )


@command(
    "check",
    "Where the program may not mean what it seems to, and what to do.",
    argument("--source", metavar="NAME", help="only what this cell or file says"),
    examples="neurallog check theory.pl facts.pl",
)
def check(context: Context, options: Namespace) -> Any:
    findings = context.session.check(options.source)
    if not len(findings):
        return Text("No problems found.")
    rows = [
        (
            f"{context.relabel(f.span.source)}:{f.span.line}" if f.span else "",
            f.kind.replace("_", " "),
            f.message,
            f.hint,
        )
        for f in findings
    ]
    return Table(("place", "finding", "$why", "$what to do"), rows, limit=context.rows)


@command(
    "diff",
    "The answers that moved most since an earlier point, and the rules that moved them.",
    argument(
        "--since",
        default="1",
        metavar="POINT",
        help="how many changes back (default 1), or the name of the change: training, a file",
    ),
    argument("--top", type=at_least(1), default=10, metavar="N", help="show the N largest moves"),
    rest="p(a, Y)",
    examples='neurallog diff base.pl more.pl "likes(ann, Y)"',
)
def diff(context: Context, options: Namespace) -> Any:
    since = int(options.since) if options.since.isdecimal() else options.since
    asked = options.rest.strip() and question(options.rest, "diff", "diff p(a, Y)")
    return diff_table(context, context.session.diff(since, asked or None, options.top))


def diff_table(context: Context, found: Difference) -> Table:
    """The moves, each with the rules that made it."""
    many = f"{found.total:,} answer{'s' if found.total != 1 else ''} changed since {found.since}"
    if not found.total:
        many = f"no answer has changed since {found.since}"
    rows = [
        (
            move.query,
            format_weight(move.before),
            format_weight(move.after),
            f"{'+' if move.change > 0 else ''}{format_weight(move.change)}",
            "\n".join(
                f"{format_weight(before)} → {format_weight(after)}  {context.relabel(label)}"
                for label, before, after in move.parts
            ),
        )
        for move in found
    ]
    return Table(
        ("$answer", "#before", "#after", "#change", "$the rules that did it"),
        rows,
        title=context.relabel(many),
        bars=[move.change for move in found],
        total=found.total,
        limit=context.rows,
        note=found.note,
    )


@command(
    "profile",
    "Time and memory by stage and by rule, of a question or (profile train) of an epoch.",
    TOP,
    *TRAINING,
    rest="p(a, Y)",
    examples='neurallog profile family.pl "grandparent(ann, Who)"\n'
    "neurallog profile theory.pl facts.pl train --train train.pl --batch-size 32",
)
def profile(context: Context, options: Namespace) -> Any:
    asked = question(options.rest, "profile", "profile p(a, Y), or profile train")
    word, _, more = asked.partition(" ")
    if word != "train":
        return context.session.profile(asked, options.top)
    prog = "profile train"
    after = make_parser(prog, TRAINING).parse_args(words_of(more, prog))
    return context.session.profile_training(**training_options(options), **training_options(after))
