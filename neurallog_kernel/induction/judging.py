"""The candidates of one head against its examples: what each gets right, alone and together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from neurallog_kernel.induction.bodies import Body, end_of, smoothed
from neurallog_kernel.induction.columns import Columns, entries, reached
from neurallog_kernel.induction.findings import Found
from neurallog_kernel.induction.heads import Head
from neurallog_kernel.induction.pairs import distinct_keys

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

    @cached_property
    def hits(self) -> np.ndarray:
        return np.asarray(self.right.sum(axis=0)).ravel()

    @cached_property
    def fires(self) -> np.ndarray:
        return self.hits + np.asarray(self.others.sum(axis=0)).ravel()

    @property
    def confidence(self) -> np.ndarray:
        """Smoothed, from all examples."""
        return smoothed(self.hits, self.fires)

    @cached_property
    def _by_body(self) -> tuple[Any, Any]:
        return self.right.tocsc(), self.others.tocsc()

    def holds_for(self, place: int) -> tuple[np.ndarray, np.ndarray]:
        """The rows of the examples and of the others for which a body holds."""
        right, others = self._by_body
        return tuple(
            part.indices[part.indptr[place] : part.indptr[place + 1]] for part in (right, others)
        )

    @cached_property
    def against(self) -> np.ndarray:
        """Which bodies speak against the head: they hold for pairs and for no example."""
        return np.array([one.against for one in self.found], dtype=bool)

    def counts(self, with_held: bool = True) -> Counts:
        """Counts by all examples, or by those that are not held out."""
        return self._counts[with_held]

    @cached_property
    def _counts(self) -> tuple[Counts, Counts]:
        """By those that are not held out, and by all."""
        found = []
        for parts in (
            (self.right[~self.held_right], self.others[~self.held_others]),
            (self.right, self.others),
        ):
            hits, wrong = (np.asarray(part.sum(axis=0)).ravel() for part in parts)
            found.append(Counts(hits, wrong, parts[0].shape[0], parts[1].shape[0]))
        return found[0], found[1]

    @cached_property
    def rows(self) -> list[np.ndarray]:
        """The bodies of each row of a table: one, or those of a rule with a weight for each."""
        groups: dict[object, list[int]] = {}
        for number, one in enumerate(self.found):
            groups.setdefault(one.body.each or number, []).append(number)
        return [np.array(numbers) for numbers in groups.values()]

    def chosen(self, columns: Sequence[int] | np.ndarray) -> Judged:
        """Only some of the bodies, in this order."""
        if np.array_equal(columns, np.arange(len(self.found))):
            return self
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
        every: Columns,
        found: Sequence[Found],
        rows: np.ndarray | None,
        name: str,
        seed: int,
        most: int | None = None,
    ) -> Judges:
        """`rows` are those that a search was content with; `every` looks at all. `most` pairs are
        what there is time for."""
        pairs = sum(one.all_fires for one in found if one.body.steps)
        size = every.graph.size
        most = MOST_PAIRS if most is None else min(most, MOST_PAIRS)
        if rows is None and pairs <= most:
            return Judges(every)
        some = np.arange(size) if rows is None else rows
        number = max(1, int(len(some) * min(1.0, most / max(1, pairs))))
        if number < len(some):
            some = np.sort(np.random.default_rng(seed).choice(some, number, replace=False))
        share = len(some) / (size if rows is None else len(rows))
        cut = f"rules of {name}: compared with each other from {len(some):,} of {size:,} entities"
        return Judges(Columns(every.graph, some), share, cut)


def judge(
    columns: Columns,
    head: Head,
    found: Sequence[Found],
    check: Callable[[], None] = lambda: None,
) -> Judged:
    """Where the bodies hold. `check` may end it."""
    size = columns.graph.size
    own, held_right = _known(columns, head.right, head.held_right)
    listed, held = _known(columns, head.wrong, head.held_wrong)
    if len(own) == 1:
        right = _conditions(columns, found, own)
        if head.is_listed:
            others, keys = _conditions(columns, found, listed), np.zeros(0, dtype=np.int64)
        else:
            keys = np.setdiff1d(np.arange(size), own[0])
            others = _conditions(columns, found, (keys,))
    else:
        relation = _Relation(columns, head, found, own, listed, check)
        right, others, keys = relation.right, relation.others, relation.keys
    if not head.is_listed:
        held = np.zeros(len(keys), dtype=bool)
    return Judged(head, tuple(found), right, others, own, keys, held_right, held, size)


def _known(
    columns: Columns, given: tuple[np.ndarray, ...], held: np.ndarray
) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """The entities of the examples that are looked at, and which of these are held out."""
    places = tuple(columns.graph.index(column) for column in given)
    known = np.all([place >= 0 for place in places], axis=0)
    if len(places) == 2:
        known &= columns.has_row(places[0])
    return tuple(place[known] for place in places), held[known]


def _conditions(columns: Columns, found: Sequence[Found], places: tuple[np.ndarray, ...]) -> Any:
    """A row per example, a column per body that is no path: whether its conditions hold. Those of a
    rule with a weight for each entity are taken at once."""
    if not found or not len(places[0]):
        return sp.csr_array((len(places[0]), len(found)), dtype=np.float32)
    groups: dict[tuple[int, tuple[int, ...]] | None, list[int]] = {}
    for number, one in enumerate(found):
        groups.setdefault(one.body.each, []).append(number)
    parts = []
    for each, numbers in groups.items():
        if each is None:
            dense = np.column_stack([_marked(columns, found[n].body, places) for n in numbers])
            parts.append(sp.csr_array(dense.astype(np.float32)))
        else:
            place, steps = each
            ends = [end_of(found[n].body) for n in numbers]
            parts.append(reached(columns.graph, steps, places[place])[:, ends])
    order = np.argsort([n for numbers in groups.values() for n in numbers])
    return sp.csr_array(sp.hstack(parts, format="csr"))[:, order]


def _marked(columns: Columns, body: Body, places: tuple[np.ndarray, ...]) -> np.ndarray:
    """For which of some examples the conditions of a body hold."""
    found = columns.mark(body.on_x)[places[0]]
    return found & columns.mark(body.on_y)[places[1]] if len(places) == 2 else found


class _Relation:
    """Bodies of a relation, on its examples and on the listed negatives or else all other pairs."""

    def __init__(
        self,
        columns: Columns,
        head: Head,
        found: Sequence[Found],
        own: tuple[np.ndarray, ...],
        listed: tuple[np.ndarray, ...],
        check: Callable[[], None],
    ) -> None:
        self.columns, self.head, self.check = columns, head, check
        self._own, self._listed = own, listed
        size = columns.graph.size
        self._examples = np.unique(own[0].astype(np.int64) * size + own[1])
        self._keys: list[np.ndarray] = [np.zeros(0, dtype=np.int64)]
        self._bodies: list[np.ndarray] = [np.zeros(0, dtype=np.int64)]
        paths = [n for n, one in enumerate(found) if one.body.steps]
        others = [n for n, one in enumerate(found) if not one.body.steps]
        rest = [found[n] for n in others]
        right, wrong = [_conditions(columns, rest, own)], [_conditions(columns, rest, listed)]
        for number in () if head.is_listed else others:
            self._reach(columns.holds(found[number].body), np.array([number]), found)
        order = list(others)
        for some, ways in columns.together([found[n].body.steps for n in paths]):
            check()
            numbers = np.array(paths)[some]
            order += numbers.tolist()
            right.append(self._at(ways, numbers, found, own))
            if head.is_listed:
                wrong.append(self._at(ways, numbers, found, listed))
            else:
                self._reach(ways, numbers, found)
        places = np.argsort(order)
        self.right = sp.csr_array(sp.hstack(right, format="csr"))[:, places]
        self.keys = np.zeros(0, dtype=np.int64)
        if head.is_listed:
            self.others = sp.csr_array(sp.hstack(wrong, format="csr"))[:, places]
        else:
            self.others = self._all_others(len(found))

    def _at(
        self,
        ways: Any,
        numbers: np.ndarray,
        found: Sequence[Found],
        places: tuple[np.ndarray, ...],
    ) -> Any:
        """A column per body: for which examples it holds without the help of their own facts."""
        columns, (first, second) = self.columns, places
        rows = np.searchsorted(columns.rows, first)
        block = np.arange(len(numbers))[:, None] * len(columns.rows)
        flat = np.broadcast_to(second, (len(numbers), len(second))).ravel()
        counts = entries(ways, (block + rows).ravel(), flat).reshape(len(numbers), len(first))
        holds = (counts > 0.5) & (first != second)
        for place, number in enumerate(numbers.tolist()):
            body = found[number].body
            if columns.uses(body, self.head.signature):
                self.check()
                holds[place] = columns.at(body, self.head.signature, first, second, counts[place])
            elif body.on_x or body.on_y:
                holds[place] &= _marked(columns, body, places)
        return sp.csr_array(holds.T.astype(np.float32))

    def _reach(self, ways: Any, numbers: np.ndarray, found: Sequence[Found]) -> None:
        """The pairs for which bodies hold."""
        columns, size = self.columns, self.columns.graph.size
        ways = sp.csr_array(ways)
        which, row = np.divmod(
            np.repeat(np.arange(ways.shape[0]), np.diff(ways.indptr)), len(columns.rows)
        )
        first, second = columns.rows[row].astype(np.int64), ways.indices
        kept = ways.data > 0
        if self.head.is_irreflexive:
            kept &= first != second
        for place, number in enumerate(numbers.tolist()):
            body = found[number].body
            if body.on_x or body.on_y:
                kept &= (which != place) | _marked(columns, body, (first, second))
        keys = (first * size + second)[kept]
        fresh = ~np.isin(keys, self._examples)
        self._keys.append(keys[fresh])
        self._bodies.append(numbers[which[kept][fresh]])

    def _all_others(self, number: int) -> Any:
        keys = np.concatenate(self._keys)
        self.keys, where = distinct_keys(keys, self.columns.graph.size)
        data = np.ones(len(where), dtype=np.float32)
        shape = (len(self.keys), number)
        return sp.csr_array((data, (where, np.concatenate(self._bodies))), shape=shape)


def with_exclusions(columns: Columns, judged: Judged, least: int) -> Judged:
    """The bodies, and relations that speak against the head: they hold for many pairs that the
    bodies reach, and for fewer than `least` examples. Whoever is a mother is no father."""
    head, graph = judged.head, columns.graph
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
