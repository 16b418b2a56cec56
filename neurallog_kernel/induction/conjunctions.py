"""Conjunctions: the best bodies of a head, each with one more condition on an argument."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from neurallog_kernel.induction.bodies import Body, Concept, Condition, smoothed
from neurallog_kernel.induction.columns import Columns
from neurallog_kernel.induction.conditions import Conditions
from neurallog_kernel.induction.findings import Found
from neurallog_kernel.induction.heads import Head

BEST = 20  # bodies that get a condition
EACH = 20  # conditions that each of them keeps
CLEARLY = 1.1  # times the confidence without the condition, or it says nothing new
_Pairs = tuple[np.ndarray, ...]  # entities at each place


class Conjunctions:
    """Counts bodies with a condition more by sums over the pairs that a body reaches: one product
    counts all conditions."""

    def __init__(self, columns: Columns, table: Conditions) -> None:
        self.columns, self.graph = columns, columns.graph
        short = [n for n, one in enumerate(table.conditions) if _is_simple(one)]
        self.conditions = [table.conditions[n] for n in short]
        self.matrix = table.matrix[:, short]

    def found(
        self, head: Head, best: Sequence[Found], least: int, longest: int
    ) -> Iterator[tuple[Found, int]]:
        """Better bodies of up to so many literals, each with what it cost."""
        shorter = [one for one in best if not one.against and one.body.length < longest]
        bases = shorter[:BEST] if self.conditions else []
        examples = tuple(self.graph.index(column) for column in head.right)
        for base in bases:
            right = tuple(place[self._at(head, base.body, examples)] for place in examples)
            held = head.held_right[self._at(head, base.body, examples)]
            reached = self._reached(head, base.body, examples)
            cost = len(reached[0])
            for place in range(len(examples)):
                yield from (
                    (one, cost)
                    for one in self._with(head, base, place, right, held, reached, least)
                )

    def _at(self, head: Head, body: Body, pairs: _Pairs) -> np.ndarray:
        if len(pairs) == 1:
            return self.columns.mark(body.on_x)[pairs[0]]
        return self.columns.at(body, head.signature, *pairs)

    def _reached(self, head: Head, body: Body, examples: _Pairs) -> _Pairs:
        """The pairs for which the body holds and that count: listed ones that are not held out, or
        all but the examples that are."""
        if head.is_listed:
            wrong = tuple(self.graph.index(column[~head.held_wrong]) for column in head.wrong)
            own = tuple(place[~head.held_right] for place in examples)
            both = tuple(np.concatenate(sides) for sides in zip(own, wrong, strict=True))
            holds = self._at(head, body, both)
            return tuple(place[holds] for place in both)
        if len(examples) == 1:
            marked = np.flatnonzero(self.columns.mark(body.on_x))
            return (np.setdiff1d(marked, examples[0][head.held_right]),)
        matrix = self.columns.holds(body)
        first = np.repeat(self.columns.rows, np.diff(matrix.indptr)).astype(np.int64)
        keys = first * self.graph.size + matrix.indices
        held = tuple(place[head.held_right] for place in examples)
        counts = (first != matrix.indices) & ~np.isin(keys, held[0] * self.graph.size + held[1])
        return first[counts], matrix.indices[counts]

    def _with(
        self,
        head: Head,
        base: Found,
        place: int,
        right: _Pairs,
        held: np.ndarray,
        reached: _Pairs,
        least: int,
    ) -> Iterator[Found]:
        """The base with each condition on one argument that makes it clearly better."""
        hits = self._sum(right[place][~held])
        fires = np.maximum(self._sum(reached[place]), hits)
        held_hits = self._sum(right[place][held])
        confidence = smoothed(hits, fires)
        better = (confidence > CLEARLY * base.confidence) & (hits >= least)
        order = np.lexsort((np.arange(len(hits)), -confidence))
        for number in order[better[order]][:EACH].tolist():
            body = _joined(base.body, self.conditions[number], place)
            if body is not None and not self._says_itself(self.conditions[number], head):
                counts = (int(hits[number]), int(fires[number]), int(held_hits[number]))
                yield Found(body, *counts, counts[2])

    def _says_itself(self, condition: Condition, head: Head) -> bool:
        """Whether the condition is a fact of the head: it may be the one to be explained."""
        steps = (self.graph.steps[step].signature for step in condition.steps)
        return condition.end == Concept(head.signature) or head.signature in steps

    def _sum(self, entities: np.ndarray) -> np.ndarray:
        counts = np.bincount(entities, minlength=self.graph.size).astype(np.float32)
        return counts @ self.matrix


def _is_simple(condition: Condition) -> bool:
    """A concept, a cut of a number, or a fact about a constant: what a reader sees at once."""
    return condition.end is not None and condition.length == 1


def _joined(body: Body, condition: Condition, place: int) -> Body | None:
    side = body.on_y if place else body.on_x
    if condition in side:
        return None
    both = tuple(sorted((*side, condition), key=lambda one: one.key))
    return replace(body, on_y=both) if place else replace(body, on_x=both)
