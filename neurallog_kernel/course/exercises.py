"""Exercises as data: files of tasks, hints and checks that lie in a folder beside the notebooks.

A file `exercises/04.toml` has the exercises 04.1, 04.2, ... Each check is a question and what must
come out of it. Nothing in such a file is ever run: it holds text and numbers.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeAlias

from neurallog_kernel.errors import LoadError, NeuralLogError

FOLDER = "exercises"
SOLUTIONS = "solutions"
LEVELS = ("easy", "middle", "hard")
TOLERANCE = 0.005


@dataclass(frozen=True)
class WrongAnswer:
    """A wrong answer that is often given, and what to say to it."""

    says: str
    answers: Mapping[str, float] = field(default_factory=dict)
    weight: float | None = None


@dataclass(frozen=True)
class AnswersCheck:
    """The question has these answers and no others. `given` is program text that is added to a
    copy of the program first, so that a rule is tried on facts that its author has not seen."""

    ask: str
    answers: Mapping[str, float]
    tolerance: float = TOLERANCE
    given: str = ""
    mistakes: tuple[WrongAnswer, ...] = ()


@dataclass(frozen=True)
class NamesCheck:
    """The question has these answers and no others, whatever their weights."""

    ask: str
    names: tuple[str, ...]
    given: str = ""
    mistakes: tuple[WrongAnswer, ...] = ()


@dataclass(frozen=True)
class BestCheck:
    """The first answer of the question."""

    ask: str
    best: str
    given: str = ""
    mistakes: tuple[WrongAnswer, ...] = ()


@dataclass(frozen=True)
class WeightCheck:
    """The weight of a question without variables lies between two numbers."""

    ask: str
    between: tuple[float, float]
    given: str = ""
    mistakes: tuple[WrongAnswer, ...] = ()


@dataclass(frozen=True)
class MetricCheck:
    """A metric on a set of examples is at least, or at most, so much."""

    metric: str
    set: str
    at_least: float | None = None
    at_most: float | None = None
    mistakes: tuple[WrongAnswer, ...] = ()


ExerciseCheck: TypeAlias = AnswersCheck | NamesCheck | BestCheck | WeightCheck | MetricCheck
KINDS: dict[str, type[Any]] = {
    "answers": AnswersCheck,
    "names": NamesCheck,
    "best": BestCheck,
    "between": WeightCheck,
    "metric": MetricCheck,
}
"""By the word that only this kind of check has."""


@dataclass(frozen=True)
class Exercise:
    """One exercise; `start` is the text of the cell that is filled in."""

    name: str
    level: str
    title: str
    task: str
    hints: tuple[str, ...]
    start: str
    checks: tuple[ExerciseCheck, ...]


@dataclass(frozen=True)
class Solution:
    """The cells that solve an exercise, and why they do."""

    cells: tuple[str, ...]
    because: str


def list_exercises(folder: Path) -> list[Exercise]:
    """All exercises of a folder of notebooks, in order."""
    files = sorted((folder / FOLDER).glob("*.toml"))
    return [exercise for file in files for exercise in read_exercises(file)]


def find_exercise(folder: Path, name: str) -> Exercise:
    """The exercise of this name, as in 04.2; none is an error that names the nearest."""
    known = {exercise.name: exercise for exercise in list_exercises(folder)}
    tutorial, _, number = name.partition(".")
    if (full := f"{tutorial.zfill(2)}.{number}") in known:
        return known[full]
    if not known:
        raise NeuralLogError(
            f"there is no folder {FOLDER} with exercises here",
            hint="exercises are beside the tutorials: make lab opens them there",
        )
    near = [one for one in known if one.partition(".")[0] == tutorial.zfill(2)]
    near = near or get_close_matches(name, known, 3, 0.5)
    raise NeuralLogError(
        f"there is no exercise {name}", hint=f"there are {', '.join(near or sorted(known))}"
    )


def find_solution(folder: Path, name: str) -> Solution:
    """The solution of an exercise, where the folder has solutions."""
    tutorial, _, number = name.partition(".")
    file = folder / SOLUTIONS / f"{tutorial}.toml"
    if not file.exists():
        raise NeuralLogError(
            f"the solution of {name} is not in this copy",
            hint=f"%neurallog exercise {name} --hint helps; your teacher has the solutions",
        )
    found = _read(file).get(number)
    if not isinstance(found, dict):
        raise LoadError(f"{file.name}: there is no solution {number}")
    return Solution(tuple(map(str, found["cells"])), str(found["because"]))


def read_exercises(file: Path) -> list[Exercise]:
    """The exercises of one file; what is wrong in it is an error that names the exercise."""
    found = _read(file)
    return [_exercise(file, number, said) for number, said in found.items()]


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise LoadError(f"{file.name}: {error}") from None


def _exercise(file: Path, number: str, said: Any) -> Exercise:
    name = f"{file.stem}.{number}"
    try:
        exercise = Exercise(
            name,
            said["level"],
            said["title"],
            said["task"].strip(),
            tuple(said["hints"]),
            said["start"].strip(),
            tuple(_check(one) for one in said["check"]),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise LoadError(f"{file.name}: exercise {name}: {error} is missing or wrong") from None
    if exercise.level not in LEVELS:
        raise LoadError(f"{file.name}: exercise {name}: no level {exercise.level}")
    return exercise


def _check(said: Mapping[str, Any]) -> ExerciseCheck:
    kinds = [kind for word, kind in KINDS.items() if word in said]
    if len(kinds) != 1:
        raise KeyError(f"one of {', '.join(KINDS)}")
    mistakes = tuple(WrongAnswer(**one) for one in said.get("mistake", ()))
    plain = {name: value for name, value in said.items() if name != "mistake"}
    unknown = set(plain) - {one.name for one in fields(kinds[0])}
    if unknown:
        raise KeyError(", ".join(sorted(unknown)))
    lists = {name: tuple(value) for name, value in plain.items() if isinstance(value, list)}
    return kinds[0](**{**plain, **lists}, mistakes=mistakes)
