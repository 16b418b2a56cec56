"""Searching for rules: small graphs to the ranked table, large ones, and searches cut short."""

from __future__ import annotations

from time import perf_counter, process_time

import numpy as np
import scipy.sparse as sp

from benchmarks.bases import Base, random_base
from benchmarks.measuring import once, resident
from benchmarks.rows import Figure, Measured, Row, Settings, Target, faster, subject
from neurallog_kernel import Session
from neurallog_kernel.induction.learner import RuleLearner
from neurallog_kernel.induction.options import LearnOptions

SAMPLE = 300  # bodies that are counted one by one
SMALL = "135 entities, 46 relations, 5,200 facts"  # the size of UMLS
ROWS = (
    Row(
        "induction-mine",
        f"every path of three literals, all heads: {SMALL}",
        "a product of SciPy for each body",
        faster(10),
    ),
    Row("induction-table", f"the same to the ranked table: {SMALL}", "", Target(3, "s")),
    Row("induction-first", "first row: 87,000 facts, 11 relations", "", Target(1, "s")),
    Row("induction-stop", "a stop there, to the last table", "", Target(0.3, "s")),
    Row("induction-large", "272,000 facts, 237 relations, length 2", "", Target(30, "s")),
    Row("induction-bounded", "10 M facts with hubs, budget 20 s", "", Target(25, "s")),
    Row("induction-bounded-memory", "the process grown by that search", "", Target(4, "GB")),
)


@subject("induction", ROWS, slow=True)
def measure(settings: Settings, wanted: frozenset[str]) -> Measured:
    if wanted & {"induction-mine", "induction-table"}:
        yield from _small()
    if wanted & {"induction-first", "induction-stop"}:
        yield from _anytime()
    scale = 10 if settings.quick else 1
    if "induction-large" in wanted:
        base = _base(14_500, 272_000 // scale, 237)
        learner = _learner(base, length=2, budget=300.0)
        taken = once(lambda: _run(learner))
        yield "induction-large", Figure(taken.wall, "s", taken.wall, note=_note(learner))
    if wanted & {"induction-bounded", "induction-bounded-memory"}:
        base = random_base(1_000_000 // scale, 10_000_000 // scale, _names(10), zipf=0.8)
        session = Session()
        session.add(base.text())
        before = resident()
        learner = RuleLearner(session._evaluator, LearnOptions(heads=("p0/2",), budget=20.0))
        taken = once(lambda: _run(learner))
        yield "induction-bounded", Figure(taken.wall, "s", taken.wall, note=_note(learner))
        yield "induction-bounded-memory", Figure((resident() - before) / 1e9, "GB")


def _small() -> Measured:
    base = _base(135, 5_200, 46)
    learner = _learner(base, budget=300.0)
    began = process_time()
    for _ in learner.search_only():
        pass
    ours = process_time() - began
    bodies = learner.findings.counted
    theirs = _one_by_one(base) * bodies / SAMPLE
    note = f"{bodies:,} bodies; processor seconds; {SAMPLE} bodies were counted one by one"
    yield "induction-mine", Figure(theirs / ours, "× as fast", ours, theirs, note=note)
    began = process_time()
    learner.refit()
    whole = ours + process_time() - began
    yield "induction-table", Figure(whole, "s", whole, note="processor seconds, start weights")


def _one_by_one(base: Base) -> float:
    """Support for all heads of some bodies, each by its own products."""
    matrices = [base.matrix(name) for name in base.pairs]
    heads = sp.vstack([matrix.reshape(1, -1) for matrix in matrices], format="csr")
    draw = np.random.default_rng(1)
    began = process_time()
    for one, two, three in draw.integers(0, len(matrices), (SAMPLE, 3)).tolist():
        reached = (matrices[one] @ matrices[two] @ matrices[three]) > 0
        _ = heads @ reached.reshape(-1, 1)
    return process_time() - began


def _anytime() -> Measured:
    learner = _learner(_base(40_000, 87_000, 11), budget=60.0)
    began, asked = perf_counter(), 0.0
    first = 0.0
    for snapshot in learner.run():
        if snapshot.candidates.rows and not first:
            first = perf_counter() - began
            learner.should_stop, asked = (lambda: True), perf_counter()
    ended = perf_counter() - asked
    yield "induction-first", Figure(first, "s", first, note=_note(learner))
    yield "induction-stop", Figure(ended, "s", ended)


def _names(number: int) -> tuple[str, ...]:
    return tuple(f"p{k}" for k in range(number))


def _base(entities: int, facts: int, relations: int) -> Base:
    return random_base(entities, facts, _names(relations), zipf=0.5)


def _learner(base: Base, **options) -> RuleLearner:
    session = Session()
    session.add(base.text())
    return RuleLearner(session._evaluator, LearnOptions(**options))


def _run(learner: RuleLearner) -> None:
    for _ in learner.run():
        pass


def _note(learner: RuleLearner) -> str:
    return "; ".join(learner.candidates().cut[:2])[:200]
