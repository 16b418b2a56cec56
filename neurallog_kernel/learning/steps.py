"""The steps of a training: a batch computes the targets that it has, not those that it lacks.

Examples are listed target by target, so most batches have one of them. NumPy leaves out the others
at once. TensorFlow compiles a step for a set of targets, which takes as long as many steps: a set
gets its own where the batches that have it save more than that. Calling what is compiled takes as
long as a step of a small program, so one call runs the batches of many sets, set by set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

import numpy as np

from neurallog_kernel.learning.gradient_step import Updates

Present: TypeAlias = tuple[int, ...]  # the targets of a batch, by number


@dataclass(frozen=True)
class BatchLoops:
    """Loops over batches that one call runs one after the other: a loop for each set of targets."""

    sets: tuple[Present, ...]
    loops: Callable[..., np.ndarray]  # of the first and the last batch of each

    def run(self, ranges: Mapping[Present, tuple[int, int]]) -> np.ndarray:
        """The summed losses of these batches; a set that is not among them has none."""
        return self.loops(*(end for one in self.sets for end in ranges.get(one, (0, 0))))


class Steps:
    """A compiled loop for each set of targets that is worth it, and one for all of them."""

    def __init__(self, updates: Updates) -> None:
        self._updates = updates
        self._everything: Present = tuple(range(len(updates.objective.targets)))
        self._own: frozenset[Present] = frozenset()
        self._chains: list[BatchLoops] = []

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
        for chain, ranges in self._calls(first, last):
            sums += chain.run(ranges)
        return sums

    def _calls(
        self, first: int, last: int
    ) -> Iterator[tuple[BatchLoops, Mapping[Present, tuple[int, int]]]]:
        """What is called for these batches, in their order: as many sets at once as stand there in
        the order of a chain."""
        chain, ranges, place = None, {}, -1
        for targets, batches in groupby(range(first, last), self._targets):
            listed = list(batches)
            own = self._chain(targets)
            if chain is not None and (own is not chain or own.sets.index(targets) <= place):
                yield chain, ranges
                ranges = {}
            chain, place = own, own.sets.index(targets)
            ranges[targets] = (listed[0], listed[-1] + 1)
        if chain is not None:
            yield chain, ranges

    def _targets(self, batch: int) -> Present:
        present = self._updates.objective.present[batch]
        return present if present in self._own else self._everything

    def _chain(self, targets: Present) -> BatchLoops:
        """The one that has these targets; a new one also has all others that the batches need."""
        for chain in self._chains:
            if targets in chain.sets:
                return chain
        known = {one for chain in self._chains for one in chain.sets}
        batches = range(len(self._updates.objective.present))
        needed = dict.fromkeys(self._targets(batch) for batch in batches)
        made = self._compiled(tuple(one for one in needed if one not in known))
        self._chains.append(made)
        return made

    def _compiled(self, sets: tuple[Present, ...]) -> BatchLoops:
        def loops(*ends: int) -> np.ndarray:
            pairs = zip(ends[::2], ends[1::2], strict=True)
            return self._updates.run([(*pair, one) for pair, one in zip(pairs, sets, strict=True)])

        return BatchLoops(sets, self._updates.network.arrays.compiled_loops(loops))


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
