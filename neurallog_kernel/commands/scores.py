"""Commands that score: the best answers of all questions, computed by a database."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError, Namespace
from typing import Any

from neurallog_kernel.commands.context import Context
from neurallog_kernel.commands.declaration import argument, at_least, number
from neurallog_kernel.commands.results import Note, Text
from neurallog_kernel.commands.shared import PREDICATE, command
from neurallog_kernel.engines.job import Job
from neurallog_kernel.errors import NeuralLogError


def part_of(text: str) -> tuple[int, int]:
    """A part of several, as in 7/40.

    >>> part_of("7/40")
    (7, 40)
    """
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text.strip())
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise ArgumentTypeError(f"{text} is not a part: write 7/40 for the seventh of forty")
    return int(found[1]), int(found[2])


_WHAT = (
    PREDICATE,
    argument("--top", type=at_least(1), metavar="N", help="answers for each question (10)"),
    argument("--every", action="store_true", help="all answers, not the best ones alone"),
    argument("--of", metavar="PREDICATE", help="who asks: a unary predicate (default: everyone)"),
    argument("--inverse", action="store_true", help="ask for the first argument"),
    argument("--memory", metavar="SIZE", help="what DuckDB may use without --connect, as in 2GB"),
)


def _job(context: Context, options: Namespace, name: str) -> Job:
    if not options.predicate:
        raise NeuralLogError(f"{name} what?", hint=f"name a predicate, as in {name} likes/2")
    top = None if options.every else options.top or 10
    given = {} if options.budget is None else {"budget": options.budget}
    return context.session.score(
        options.predicate, top, options.of, options.inverse, memory=options.memory, **given
    )


@command(
    "score",
    "The best answers of all questions, computed by a database; without a folder, their number.",
    *_WHAT,
    argument("--budget", type=number, metavar="PATHS", help="refuse more paths than this (1e10)"),
    argument(
        "--output",
        "-o",
        metavar="FOLDER",
        help="write a Parquet file for each part; parts that are there are left as they are",
        completes="path",
        writes=True,
    ),
    argument("--parts", type=at_least(1), metavar="N", help="how many (default: by the estimate)"),
    argument("--part", type=part_of, metavar="I/N", help="only this part, as in 7/40"),
    argument("--table", metavar="NAME", help="write a table of the connected database"),
    examples="neurallog score rules.pl -p likes/2 --top 10\n"
    "neurallog score rules.pl -p likes/2 --top 10 --part 7/40 -o likes/",
)
def score(context: Context, options: Namespace) -> Any:
    job = _job(context, options, "score")
    if options.table:
        return Note(str(job.to_table(options.table)))
    if options.part is not None and not options.output:
        raise NeuralLogError("a part needs a folder", hint="name it, as in -o likes/")
    if not options.output:
        return Text(f"{job.estimate()}\nwrite it with -o FOLDER (--output)")
    part, parts = options.part or (None, options.parts)
    context.show(Text(str(job.estimate())))
    with context.progress() as tell:
        done = job.to_parquet(options.output, parts, part, tell)
    return Note(str(done))


@command(
    "sql",
    "The SQL that scores a predicate; in other dialects it is untested.",
    *_WHAT,
    argument("--dialect", metavar="NAME", help="as in postgres or snowflake, by SQLGlot"),
    examples="neurallog sql rules.pl -p likes/2\n"
    "neurallog sql rules.pl -p likes/2 --dialect postgres",
)
def sql(context: Context, options: Namespace) -> Any:
    options.budget = None
    return Text(_job(context, options, "sql").sql(options.dialect))
