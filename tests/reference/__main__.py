"""Generated programs and questions, the session against the reference: a long check by hand.

    .venv/bin/python -m tests.reference --questions 20000 --seed 1

Every program has facts of three and more places. Questions whose answer rounding may change
altogether are not counted. It ends with 1 if an answer differs, after it has shown the programs.
"""

from __future__ import annotations

import argparse
import sys

from neurallog_kernel import Session
from tests.programs import Drawn, program, query
from tests.reference import Reference
from tests.reference.test_differential import difference

QUESTIONS_A_PROGRAM = 8


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.reference")
    parser.add_argument("--questions", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    asked = differing = 0
    seed = given.seed * 1_000_000
    while asked < given.questions:
        counted, wrong = compared(seed)
        asked, differing = asked + counted, differing + len(wrong)
        for line in wrong:
            print(line)
        seed += 1
    programs = seed - given.seed * 1_000_000
    print(f"{asked:,} questions about {programs:,} programs, {differing} answers differ")
    return 1 if differing else 0


def compared(seed: int) -> tuple[int, list[str]]:
    """How many questions about the program of a seed were compared, and what differs."""
    choices = Drawn(seed)
    text = str(program(choices, ternary=seed % 4 == 3, wide=True))
    reference, live = Reference(text), Session()
    live.add(text, source="program")
    asked, wrong = 0, []
    for _ in range(QUESTIONS_A_PROGRAM):
        question = query(choices, reference)
        found = None if question is None else difference(live, reference, question)
        if found:
            wrong.append(f"seed {seed}\n{text}\n{found}\n")
        if reference.delicate:
            break
        asked += question is not None
    return asked, wrong


if __name__ == "__main__":
    sys.exit(main())
