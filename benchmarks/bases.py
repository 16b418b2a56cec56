"""Made-up knowledge bases: entities related at random, evenly or with hubs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp


@dataclass(frozen=True)
class Base:
    """Relations between entities e0, e1, ..."""

    entities: int
    pairs: dict[str, np.ndarray]  # distinct, [m, 2] each

    @property
    def facts(self) -> int:
        return sum(len(pairs) for pairs in self.pairs.values())

    def text(self) -> str:
        return "".join(
            f"{name}(e{a}, e{b}).\n"
            for name, pairs in self.pairs.items()
            for a, b in pairs.tolist()
        )

    def matrix(self, name: str) -> sp.csr_array:
        pairs = self.pairs[name]
        ones = np.ones(len(pairs))
        return sp.csr_array((ones, pairs.T), shape=(self.entities, self.entities))


def random_base(
    entities: int,
    facts: int,
    names: tuple[str, ...] = ("p", "q", "r"),
    zipf: float = 0,
    seed: int = 11,
) -> Base:
    """Facts spread evenly over the relations; with `zipf` the entity of rank k is drawn with
    probability k ** -zipf, so that a few have thousands of facts."""
    draw = np.random.default_rng(seed)
    chances = np.arange(1, entities + 1, dtype=float) ** -zipf
    chances /= chances.sum()
    pairs = {}
    for name in names:
        wanted = facts // len(names)
        found = np.zeros((0, 2), dtype=np.int64)
        while len(found) < wanted:
            more = (
                draw.integers(0, entities, (2 * wanted, 2))
                if not zipf
                else draw.choice(entities, (2 * wanted, 2), p=chances)
            )
            found = np.unique(np.concatenate([found, more]), axis=0)
        pairs[name] = found[np.sort(draw.permutation(len(found))[:wanted])]
    return Base(entities, pairs)


SIX_RULES = """
learn(w).
h(X, Y) :- p(X, Y), w(direct).
h(X, Y) :- p(X, Z), q(Z, Y), w(two).
h(X, Y) :- q(X, Z), r(Z, Y), w(other_two).
h(X, Y) :- p(Z, X), q(Z, Y), w(sideways).
h(X, Y) :- r(X, Z), q(Y, Z), w(shared).
h(X, Y) :- p(X, A), q(A, B), r(B, Y), w(three).
"""


def examples(base: Base, number: int, seed: int = 5) -> np.ndarray:
    """Distinct pairs to learn: the start of a two-hop path and its end, or another entity."""
    draw = np.random.default_rng(seed)
    reached = (base.matrix("p") @ base.matrix("q")).tocoo()
    some = draw.choice(len(reached.data), min(number, len(reached.data)), replace=False)
    pairs = np.column_stack([part[some] for part in reached.coords])
    pairs[::2, 1] = draw.integers(0, base.entities, len(pairs[::2]))
    return np.unique(pairs, axis=0)


def example_text(pairs: np.ndarray) -> str:
    """Every other example is false."""
    labels = ("", "0.0::")
    return "".join(f"{labels[i % 2]}h(e{a}, e{b}).\n" for i, (a, b) in enumerate(pairs.tolist()))


def many_pairs(entities: int, facts: int) -> Iterator[np.ndarray]:
    """Pairs of one relation, a piece at a time; the same ones every time."""
    draw = np.random.default_rng(3)
    for first in range(0, facts, 500_000):
        yield draw.integers(0, entities, (min(500_000, facts - first), 2))


def write_facts(path: Path, entities: int, facts: int) -> None:
    """A file of them, written without holding them all."""
    with path.open("w", encoding="utf-8") as file:
        for pairs in many_pairs(entities, facts):
            file.write("".join(f"p(e{a}, e{b}).\n" for a, b in pairs.tolist()))


def many_as_matrix(entities: int, facts: int) -> sp.csr_array:
    """The same as SciPy keeps them; a pair that comes twice is one fact."""
    pairs = np.concatenate(list(many_pairs(entities, facts)))
    matrix = sp.csr_array((np.ones(len(pairs)), pairs.T), shape=(entities, entities))
    matrix.sum_duplicates()
    matrix.data[:] = 1.0
    return matrix
