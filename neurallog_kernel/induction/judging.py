"""The candidates of one head against its examples: what each gets right, alone and together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from neurallog_kernel.induction.bodies import Body, end_of, smoothed
from neurallog_kernel.induction.columns import Columns, reached
from neurallog_kernel.induction.findings import Found
from neurallog_kernel.induction.graph import Graph
from neurallog_kernel.induction.heads import Head

FEWEST_AGAINST = 5  # pairs that a relation must rule out
MOST_PAIRS = 40_000_000  # that the bodies of a head hold for, together: about 2 GB


@dataclass(frozen=True, eq=False)
class Counts:
    """For each body how many examples and how many others it holds for, and how many there are."""

    hits: np.ndarray
    wrong: np.ndarray
    right: int
    others: int

    @property
    def confidence(self) -> np.ndarray:
        return smoothed(self.hits, self.hits + self.wrong)


@dataclass(frozen=True, eq=False)
class Judged:
    """Bodies of one head, best first. A row per example or pair, a column per body.

    `right` are the examples, each without the help of its own fact; `others` are the listed
    negatives or, where none is listed, all other pairs that some body reaches (`keys` tells them).
    """

    head: Head
    found: tuple[Found, ...]
    right: Any  # sp.csr_array
    others: Any
    places: tuple[np.ndarray, ...]  # entities of the examples
    keys: np.ndarray  # row * size + column of each of the others; entities of a concept
    held_right: np.ndarray
    held_others: np.ndarray
    size: int  # entities

    @property
    def hits(self) -> np.ndarray:
        return np.asarray(self.right.sum(axis=0)).ravel()

    @property
    def fires(self) -> np.ndarray:
        return self.hits + np.asarray(self.others.sum(axis=0)).ravel()

    @property
    def confidence(self) -> np.ndarray:
        """Smoothed, from all examples."""
        return smoothed(self.hits, self.fires)

    @cached_property
    def against(self) -> np.ndarray:
        """Which bodies speak against the head: they hold for pairs and for no example."""
        return np.array([one.against for one in self.found], dtype=bool)

    def counts(self, with_held: bool = True) -> Counts:
        """Counts by all examples, or by those that are not held out."""
        right, others = self.right, self.others
        if not with_held:
            right, others = right[~self.held_right], others[~self.held_others]
        hits, wrong = (np.asarray(part.sum(axis=0)).ravel() for part in (right, others))
        return Counts(hits, wrong, right.shape[0], others.shape[0])

    def chosen(self, columns: Sequence[int] | np.ndarray) -> Judged:
        """Only some of the bodies, in this order."""
        return Judged(
            self.head,
            tuple(self.found[int(c)] for c in columns),
            self.right[:, columns],
            self.others[:, columns],
            self.places,
            self.keys,
            self.held_right,
            self.held_others,
            self.size,
        )


@dataclass(frozen=True, eq=False)
class Judges:
    """The first entities from which bodies are judged: all, or so many that memory is bounded."""

    columns: Columns
    share: float = 1.0
    cut: str = ""  # what was sampled, in words

    @staticmethod
    def of(
        every: Columns, found: Sequence[Found], rows: np.ndarray | None, name: str, seed: int
    ) -> Judges:
        """`rows` are those that a search was content with; `every` looks at all."""
        pairs = sum(one.all_fires for one in found if one.body.steps)
        size = every.graph.size
        if rows is None and pairs <= MOST_PAIRS:
            return Judges(every)
        some = np.arange(size) if rows is None else rows
        number = max(1, int(len(some) * min(1.0, MOST_PAIRS / max(1, pairs))))
        if number < len(some):
            some = np.sort(np.random.default_rng(seed).choice(some, number, replace=False))
        share = len(some) / (size if rows is None else len(rows))
        cut = f"rules of {name}: compared with each other from {len(some):,} of {size:,} entities"
        return Judges(Columns(every.graph, some), share, cut)


def judge(graph: Graph, columns: Columns, head: Head, found: Sequence[Found]) -> Judged:
    """Where the bodies hold."""
    own, held_right = _known(columns, head.right, head.held_right)
    right = _at(columns, head, found, own)
    if head.is_listed:
        listed, held = _known(columns, head.wrong, head.held_wrong)
        others = _at(columns, head, found, listed)
        keys = np.zeros(0, dtype=np.int64)
    elif len(own) == 1:
        others, keys = _entities(columns, found, own[0])
        held = np.zeros(len(keys), dtype=bool)
    else:
        others, keys = _pairs(columns, head, found, own)
        held = np.zeros(len(keys), dtype=bool)
    return Judged(head, tuple(found), right, others, own, keys, held_right, held, graph.size)


def _known(
    columns: Columns, given: tuple[np.ndarray, ...], held: np.ndarray
) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """The entities of the examples that are looked at, and which of these are held out."""
    places = tuple(columns.graph.index(column) for column in given)
    known = np.all([place >= 0 for place in places], axis=0)
    if len(places) == 2:
        known &= columns.has_row(places[0])
    return tuple(place[known] for place in places), held[known]


def _at(
    columns: Columns, head: Head, found: Sequence[Found], places: tuple[np.ndarray, ...]
) -> Any:
    """A row per example: which bodies hold."""
    if not len(places[0]) or not found:
        return sp.csr_array((len(places[0]), len(found)), dtype=np.float32)

    def holds(one: Found) -> np.ndarray:
        if len(places) == 1:
            return columns.mark(one.body.on_x)[places[0]]
        return columns.at(one.body, head.signature, *places)

    return _side_by_side(columns.graph, found, places, holds)


def _side_by_side(
    graph: Graph,
    found: Sequence[Found],
    places: tuple[np.ndarray, ...],
    holds: Callable[[Found], np.ndarray],
) -> Any:
    """A column per body; those of a rule with a weight for each entity are taken at once."""
    groups: dict[tuple[int, tuple[int, ...]] | None, list[int]] = {}
    for number, one in enumerate(found):
        groups.setdefault(one.body.each, []).append(number)
    parts = []
    for each, numbers in groups.items():
        if each is None:
            dense = np.column_stack([holds(found[n]) for n in numbers])
            parts.append(sp.csr_array(dense.astype(np.float32)))
        else:
            place, steps = each
            ends = [end_of(found[n].body) for n in numbers]
            parts.append(reached(graph, steps, places[place])[:, ends])
    order = np.argsort([n for numbers in groups.values() for n in numbers])
    return sp.csr_array(sp.hstack(parts, format="csr"))[:, order]


def _entities(
    columns: Columns, found: Sequence[Found], right: np.ndarray
) -> tuple[Any, np.ndarray]:
    """The other entities of a concept."""
    others = np.setdiff1d(np.arange(columns.graph.size), right)
    if not found:
        return sp.csr_array((len(others), 0), dtype=np.float32), others
    marks = _side_by_side(
        columns.graph, found, (others,), lambda one: columns.mark(one.body.on_x)[others]
    )
    return marks, others


def _pairs(
    columns: Columns, head: Head, found: Sequence[Found], right: tuple[np.ndarray, ...]
) -> tuple[Any, np.ndarray]:
    """All pairs that some body reaches and that are no examples."""
    size = columns.graph.size
    known = np.unique(right[0].astype(np.int64) * size + right[1])
    keys, bodies = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for number, one in enumerate(found):
        matrix = columns.holds(one.body)
        first = np.repeat(columns.rows, np.diff(matrix.indptr)).astype(np.int64)
        own = first * size + matrix.indices
        own = own[~np.isin(own, known)]
        if head.is_irreflexive:
            own = own[own // size != own % size]
        keys.append(own)
        bodies.append(np.full(len(own), number))
    every, where = np.unique(np.concatenate(keys), return_inverse=True)
    data = np.ones(len(where), dtype=np.float32)
    shape = (len(every), len(found))
    return sp.csr_array((data, (where, np.concatenate(bodies))), shape=shape), every


def with_exclusions(graph: Graph, columns: Columns, judged: Judged, least: int) -> Judged:
    """The bodies, and relations that speak against the head: they hold for many pairs that the
    bodies reach, and for fewer than `least` examples. Whoever is a mother is no father."""
    head = judged.head
    if head.is_listed or len(judged.places) != 2 or not judged.found:
        return judged
    apart = judged.places[0] != judged.places[1]
    keys = judged.places[0].astype(np.int64) * judged.size + judged.places[1]
    right = sp.csr_array(columns.steps_between(keys).multiply(apart[:, None]))
    others = columns.steps_between(judged.keys)
    few = np.asarray(right[~judged.held_right].sum(axis=0)).ravel() < least
    wrong = np.asarray(others.sum(axis=0)).ravel()
    taken = {one.body for one in judged.found}
    chosen = [
        step
        for step in np.flatnonzero(few & (wrong >= FEWEST_AGAINST)).tolist()
        if graph.steps[step].signature != head.signature and Body((step,)) not in taken
    ]
    if not chosen:
        return judged
    hits = np.asarray(right.sum(axis=0)).ravel()
    found = [
        Found(Body((step,)), int(hits[step]), int(hits[step] + wrong[step]), against=True)
        for step in chosen
    ]
    return replace(
        judged,
        found=(*judged.found, *found),
        right=_beside(judged.right, right[:, chosen]),
        others=_beside(judged.others, others[:, chosen]),
    )


def _beside(matrix: Any, more: Any) -> Any:
    return sp.csr_array(sp.hstack([matrix, more], format="csr"))
