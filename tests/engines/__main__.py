"""Generated programs on DuckDB against the SciPy executor: a long check by hand.

    .venv/bin/python -m tests.engines --questions 2000 --seed 1

Each question is a predicate towards one place, for all entities: once with given inputs, once as a
score of everything. It ends with 1 if an answer differs or is refused.
"""

from __future__ import annotations

import argparse
import sys

from neurallog_kernel import Session
from tests.engines.compare import compared, scored
from tests.programs import Drawn, program


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.engines")
    parser.add_argument("--questions", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    asked = refused = scores = programs = 0
    while asked + scores < given.questions:
        seed = given.seed * 1_000_000 + programs
        session = Session()
        session.add(str(program(Drawn(seed), ternary=seed % 4 == 3, wide=seed % 2 == 1)))
        try:
            same, without = compared(session)
            scores += scored(session)
        except AssertionError:
            print(f"seed {seed} differs:\n{session.program()}")
            raise
        asked, refused, programs = asked + same, refused + without, programs + 1
    print(
        f"{asked:,} questions and {scores:,} scores about {programs:,} programs, {refused} refused"
    )
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
