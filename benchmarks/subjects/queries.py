"""One question against hand-written SciPy for the same rule: the limit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.bases import random_base
from benchmarks.measuring import median, repeat, take_turns
from benchmarks.rows import Measured, Row, Settings, share, subject, within
from neurallog_kernel import Session

LINE = "single query against hand-written SciPy"
RULES = """
two(X, Y) :- p(X, Z), q(Z, Y).
marked(X, Y) :- p(X, Z), u(Z), q(Z, Y).
three(X, Y) :- p(X, A), q(A, B), r(B, Y).
"""
TITLES = {
    "two": "a chain of two",
    "marked": "a chain of two with a unary literal",
    "three": "a chain of three",
}
SIZES = {"10k": 10_000, "200k": 200_000}
ROWS = [
    Row(
        f"query-{name}-{size}",
        f"a question, {title}, {size[:-1]} k entities, ten facts each",
        "SciPy by hand",
        within(1.5),
        LINE,
    )
    for size in SIZES
    for name, title in TITLES.items()
]


@subject("query", ROWS)
def measure(settings: Settings, wanted: frozenset[str]) -> Measured:
    for size, entities in SIZES.items():
        if not any(row.endswith(f"-{size}") for row in wanted):
            continue
        side = _sides(entities)
        for name in TITLES:
            _check_same(side, name)
            title, by_hand = side.by_hand(name)
            turns = take_turns(side.ours(name), by_hand, settings.rounds(25))
            yield f"query-{name}-{size}", share(turns, f"SciPy {title}")


@dataclass(frozen=True)
class _Sides:
    session: Session
    matrices: tuple[sp.csr_array, sp.csr_array, sp.csr_array]
    unary: np.ndarray
    asked: np.ndarray  # the entities that are asked for, in turn

    def entity(self, number: int) -> int:
        return int(self.asked[number % len(self.asked)])

    def ours(self, name: str) -> Callable[[int], object]:
        return lambda number: self.session.query(f"{name}(e{self.entity(number)}, Y)")

    def by_products(self, name: str) -> Callable[[int], sp.csr_array]:
        """A sparse row times CSR matrices."""
        p, q, r = self.matrices
        ways: dict[str, Callable[[int], sp.csr_array]] = {
            "two": lambda number: p[[self.entity(number)]] @ q,
            "marked": lambda number: p[[self.entity(number)]].multiply(self.unary).tocsr() @ q,
            "three": lambda number: p[[self.entity(number)]] @ q @ r,
        }
        return ways[name]

    def by_rows(self, name: str) -> Callable[[int], sp.coo_array]:
        """The rows that are reached, gathered and summed: no work over all entities, which SciPy's
        product of two sparse matrices does."""
        p, q, r = self.matrices

        def start(number: int) -> Sparse:
            entity = self.entity(number)
            own = slice(p.indptr[entity], p.indptr[entity + 1])
            return p.indices[own], p.data[own]

        def marked(found: Sparse) -> Sparse:
            return found[0], found[1] * self.unary[found[0]]

        ways: dict[str, Callable[[int], Sparse]] = {
            "two": lambda number: _hop(start(number), q),
            "marked": lambda number: _hop(marked(start(number)), q),
            "three": lambda number: _hop(_hop(start(number), q), r),
        }
        way = ways[name]
        return lambda number: _as_row(way(number), q.shape[1])

    def by_hand(self, name: str) -> tuple[str, Callable[[int], Any]]:
        """The faster of the two."""
        ways = {"by products": self.by_products(name), "by rows": self.by_rows(name)}
        taken = {title: median(repeat(way, 5)) for title, way in ways.items()}
        best = min(taken, key=lambda title: taken[title])
        return best, ways[best]


Sparse = tuple[np.ndarray, np.ndarray]  # where, and how much


def _hop(found: Sparse, matrix: sp.csr_array) -> Sparse:
    """A sparse row times a matrix."""
    reached = matrix[found[0]]
    weights = np.repeat(found[1], np.diff(reached.indptr)) * reached.data
    where, place = np.unique(reached.indices, return_inverse=True)
    return where, np.bincount(place, weights, len(where))


def _as_row(found: Sparse, size: int) -> sp.coo_array:
    kept = found[1] != 0
    zeros = np.zeros(int(kept.sum()), dtype=found[0].dtype)
    return sp.coo_array((found[1][kept], (zeros, found[0][kept])), shape=(1, size))


def _sides(entities: int) -> _Sides:
    base = random_base(entities, 10 * entities)
    draw = np.random.default_rng(11)
    some = draw.choice(entities, entities // 4, replace=False)
    unary = np.zeros(entities)
    unary[some] = 1.0
    session = Session()
    session.add(base.text() + "".join(f"u(e{a}).\n" for a in some.tolist()), "facts")
    session.add(RULES, "rules")
    matrices = (base.matrix("p"), base.matrix("q"), base.matrix("r"))
    asked = draw.permutation(np.flatnonzero(np.diff(matrices[0].indptr)))
    return _Sides(session, matrices, unary, asked)


def _check_same(side: _Sides, name: str) -> None:
    """Both sides give the same answers with the same weights, or there is nothing to compare."""
    ours = side.session.query(f"{name}(e{side.entity(0)}, Y)").weights
    for way in (side.by_products(name), side.by_rows(name)):
        row = sp.coo_array(way(0))
        found = zip((f"e{i}" for i in row.coords[-1].tolist()), row.data, strict=True)
        theirs = {entity: value for entity, value in found if value}
        if {key[-1]: value for key, value in ours.items()} != theirs:
            raise AssertionError(f"{name}: the two sides do not agree")
