"""Which rows go together: batches over the distinct inputs of all targets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neurallog_kernel.learning.examples import Target
from neurallog_kernel.network.rowsets import Batches


class RowPlan:
    """The distinct inputs of all targets in order of appearance, and each target's share of them.

    A batch is a number of inputs; a target takes part with the rows it has examples for.
    """

    def __init__(self, targets: Sequence[Target], batch_size: int) -> None:
        self.batch_size = batch_size
        numbers: dict[tuple, int] = {}
        self.rows: list[np.ndarray] = []
        for target in targets:
            found = [numbers.setdefault(key, len(numbers)) for key in target.keys]
            self.rows.append(np.array(found, dtype=np.int64))
        self.total = len(numbers)

    @property
    def count(self) -> int:
        """The number of batches."""
        return max(1, -(-self.total // self.batch_size))

    def sizes(self) -> np.ndarray:
        """How many inputs each batch has."""
        starts = np.arange(self.count) * self.batch_size
        return np.minimum(self.total - starts, self.batch_size)

    def batches(self, generator: np.random.Generator | None) -> list[Batches]:
        """One division for each target; with a generator the inputs are shuffled first."""
        place = np.arange(self.total)
        if generator is not None:
            place = generator.permutation(self.total)
        return [self._for_target(place[rows]) for rows in self.rows]

    def _for_target(self, places: np.ndarray) -> Batches:
        order = np.argsort(places, kind="stable")
        batch = places[order] // self.batch_size
        starts = np.searchsorted(batch, np.arange(self.count + 1))
        return Batches(order, starts)
