"""Generated programs on DuckDB against the SciPy executor: a long check by hand.

    .venv/bin/python -m tests.engines --questions 2000 --seed 1
    .venv/bin/python -m tests.engines --questions 300 --sail

Each question is a predicate towards one place, for all entities: once with given inputs, once as a
score of everything. With `--sail` all are scores in the dialect of Spark, by Sail (`pip install
pysail`, with a PySpark that it knows). It ends with 1 if an answer differs or is refused.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from neurallog_kernel import Session
from neurallog_kernel.engines.connections import open_connection
from neurallog_kernel.engines.spark import SparkRunner
from neurallog_kernel.engines.spark_connection import SparkConnection
from tests.engines.compare import compared, scored
from tests.programs import Drawn, program


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.engines")
    parser.add_argument("--questions", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sail", action="store_true", help="in the dialect of Spark, by Sail")
    given = parser.parse_args()
    with _runners(given.sail) as make:
        return _check(given.questions, given.seed, make)


@contextmanager
def _runners(sail: bool) -> Iterator[Callable[[Session], SparkRunner] | None]:
    """What makes an engine for a session; None: DuckDB."""
    if not sail:
        yield None
        return
    from pysail.spark import SparkConnectServer

    server = SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    connection = open_connection("sc://{}:{}".format(*server.listening_address))
    assert isinstance(connection, SparkConnection)
    yield lambda session: SparkRunner(session._evaluator.storage, connection=connection)
    server.stop()


def _check(questions: int, first: int, make: Callable[[Session], SparkRunner] | None) -> int:
    asked = refused = scores = programs = 0
    while asked + scores < questions:
        seed = first * 1_000_000 + programs
        session = Session()
        ternary = seed % 4 == 3 and make is None  # Sail once ran out of memory
        session.add(str(program(Drawn(seed), ternary=ternary, wide=seed % 2 == 1)))
        try:
            same, without = compared(session) if make is None else (0, 0)
            scores += scored(session, make)
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
