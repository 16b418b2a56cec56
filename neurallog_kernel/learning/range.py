"""The numbers of a program that a network can hold: float32 ends at about 3.4e38."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from neurallog_kernel.errors import ParameterError
from neurallog_kernel.knowledge.program import Program

_ADVICE = {"float32": 'train(dtype="float64") holds larger ones, or scale them down'}


def check_range(program: Program, dtype: str) -> None:
    """Refuse weights, labels and numbers that would be infinite in the network."""
    most = float(np.finfo(dtype).max)
    for what, numbers in _numbers(program):
        size = float(np.abs(numbers).max(initial=0.0))
        if not size <= most:
            raise ParameterError(
                f"{what} has the number {size:g}, and the largest of {dtype} is {most:.2g}",
                hint=_ADVICE.get(dtype, "scale it down"),
            )


def _numbers(program: Program) -> Iterator[tuple[str, np.ndarray]]:
    for (name, arity), found in program.definitions.items():
        for block in (*found.facts, *found.examples):
            for numbers in (block.weights, *block.numbers):
                yield f"{name}/{arity}", numbers
        if found.rules:
            weights = np.array([rule.weight for rule in found.rules])
            yield f"a rule of {name}/{arity}", weights


def overflow(dtype: str) -> str:
    """What to say of a training whose numbers grew beyond all bounds."""
    most = float(np.finfo(dtype).max)
    return f"a number grew beyond what {dtype} holds ({most:.2g})"
