"""Exercises that check themselves: a task, hints, and what a right answer makes the program say."""

from neurallog_kernel.course.checking import check_exercise
from neurallog_kernel.course.exercises import (
    Exercise,
    find_exercise,
    find_solution,
    list_exercises,
)
from neurallog_kernel.course.report import ExerciseReport, Hints, Outcome, ShownSolution, Verdict

__all__ = [
    "Exercise",
    "ExerciseReport",
    "Hints",
    "Outcome",
    "ShownSolution",
    "Verdict",
    "check_exercise",
    "find_exercise",
    "find_solution",
    "list_exercises",
]
