"""Which rows go together: batches over the distinct inputs of all targets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from neurallog_kernel.learning.examples.targets import Target
from neurallog_kernel.network.rowsets import Batches


class RowPlan:
    """The distinct inputs of all targets in order of appearance, and each target's share of them.

    A batch is a number of inputs; a target takes part with the rows it has examples for. A mega
    example counts as one input: it is never divided, and its rows stay in order.
    """

    def __init__(self, targets: Sequence[Target], batch_size: int) -> None:
        self.batch_size = batch_size
        inputs: dict[tuple, int] = {}
        together: dict[tuple, int] = {}  # what stays in one batch: a group, or a single input
        owners: list[int] = []  # for each input, which of these it belongs to
        self.rows: list[np.ndarray] = []
        for target in targets:
            found = []
            for group, key in _inputs(target):
                number = inputs.setdefault(key, len(inputs))
                if number == len(owners):
                    owners.append(together.setdefault(group or key, len(together)))
                found.append(number)
            self.rows.append(np.array(found, dtype=np.int64))
        self._owners = np.array(owners, dtype=np.int64)
        self.parts = tuple(together)  # a mega example as ("group", its number), or an input
        self._parts = len(together)
        self.total = len(inputs)
        self.sizes = np.zeros(0, dtype=np.int64)  # how many inputs each batch has
        self.batches(None)

    @property
    def count(self) -> int:
        """The number of batches."""
        return max(1, -(-self._parts // self.batch_size))

    def parts_of(self, target: int) -> np.ndarray:
        """For each row of a target the number of what stays together in one batch."""
        return self._owners[self.rows[target]]

    def batches(self, generator: np.random.Generator | None) -> list[Batches]:
        """One division for each target; with a generator the order is shuffled first."""
        return self.divided(self.places(generator))

    def places(self, generator: np.random.Generator | None) -> np.ndarray:
        """Where each part stands: in order, or shuffled."""
        if generator is None:
            return np.arange(self._parts)
        return generator.permutation(self._parts)

    def divided(self, place: np.ndarray) -> list[Batches]:
        """One division for each target, with every part at its place."""
        places = place[self._owners]
        self.sizes = np.bincount(places // self.batch_size, minlength=self.count)
        return [self._for_target(places[rows]) for rows in self.rows]

    def _for_target(self, places: np.ndarray) -> Batches:
        order = np.argsort(places, kind="stable")
        batch = places[order] // self.batch_size
        starts = np.searchsorted(batch, np.arange(self.count + 1))
        return Batches(order, starts)


def _inputs(target: Target) -> Iterator[tuple[tuple, tuple]]:
    """For each row the group it is in, if it is in one, and what it has in common with the rows of
    other targets: its inputs, in a group also how often they were there before."""
    seen: Counter[tuple] = Counter()
    for key, group in zip(target.keys, target.groups.tolist(), strict=True):
        if group < 0:
            yield (), key
            continue
        here = ("group", group, *key)
        seen[here] += 1
        yield ("group", group), (*here, seen[here])
