"""Timing and a table of figures against their targets."""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable
from pathlib import Path
from time import perf_counter


def once(work: Callable[[], object]) -> float:
    """Seconds that one run takes."""
    gc.collect()
    start = perf_counter()
    work()
    return perf_counter() - start


def interleaved(*works: Callable[[int], object], rounds: int = 15) -> list[float]:
    """The median seconds of each work; they take turns, so that a slow moment hits them all."""
    times: list[list[float]] = [[] for _ in works]
    for number in range(rounds + 1):
        for taken, work in zip(times, works, strict=True):
            start = perf_counter()
            work(number)
            taken.append(perf_counter() - start)
    return [statistics.median(taken[1:]) for taken in times]  # the first round warms up


def resident() -> int:
    """Bytes of this process in memory (Linux; 0 elsewhere)."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[1]
    except OSError:
        return 0
    return int(pages) * 4096


class Table:
    """Rows of work, figure and target, printed as they come."""

    def __init__(self, title: str) -> None:
        self.short = 0
        print(f"\n{title}")
        print(f"  {'work':<58} {'figure':>12} {'target':>12}")

    def row(self, work: str, figure: float, unit: str, target: float | None = None) -> None:
        """One figure; smaller is better, and a target says how small."""
        verdict, wanted = "", ""
        if target is not None:
            verdict = "pass" if figure <= target else "SHORT"
            wanted = f"{target:g} {unit}"
            self.short += figure > target
        print(f"  {work:<58} {f'{figure:.3g} {unit}':>12} {wanted:>12}  {verdict}".rstrip())
