"""Timing that a busy machine disturbs little: works take turns, and what counts is their ratio.

Two works run one after the other, many times, in alternating order. A round gives one ratio, so a
slow moment that hits both leaves it as it was; the figure is the median of the rounds. Time is the
processor's by default (a neighbour does not count), with one thread for everybody, which
`PINNED` asks of every library; the clock on the wall is kept beside it.
"""

from __future__ import annotations

import gc
import os
import resource
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter, process_time

Work = Callable[[int], object]  # called with a running number, so that no question comes twice

PINNED = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "PYTHONHASHSEED": "0",
}


@dataclass(frozen=True)
class Seconds:
    """What one run took."""

    wall: float
    processor: float

    def __truediv__(self, number: float) -> Seconds:
        return Seconds(self.wall / number, self.processor / number)

    def __mul__(self, number: float) -> Seconds:
        return Seconds(self.wall * number, self.processor * number)


class Stopwatch:
    """Both clocks since it was made."""

    def __init__(self) -> None:
        self._wall, self._processor = perf_counter(), process_time()

    def read(self) -> Seconds:
        return Seconds(perf_counter() - self._wall, process_time() - self._processor)


@contextmanager
def undisturbed() -> Iterator[None]:
    """No garbage is collected inside, and what there was before is gone."""
    gc.collect()
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def once(work: Callable[[], object]) -> Seconds:
    """What a single run takes."""
    with undisturbed():
        watch = Stopwatch()
        work()
        return watch.read()


@dataclass(frozen=True)
class Turns:
    """The rounds of two works that took turns: what one run of each took in each round."""

    ours: tuple[Seconds, ...]
    theirs: tuple[Seconds, ...]
    clock: str = "processor"  # or "wall"

    def ratios(self) -> list[float]:
        """Theirs over ours, round by round."""
        pairs = zip(self.ours, self.theirs, strict=True)
        return [getattr(b, self.clock) / max(getattr(a, self.clock), 1e-9) for a, b in pairs]

    @property
    def ratio(self) -> float:
        """The median of theirs over ours.

        >>> busy = Turns((Seconds(1, 1), Seconds(4, 4)), (Seconds(3, 3), Seconds(12, 12)))
        >>> busy.ratio
        3.0
        """
        return statistics.median(self.ratios())

    @property
    def spread(self) -> tuple[float, float]:
        """The quartiles of the ratios."""
        return quartiles(self.ratios())


def median(runs: Sequence[Seconds], clock: str = "processor") -> float:
    """The middle one of many runs, in seconds."""
    return statistics.median(getattr(run, clock) for run in runs)


def quartiles(values: Sequence[float]) -> tuple[float, float]:
    """A quarter of the values is below the first, a quarter above the second.

    >>> quartiles([1, 2, 3, 4, 5])
    (2.0, 4.0)
    """
    if len(values) < 2:
        return (float(values[0]), float(values[0]))
    first, _, last = statistics.quantiles(values, n=4, method="inclusive")
    return first, last


def take_turns(
    ours: Work,
    theirs: Work,
    rounds: int,
    least: float = 0.02,
    clock: str = "processor",
) -> Turns:
    """Run both works in turn; each is repeated within a round until it takes `least` seconds."""
    numbers = iter(range(sys.maxsize))
    works = (ours, theirs)
    times: tuple[list[Seconds], list[Seconds]] = ([], [])
    loops = [_loops(work, numbers, least) for work in works]
    for number in range(rounds):
        order = (0, 1) if number % 2 == 0 else (1, 0)
        start = next(numbers)
        for _ in range(max(loops)):
            next(numbers)
        for place in order:  # both get the same numbers: the same questions
            times[place].append(_run(works[place], start, loops[place]))
    return Turns(tuple(times[0]), tuple(times[1]), clock)


def repeat(work: Work, rounds: int, least: float = 0.02) -> tuple[Seconds, ...]:
    """The same without anybody to compare with."""
    numbers = iter(range(sys.maxsize))
    loops = _loops(work, numbers, least)
    found = []
    for _ in range(rounds):
        start = next(numbers)
        found.append(_run(work, start, loops))
        for _ in range(loops):
            next(numbers)
    return tuple(found)


def _loops(work: Work, numbers: Iterator[int], least: float) -> int:
    """How often a work is run in a round; the first run only warms up. Of a short work the quickest
    of three runs counts: one that was disturbed would make rounds of a single cold run."""
    work(next(numbers))
    taken = [_once(work, numbers)]
    if taken[0].processor < least:
        taken += [_once(work, numbers), _once(work, numbers)]
    return max(1, min(1000, int(least / max(min(one.wall for one in taken), 1e-6))))


def _once(work: Work, numbers: Iterator[int]) -> Seconds:
    number = next(numbers)
    return once(lambda: work(number))


def _run(work: Work, start: int, loops: int) -> Seconds:
    with undisturbed():
        watch = Stopwatch()
        for number in range(start, start + loops):
            work(number)
        return watch.read() / loops


@contextmanager
def as_installed() -> Iterator[dict[str, str]]:
    """The environment of a new process that reads compiled modules, as an installed package has
    them: an earlier process with this environment compiled them, whatever Python is told here."""
    with tempfile.TemporaryDirectory() as folder:
        left = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        yield {**left, "PYTHONPYCACHEPREFIX": folder}


def resident() -> int:
    """Bytes of this process in memory now; its peak where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        return peak()


def peak() -> int:
    """The most bytes this process ever had."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
