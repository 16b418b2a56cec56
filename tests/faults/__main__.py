"""Try many faults: `python -m tests.faults interrupts | threads | signals | kills [--times N]`."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

from tests.faults.interrupts import operations, try_all
from tests.faults.kills import killed_at_random
from tests.faults.signals import signalled
from tests.faults.threads import added_at_once


def interrupts(times: int, folder: Path) -> int:
    """Interrupts at so many places of each operation, or at all of them (0)."""
    wrong = 0
    for name, operation in operations(folder).items():

        def chosen(places: int) -> list[int]:
            every = range(1, places + 1)
            return sorted(random.Random(0).sample(every, times)) if times else list(every)

        outcome = try_all(name, operation, chosen)
        wrong += len(outcome.wrong)
        print(f"{name}: {outcome.tried} of {outcome.places} places, {len(outcome.wrong)} wrong")
    return wrong


def threads(times: int, folder: Path) -> int:
    """Two threads that add so many sources."""
    left, failed = added_at_once(times or 300)
    print(f"{left} of {times or 300} sources left, {len(failed)} failures")
    return (times or 300) - left + len(failed)


def signals(times: int, folder: Path) -> int:
    """Real interrupts at random moments of a training."""
    wrong = signalled(times or 100, seed=0)
    print(f"{times or 100} signals, {len(wrong)} wrong", *wrong[:3], sep="\n")
    return len(wrong)


def kills(times: int, folder: Path) -> int:
    """`kill -9` at random moments of trainings with a checkpoint."""
    outcome, ended = killed_at_random(folder, times or 50, seed=0)
    result = "the same weights" if outcome.same else "OTHER WEIGHTS"
    print(f"{outcome.kills} kills, {ended} trainings came to an end, with {result}")
    return 0 if outcome.same else 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults")
    parser.add_argument("what", choices=("interrupts", "threads", "signals", "kills"))
    parser.add_argument(
        "--times", type=int, default=0, help="how many; 0: all, or as many as usual"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return min(1, globals()[options.what](options.times, Path(folder)))


if __name__ == "__main__":
    sys.exit(main())
