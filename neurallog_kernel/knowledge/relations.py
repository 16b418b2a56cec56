"""Facts as sparse matrices and vectors over the indexes of their types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from neurallog_kernel.functions import COMBINERS
from neurallog_kernel.knowledge.blocks import Block
from neurallog_kernel.knowledge.learned import LEARNED
from neurallog_kernel.knowledge.matrices import Matrix, array_bytes, matrix_of
from neurallog_kernel.knowledge.persistent_dict import differing
from neurallog_kernel.knowledge.program import Definition, Program, truth_value
from neurallog_kernel.knowledge.types import EntityType
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.observing import MATRICES, Observer, stage

LARGE_BLOCK = 50_000  # rows from which a block keeps a matrix of its own, so that a small cell
#                       added to a large base does not copy the base


@dataclass(frozen=True, eq=False)
class Relation:
    """The facts of a binary predicate: the sum of its parts."""

    signature: Signature
    parts: tuple[Matrix, ...]

    @property
    def count(self) -> int:
        return sum(part.count for part in self.parts)

    def transposed_parts(self) -> tuple[Matrix, ...]:
        return tuple(part.transposed for part in self.parts)

    def matrices(self, inverted: bool) -> tuple[Matrix, ...]:
        """What a vector of one argument is multiplied by."""
        return self.transposed_parts() if inverted else self.parts

    def entry(self, row: int, column: int) -> float:
        return sum(part.entry(row, column) for part in self.parts)

    def diagonal(self) -> tuple[np.ndarray, np.ndarray]:
        """Indexes and weights of the facts `p(e, e)`."""
        found = [part.diagonal() for part in self.parts]
        if not found:
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        indexes, weights = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        order = np.argsort(indexes)  # a fact is in one part only
        return indexes[order], weights[order]

    @property
    def nbytes(self) -> int:
        return array_bytes([array for part in self.parts for array in part.arrays])


@dataclass(frozen=True, eq=False)
class FactVector:
    """The facts of a unary predicate, or an attribute's weight and value: entries at indexes."""

    signature: Signature
    indexes: np.ndarray  # int64, ascending
    weights: np.ndarray
    values: np.ndarray | None = None  # of an attribute


class Relations:
    """The matrices and vectors of a program's facts, kept while facts and indexes stay the same."""

    def __init__(self, observer: Observer | None = None) -> None:
        self.observer = observer
        self._kept: dict[Signature, tuple[tuple, Relation | FactVector]] = {}
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

    def _relation(self, program: Program, signature: Signature) -> Relation:
        rows, columns = (program.entity_type((*signature, place)) for place in (0, 1))
        blocks = program.definition(signature).facts
        key = _key(blocks, rows, columns)
        kept = self._kept.get(signature)
        if kept is None or kept[0] != key:
            kept = (key, Relation(signature, self._parts(blocks, rows, columns)))
            self._kept[signature] = kept
        found = kept[1]
        assert isinstance(found, Relation)
        return found

    def _vector(self, program: Program, signature: Signature) -> FactVector:
        place = program.numeric(signature).index(False)
        owner = program.entity_type((*signature, place))
        blocks = program.definition(signature).facts
        key = _key(blocks, owner)
        kept = self._kept.get(signature)
        if kept is None or kept[0] != key:
            kept = (key, _vector(signature, blocks, owner))
            self._kept[signature] = kept
        found = kept[1]
        assert isinstance(found, FactVector)
        return found

    def _parts(
        self, blocks: Sequence[Block], rows: EntityType, columns: EntityType
    ) -> tuple[Matrix, ...]:
        """Large blocks alone, the small ones together; a fact counts in its last block only."""
        live = [(block, _not_overwritten(block, blocks[i + 1 :])) for i, block in enumerate(blocks)]
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

    def forget(self, program: Program) -> None:
        """Drop what the program does not have any more."""
        changed = differing(self._definitions, program.definitions)
        self._definitions = program.definitions
        for signature in changed:
            if signature not in program.definitions:
                self._kept.pop(signature, None)


def _key(blocks: Sequence[Block], *kinds: EntityType) -> tuple:
    """What a kept matrix or vector rests on. It holds the blocks themselves: the id of one that is
    gone may be that of another. Entities that come last change nothing, except for learned facts,
    which may be about them: these outlive the entities that they are about."""
    learned = any(block.source == LEARNED for block in blocks)
    return (*blocks, *((kind.index, len(kind) if learned else 0) for kind in kinds))


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
