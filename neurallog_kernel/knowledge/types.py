"""Entity types: the index that all vectors over one type share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count

import numpy as np

from neurallog_kernel.knowledge.persistent_dict import Layers
from neurallog_kernel.knowledge.references import ROWS, TypeRef
from neurallog_kernel.knowledge.sources import Slot
from neurallog_kernel.knowledge.symbols import SymbolTable, distinct
from neurallog_kernel.language.syntax import Signature

_numbers = count(1)  # tells indexes and types apart; its value means nothing


@dataclass(frozen=True, eq=False)
class EntityType:
    """The entities of a type and their order.

    `extended` keeps the order and the `index` number, so that matrices built for the shorter type
    stay valid: the new entities come last, and older matrices have nothing in their rows. The first
    `settled` members are there from the start, in ascending order; `without` takes away some of
    those that came later. It keeps the `base` number, and the first `stable` members keep their
    places: a matrix over these stays valid.
    """

    slot: Slot | None  # one of its slots, for messages
    listed: np.ndarray  # int32 symbols, in local order
    settled: int
    index: int = field(default_factory=lambda: next(_numbers))
    base: int = field(default_factory=lambda: next(_numbers))
    _cut: int | None = None  # from where members were taken away; places there may be used again
    stamp: int = field(default_factory=lambda: next(_numbers), init=False)  # of these members
    ref: TypeRef = field(init=False)  # what a plan calls it

    def __post_init__(self) -> None:
        object.__setattr__(self, "ref", TypeRef(self.slot, self.stamp))

    def __len__(self) -> int:
        return len(self.listed)

    @property
    def members(self) -> np.ndarray:
        """All of its symbols, in local order. Whoever needs some of them asks `symbols_at`: of a
        type whose names are in a database, not all may fit in memory."""
        return self.listed

    def symbols_at(self, indexes: np.ndarray) -> np.ndarray:
        """The symbols at these local indexes."""
        return self.listed[indexes]

    def symbol_at(self, index: int) -> int:
        """The symbol at a local index."""
        return int(self.symbols_at(np.array([index], dtype=np.int64))[0])

    @property
    def is_empty(self) -> bool:
        """Whether it has no member; never counts them."""
        return not len(self.listed)

    @classmethod
    def of(cls, slot: Slot | None, symbols: np.ndarray) -> EntityType:
        """A new type with these unique symbols, ascending."""
        return cls(slot, symbols.astype(np.int32), len(symbols))

    @classmethod
    def of_rows(cls, signature: Signature, count: int) -> EntityType:
        """The hidden type of a predicate's facts: its members are rows and have no names."""
        return cls((*signature, ROWS), np.arange(count, dtype=np.int32), count)

    @property
    def is_rows(self) -> bool:
        """Whether its members are facts, not entities."""
        return self.slot is not None and self.slot[2] == ROWS

    def extended(self, symbols: np.ndarray) -> EntityType:
        """The type with these further symbols; itself if it has them all.

        One that more than doubles settles anew: a large base after a small cell should have its
        facts in order and not be built again when the cell is edited.
        """
        new = distinct(symbols)
        new = new[self.positions(new) < 0]
        if not len(new):
            return self
        if len(new) > len(self):
            return EntityType.of(self.slot, distinct(np.concatenate([self.listed, new])))
        return replace(self, listed=np.concatenate([self.listed, new]))

    def without(self, symbols: np.ndarray) -> EntityType | None:
        """The type without these members; None if one of them is settled."""
        if not len(symbols):
            return self
        places = self.positions(symbols)
        if (places < self.settled).any():
            return None
        cut = min(int(places.min()), self.stable)
        listed = np.delete(self.listed, places)
        return replace(self, listed=listed, index=next(_numbers), _cut=cut)

    @property
    def stable(self) -> int:
        """How many of the first members are where they always were for this `base`."""
        return len(self.listed) if self._cut is None else self._cut

    @property
    def is_ordered(self) -> bool:
        """Whether the index follows the numbers of the symbols."""
        return self.settled == len(self.listed)

    def position(self, symbol: int) -> int | None:
        """The local index of a symbol; None if it is not of this type."""
        if self._is_everything and symbol < self.settled:
            return symbol
        found = int(self.positions(np.array([symbol], dtype=np.int32))[0])
        return None if found < 0 else found

    def index_of(self, name: str, symbols: SymbolTable) -> int | None:
        """The local index of an entity; None if it is not of this type."""
        symbol = symbols.find(name)
        return None if symbol is None else self.position(symbol)

    def look_for(self, names: Sequence[str]) -> None:
        """Find out at once which of these are of this type; all names that are here are known."""

    def some(self, limit: int) -> np.ndarray:
        """The symbols of a few members, for messages and lists."""
        return self.listed[:limit]

    def positions(self, symbols: np.ndarray) -> np.ndarray:
        """The local index of each symbol, -1 where it is not of this type."""
        if not len(self.listed) or not len(symbols):
            return np.full(len(symbols), -1, dtype=np.int32)
        if self._is_everything and symbols.max() < self.settled:
            return symbols  # the index is the symbol's number: facts can be used as they are stored
        if len(symbols) * 8 > len(self.listed):
            return self._by_table(symbols)
        ordered = self.listed[: self.settled]
        if len(ordered):
            found = np.searchsorted(ordered, symbols).astype(np.int32)
            found[found == len(ordered)] = 0
            found = np.where(ordered[found] == symbols, found, -1).astype(np.int32)
        else:
            found = np.full(len(symbols), -1, dtype=np.int32)
        if self.settled < len(self.listed):
            tail, places = self._tail
            near = np.searchsorted(tail, symbols)
            near[near == len(tail)] = 0
            found = np.where(tail[near] == symbols, places[near], found)
        return found

    @cached_property
    def _is_everything(self) -> bool:
        """Whether the settled members are the symbols 0, 1, 2, ..."""
        return self.settled > 0 and int(self.listed[self.settled - 1]) == self.settled - 1

    @cached_property
    def _tail(self) -> tuple[np.ndarray, np.ndarray]:
        """The members that came later, ascending, with their places."""
        late = self.listed[self.settled :]
        order = np.argsort(late)
        return late[order], (order + self.settled).astype(np.int32)

    def _by_table(self, symbols: np.ndarray) -> np.ndarray:
        size = int(max(self.listed.max(), symbols.max())) + 1
        table = np.full(size, -1, dtype=np.int32)
        table[self.listed] = np.arange(len(self.listed), dtype=np.int32)
        return table[symbols]


