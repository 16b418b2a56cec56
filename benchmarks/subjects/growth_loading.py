"""Growth of loading: each size in a new process, so that memory is that of the facts alone."""

from __future__ import annotations

import gc
import multiprocessing
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from benchmarks.bases import write_facts
from benchmarks.measuring import Seconds, median, once, resident

FEW = 100_000  # below so many facts a single run is too short to be measured


def load_facts(size: int) -> tuple[Callable[[int], Seconds], Callable[[], float]]:
    """Seconds to load so many facts, and the bytes by which the process grows for good."""
    bytes_seen: list[float] = []

    def seconds(_: int) -> Seconds:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            taken, grown = pool.submit(_load, size).result()
        bytes_seen.append(grown)
        return taken

    return seconds, lambda: bytes_seen[-1]


def _load(size: int) -> tuple[Seconds, float]:
    from neurallog_kernel import Session

    Session().add("p(a, b).")  # the grammar
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "facts.pl"
        write_facts(path, max(size // 10, 10), size)
        gc.collect()
        before = resident()
        session = Session()
        runs = [once(lambda: session.load(path, source="facts"))]
        gc.collect()
        grown = max(resident() - before, 1)
        more = 5 if size < FEW else 0
        runs += [once(lambda: Session().load(path, source="facts")) for _ in range(more)]
    return Seconds(median(runs, "wall"), median(runs)), grown
