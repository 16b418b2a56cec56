"""Ranks among answers of equal weight: what random order gives, the best and the worst case."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

TELLS = 0.005  # by so much best and worst must differ before they are printed


def expected_reciprocal(higher: int, equal: int) -> float:
    """The mean of 1 / rank where `equal` others tie in random order.

    >>> expected_reciprocal(0, 0), expected_reciprocal(0, 1)
    (1.0, 0.75)
    """
    return float((1.0 / np.arange(higher + 1, higher + equal + 2)).mean())


def expected_reciprocals(higher: np.ndarray, equal: np.ndarray) -> np.ndarray:
    """The same for many at once.

    >>> expected_reciprocals(np.array([0, 0, 2]), np.array([0, 1, 0])).round(4).tolist()
    [1.0, 0.75, 0.3333]
    """
    most = int((higher + equal).max(initial=0)) + 1
    sums = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, most + 1))])
    return (sums[higher + equal + 1] - sums[higher]) / (equal + 1)


def expected_within(higher: int, equal: int, top: int) -> float:
    """The chance to be among the first `top` where `equal` others tie in random order.

    >>> expected_within(0, 1, 1), expected_within(3, 0, 3)
    (0.5, 0.0)
    """
    return min(1.0, max(0, top - higher) / (equal + 1))


@dataclass
class TiedRanks:
    """Collects answers: how many others score higher, and how many the same.

    >>> ranks = TiedRanks()
    >>> ranks.add(1.0, np.array([0.5, 1.0]))
    >>> ranks.mrr
    0.75
    >>> print(ranks.text())
    MRR 0.750 (ties: best 1.000, worst 0.500), hits@1 0.500, hits@10 1.000
    """

    higher: list[int] = field(default_factory=list)
    equal: list[int] = field(default_factory=list)

    def add(self, own: float, others: np.ndarray) -> None:
        """An answer of weight `own` among others."""
        self.higher.append(int((others > own).sum()))
        self.equal.append(int((others == own).sum()))

    def add_unknown(self, number: int, size: int) -> None:
        """Answers that cannot be given: they come after everybody."""
        self.higher += [size] * number
        self.equal += [0] * number

    def __len__(self) -> int:
        return len(self.higher)

    @property
    def mrr(self) -> float:
        """Expected over random order of ties."""
        pairs = zip(self.higher, self.equal, strict=True)
        return float(np.mean([expected_reciprocal(*pair) for pair in pairs]))

    @property
    def best(self) -> float:
        """Where an answer comes before all that tie with it."""
        return float(np.mean(1.0 / (np.array(self.higher) + 1)))

    @property
    def worst(self) -> float:
        return float(np.mean(1.0 / (np.array(self.higher) + np.array(self.equal) + 1)))

    def hits(self, top: int) -> float:
        pairs = zip(self.higher, self.equal, strict=True)
        return float(np.mean([expected_within(*pair, top) for pair in pairs]))

    def text(self) -> str:
        ties = ""
        if self.best - self.worst > TELLS:
            ties = f" (ties: best {self.best:.3f}, worst {self.worst:.3f})"
        return f"MRR {self.mrr:.3f}{ties}, hits@1 {self.hits(1):.3f}, hits@10 {self.hits(10):.3f}"
