"""The sets of examples that a program has, and the one that it is trained on."""

from __future__ import annotations

from collections import Counter

from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.language.syntax import PROGRAM_SET

TRAINING_SET = "train"
VALIDATION_SET = "validation"
TEST_SET = "test"  # what nothing is chosen by


def set_sizes(program: Program) -> dict[str, int]:
    """The sets in order of appearance, each with the number of its examples."""
    found: Counter[str] = Counter()
    for contents in program.sources.values():
        for (name, _), block in contents.examples.items():
            found[name] += len(block)
        for example in contents.open_examples:
            found[example.set] += 1
    return dict(found)


def set_names(program: Program) -> list[str]:
    """The sets in order of appearance."""
    return list(set_sizes(program))


def training_set(program: Program) -> str:
    """What training learns from, where the call names no set."""
    return TRAINING_SET if TRAINING_SET in set_sizes(program) else PROGRAM_SET
