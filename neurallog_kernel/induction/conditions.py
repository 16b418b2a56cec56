"""Conditions on one argument: concepts, relations, constants and cut points of attributes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from neurallog_kernel.induction.bodies import (
    AT_LEAST,
    AT_MOST,
    Body,
    Concept,
    Condition,
    Cut,
    EntityEnd,
    smoothed,
)
from neurallog_kernel.induction.columns import ends
from neurallog_kernel.induction.findings import Found
from neurallog_kernel.induction.graph import Graph
from neurallog_kernel.induction.heads import Head
from neurallog_kernel.language.syntax import Signature

CUTS = 9  # quantiles at which an attribute is cut
MOST = 20_000  # conditions; more would be chance finds


class Conditions:
    """All conditions that a graph offers, each with the entities for which it holds."""

    def __init__(self, graph: Graph, longest: int, constants: set[Signature], least: int) -> None:
        self.graph, self.least = graph, least
        self.conditions: list[Condition] = []
        self.cut = ""  # what was left out, in words
        parts: list[Any] = []
        for conditions, matrix in self._all(longest):
            self.conditions += conditions
            parts.append(matrix)
        for step in range(len(graph.steps)):
            if graph.steps[step].signature in constants:
                matrix = graph.matrices[step].tocsc()
                often = np.flatnonzero(np.diff(matrix.indptr) >= least)
                if len(self.conditions) + len(often) > MOST:
                    self.cut = f"only {MOST:,} conditions: the constants of some predicates"
                    break
                self.conditions += [Condition((step,), EntityEnd(int(index))) for index in often]
                parts.append(matrix[:, often].tocsr())
        self.matrix = _beside(parts)
        self.lengths = np.array([c.length for c in self.conditions], dtype=np.int64)

    def _all(self, longest: int) -> Iterator[tuple[list[Condition], Any]]:
        """Those without constants, short ones first, and a column for each; none that holds for all
        or for nobody."""
        graph = self.graph
        known = [
            *(Condition((), Concept(signature)) for signature in graph.concepts),
            *(Condition((), cut) for cut in _cuts(graph)),
            Condition(()),
        ]
        matrix = _beside([_column(ends(graph, condition)) for condition in known])
        seen = 0
        for steps in range(longest):
            often = np.bincount(matrix.indices, minlength=len(known))
            kept = np.flatnonzero((often > 0) & (often < graph.size))[: MOST - seen]
            seen += len(kept)
            yield [known[n] for n in kept.tolist()], matrix[:, kept]
            if steps == longest - 1 or len(known) * len(graph.steps) > MOST:
                return
            known = [
                Condition((step, *condition.steps), condition.end)
                for step in range(len(graph.steps))
                for condition in known
            ]
            if not known:
                return
            matrix = _beside([one @ matrix for one in graph.matrices])

    # -- counts for heads -----------------------------------------------------------------------

    def count(self, head: Head, most: int) -> Iterator[Found]:
        """The best conditions as whole bodies: of a concept, or of one argument of a relation
        whose negatives are listed."""
        for place in range(len(head.right)):
            right = self._sum(head.right[place][~head.held_right])
            held = self._sum(head.right[place][head.held_right])
            held_fires = held + self._sum(head.wrong[place][head.held_wrong])
            if head.is_listed:
                fires = right + self._sum(head.wrong[place][~head.held_wrong])
            else:
                fires = np.asarray(self.matrix.sum(axis=0)).ravel() - held
            for number in self._best(right, fires, head, place, most):
                own = (self.conditions[number],)
                body = Body((), on_x=own) if place == 0 else Body((), on_y=own)
                counts = (right, fires, held, held_fires)
                yield Found(body, *_whole(counts, number))
            if head.is_listed:
                yield from self._against(right, fires, head.share, place, most)

    def _against(
        self, right: np.ndarray, fires: np.ndarray, share: float, place: int, most: int
    ) -> Iterator[Found]:
        """Conditions under which examples are rarer than among all."""
        rare = (fires >= self.least) & (right <= share * fires)
        often = smoothed(fires - right, fires)
        order = np.lexsort((np.arange(len(right)), self.lengths, -often))
        for number in order[rare[order]][:most].tolist():
            own = (self.conditions[number],)
            body = Body((), on_x=own) if place == 0 else Body((), on_y=own)
            yield Found(body, int(right[number]), int(fires[number]), against=True)

    def _sum(self, symbols: np.ndarray) -> np.ndarray:
        found = self.graph.index(symbols)
        counts = np.bincount(found[found >= 0], minlength=self.graph.size).astype(np.float32)
        return counts @ self.matrix

    def _best(
        self, right: np.ndarray, fires: np.ndarray, head: Head, place: int, most: int
    ) -> Sequence[int]:
        confidence = smoothed(right, fires)
        order = np.lexsort((np.arange(len(right)), self.lengths, -confidence))
        own = Condition((), Concept(head.signature))
        share = head.share if head.is_listed else 0.0
        chosen = [
            n
            for n in order[right[order] > share * fires[order]].tolist()
            if self.conditions[n] != own
        ]
        return chosen[:most]

    def with_constant(self, head: Head, least: int, most: int) -> Iterator[Found]:
        """Bodies `h(X, c) :- condition(X)` and `h(c, Y) :- condition(Y)` for every constant c."""
        graph = self.graph
        first, second = (graph.index(column) for column in head.right)
        train = ~head.held_right
        for place, own, other in ((0, first, second), (1, second, first)):
            pairs = sp.csr_array(
                (np.ones(int(train.sum()), dtype=np.float32), (other[train], own[train])),
                shape=(graph.size, graph.size),
            )
            right = sp.coo_array(pairs @ self.matrix)
            held = np.zeros(graph.size)
            np.add.at(held, other[~train], 1.0)
            fires = np.asarray(self.matrix.sum(axis=0)).ravel()[right.col]
            itself = self._says_itself(head, place, right.row, right.col)
            there = (right.data >= least) & ~itself
            constant, condition = right.row[there], right.col[there]
            hits, fires = right.data[there], fires[there]
            order = np.lexsort((condition, constant, -smoothed(hits, fires)))[:most]
            for number in order.tolist():
                given = (self.conditions[condition[number]],)
                fixed = (Condition((), EntityEnd(int(constant[number]))),)
                body = Body((), given, fixed) if place == 0 else Body((), fixed, given)
                yield Found(body, int(hits[number]), int(fires[number]))

    def _says_itself(
        self, head: Head, place: int, constants: np.ndarray, conditions: np.ndarray
    ) -> np.ndarray:
        """Where a condition on the argument is the head's own fact about the constant."""
        own = np.full(len(self.conditions), -1, dtype=np.int64)
        for number, condition in enumerate(self.conditions):
            if len(condition.steps) == 1:
                step = self.graph.steps[condition.steps[0]]
                same = step.signature == head.signature
                same &= step.symmetric or step.inverse == (place == 1)
                if same and isinstance(condition.end, EntityEnd):
                    own[number] = condition.end.index
                elif same and condition.end is None:
                    own[number] = -2  # that it relates to someone
        found = own[conditions]
        return (found == constants) | (found == -2)


def _column(vector: np.ndarray) -> Any:
    return sp.csr_array(vector.astype(np.float32).reshape(-1, 1))


def _beside(parts: Sequence[Any]) -> Any:
    """Matrices beside each other, with a 1 for each entry."""
    whole = sp.csr_array(sp.hstack(parts, format="csr"))
    whole.data[:] = 1.0
    return whole


def _whole(counts: Sequence[np.ndarray], number: int) -> tuple[int, int, int, int]:
    """Right, fires and the same of held-out examples, of one condition."""
    right, fires, held, held_fires = (int(count[number]) for count in counts)
    return right, fires, held, held_fires


def _cuts(graph: Graph) -> Iterator[Cut]:
    """Cut points between the values of each attribute, at quantiles."""
    for signature, (_, values) in graph.attributes.items():
        points = np.unique(np.quantile(values, np.linspace(0, 1, CUTS + 2)[1:-1], method="higher"))
        for value in points.tolist():
            yield Cut(signature, AT_LEAST, value)
            yield Cut(signature, AT_MOST, value)
