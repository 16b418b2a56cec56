"""The observer that measures: each second of a run belongs to one stage, and maybe to one node."""

from __future__ import annotations

import mmap
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import TypeVar

import numpy as np

from neurallog_kernel.evaluate.rows import Rows
from neurallog_kernel.knowledge.matrices import Matrix
from neurallog_kernel.observing import Recorder
from neurallog_kernel.plan.exprs import Expr
from neurallog_kernel.plan.layers import LiteralLayer

T = TypeVar("T")


@dataclass
class StageTimes:
    """What one stage took, without the stages inside it."""

    seconds: float = 0.0
    kept: int = 0  # bytes it allocated and did not free, where memory is traced


@dataclass
class NodeCost:
    """What computing one node of the plan took, all its calls together.

    `facts` counts the facts a product goes through (an entry of the vector with each fact of its
    row), `entries` the entries of the results, `bytes` their arrays.
    """

    seconds: float = 0.0
    calls: int = 0
    facts: int = 0
    entries: int = 0
    bytes: int = 0


@dataclass
class _Open:
    """A stage or node that is running, and what those inside it took so far."""

    stage: str
    started: float
    held: int = 0
    cost: NodeCost | None = None  # of a node
    seconds: float = 0.0
    kept: int = 0


@dataclass
class Clock:
    """Adds up the stages by name, in the order in which they first ended, and the nodes.

    `memory` says how many bytes there are; by default those that Python traces, if it does. What
    the clock itself takes belongs to nobody. `asked` holds the layers that were planned for
    themselves, not for a rule that calls them.

    >>> clock = Clock()
    >>> with clock.stage("plan"):
    ...     with clock.stage("rule graphs"):
    ...         pass
    >>> list(clock.stages)
    ['rule graphs', 'plan']
    """

    memory: Callable[[], int] = field(default=lambda: _traced())
    stages: dict[str, StageTimes] = field(default_factory=dict)
    costs: dict[tuple[Expr, ...], NodeCost] = field(default_factory=dict)
    asked: list[LiteralLayer] = field(default_factory=list)
    _running: list[_Open] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[Recorder]:
        self.begin(name)
        try:
            yield self._planned
        finally:
            self.end()

    @contextmanager
    def nodes(self, nodes: Sequence[Expr]) -> Iterator[Recorder]:
        since = perf_counter()
        cost = self.costs.setdefault(tuple(nodes), NodeCost())
        cost.calls += 1
        self._open(_Open(self._running[-1].stage, perf_counter(), cost=cost), since)
        try:
            yield self._computed
        finally:
            now = perf_counter()
            done = self._close(now)
            cost.seconds += max(now - done.started - done.seconds, 0.0)
            self._left(done, done.kept)

    def multiplied(self, vector: Rows, matrices: Sequence[Matrix]) -> None:
        since, running = perf_counter(), self._running[-1]
        assert running.cost is not None
        running.cost.facts += _paths(vector, matrices)
        running.seconds += perf_counter() - since

    def read(self, facts: int) -> None:
        cost = self._running[-1].cost
        assert cost is not None
        cost.facts += facts

    def _planned(self, made: T, /) -> T:
        *outside, now = self._running
        if isinstance(made, LiteralLayer) and all(one.stage != now.stage for one in outside):
            self.asked.append(made)
        return made

    def _computed(self, value: T, /) -> T:
        since, running = perf_counter(), self._running[-1]
        if running.cost is not None and isinstance(value, Rows | np.ndarray):
            running.cost.entries += len(value.keys) if isinstance(value, Rows) else 0
            running.cost.bytes += value.nbytes
        running.seconds += perf_counter() - since
        return value

    def begin(self, name: str) -> None:
        """Start a stage inside the one that is running."""
        since, held = perf_counter(), self.memory()
        self._open(_Open(name, perf_counter(), held), since)

    def end(self) -> None:
        """End the innermost stage."""
        now = perf_counter()
        done = self._close(now)
        kept = self.memory() - done.held
        self.stages[done.stage].kept += kept - done.kept
        self._left(done, kept)

    def _open(self, one: _Open, since: float) -> None:
        if self._running:
            self._running[-1].seconds += one.started - since
        self._running.append(one)

    def _close(self, now: float) -> _Open:
        done = self._running.pop()
        times = self.stages.setdefault(done.stage, StageTimes())
        times.seconds += max(now - done.started - done.seconds, 0.0)
        return done

    def _left(self, done: _Open, kept: int) -> None:
        """Tell the one outside, last of all: the time since the end is nobody's."""
        if self._running:
            self._running[-1].kept += kept
            self._running[-1].seconds += perf_counter() - done.started


def _paths(rows: Rows, parts: Sequence[Matrix]) -> int:
    """How many facts a product goes through: for each entry those of its row, and all of them once
    where the vector is not zero elsewhere."""
    touched = 0
    for part in parts:
        columns = rows.columns()
        columns = columns[columns < part.shape[0]]
        touched += int((part.starts[columns + 1] - part.starts[columns]).sum(dtype=np.int64))
        touched += 0 if rows.is_sparse else part.count
    return touched


def _traced() -> int:
    return tracemalloc.get_traced_memory()[0] if tracemalloc.is_tracing() else 0


def resident() -> int:
    """Bytes of this process in memory; 0 where the system does not say (other than Linux)."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[1]
    except OSError:
        return 0
    return int(pages) * mmap.PAGESIZE
