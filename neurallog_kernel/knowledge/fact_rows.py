"""Facts of three and more arguments: a hidden type of their rows, and a relation for each place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from neurallog_kernel.knowledge.blocks import Block, row_keys
from neurallog_kernel.knowledge.matrices import FactVector, LoadedRelation, Matrix
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.knowledge.types import EntityType
from neurallog_kernel.language.syntax import Signature


@dataclass(frozen=True, eq=False)
class Incidence(LoadedRelation):
    """Which entity each row has at one place: a relation with one fact of weight 1 per row."""

    @cached_property
    def entities(self) -> np.ndarray:
        """The index of each row's entity."""
        return np.concatenate([part.columns for part in self.parts])


@dataclass(frozen=True, eq=False)
class FactRows:
    """The facts of a predicate with three and more arguments.

    `domain` is a type that has one member per fact; `weights` is a vector over it. A literal with
    vectors x and y at its first two places is ((x R1') * (y R2') * w) R3, where Rk is the relation
    from the rows to the entities of place k, and ' turns it round.
    """

    signature: Signature
    domain: EntityType
    weights: FactVector
    symbols: tuple[np.ndarray, ...]  # of each row's entities, by place
    columns: tuple[np.ndarray, ...]  # their indexes
    sizes: tuple[int, ...]  # of the types of the places

    def __len__(self) -> int:
        return len(self.domain)

    @cached_property
    def incidences(self) -> tuple[Incidence, ...]:
        """The relation of each place."""
        return tuple(self._incidence(place) for place in range(self.signature[1]))

    def _incidence(self, place: int) -> Incidence:
        count = len(self)
        starts = np.arange(count + 1, dtype=np.int32 if count < 2**31 else np.int64)
        ones = np.broadcast_to(np.float64(1.0), count)
        matrix = Matrix((count, self.sizes[place]), starts, self.columns[place], ones)
        return Incidence(self.signature, (matrix,))

    def agreeing(self, places: Sequence[int]) -> FactVector:
        """1 at the rows that have one entity at all these places."""
        key = tuple(sorted(places))
        if key not in self._agreeing:
            first, *others = (self.symbols[place] for place in key)
            same = np.ones(len(self), dtype=bool)
            for column in others:
                same &= column == first
            rows = np.flatnonzero(same)
            vector = FactVector(self.signature, rows, np.ones(len(rows)))
            self._agreeing[key] = vector
        return self._agreeing[key]

    def values(self, place: int, number: float | None, symbols: SymbolTable) -> FactVector:
        """The number that each row has at a declared place; with a number, 1 where it is that."""
        names, at = np.unique(self.symbols[place], return_inverse=True)
        found = np.array([float(name) for name in symbols.names(names.tolist())])[at]
        if number is None:
            return FactVector(self.signature, np.arange(len(self)), found)
        rows = np.flatnonzero(found == number)
        return FactVector(self.signature, rows, np.ones(len(rows)))

    @cached_property
    def _agreeing(self) -> dict[tuple[int, ...], FactVector]:
        return {}

    @property
    def arrays(self) -> list[np.ndarray]:
        """What it holds in memory."""
        parts = [p for one in self.__dict__.get("incidences", ()) for p in one.parts]
        own = [*self.symbols, *self.columns, self.weights.weights]
        return own + [array for part in parts for array in part.arrays]


def fact_rows(
    signature: Signature,
    blocks: Sequence[tuple[Block, np.ndarray | None]],
    kinds: Sequence[EntityType],
    numeric: Sequence[bool],
) -> FactRows:
    """The facts of some blocks, those outside the masks left out. Of facts that differ in numbers
    only the last counts."""
    symbols = [
        _joined([_taken(b.entities[p], mask) for b, mask in blocks]) for p in range(len(kinds))
    ]
    weights = _joined([_taken(block.weights, mask) for block, mask in blocks])
    if any(numeric):
        entities = [column for column, number in zip(symbols, numeric, strict=True) if not number]
        last = _last_of_each(row_keys(entities, len(weights)), _text_order(blocks))
        symbols, weights = [column[last] for column in symbols], weights[last]
    columns = [kind.positions(column) for kind, column in zip(kinds, symbols, strict=True)]
    known = np.logical_and.reduce([column >= 0 for column in columns])
    if not known.all():  # learned facts outlive the entities they were about
        symbols, columns = ([c[known] for c in part] for part in (symbols, columns))
        weights = weights[known]
    domain = EntityType.of_rows(signature, len(weights))
    vector = FactVector(signature, np.arange(len(weights)), weights)
    sizes = tuple(map(len, kinds))
    return FactRows(signature, domain, vector, tuple(symbols), tuple(columns), sizes)


def _text_order(blocks: Sequence[tuple[Block, np.ndarray | None]]) -> np.ndarray:
    """The number of each row in the order of the texts."""
    found, before = [], 0
    for block, mask in blocks:
        rank = np.empty(len(block), dtype=np.int64)
        rank[block.text_order()] = np.arange(len(block))
        found.append(_taken(rank, mask) + before)
        before += len(block)
    return _joined(found)


def _last_of_each(keys: np.ndarray, order: np.ndarray) -> np.ndarray:
    """The rows, in their order, that are the last with their key."""
    by_order = np.argsort(order, kind="stable")[::-1]
    _, first = np.unique(keys[by_order], return_index=True)
    return np.sort(by_order[first])


def _taken(column: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    return column if mask is None else column[mask]


def _joined(arrays: Sequence[np.ndarray]) -> np.ndarray:
    if not arrays:
        return np.zeros(0, dtype=np.int32)
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
