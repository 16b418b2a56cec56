"""The command about sequences: labels for the steps of each, as a whole."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

import numpy as np

from neurallog_kernel.commands.context import Context
from neurallog_kernel.commands.declaration import argument
from neurallog_kernel.commands.results import Table, saved
from neurallog_kernel.commands.shared import PREDICATE, SPREADSHEET_SAFE, TO, command
from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.learning.sequences.decoding import Decoded, DecodedSequence
from neurallog_kernel.tabular import check_format


@command(
    "decode",
    "Labels for the steps of sequences: the best sequence as a whole (Viterbi).",
    PREDICATE,
    argument("--set", metavar="SET", help="the mega examples of this set", completes="set"),
    argument("--steps", nargs="+", metavar="NAME", help="one sequence, step by step"),
    argument(
        "--transition",
        metavar="P",
        help="the predicate that weighs a label and the next one "
        "(otherwise the program's transition_predicate; none: each step by itself)",
        completes="predicate",
    ),
    argument(
        "--initial",
        metavar="P",
        help="the predicate that weighs the first label (otherwise initial_predicate)",
        completes="predicate",
    ),
    argument(
        "--probabilities",
        action="store_true",
        help="weights are multiplied (otherwise they are scores, which are added)",
    ),
    argument("--unknown", metavar="NAME", help="what stands for names that are not known"),
    TO,
    SPREADSHEET_SAFE,
    examples="neurallog decode model.nlz -p tag --test test.pl --set test --to tagged.tsv\n"
    "neurallog decode model.nlz -p tag --transition none --steps the dog runs",
)
def decode(context: Context, options: Namespace) -> Any:
    if options.predicate is None:
        raise NeuralLogError(
            "decode what?", hint="name the predicate whose last place is the label"
        )
    if options.to:
        check_format(options.to, options.spreadsheet_safe)
    which = options.set or (None if options.steps else "test")
    decoded = context.session.decode(
        options.predicate,
        options.steps,
        set=which,
        transition=options.transition,
        initial=options.initial,
        probabilities=options.probabilities,
        unknown=options.unknown,
    )
    if options.to:
        return saved(decoded, options.to, options.spreadsheet_safe)
    return _table(decoded, context.rows)


def _table(decoded: Decoded, limit: int) -> Table:
    """One row a sequence; where the labels are known, how many were found."""
    known = not np.isnan(decoded.accuracy)
    columns = ("sequence", "labels", "#right") if known else ("sequence", "labels")
    rows = [(one.name, str(one), _right(one))[: len(columns)] for one in decoded]
    title = f"{decoded.predicate}, {decoded.how}"
    if known:
        title += f": {decoded.accuracy:.4f} of the steps right"
    return Table(columns, rows, title=title, limit=limit)


def _right(one: DecodedSequence) -> str:
    pairs = [(y, t) for y, t in zip(one.labels, one.truth, strict=True) if t is not None]
    return f"{sum(y == t for y, t in pairs)} of {len(pairs)}"
