"""A stopwatch for stages that run inside each other: each second belongs to one of them."""

from __future__ import annotations

import mmap
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter


@dataclass
class StageTimes:
    """What one stage took, without the stages inside it."""

    seconds: float = 0.0
    kept: int = 0  # bytes it allocated and did not free, where memory is traced


@dataclass
class _Open:
    """A stage that is running: when it began, and what the stages inside it took so far."""

    name: str
    started: float
    held: int
    seconds: float = 0.0
    kept: int = 0


@dataclass
class Clock:
    """Adds up the stages by name, in the order in which they first ended.

    `memory` says how many bytes there are; by default those that Python traces, if it does.

    >>> clock = Clock()
    >>> with clock.stage("plan"):
    ...     with clock.stage("rule graphs"):
    ...         pass
    >>> list(clock.stages)
    ['rule graphs', 'plan']
    """

    memory: Callable[[], int] = field(default=lambda: _traced())
    stages: dict[str, StageTimes] = field(default_factory=dict)
    _running: list[_Open] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        self.begin(name)
        try:
            yield
        finally:
            self.end()

    def begin(self, name: str) -> None:
        """Start a stage inside the one that is running."""
        self._running.append(_Open(name, perf_counter(), self.memory()))

    def end(self) -> None:
        """End the innermost stage."""
        now, memory = perf_counter(), self.memory()
        done = self._running.pop()
        seconds, kept = now - done.started, memory - done.held
        times = self.stages.setdefault(done.name, StageTimes())
        times.seconds += max(seconds - done.seconds, 0.0)
        times.kept += kept - done.kept
        if self._running:
            self._running[-1].seconds += seconds
            self._running[-1].kept += kept

    @property
    def seconds(self) -> float:
        """All stages together."""
        return sum(times.seconds for times in self.stages.values())

    def leave_out(self, seconds: float) -> None:
        """Time that the profile itself took belongs to no stage."""
        if self._running:
            self._running[-1].seconds += seconds


def _traced() -> int:
    return tracemalloc.get_traced_memory()[0] if tracemalloc.is_tracing() else 0


def resident() -> int:
    """Bytes of this process in memory; 0 where the system does not say (other than Linux)."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[1]
    except OSError:
        return 0
    return int(pages) * mmap.PAGESIZE
