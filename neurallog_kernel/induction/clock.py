"""The time that a search may take, from the moment it is asked for to its last table.

Counted work ends a search, not the clock, so that a slow machine finds what a quick one finds. The
clock is there for a machine that is too slow, and for what cannot be counted beforehand.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from time import perf_counter

LOADING = 0.3  # part of the budget after which no further facts are read
COUNTING, COMPARING, FITTING = 0.7, 0.9, 1.0  # parts after which each of these ends
SHOWING = 1.1  # when only the counts of further heads are shown
MOMENT = 2.0  # seconds that even the smallest budget gives


class Ended(Exception):
    """There is no time for the work that raises it, or somebody does not want to wait for it."""


class Deadline:
    """A budget of seconds, of which some are used already."""

    def __init__(
        self,
        seconds: float = math.inf,
        used: float = 0.0,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self.seconds, self.should_stop = seconds, should_stop
        self._began = perf_counter() - used

    @property
    def used(self) -> float:
        return perf_counter() - self._began

    @property
    def is_bounded(self) -> bool:
        return self.seconds < math.inf

    def is_past(self, part: float) -> bool:
        """Whether more than a part of the budget is used."""
        return self.used > part * self.seconds + MOMENT

    def check(self, part: float) -> None:
        """End work that may take so much of the budget."""
        if self.should_stop() or self.is_past(part):
            raise Ended
