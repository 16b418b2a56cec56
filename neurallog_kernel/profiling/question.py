"""Profiling a question: as if it were asked for the first time."""

from __future__ import annotations

import tracemalloc
from dataclasses import dataclass
from time import perf_counter

from neurallog_kernel.answers import Answers
from neurallog_kernel.evaluate.questions import Questions
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.relations import Relations
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.language import parse_query
from neurallog_kernel.profiling.clock import Clock
from neurallog_kernel.profiling.profile import Profile, StageCost
from neurallog_kernel.profiling.rules import rule_costs
from neurallog_kernel.profiling.watched import (
    EVALUATE,
    GRAPHS,
    MATRICES,
    PLAN,
    WatchedExecutor,
    WatchedPlanner,
)

PARSE, ANSWERS = "parse the question", "check and list"
_RUNS, _AGAIN = 3, 1.0  # a question is asked a few times, because other work disturbs a single run,
_MORE = 0.03  # but not for longer than these seconds
_STAGES = (PARSE, GRAPHS, PLAN, MATRICES, EVALUATE, ANSWERS)


@dataclass
class _Run:
    """A question answered once, with everything that was noted."""

    clock: Clock
    planner: WatchedPlanner
    executor: WatchedExecutor
    answers: Answers


def profile_question(
    program: Program,
    symbols: SymbolTable,
    relations: Relations,
    text: str,
    top: int | None = None,
    loading: tuple[StageCost, ...] = (),
) -> Profile:
    """Answer several times with nothing remembered but the matrices of facts: the fastest run gives
    the times (but the first says how long the matrices took), and one more, with Python's memory
    tracing, the memory: tracing would falsify the times."""
    runs, started = 1, perf_counter()
    first = run = _answer(program, symbols, relations, text, top)
    while perf_counter() - started < (_AGAIN if runs < _RUNS else _MORE):
        run = min(run, _answer(program, symbols, relations, text, top), key=_without_matrices)
        runs += 1
    kept, peak = _memory(program, symbols, relations, text, top)
    times = run.clock.stages
    if MATRICES in times:
        times[MATRICES] = first.clock.stages[MATRICES]
    stages = [
        StageCost(name, times[name].seconds, kept.get(name, 0)) for name in _STAGES if name in times
    ]
    return Profile(
        f"?- {run.answers.query}.",
        sum(stage.seconds for stage in stages),
        tuple(stages),
        rule_costs(run.planner, run.planner.asked, run.executor.costs),
        EVALUATE,
        peak,
        loading,
        answers=run.answers,
    )


def _without_matrices(run: _Run) -> float:
    return sum(times.seconds for name, times in run.clock.stages.items() if name != MATRICES)


def _answer(
    program: Program, symbols: SymbolTable, relations: Relations, text: str, top: int | None
) -> _Run:
    clock = Clock()
    planner, executor = WatchedPlanner(symbols, relations, clock), WatchedExecutor(clock)
    with clock.stage(ANSWERS):
        with clock.stage(PARSE):
            atom = parse_query(text)
        answers = Questions(program, planner, executor).answer(atom, top)
    return _Run(clock, planner, executor, answers)


def _memory(
    program: Program, symbols: SymbolTable, relations: Relations, text: str, top: int | None
) -> tuple[dict[str, int], int]:
    """What each stage left in memory, and how much there was at once."""
    already = tracemalloc.is_tracing()
    if not already:
        tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        run = _answer(program, symbols, relations, text, top)
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        if not already:
            tracemalloc.stop()
    return {name: times.kept for name, times in run.clock.stages.items()}, max(peak, 0)
