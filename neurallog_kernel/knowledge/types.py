"""Entity types: the index that all vectors over one type share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count

import numpy as np

from neurallog_kernel.knowledge.units import Slot

_numbers = count(1)  # tells indexes apart; its value means nothing


@dataclass(frozen=True, eq=False)
class EntityType:
    """The entities of a type and their order.

    `extended` keeps the order and the `index` number, so that matrices built for the shorter type
    stay valid: the new entities come last, and older matrices have nothing in their rows.
    """

    slot: Slot | None  # one of its slots, for messages
    members: np.ndarray  # int32 symbols, in local order
    index: int = field(default_factory=lambda: next(_numbers))
    _ordered: int = -1  # how many of the first members are in ascending order

    def __len__(self) -> int:
        return len(self.members)

    @classmethod
    def of(cls, slot: Slot | None, symbols: np.ndarray) -> EntityType:
        """A new type with these unique symbols, ascending."""
        return cls(slot, symbols.astype(np.int32), _ordered=len(symbols))

    def extended(self, symbols: np.ndarray) -> EntityType:
        """The type with these further symbols; itself if it has them all."""
        new = np.unique(symbols)
        new = new[self.positions(new) < 0].astype(np.int32)
        if not len(new):
            return self
        return EntityType(self.slot, np.concatenate([self.members, new]), self.index, self._ordered)

    @property
    def is_ordered(self) -> bool:
        """Whether the index follows the numbers of the symbols."""
        return self._ordered == len(self.members)

    def position(self, symbol: int) -> int | None:
        found = int(self.positions(np.array([symbol], dtype=np.int32))[0])
        return None if found < 0 else found

    def positions(self, symbols: np.ndarray) -> np.ndarray:
        """The local index of each symbol, -1 where it is not of this type."""
        if not len(self.members) or not len(symbols):
            return np.full(len(symbols), -1, dtype=np.int32)
        if self._is_everything:
            # the index is the symbol's number: facts can be used as they are stored
            inside = symbols if symbols.max() < len(self.members) else None
            if inside is not None:
                return inside
        if len(symbols) * 8 > len(self.members):
            return self._by_table(symbols)
        ordered = self.members[: self._ordered]
        if len(ordered):
            found = np.searchsorted(ordered, symbols).astype(np.int32)
            found[found == len(ordered)] = 0
            found = np.where(ordered[found] == symbols, found, -1).astype(np.int32)
        else:
            found = np.full(len(symbols), -1, dtype=np.int32)
        if self._ordered < len(self.members):
            tail, places = self._tail
            near = np.searchsorted(tail, symbols)
            near[near == len(tail)] = 0
            found = np.where(tail[near] == symbols, places[near], found)
        return found

    @cached_property
    def _is_everything(self) -> bool:
        """Whether the members are the symbols 0, 1, 2, ..."""
        return self.is_ordered and int(self.members[-1]) == len(self.members) - 1

    @cached_property
    def _tail(self) -> tuple[np.ndarray, np.ndarray]:
        """The members that came later, ascending, with their places."""
        late = self.members[self._ordered :]
        order = np.argsort(late)
        return late[order], (order + self._ordered).astype(np.int32)

    def _by_table(self, symbols: np.ndarray) -> np.ndarray:
        size = int(max(self.members.max(), symbols.max())) + 1
        table = np.full(size, -1, dtype=np.int32)
        table[self.members] = np.arange(len(self.members), dtype=np.int32)
        return table[symbols]

    def same_members(self, symbols: np.ndarray) -> bool:
        """Whether these unique symbols are exactly the members."""
        return len(symbols) == len(self) and bool(np.all(self.positions(symbols) >= 0))


EMPTY_TYPE = EntityType(None, np.zeros(0, dtype=np.int32), index=0, _ordered=0)


class SlotUnion:
    """Which slots share a type: disjoint sets that only grow; `copy` before a change."""

    def __init__(self) -> None:
        self._parent: dict[Slot, Slot] = {}
        self._group: dict[Slot, tuple[Slot, ...]] = {}

    def copy(self) -> SlotUnion:
        twin = SlotUnion()
        twin._parent = self._parent.copy()
        twin._group = self._group.copy()
        return twin

    def root(self, slot: Slot) -> Slot:
        while (above := self._parent.get(slot, slot)) != slot:
            slot = above
        return slot

    def group(self, slot: Slot) -> tuple[Slot, ...]:
        """All slots of one type."""
        root = self.root(slot)
        return self._group.get(root, (root,))

    def join(self, slots: Iterable[Slot]) -> bool:
        """Make these one type; False if they were."""
        roots = list(dict.fromkeys(self.root(slot) for slot in slots))
        if len(roots) < 2:
            return False
        top = max(roots, key=lambda root: len(self._group.get(root, (root,))))
        members: list[Slot] = list(self._group.get(top, (top,)))
        for root in roots:
            if root != top:
                self._parent[root] = top
                members += self._group.pop(root, (root,))
        self._group[top] = tuple(members)
        return True

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
