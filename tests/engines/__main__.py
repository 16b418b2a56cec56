"""Generated programs in databases against the SciPy executor: a long check by hand.

    .venv/bin/python -m tests.engines --questions 2000 --seed 1
    .venv/bin/python -m tests.engines --questions 300 --on spark
    .venv/bin/python -m tests.engines --questions 300 --on sail

Each question is a predicate towards one place, for all entities. On DuckDB, the default, it is
asked once with given inputs and once as a score of everything. On Spark, in one process of Java,
and on Sail all are scores. It ends with 1 if an answer differs, is refused or fails; the program is
printed then.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.engines.spark import SparkRunner
from neurallog_kernel.engines.spark_connection import SparkConnection
from tests.engines.clusters import SailServer, spark_session
from tests.engines.compare import compared, scored
from tests.programs import Drawn, program

Make = Callable[[Session], SparkRunner]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.engines")
    parser.add_argument("--questions", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--on", choices=("duckdb", "spark", "sail"), default="duckdb")
    given = parser.parse_args()
    with ENGINES[given.on]() as make:
        return _check(given.questions, given.seed, make)


@contextmanager
def _duckdb() -> Iterator[None]:
    yield None


@contextmanager
def _spark() -> Iterator[Make]:
    with tempfile.TemporaryDirectory() as folder, spark_session("local[1]", Path(folder)) as spark:
        spark.sparkContext.setLogLevel("ERROR")
        connection = SparkConnection("local[1]", spark)
        yield lambda session: _runner(session, connection)


@contextmanager
def _sail() -> Iterator[Make]:
    with tempfile.TemporaryDirectory() as folder:
        server = SailServer(Path(folder))
        try:
            connection = SparkConnection("Sail", server.session())
            yield lambda session: _runner(session, connection)
        finally:
            server.kill()


ENGINES = {"duckdb": _duckdb, "spark": _spark, "sail": _sail}


def _runner(session: Session, connection: SparkConnection) -> SparkRunner:
    return SparkRunner(session._evaluator.storage, connection=connection)


def _check(questions: int, first: int, make: Make | None) -> int:
    asked = refused = scores = programs = failed = 0
    while asked + scores < questions:
        seed = first * 1_000_000 + programs
        session = Session()
        session.add(str(program(Drawn(seed), ternary=seed % 4 == 3, wide=seed % 2 == 1)))
        try:
            same, without = compared(session) if make is None else (0, 0)
            scores += scored(session, make)
            asked, refused = asked + same, refused + without
        except (AssertionError, NeuralLogError) as error:
            failed += 1
            print(f"seed {seed}: {error!r}\n{session.program()}", flush=True)
        programs += 1
        print(f"{programs} programs, {asked + scores} of {questions}", file=sys.stderr, flush=True)
    print(
        f"{asked:,} questions and {scores:,} scores about {programs:,} programs: "
        f"{refused} refused, {failed} programs failed"
    )
    return 1 if refused or failed else 0


if __name__ == "__main__":
    sys.exit(main())
