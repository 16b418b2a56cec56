"""Splits of a set of examples in which what belongs together stays on one side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from neurallog_kernel.errors import NeuralLogError, ParameterError
from neurallog_kernel.knowledge import describe
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.relations import fact_blocks
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.learning.examples.folds import fold_numbers
from neurallog_kernel.learning.examples.targets import Examples

CONNECTED, SUBJECT, EXAMPLE = "connected", "subject", "example"
GROUPINGS = (CONNECTED, SUBJECT, EXAMPLE)
_MOST_FOLDS = 20  # that a share is put together of


@dataclass(frozen=True, eq=False)
class Split:
    """Two parts of the same examples; no group is in both."""

    kept: tuple[Examples, ...]
    held: tuple[Examples, ...]
    groups: int  # of all examples together


def groups_of(program: Program, listed: Sequence[Examples], by: str) -> np.ndarray:
    """The number of each example's group, those of all predicates one after the other. A mega
    example is never divided.

    `connected`: examples that share an entity, directly or through others. `subject`: examples with
    the same first argument. `example`: each by itself. `p/2`: examples whose entities have the same
    second argument in the facts of p/2.
    """
    total = sum(len(examples) for examples in listed)
    owners, entities = _entities(listed, 1 if by == SUBJECT else None)
    if by == EXAMPLE:
        owners, entities = owners[:0], entities[:0]
    elif by not in (CONNECTED, SUBJECT):
        owners, entities = _through(program, by, owners, entities)
    together, mega = _mega_examples(listed)
    return _components(
        total, np.concatenate([owners, together]), np.concatenate([entities, -2 - mega])
    )


def _mega_examples(listed: Sequence[Examples]) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of an example's number and that of the mega example it is a step of."""
    groups = np.concatenate([examples.groups for examples in listed])
    owners = np.flatnonzero(groups >= 0)
    return owners, groups[owners]


def _entities(listed: Sequence[Examples], most: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of an example's number and an entity in it, or in its first places."""
    owners, entities, first = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
    for examples in listed:
        for column in examples.places[:most]:
            owners.append(np.arange(first, first + len(examples)))
            entities.append(column.astype(np.int64))
        first += len(examples)
    return np.concatenate(owners), np.concatenate(entities)


def _through(
    program: Program, by: str, owners: np.ndarray, entities: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of an example and what a predicate says of its entities."""
    signature = _grouping_predicate(program, by)
    pairs = [np.zeros((0, 2), dtype=np.int64)]
    for block in fact_blocks(program, signature):
        if len(block.entities) == 2:
            pairs.append(np.column_stack([np.asarray(c, dtype=np.int64) for c in block.entities]))
    known = np.unique(np.concatenate(pairs), axis=0)
    if not len(known):
        raise ParameterError(f"groups: {by} has no facts that relate entities")
    first = np.searchsorted(known[:, 0], entities, "left")
    last = np.searchsorted(known[:, 0], entities, "right")
    number = last - first
    which = np.repeat(first - np.cumsum(number) + number, number) + np.arange(number.sum())
    return np.repeat(owners, number), known[which, 1]


def _grouping_predicate(program: Program, by: str) -> Signature:
    try:
        signature = describe.one_named(program, by)
    except NeuralLogError as error:
        hint = f"groups are {', '.join(GROUPINGS)}, or a predicate such as {error.hint or 'p/2'}"
        raise ParameterError(f"groups: {error.message}", hint=hint) from None
    if signature[1] != 2:
        raise ParameterError(
            f"groups: {by} has {signature[1]} arguments; it must have two, an entity and its group"
        )
    return signature


def _components(total: int, owners: np.ndarray, entities: np.ndarray) -> np.ndarray:
    """Groups of examples that are connected through what they hold."""
    _, number = np.unique(entities, return_inverse=True)
    size = total + (int(number.max()) + 1 if len(number) else 0)
    ones = np.ones(len(owners), dtype=np.int8)
    graph = coo_matrix((ones, (owners, total + number.reshape(-1))), shape=(size, size))
    return connected_components(graph, directed=False)[1][:total]


def folds_of(
    program: Program,
    listed: Sequence[Examples],
    number: int,
    by: str,
    seed: int,
    asked: str = "",
) -> list[Split]:
    """So many splits, each group held out once, with about the same share of positives each;
    `asked` is how an error begins."""
    fold, there = _numbered(listed, groups_of(program, listed, by), number, by, seed, asked)
    return [_parts(listed, fold == held, there) for held in range(number)]


def _numbered(
    listed: Sequence[Examples], groups: np.ndarray, number: int, by: str, seed: int, asked: str
) -> tuple[np.ndarray, int]:
    """The fold of each example, and how many groups there are."""
    there = len(np.unique(groups))
    if number < 2:
        raise ParameterError(f"folds must be at least 2, not {number}")
    if there < number:
        raise ParameterError(
            f"{asked or f'{number} folds need'} at least {number} groups of examples, and there "
            f"{'is' if there == 1 else 'are'} {there} ({by})",
            hint=_other_grouping(by, there, bool(asked)),
        )
    return fold_numbers(groups, _classes(listed), number, seed), there


def held_out(
    program: Program, listed: Sequence[Examples], share: float, by: str, seed: int
) -> Split:
    """One split, with about a share of the examples held out: 0.4 is two of five folds."""
    groups = groups_of(program, listed, by)
    there = len(np.unique(groups))
    most = max(2, min(there, _MOST_FOLDS))
    part = Fraction(share).limit_denominator(most)
    held, number = part.numerator, part.denominator
    if share < 1 / most:
        held, number = 1, round(1 / share)
    elif held == number:
        held, number = most - 1, most
    fold, _ = _numbered(listed, groups, number, by, seed, f"hold_out={share:g} needs")
    return _parts(listed, fold < held, there)


def _other_grouping(by: str, there: int, holding_out: bool) -> str:
    if by == CONNECTED and there == 1:
        return (
            "all examples are connected through shared entities: use groups='subject' to keep the "
            "examples of one first argument together"
        )
    fewer = "hold out a larger share" if holding_out else "use fewer folds"
    return f"{fewer}, or " + ("add examples" if by == EXAMPLE else "groups='example'")


def _classes(listed: Sequence[Examples]) -> np.ndarray:
    """Predicate and truth of each example as one number: folds have their share of each."""
    parts = [2 * number + (e.labels > 0) for number, e in enumerate(listed)]
    return np.concatenate(parts).astype(int)


def _parts(listed: Sequence[Examples], held: np.ndarray, groups: int) -> Split:
    sides: tuple[list[Examples], list[Examples]] = ([], [])
    first = 0
    for examples in listed:
        own = held[first : first + len(examples)]
        for side, chosen in zip(sides, (~own, own), strict=True):
            if chosen.any():
                side.append(examples.chosen(np.flatnonzero(chosen)))
        first += len(examples)
    return Split(tuple(sides[0]), tuple(sides[1]), groups)
