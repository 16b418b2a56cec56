"""The matrices and vectors of a program's facts, over the indexes of their types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from neurallog_kernel.functions import COMBINERS
from neurallog_kernel.knowledge.attached import AttachedTable
from neurallog_kernel.knowledge.blocks import Block
from neurallog_kernel.knowledge.fact_rows import FactRows, fact_rows
from neurallog_kernel.knowledge.fetched import FetchedRelation, fetched_block
from neurallog_kernel.knowledge.learned import LEARNED
from neurallog_kernel.knowledge.matrices import (
    FactVector,
    LoadedRelation,
    Matrix,
    Relation,
    matrix_of,
)
from neurallog_kernel.knowledge.persistent_dict import differing
from neurallog_kernel.knowledge.program import Definition, Program, truth_value
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.knowledge.types import EntityType
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.observing import MATRICES, Observer, stage

LARGE_BLOCK = 50_000  # rows from which a block keeps a matrix of its own, so that a small cell
#                       added to a large base does not copy the base


class Relations:
    """The matrices and vectors of a program's facts, kept while facts and indexes stay the same."""

    def __init__(self, observer: Observer | None = None) -> None:
        self.observer = observer
        self._kept: dict[Signature, tuple[tuple, Any]] = {}
        self._definitions: Mapping[Signature, Definition] = {}  # of the program that was here last
        self._large: WeakKeyDictionary[Block, tuple[tuple, Matrix]] = WeakKeyDictionary()

    def observed_by(self, observer: Observer) -> Relations:
        """The same matrices, with someone who is told when they are asked for."""
        seen = Relations(observer)
        seen._kept, seen._large = self._kept, self._large
        return seen

    def relation(self, program: Program, signature: Signature) -> Relation:
        """The matrix of a binary predicate of entities."""
        with stage(self.observer, MATRICES):
            return self._relation(program, signature)

    def vector(self, program: Program, signature: Signature) -> FactVector:
        """The vector of a unary predicate, or the two vectors of an attribute."""
        with stage(self.observer, MATRICES):
            return self._vector(program, signature)

    def rows(self, program: Program, signature: Signature) -> FactRows:
        """The facts of a predicate with three and more arguments."""
        with stage(self.observer, MATRICES):
            return self._rows(program, signature)

    def _rows(self, program: Program, signature: Signature) -> FactRows:
        kinds = [program.entity_type((*signature, place)) for place in range(signature[1])]
        numeric = program.numeric(signature)
        blocks, attached = _facts_of(program, signature)
        key = (*_key(blocks, *kinds), numeric, attached)
        kept = self._kept.get(signature)
        if kept is None or kept[0] != key:
            if attached is not None:
                blocks = [fetched_block(attached, kinds), *blocks]
            kept = (key, fact_rows(signature, live_blocks(blocks), kinds, numeric))
            self._kept[signature] = kept
        return kept[1]

    def _relation(self, program: Program, signature: Signature) -> Relation:
        rows, columns = (program.entity_type((*signature, place)) for place in (0, 1))
        blocks, attached = _facts_of(program, signature)
        key = (*_key(blocks, rows, columns), attached)
        kept = self._kept.get(signature)
        if kept is None or kept[0] != key:
            found: Relation = LoadedRelation(signature, self._parts(blocks, rows, columns))
            if attached is not None:
                found = FetchedRelation(attached, found, (rows, columns))
            kept = (key, found)
            self._kept[signature] = kept
        return kept[1]

    def _vector(self, program: Program, signature: Signature) -> FactVector:
        place = program.numeric(signature).index(False)
        owner = program.entity_type((*signature, place))
        blocks, attached = _facts_of(program, signature)
        key = (*_key(blocks, owner), attached)
        kept = self._kept.get(signature)
        if kept is None or kept[0] != key:
            if attached is not None:
                blocks = [fetched_block(attached, [owner]), *blocks]
            kept = (key, _vector(signature, blocks, owner))
            self._kept[signature] = kept
        return kept[1]

    def _parts(
        self, blocks: Sequence[Block], rows: EntityType, columns: EntityType
    ) -> tuple[Matrix, ...]:
        """Large blocks alone, the small ones together; a fact counts in its last block only."""
        live = live_blocks(blocks)
        small = [(block, mask) for block, mask in live if len(block) < LARGE_BLOCK]
        parts = [
            self._large_part(block, mask, rows, columns)
            for block, mask in live
            if len(block) >= LARGE_BLOCK
        ]
        if small:
            parts.append(_matrix(small, rows, columns))
        return tuple(parts)

    def _large_part(
        self, block: Block, mask: np.ndarray | None, rows: EntityType, columns: EntityType
    ) -> Matrix:
        """Made once for a block, whatever is added beside it."""
        if mask is not None:
            return _matrix([(block, mask)], rows, columns)
        kept = self._large.get(block)
        if kept is not None and _is_valid(*kept, rows, columns):
            return kept[1]
        made = _stable_matrix(block, rows, columns)
        if made is None and block.source == LEARNED:
            return _matrix([(block, None)], rows, columns)
        if made is None:
            kept = (rows.index, columns.index), _matrix([(block, None)], rows, columns)
        else:
            kept = (rows.base, columns.base), made
        self._large[block] = kept
        return kept[1]

    def reached(self, program: Program) -> tuple[int, int]:
        """How many facts of the attached binary predicates were fetched, and how many there are."""
        kept = (self._kept.get(signature, (None, None))[1] for signature in program.attached)
        found = [relation for relation in kept if isinstance(relation, FetchedRelation)]
        return sum(one.reached for one in found), sum(one.table.count for one in found)

    def forget(self, program: Program) -> None:
        """Drop what the program does not have any more."""
        changed = differing(self._definitions, program.definitions)
        self._definitions = program.definitions
        for signature in changed:
            if signature not in program.definitions:
                self._kept.pop(signature, None)


