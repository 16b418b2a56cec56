"""The command that lists trainings, compares two of them and goes back to one."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from neurallog_kernel.answers import format_weight
from neurallog_kernel.commands.context import Context
from neurallog_kernel.commands.declaration import argument, at_least
from neurallog_kernel.commands.results import Note, Table, Text
from neurallog_kernel.commands.shared import command
from neurallog_kernel.errors import NeuralLogError


@command(
    "runs",
    "The trainings so far; two numbers compare those, --back takes the weights of one again.",
    argument("compare", nargs="*", type=at_least(1), metavar="RUN", help="two runs to compare"),
    argument("--back", type=at_least(1), metavar="RUN", help="take the weights of this run again"),
    argument("--query", metavar="QUESTION", help="compare the answers of this question only"),
    examples="neurallog runs model.nlz",
)
def runs(context: Context, options: Namespace) -> Any:
    session = context.session
    if options.back is not None:
        session.back_to(options.back)
        return Note(f"the weights are those of run {options.back} again")
    if not options.compare:
        return runs_table(context)
    if len(options.compare) != 2:
        raise NeuralLogError("two runs are compared", hint="as in runs 1 2")
    first, second = options.compare
    return Text(context.relabel(str(session.compare_runs(first, second, options.query))))


def runs_table(context: Context) -> Table:
    """One row per run."""
    found = context.session.runs
    figures = list(dict.fromkeys(name for run in found for name in run.losses))
    rows = [
        (
            str(run.number),
            ", ".join(f"{name} {value}" for name, value in run.options.items()),
            ", ".join(f"{name} {count:,}" for name, count in run.data.items()),
            str(run.history.epochs),
            f"{run.history.seconds:.1f} s",
            *(format_weight(run.losses[n]) if n in run.losses else "" for n in figures),
            f"{len(run.weights):,}",
        )
        for run in found
    ]
    columns = ("#run", "settings", "examples", "#epochs", "#time")
    return Table(
        (*columns, *(f"#{name}" for name in figures), "#weights"),
        rows,
        title="" if rows else "no training yet",
        limit=context.rows,
    )
