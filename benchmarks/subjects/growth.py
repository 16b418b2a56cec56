"""Growth: time and memory against facts, entities, rules, batch and depth, each with its exponent.

A cost may grow with the facts it touches, and with nothing else: a curve whose work touches more
facts at every size may have an exponent of 1, one whose work stays the same of 0. A tenth more is
allowed, for the logarithm of a sort and for caches that are too small at the large end.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from benchmarks.fitting import fit
from benchmarks.measuring import Seconds, median, undisturbed
from benchmarks.measuring import once as timed
from benchmarks.rows import Figure, Measured, Row, Settings, Target, subject
from benchmarks.subjects import growth_asking as asking
from benchmarks.subjects import growth_bounds as bounds
from benchmarks.subjects.growth_loading import load_facts
from benchmarks.subjects.growth_training import batch_point, entities_point, examples_point

EXPONENT = "exponent"
PROPORTIONAL, INDEPENDENT = 1.1, 0.1


@dataclass(frozen=True)
class Point:
    """One size of a curve: a run of its work, and the bytes that a run needs at most."""

    seconds: Callable[[int], Seconds]
    memory: Callable[[], float]


@dataclass(frozen=True)
class Curve:
    """A work at growing sizes."""

    name: str
    work: str
    axis: str
    sizes: tuple[int, ...]
    make: Callable[[int], Point]
    most: float = PROPORTIONAL
    quick: int = 4  # how many of the sizes `--quick` takes
    rounds: int = 7


def of_work(make: Callable[[int], Callable[[int], object]], least: float = 0.004):
    """A point whose work is a function of a running number, in this process."""

    def point(size: int) -> Point:
        work = make(size)
        work(0)
        loops = max(1, min(200, int(least / max(timed(lambda: work(1)).wall, 1e-6))))
        started = iter(range(2, 10**9, loops))

        def seconds(_: int) -> Seconds:
            first = next(started)
            return timed(lambda: [work(first + k) for k in range(loops)]) / loops

        return Point(seconds, lambda: _peak(lambda: work(next(started))))

    return point


def _peak(work: Callable[[], object]) -> int:
    """The most bytes that a run holds beyond what was there before."""
    with undisturbed():
        tracemalloc.start()
        try:
            before, _ = tracemalloc.get_traced_memory()
            tracemalloc.reset_peak()
            work()
            return max(tracemalloc.get_traced_memory()[1] - before, 1)
        finally:
            tracemalloc.stop()


def _from(made: Callable[[int], tuple[Callable[[int], Seconds], Callable[[], float]]]):
    return lambda size: Point(*made(size))


DECADES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
RULES = (10, 30, 100, 300, 1_000, 3_000, 10_000)
DEPTHS = (5, 10, 20, 40, 60, 80, 100)  # from about 120 on, the planner is too deep for Python
CURVES = (
    Curve(
        "facts-load",
        "load facts from text, ten for each entity",
        "facts",
        (1_000, 10_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000),
        _from(load_facts),
        rounds=1,
        quick=4,
    ),
    Curve(
        "facts-touched",
        "a question that touches so many facts",
        "facts touched",
        (300, 1_000, 3_000, 10_000, 30_000, 100_000),
        of_work(asking.touched),
    ),
    Curve(
        "facts-hub",
        "a question with two given places, one of them a hub of so many facts",
        "facts of the hub",
        DECADES,
        of_work(asking.beside_a_hub),
        INDEPENDENT,
    ),
    Curve(
        "facts-epoch",
        "an epoch over so many examples",
        "examples",
        (500, 1_000, 2_000, 4_000, 8_000, 16_000),
        _from(examples_point),
        rounds=3,
    ),
    Curve(
        "entities",
        "a question, so many entities around it",
        "entities",
        DECADES,
        of_work(asking.around),
        INDEPENDENT,
    ),
    Curve(
        "entities-epoch",
        "an epoch, so many entities around the examples",
        "entities",
        DECADES[2:],
        _from(entities_point),
        INDEPENDENT,
        rounds=3,
        quick=3,
    ),
    Curve(
        "rules",
        "a rule more, so many unrelated rules around it",
        "rules",
        RULES,
        of_work(asking.unrelated_rules),
        INDEPENDENT,
    ),
    Curve(
        "rules-load",
        "load so many rules, to the first answer",
        "rules",
        RULES,
        of_work(asking.load_rules),
        rounds=1,
    ),
    Curve(
        "rules-same",
        "a question of a predicate of so many rules",
        "rules",
        RULES,
        of_work(asking.same_predicate),
    ),
    Curve(
        "batch",
        "a training step of so many examples",
        "batch",
        (16, 32, 64, 128, 256, 512, 1_024),
        _from(batch_point),
        rounds=3,
    ),
    Curve("depth", "a question through so many rules", "depth", DEPTHS, of_work(asking.chain)),
    Curve(
        "depth-load",
        "load so deep a program, to the first answer",
        "depth",
        DEPTHS,
        of_work(asking.load_chain),
        rounds=3,
    ),
    Curve(
        "depth-recursion",
        "a recursive rule, text to the first answer",
        "recursion depth",
        DEPTHS,
        of_work(asking.recursion),
        rounds=3,
    ),
    Curve(
        "rules-calling",
        "rules that each call the two before, text to the first answer",
        "rules",
        (40, 80, 160, 320, 640),
        of_work(bounds.two_before),
        rounds=3,
    ),
    Curve(
        "depth-doubled",
        "a rule that calls itself twice, text to the first answer",
        "recursion depth",
        (12, 24, 48, 96, 192),
        of_work(bounds.doubled_recursion),
        rounds=3,
    ),
    Curve(
        "rules-first",
        "load so many rules before their facts",
        "rules",
        (250, 500, 1_000, 2_000, 4_000),
        of_work(bounds.before_facts),
        rounds=3,
    ),
    Curve(
        "rules-one-predicate",
        "rules of one predicate over as many others, text to the first answer",
        "rules",
        (625, 1_250, 2_500, 5_000, 10_000, 20_000),
        of_work(bounds.one_predicate),
        rounds=1,
    ),
    Curve(
        "rules-template",
        "load a template with so many instances",
        "instances",
        (250, 500, 1_000, 2_000, 4_000),
        of_work(bounds.instances),
        rounds=3,
    ),
)


def measure(curve: Curve, settings: Settings, wanted: frozenset[str]) -> Measured:
    sizes = curve.sizes[: curve.quick] if settings.quick else curve.sizes
    points = [curve.make(size) for size in sizes]
    rounds = max(1, round((1 if settings.quick else curve.rounds) * settings.repeat))
    times: list[list[Seconds]] = [[] for _ in sizes]
    for number in range(rounds):  # the sizes take turns
        for taken, point in zip(times, points, strict=True):
            taken.append(point.seconds(number))
    seconds = [median(taken) for taken in times]
    yield f"growth-{curve.name}", _figure(sizes, seconds, curve.axis, rounds)
    memory = [point.memory() for point in points]
    yield f"growth-{curve.name}-memory", _figure(sizes, memory, curve.axis, 1)


def _figure(sizes: tuple[int, ...], costs: list[float], axis: str, rounds: int) -> Figure:
    growth = fit(sizes, costs)
    note = f"± {growth.error:.2f}, {sizes[0]:,} to {sizes[-1]:,} {axis}"
    low, high = growth.exponent - growth.error, growth.exponent + growth.error
    return Figure(
        growth.exponent, EXPONENT, low=low, high=high, rounds=rounds, note=note, growth=growth
    )


def _register() -> None:
    for curve in CURVES:
        target = Target(curve.most, EXPONENT)
        rows = (
            Row(f"growth-{curve.name}", f"time: {curve.work}", "", target, "cost growth"),
            Row(f"growth-{curve.name}-memory", f"memory: {curve.work}", "", target, "cost growth"),
        )
        slow = curve.name.endswith("-epoch")
        subject(f"growth-{curve.name}", rows, slow)(partial(measure, curve))


_register()