EMPTY_TYPE = EntityType(None, np.zeros(0, dtype=np.int32), 0, index=0, base=0)


class SlotUnion:
    """Which slots share a type: disjoint sets that only grow; `copy` before a change."""

    def __init__(self) -> None:
        self._parent: Layers[Slot, Slot] = Layers()
        self._group: Layers[Slot, tuple[Slot, ...]] = Layers()

    def copy(self) -> SlotUnion:
        twin = SlotUnion()
        twin._parent = self._parent.copy()
        twin._group = self._group.copy()
        return twin

    def root(self, slot: Slot) -> Slot:
        while (above := self._parent.get(slot)) is not None:
            slot = above
        return slot

    def group(self, slot: Slot) -> tuple[Slot, ...]:
        """All slots of one type."""
        root = self.root(slot)
        return self._group.get(root, (root,))

    def join(self, joins: Iterable[Sequence[Slot]]) -> set[Slot]:
        """Make the slots of each join one type; the first slot of each that were not yet."""
        joined: set[Slot] = set()
        groups: dict[Slot, list[Slot]] = {}  # as they grow: thousands of rules may join one type
        for slots in joins:
            roots = list(dict.fromkeys(map(self.root, slots)))
            if len(roots) < 2:
                continue
            joined.add(slots[0])
            for root in roots:
                if root not in groups:
                    groups[root] = list(self._group.get(root, (root,)))
            top = max(roots, key=lambda root: len(groups[root]))
            for root in roots:
                if root != top:
                    self._parent[root] = top
                    self._group.pop(root, None)
                    groups[top] += groups.pop(root)
        for root, members in groups.items():
            self._group[root] = tuple(members)
        return joined

    def part(self, slot: Slot) -> tuple[Slot, ...]:
        """Make every slot of a group a type of its own; the slots it had."""
        group = self.group(slot)
        self._group.pop(self.root(slot), None)
        for member in group:
            self._parent.pop(member, None)
        return group

    def __iter__(self) -> Iterator[Slot]:
        """Every slot that was joined with another."""
        return (slot for group in self._group.values() for slot in group)
