"""The command for exercises: the task, hints, and whether the program solves it."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from neurallog_kernel.commands.context import Context
from neurallog_kernel.commands.declaration import argument, at_least
from neurallog_kernel.commands.results import Note, Table
from neurallog_kernel.commands.shared import command
from neurallog_kernel.course import (
    Exercise,
    ExerciseReport,
    Hints,
    ShownSolution,
    check_exercise,
    find_exercise,
    find_solution,
    list_exercises,
)
from neurallog_kernel.errors import NeuralLogError


@command(
    "exercise",
    "Show an exercise of the tutorials and check your answer; without a name, list them.",
    argument("exercise", nargs="?", metavar="NAME", help="as in 04.2", completes="exercise"),
    argument(
        "--hint",
        type=at_least(1),
        nargs="?",
        const=1,
        metavar="N",
        help="show the first hint, or the hints up to the Nth",
    ),
    argument("--solution", action="store_true", help="show the solution, if this copy has it"),
    argument("--must", action="store_true", help="an exercise that is not solved is an error"),
    argument("--folder", default=".", metavar="DIR", help="where the tutorials are"),
    examples="neurallog exercise mine.pl --exercise 01.2 --folder tutorials",
)
def exercise(context: Context, options: Namespace) -> Any:
    folder = Path(options.folder)
    if options.exercise is None:
        return _overview(context, list_exercises(folder))
    found = find_exercise(folder, options.exercise)
    if options.hint:
        return Hints(found, options.hint)
    if options.solution:
        return ShownSolution(found, find_solution(folder, found.name))
    report = check_exercise(context.session, found)
    if options.must and not report.solved:
        raise NeuralLogError(f"exercise {found.name} is not solved", hint=_first_difference(report))
    return report


def _overview(context: Context, exercises: list[Exercise]) -> Any:
    if not exercises:
        return Note("there is no folder of exercises here: make lab opens the tutorials with them")
    rows = [(one.name, one.level, one.title) for one in exercises]
    return Table(("exercise", "level", "title"), rows, limit=max(context.rows, len(rows)))


def _first_difference(report: ExerciseReport) -> str:
    wrong = [str(verdict) for verdict in report.verdicts if verdict.differs]
    return wrong[0] if wrong else report.said
