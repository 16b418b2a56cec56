"""Rules with a weight for each entity: `mexican(X) :- reviewed(A, X), mexican_by_reviewed(A).`

Such a rule is one row that people read, and one body for each entity that it reaches: bodies are
counted, weighed and judged like any others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from neurallog_kernel.induction.bodies import Body, Condition, Each
from neurallog_kernel.induction.columns import reached
from neurallog_kernel.induction.findings import Family, Found
from neurallog_kernel.induction.graph import Graph
from neurallog_kernel.induction.heads import Head
from neurallog_kernel.language.syntax import Signature

MOST = 20_000  # entities of one rule that have a weight; those that are met most often
LONGEST = 2  # steps from the argument


def families(
    graph: Graph, head: Head, named: set[Signature], length: int, least: int, most_work: int
) -> Iterator[Family | str]:
    """All such rules whose last step is a named relation; a text says what would cost too much."""
    for place in range(len(head.right)):
        for steps in _paths(graph, head, named, min(LONGEST, max(1, length - 1))):
            cost = _cost(graph, steps)
            if cost > most_work:
                names = ", ".join(graph.steps[step].signature[0] for step in steps)
                yield f"a weight for each end of {names}: {cost:,} walks are more than the budget"
                continue
            found = _family(graph, head, place, steps, least, cost)
            if found is not None:
                yield found


def _paths(
    graph: Graph, head: Head, named: set[Signature], longest: int
) -> Iterator[tuple[int, ...]]:
    """Short ones first; none through the facts that are to be explained."""
    steps = [n for n, step in enumerate(graph.steps) if step.signature != head.signature]
    last = [n for n in steps if graph.steps[n].signature in named]
    yield from ((step,) for step in last)
    if longest > 1:
        yield from ((step, end) for step in steps for end in last if end != graph.inverse[step])


def _cost(graph: Graph, steps: tuple[int, ...]) -> int:
    """The walks of a path, known before they are walked."""
    first = graph.matrices[steps[0]]
    if len(steps) == 1:
        return int(first.nnz)
    return int(np.diff(graph.matrices[steps[1]].indptr)[first.indices].sum())


def _family(
    graph: Graph, head: Head, place: int, steps: tuple[int, ...], least: int, cost: int
) -> Family | None:
    own = graph.index(head.right[place])
    there = own >= 0
    right = reached(graph, steps, own[there])
    if not right.nnz or _returns(right, own[there]):
        return None
    wrong, held_wrong = _others(graph, head, place, steps, own[there])
    held = head.held_right[there]
    counts = _counts(right, held, wrong, held_wrong, _of_columns)
    hits, fires = counts[:2]
    often = np.flatnonzero(fires >= least)
    if len(often) < 2:  # one entity is a constant, not a choice
        return None
    order = often[np.argsort(-fires[often], kind="stable")][:MOST]
    rare = hits <= (head.share if head.is_listed else 0.0) * fires
    members = tuple(
        Found(
            _body(place, steps, entity),
            *(int(count[entity]) for count in counts),
            against=bool(rare[entity]),
        )
        for entity in np.sort(order).tolist()
    )
    whole = Found(members[0].body, *_counts(right, held, wrong, held_wrong, _of_rows))
    return Family(whole, members, cost, len(often) - len(order))


def _others(
    graph: Graph, head: Head, place: int, steps: tuple[int, ...], own: np.ndarray
) -> tuple[Any, np.ndarray]:
    """The negatives: listed ones, or all other entities; and which of them are held out."""
    if not head.is_listed:
        other = np.setdiff1d(np.arange(graph.size), own)
        return reached(graph, steps, other), np.zeros(len(other), dtype=bool)
    other = graph.index(head.wrong[place])
    return reached(graph, steps, other[other >= 0]), head.held_wrong[other >= 0]


def _counts(
    right: Any, held: np.ndarray, wrong: Any, held_wrong: np.ndarray, count: Callable[[Any], Any]
) -> tuple[Any, Any, Any, Any]:
    """Right, fires and the same of held-out examples."""
    hits, held_hits = count(right[~held]), count(right[held])
    return hits, hits + count(wrong[~held_wrong]), held_hits, held_hits + count(wrong[held_wrong])


def _body(place: int, steps: tuple[int, ...], entity: int) -> Body:
    own = (Condition(steps, Each(entity)),)
    return Body((), on_x=own) if place == 0 else Body((), on_y=own)


def _returns(matrix: Any, entities: np.ndarray) -> bool:
    """Whether some example would have a weight of its own: that says nothing about others."""
    rows = np.repeat(entities, np.diff(matrix.indptr))
    return bool((rows == matrix.indices).any())


def _of_columns(matrix: Any) -> np.ndarray:
    return np.asarray(matrix.sum(axis=0)).ravel()


def _of_rows(matrix: Any) -> int:
    """How many rows have an entry."""
    return int((np.diff(matrix.indptr) > 0).sum())
