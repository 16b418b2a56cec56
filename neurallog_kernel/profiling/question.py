"""Profiling a question: as if it were asked for the first time."""

from __future__ import annotations

import tracemalloc
from dataclasses import dataclass
from time import perf_counter

from neurallog_kernel.answers import Answers
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.executor import Executor
from neurallog_kernel.evaluate.questions import Questions
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.relations import Relations
from neurallog_kernel.knowledge.storage import Storage
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.language import parse_query
from neurallog_kernel.observing import EVALUATE, GRAPHS, MATRICES, PLAN
from neurallog_kernel.plan.planner import Planner
from neurallog_kernel.profiling.clock import Clock, StageTimes
from neurallog_kernel.profiling.profile import Profile, StageCost
from neurallog_kernel.profiling.rules import rule_costs

PARSE, ANSWERS = "parse the question", "check and list"
_RUNS, _AGAIN = 3, 1.0  # a question is asked a few times, because other work disturbs a single run,
_MORE = 0.03  # but not for longer than these seconds
_STAGES = (PARSE, GRAPHS, PLAN, MATRICES, EVALUATE, ANSWERS)


@dataclass(frozen=True)
class _Question:
    """A question and the program that it is put to."""

    program: Program
    symbols: SymbolTable
    relations: Relations
    text: str
    top: int | None

    def answer(self) -> tuple[Clock, Answers]:
        """Answered once, as a session does, with planner and executor that know nothing yet."""
        clock = Clock()
        storage = Storage(self.program, self.symbols, self.relations.observed_by(clock))
        evaluator = Evaluator(Planner(observer=clock), Executor(storage, clock))
        with clock.stage(ANSWERS):
            with clock.stage(PARSE):
                atom = parse_query(self.text)
            return clock, Questions(evaluator).answer(atom, self.top)


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
    question, runs, started = _Question(program, symbols, relations, text, top), 1, perf_counter()
    first, answers = question.answer()
    best = first
    while perf_counter() - started < (_AGAIN if runs < _RUNS else _MORE):
        best = min(best, question.answer()[0], key=_without_matrices)
        runs += 1
    traced, peak = _memory(question)
    times = best.stages | {n: one for n, one in first.stages.items() if n == MATRICES}
    stages = tuple(
        StageCost(name, times[name].seconds, None if name == MATRICES else traced[name].kept)
        for name in _STAGES
        if name in times
    )
    return Profile(
        f"?- {answers.query}.",
        sum(stage.seconds for stage in stages),
        stages,
        rule_costs(best.asked, best.costs),
        EVALUATE,
        peak,
        loading,
        answers=answers,
    )


def _without_matrices(clock: Clock) -> float:
    return sum(times.seconds for name, times in clock.stages.items() if name != MATRICES)


def _memory(question: _Question) -> tuple[dict[str, StageTimes], int]:
    """What each stage left in memory, and how much there was at once."""
    already = tracemalloc.is_tracing()
    if not already:
        tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        clock, _ = question.answer()
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        if not already:
            tracemalloc.stop()
    return clock.stages, max(peak, 0)
