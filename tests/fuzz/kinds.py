"""What is fuzzed: how an input of each kind is made from a seed, and what running it must hold."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parent / "corpus"


class WrongError(AssertionError):
    """Nothing was raised, and yet the result is wrong."""


@dataclass(frozen=True)
class Input:
    """Parts that can be left out one by one to make a smaller input, and what is fixed.

    Both are plain JSON values, so that an input can be written down and run again.
    """

    kind: str
    parts: list[Any]
    fixed: dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """`run` raises nothing if all is well; a `NeuralLogError` is well."""

    name: str
    share: int  # of a hundred inputs
    make: Callable[[random.Random], Input]
    run: Callable[[Input], None]


@cache
def kinds() -> dict[str, Kind]:
    """All kinds by name."""
    from tests.fuzz import edits, models, programs, tables, trainings

    listed = (programs.KIND, edits.KIND, tables.KIND, models.KIND, trainings.KIND)
    return {kind.name: kind for kind in listed}


def make_input(kind: str, seed: int, number: int) -> Input:
    """The input of that number: the same one in every run."""
    return kinds()[kind].make(random.Random(f"{seed} {kind} {number}"))


def run_input(given: Input) -> None:
    """Run an input; whatever it raises is a failure."""
    kinds()[given.kind].run(given)


def texts(folder: str) -> dict[str, str]:
    """The texts of a folder of the corpus by their file names."""
    files = sorted((CORPUS / folder).iterdir())
    return {file.name: file.read_text(encoding="utf-8") for file in files}
