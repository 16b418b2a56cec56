"""Ground atoms of one predicate from one source, as columns of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.language.syntax import Constant, Literal, Number, Signature, Term

_FEW = 100  # a block with this many rows for each key asked for is searched key by key
Column = Sequence[str] | np.ndarray  # names of entities, their symbols, or numbers


@dataclass(frozen=True, eq=False)
class Block:
    """Facts (or examples) of one predicate from one source: one row each, sorted by key.

    The key is the row of entity symbols; of rows with one key the last in the text is kept.
    `numeric` says for each place of the predicate whether it holds a number.
    """

    signature: Signature
    source: str
    numeric: tuple[bool, ...]
    entities: tuple[np.ndarray, ...]  # int32, one array for each entity place
    numbers: tuple[np.ndarray, ...]  # float64, one array for each numeric place
    weights: np.ndarray  # float64
    lines: np.ndarray  # int32
    overwritten: int = 0  # rows of this block that a later row of the same block replaced
    order: np.ndarray | None = None  # the rows as in the text, where their lines do not tell
    is_unweighted: bool = field(init=False)  # all weights are 1: a plan may ask without the facts

    def __post_init__(self) -> None:
        stored_once = self.weights.strides == (0,)
        object.__setattr__(self, "is_unweighted", bool(stored_once and self.weights[:1].sum() == 1))

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def keys(self) -> np.ndarray:
        return row_keys(self.entities, len(self))

    def text_order(self) -> np.ndarray:
        """The rows in the order of the text."""
        return np.argsort(self.lines, kind="stable") if self.order is None else self.order

    def rows_with(self, keys: np.ndarray) -> np.ndarray:
        """The row of each key, -1 where this block has none."""
        if not len(keys):
            return np.zeros(0, dtype=np.int64)
        if len(self.entities) > 1 and len(keys) * _FEW < len(self):
            return np.array([self._row_with(key) for key in _symbol_rows(keys)], dtype=np.int64)
        own = self.keys
        found = np.searchsorted(own, keys)
        found[found == len(own)] = 0
        return np.where(own[found] == keys, found, -1) if len(own) else np.full(len(keys), -1)

    def _row_with(self, symbols: np.ndarray) -> int:
        """One row of a large block, without making all its keys."""
        start, end = 0, len(self)
        for column, symbol in zip(self.entities, symbols, strict=True):
            near = np.searchsorted(column[start:end], [symbol, symbol + 1])
            start, end = start + int(near[0]), start + int(near[1])
        return start if start < end else -1

    def overlap(self, other: Block) -> int:
        """How many keys both blocks have."""
        small, large = sorted((self, other), key=len)
        return int((large.rows_with(small.keys) >= 0).sum())


def row_keys(entities: Sequence[np.ndarray], length: int) -> np.ndarray:
    """One sortable key for each row of entity symbols: a number for up to two columns, else their
    bytes. Keys of two blocks can be compared."""
    if not entities:
        return np.zeros(length, dtype=np.int64)
    if len(entities) == 1:
        return entities[0].astype(np.int64)
    if len(entities) == 2:
        return (entities[0].astype(np.int64) << 32) | entities[1].astype(np.int64)
    stacked = np.column_stack(entities).astype(">i4")
    return np.ascontiguousarray(stacked).view(f"S{4 * len(entities)}").reshape(-1)


def _symbol_rows(keys: np.ndarray) -> np.ndarray:
    """The symbols of each key of two and more columns."""
    if keys.dtype.kind == "S":
        return keys.view(">i4").reshape(len(keys), -1).astype(np.int32)
    return np.column_stack([keys >> 32, keys & 0xFFFFFFFF]).astype(np.int32)


@dataclass
class BlockBuilder:
    """Collects chunks of columns for one predicate and makes the block."""

    signature: Signature
    numeric: tuple[bool, ...]
    places: list[list[Column]] = field(default_factory=list)
    weights: list[np.ndarray] = field(default_factory=list)
    lines: list[np.ndarray] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.places = [[] for _ in self.numeric]

    def add(self, places: Sequence[Column], weights: np.ndarray, lines: np.ndarray) -> None:
        for column, chunk in zip(self.places, places, strict=True):
            column.append(chunk)
        self.weights.append(weights)
        self.lines.append(lines)

    def atoms(self, symbols: SymbolTable) -> Iterator[tuple[Literal, float]]:
        """What was collected, one atom after the other."""
        for number, weights in enumerate(self.weights):
            chunks = [column[number] for column in self.places]
            for row, weight in enumerate(weights.tolist()):
                values = [chunk[row] for chunk in chunks]
                yield Literal(self.signature[0], tuple(_term(v, symbols) for v in values)), weight

    def finish(self, source: str, symbols: SymbolTable) -> Block:
        named = [c for c, numeric in zip(self.places, self.numeric, strict=True) if not numeric]
        entities = _symbols(named, symbols)
        numbers = [
            _joined([np.asarray(c, dtype=np.float64) for c in column])
            for column, numeric in zip(self.places, self.numeric, strict=True)
            if numeric
        ]
        for column in self.places:
            column.clear()  # the names of a large file are not needed any more
        weights, lines = _joined(self.weights), _joined(self.lines)
        keep = last_of_each(row_keys(entities, len(weights)))
        weights = weights[keep]
        if np.all(weights == 1.0):  # most facts carry no weight: store the one number once
            weights = np.broadcast_to(np.float64(1.0), len(weights))
        return Block(
            self.signature,
            source,
            self.numeric,
            tuple(column[keep] for column in entities),
            tuple(column[keep] for column in numbers),
            weights,
            lines[keep],
            overwritten=len(lines) - len(keep),
            order=_order(keep) if (np.diff(lines) == 0).any() else None,
        )


def _term(value: object, symbols: SymbolTable) -> Term:
    if isinstance(value, str):
        return Constant(value)
    if isinstance(value, np.integer):
        return Constant(symbols.name(int(value)))
    return Number(float(value))  # type: ignore[arg-type]


def _symbols(columns: Sequence[Sequence[Column]], symbols: SymbolTable) -> list[np.ndarray]:
    """Those of each column; most names stand in several columns, and are looked up together."""
    named = [chunk for column in columns for chunk in column if not isinstance(chunk, np.ndarray)]
    found = iter(symbols.intern_all(named))
    return [
        _joined([chunk if isinstance(chunk, np.ndarray) else next(found) for chunk in column])
        for column in columns
    ]


def _joined(arrays: Sequence[np.ndarray]) -> np.ndarray:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _order(keep: np.ndarray) -> np.ndarray:
    return np.argsort(keep).astype(np.int32)


def last_of_each(keys: np.ndarray) -> np.ndarray:
    """Positions of the last occurrence of each key, in order of the keys."""
    if not len(keys):
        return np.zeros(0, dtype=np.int64)
    if np.all(keys[1:] > keys[:-1]):  # as tables come, which were put in order before
        return np.arange(len(keys))
    order = np.argsort(keys)  # three times as fast as a stable sort
    ordered = keys[order]
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return order if len(first) == len(keys) else np.maximum.reduceat(order, first)
