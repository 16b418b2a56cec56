"""The steps of a training: a batch computes the targets that it has, not those that it lacks.

Examples are listed target by target, so most batches have one of them. NumPy leaves out the others
at once. TensorFlow compiles a step for a set of targets, which takes as long as many steps: a set
gets its own where the batches that have it save more than that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from itertools import groupby
from typing import TypeAlias

import numpy as np

from neurallog_kernel.learning.gradient_step import Updates

Present: TypeAlias = tuple[int, ...]  # the targets of a batch, by number


class Steps:
    """One compiled loop for each set of targets that is worth it, and one for all of them."""

    def __init__(self, updates: Updates) -> None:
        self._updates = updates
        self._everything: Present = tuple(range(len(updates.objective.targets)))
        self._own: frozenset[Present] = frozenset()
        self._loops: dict[Present, Callable[..., np.ndarray]] = {}

    def plan(self, epochs: int) -> None:
        """Choose the sets that have a step of their own for so many epochs to come."""
        network = self._updates.network
        if network.models:  # a layer may draw numbers: its calls stay the same however long it is
            return
        counts = Counter(self._updates.objective.present)
        cost = network.arrays.compiling
        self._own |= worth_it(counts, len(self._everything), epochs, cost)

    def run(self, first: int, last: int) -> np.ndarray:
        """A step for each of these batches; gives the summed losses of each target."""
        sums = np.zeros(len(self._everything) + 1)
        for targets, batches in groupby(range(first, last), self._targets):
            listed = list(batches)
            sums += self._loop(targets)(listed[0], listed[-1] + 1)
        return sums

    def _targets(self, batch: int) -> Present:
        present = self._updates.objective.present[batch]
        return present if present in self._own else self._everything

    def _loop(self, targets: Present) -> Callable[..., np.ndarray]:
        if targets not in self._loops:
            run = partial(self._updates.run, targets=targets)
            self._loops[targets] = self._updates.network.arrays.compiled_loop(run)
        return self._loops[targets]


def worth_it(
    counts: Mapping[Present, int], targets: int, epochs: int, compiling: int
) -> frozenset[Present]:
    """The sets whose batches of an epoch (`counts`) leave out so much that a step of their own
    pays: compiling a target takes as long as computing it so many times.

    >>> blocks = {(0,): 32, (0, 1): 1, (1,): 2}
    >>> worth_it(blocks, 2, epochs=100, compiling=1000)
    frozenset({(0,)})
    >>> len(worth_it(blocks, 2, epochs=1, compiling=0))
    3
    """
    return frozenset(
        present
        for present, batches in counts.items()
        if epochs * batches * (targets - len(present)) >= compiling * len(present)
    )
