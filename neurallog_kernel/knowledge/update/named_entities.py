"""Which entities the program names in which slots: what its types are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from neurallog_kernel.knowledge.attached import AttachedColumn
from neurallog_kernel.knowledge.sources import Slot
from neurallog_kernel.knowledge.symbols import distinct
from neurallog_kernel.knowledge.types import EntityType
from neurallog_kernel.knowledge.update.edit import Edit
from neurallog_kernel.knowledge.update.instances import Instances

_NO_SYMBOLS = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class NamedEntities:
    """The entities of all sources and of the instances of templates, by slot."""

    edit: Edit
    instances: Instances

    def slots(self) -> set[Slot]:
        """Every slot in which an entity is named."""
        sources = self.edit.sources.values()
        named = {s for contents in sources for s in (*contents.constants, *contents.columns)}
        return named | set(self.instances.constants)

    def of(self, group: Iterable[Slot]) -> np.ndarray:
        """All entities that are named in these slots, ascending."""
        slots = tuple(group)
        sources = self.edit.sources.values()
        found = [u.constants[s] for u in sources for s in slots if s in u.constants]
        found += self.in_instances(slots)
        return distinct(np.concatenate(found)) if found else _NO_SYMBOLS

    def columns(self, group: Iterable[Slot]) -> list[AttachedColumn]:
        """The columns of attached tables that name entities of these slots, each once."""
        slots, sources = tuple(group), self.edit.sources.values()
        found = (u.columns[s] for u in sources if u.attached for s in slots if s in u.columns)
        return list(dict.fromkeys(found))

    def in_instances(self, group: Iterable[Slot]) -> list[np.ndarray]:
        """Those that instances of templates name."""
        named = self.instances.constants
        return [named[slot] for slot in group if slot in named] if named else []

    def added(self, group: Iterable[Slot]) -> list[np.ndarray]:
        """Those that the change adds; perhaps they were there before."""
        named: Mapping[Slot, np.ndarray] = self.edit.added.constants if self.edit.added else {}
        return [named[slot] for slot in group if slot in named] + self.in_instances(group)

    def gone(self, group: tuple[Slot, ...], kind: EntityType) -> np.ndarray:
        """The members of a type that are named in none of these slots any more."""
        assert kind.slot is not None
        removed = self.edit.removed
        old_group = self.edit.old.slots.group(kind.slot)
        if self.instances.changed or not set(old_group) <= set(group):
            return kind.members[~_contained(kind.members, self.of(group))]
        if removed is None:
            return _NO_SYMBOLS
        gone = [removed.constants[s] for s in group if s in removed.constants]
        left = distinct(np.concatenate(gone)) if gone else _NO_SYMBOLS
        for contents in reversed(self.edit.sources.values()):
            for slot in group:
                if len(left) and slot in contents.constants:
                    left = left[~_contained(left, contents.constants[slot])]
        for symbols in self.in_instances(group) if len(left) else ():
            left = left[~_contained(left, symbols)]
        return left


def _contained(symbols: np.ndarray, ordered: np.ndarray) -> np.ndarray:
    """For each symbol, whether it is among the ordered ones."""
    if not len(ordered):
        return np.zeros(len(symbols), dtype=bool)
    nearest = np.searchsorted(ordered, symbols)
    nearest[nearest == len(ordered)] = 0
    return ordered[nearest] == symbols
