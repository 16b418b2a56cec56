"""Growth of training: a later epoch against examples and entities, a step against the batch."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path

from benchmarks.bases import SIX_RULES, example_text, examples, random_base
from benchmarks.measuring import Seconds, Stopwatch, median, peak, resident
from neurallog_kernel import Session

Made = tuple[Callable[[int], Seconds], Callable[[], float]]
ENTITIES, FACTS = 20_000, 200_000


def examples_point(size: int) -> Made:
    """An epoch over so many examples, in a base that stays as it is."""
    return _point(_session(ENTITIES, size), batch=128)


def batch_point(size: int) -> Made:
    """A step of so many examples."""
    return _point(_session(ENTITIES, 8 * size), batch=size, of_a_step=True)


def entities_point(size: int) -> Made:
    """An epoch over the same examples and facts, with so many entities around them."""
    session = _session(2_000, 2_000, facts=20_000)
    others = "".join(f"p(x{i}, y{i}).\n" for i in range(size // 2))
    session.add(others, source="others")
    return _point(session, batch=128)


def _session(entities: int, number: int, facts: int = FACTS) -> Session:
    base = random_base(entities, facts)
    session = Session()
    session.add(base.text() + SIX_RULES, source="program")
    session.add(example_text(examples(base, number)), source="examples", set="train")
    return session


def _point(session: Session, batch: int, of_a_step: bool = False) -> Made:
    grown: list[float] = []

    def seconds(_: int) -> Seconds:
        epochs = _Epochs()
        gc.collect()
        _forget_peak()
        before = resident()
        session.train(epochs=10**6, batch_size=batch, seed=1, callbacks=[epochs])
        grown.append(max(_peak() - before, 1))
        return epochs.middle() / (epochs.steps if of_a_step else 1)

    return seconds, lambda: grown[-1]  # the first also made the matrices of the facts


class _Epochs:
    """The time of every epoch after the first, until they add up to something."""

    ENOUGH = 0.3  # seconds

    def __init__(self) -> None:
        self.runs: list[Seconds] = []
        self.steps = 1  # of an epoch
        self._watch: Stopwatch | None = None

    def on_epoch(self, state) -> None:
        if self._watch is not None:
            self.runs.append(self._watch.read())
        self.steps = state.batches
        self._watch = Stopwatch()
        state.stop = len(self.runs) >= 5 and sum(r.wall for r in self.runs) > self.ENOUGH

    def middle(self) -> Seconds:
        return Seconds(median(self.runs, "wall"), median(self.runs))


def _forget_peak() -> None:
    """Let the peak of memory start anew, where the system can."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def _peak() -> int:
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return peak()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
