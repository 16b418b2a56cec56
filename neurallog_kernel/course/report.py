"""What a learner is shown of an exercise: what checking found, hints, the solution.

Texts are Markdown; a terminal prints them as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from neurallog_kernel.course.exercises import Exercise, Solution


class Outcome(Enum):
    """How a check ended; `MISSING` is an answer that is not there yet, not a wrong one."""

    RIGHT = "✓"
    WRONG = "✗"
    MISSING = "○"


@dataclass(frozen=True)
class Verdict:
    """One check: what was looked at, and what is wrong with it."""

    outcome: Outcome
    subject: str
    differs: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    shows_work: bool = True
    """Whether this shows that something was written: a metric has a value without it."""

    @property
    def lines(self) -> tuple[str, ...]:
        """What differs, then what to do."""
        return self.differs + self.advice

    def __str__(self) -> str:
        return "\n".join(
            [f"{self.outcome.value} {self.subject}", *(f"    {line}" for line in self.lines)]
        )


@dataclass(frozen=True)
class ExerciseReport:
    """An exercise, and how far its answer is right."""

    exercise: Exercise
    verdicts: tuple[Verdict, ...]

    @property
    def solved(self) -> bool:
        return all(verdict.outcome is Outcome.RIGHT for verdict in self.verdicts)

    @property
    def begun(self) -> bool:
        telling = [verdict for verdict in self.verdicts if verdict.shows_work] or self.verdicts
        return any(verdict.outcome is not Outcome.MISSING for verdict in telling)

    @property
    def heading(self) -> str:
        return f"Exercise {self.exercise.name} ({self.exercise.level}): {self.exercise.title}"

    @property
    def said(self) -> str:
        """The result in one line."""
        if self.solved:
            return "Solved."
        number = len(self.exercise.hints)
        hint = f" {number} hints: --hint 1 shows the first." if number else ""
        return ("Not yet right." if self.begun else "Not answered yet.") + hint

    def __str__(self) -> str:
        return "\n".join([self.heading, self.exercise.task, *map(str, self.verdicts), self.said])

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Hints:
    """The hints of an exercise up to the one that was asked for."""

    exercise: Exercise
    number: int

    @property
    def shown(self) -> tuple[str, ...]:
        return self.exercise.hints[: self.number]

    @property
    def said(self) -> str:
        total = len(self.exercise.hints)
        more = f"; --hint {self.number + 1} shows one more" if self.number < total else ""
        return f"Exercise {self.exercise.name}, {len(self.shown)} of {total} hints{more}"

    def __str__(self) -> str:
        lines = [f"{place}. {hint}" for place, hint in enumerate(self.shown, start=1)]
        return "\n".join([self.said, *lines])

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True)
class ShownSolution:
    """A solution, as cells and a reason."""

    exercise: Exercise
    solution: Solution

    def __str__(self) -> str:
        return "\n\n".join([*self.solution.cells, self.solution.because])

    def __repr__(self) -> str:
        return str(self)