def _facts_of(
    program: Program, signature: Signature
) -> tuple[Sequence[Block], AttachedTable | None]:
    definition = program.definition(signature)
    return definition.facts, definition.attached


def _key(blocks: Sequence[Block], *kinds: EntityType) -> tuple:
    """What a kept matrix or vector rests on. It holds the blocks themselves: the id of one that is
    gone may be that of another. Entities that come last change nothing, except for learned facts,
    which may be about them: these outlive the entities that they are about."""
    learned = any(block.source == LEARNED for block in blocks)
    return (*blocks, *((kind.index, len(kind) if learned else 0) for kind in kinds))


def fact_blocks(program: Program, signature: Signature) -> list[Block]:
    """All facts of a predicate; those of an attached table are read whole, and refused if they are
    too many for that."""
    blocks, attached = _facts_of(program, signature)
    if attached is None:
        return list(blocks)
    places = [place for place, number in enumerate(program.numeric(signature)) if not number]
    kinds = [program.entity_type((*signature, place)) for place in places]
    return [fetched_block(attached, kinds), *blocks]


def scalar(program: Program, signature: Signature) -> tuple[float, tuple[float, ...]]:
    """Weight and numbers of the one fact of a propositional or all-numeric predicate."""
    blocks = [block for block in program.definition(signature).facts if len(block)]
    if not blocks:
        return truth_value(signature) or 0.0, tuple([0.0] * signature[1])
    last = blocks[-1]
    return float(last.weights[-1]), tuple(float(column[-1]) for column in last.numbers)


def attribute_values(program: Program, vector: FactVector) -> np.ndarray:
    """Weight and value of each fact of an attribute, combined (by default: multiplied)."""
    assert vector.values is not None
    name = program.parameters.get("weighted_attribute_combining_function", vector.signature)
    return COMBINERS[str(name)](vector.weights, vector.values)


def row_values(program: Program, rows: FactRows, symbols: SymbolTable) -> np.ndarray:
    """Weight and declared numbers of each fact with three and more arguments, combined."""
    names = ("attributes_combine_function", "weighted_attribute_combining_function")
    together, weigh = (
        COMBINERS[str(program.parameters.get(name, rows.signature))] for name in names
    )
    declared = [p for p, number in enumerate(program.numeric(rows.signature)) if number]
    values = reduce(together, (rows.values(p, None, symbols).weights for p in declared))
    return weigh(rows.weights.weights, values)


def live_blocks(blocks: Sequence[Block]) -> list[tuple[Block, np.ndarray | None]]:
    """The blocks, each with the rows that no later one defines again."""
    return [(block, _not_overwritten(block, blocks[i + 1 :])) for i, block in enumerate(blocks)]


def _not_overwritten(block: Block, later: Sequence[Block]) -> np.ndarray | None:
    """Which rows no later block defines again; None means all."""
    mask = None
    for other in later:
        if len(other) < len(block):
            rows = block.rows_with(other.keys)
            gone = rows[rows >= 0]
        else:
            gone = np.flatnonzero(other.rows_with(block.keys) >= 0)
        if len(gone):
            mask = np.ones(len(block), dtype=bool) if mask is None else mask
            mask[gone] = False
    return mask


def _matrix(
    chosen: Sequence[tuple[Block, np.ndarray | None]], rows: EntityType, columns: EntityType
) -> Matrix:
    """The facts of some blocks, those outside the masks left out."""
    first, second, weights = [], [], []
    for block, mask in chosen:
        take = slice(None) if mask is None else mask
        row, column = (
            kind.positions(symbols[take])
            for kind, symbols in zip((rows, columns), block.entities, strict=True)
        )
        known = (row >= 0) & (column >= 0)  # learned facts outlive the entities they were about
        if not known.all():
            row, column, take = row[known], column[known], _within(block, take, known)
        first.append(row)
        second.append(column)
        weights.append(block.weights[take])
    # a block is sorted by symbol, and so by index where the indexes are in the symbols' order
    in_order = len(chosen) == 1 and rows.is_ordered and columns.is_ordered
    shape = (len(rows), len(columns))
    return matrix_of(_joined(first), _joined(second), _joined(weights), shape, in_order)


def _is_valid(key: tuple, matrix: Matrix, rows: EntityType, columns: EntityType) -> bool:
    """Whether a kept matrix is that of these types: of the same index, or over stable members."""
    if key == (rows.index, columns.index):
        return True
    inside = matrix.shape[0] <= rows.stable and matrix.shape[1] <= columns.stable
    return inside and key == (rows.base, columns.base)


def _stable_matrix(block: Block, rows: EntityType, columns: EntityType) -> Matrix | None:
    """The facts of a block whose entities are all stable ones: entities that come and go later do
    not concern it, and it has no room for them."""
    kinds = (rows, columns)
    first, second = (k.positions(s) for k, s in zip(kinds, block.entities, strict=True))
    if not len(first) or min(first.min(), second.min()) < 0:
        return None
    shape = int(first.max()) + 1, int(second.max()) + 1
    if shape[0] > rows.stable or shape[1] > columns.stable:
        return None
    in_order = shape[0] <= rows.settled and shape[1] <= columns.settled
    return matrix_of(first, second, block.weights, shape, sorted=in_order)


def _joined(arrays: Sequence[np.ndarray]) -> np.ndarray:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _within(block: Block, take: slice | np.ndarray, known: np.ndarray) -> np.ndarray:
    return np.arange(len(block))[take][known]


def _vector(signature: Signature, blocks: Sequence[Block], owner: EntityType) -> FactVector:
    """Entries of all blocks; where two define one entity the later one counts."""
    if not blocks:
        nothing = np.zeros(0)
        return FactVector(signature, np.zeros(0, dtype=np.int64), nothing, nothing)
    symbols = np.concatenate([block.entities[0] for block in blocks])
    weights = np.concatenate([block.weights for block in blocks])
    indexes = owner.positions(symbols).astype(np.int64)
    # np.unique gives the first of equal entries, so look from the end
    kept, where = np.unique(indexes[::-1], return_index=True)
    chosen = (len(indexes) - 1 - where)[kept >= 0]
    kept = kept[kept >= 0]
    values = None
    if blocks[0].numbers:
        values = np.concatenate([block.numbers[0] for block in blocks])[chosen]
    return FactVector(signature, kept, weights[chosen], values)
