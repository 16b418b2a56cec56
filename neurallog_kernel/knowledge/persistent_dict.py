"""A dictionary whose copies share what they do not change: a program of many rules is edited by a
few entries at a time, and copying all of them would make every edit as slow as the program is
large."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, MutableMapping, ValuesView
from math import isqrt
from typing import Any, TypeVar

K = TypeVar("K")
V = TypeVar("V")
_GONE: Any = object()  # stands for an entry of the base that was deleted
_MISSING: Any = object()
_LEAST = 64  # changes are put into one dictionary with the base when they are more than these


class Layers(MutableMapping[K, V]):
    """Behaves as a dict, its order included; `copy` takes time for the changes only.

    >>> first = Layers({"a": 1, "b": 2})
    >>> second = first.copy()
    >>> second["c"] = 3
    >>> del second["a"]
    >>> list(first.items()), list(second.items())
    ([('a', 1), ('b', 2)], [('b', 2), ('c', 3)])
    """

    __slots__ = ("_base", "_length", "_moved", "_own")

    def __init__(self, entries: Mapping[K, V] | None = None) -> None:
        self._base: dict[K, V] = dict(entries or {})  # shared, and so never changed
        self._own: dict[K, V] = {}
        self._moved: set[K] = set()  # deleted and set again: they come last
        self._length = len(self._base)

    @classmethod
    def of(cls, entries: Mapping[K, V]) -> Layers[K, V]:
        """A copy of any mapping."""
        return entries.copy() if isinstance(entries, Layers) else cls(entries)

    def copy(self) -> Layers[K, V]:
        if len(self._own) > max(_LEAST, 4 * isqrt(len(self._base))):
            self._flatten()
        twin: Layers[K, V] = Layers.__new__(Layers)
        twin._base, twin._length = self._base, self._length
        twin._own, twin._moved = self._own.copy(), self._moved.copy()
        return twin

    def get(self, key: K, default: Any = None) -> Any:
        if self._own:
            found = self._own.get(key, _MISSING)
            if found is not _MISSING:
                return default if found is _GONE else found
        return self._base.get(key, default)

    def __getitem__(self, key: K) -> V:
        found = self.get(key, _MISSING)
        if found is _MISSING:
            raise KeyError(key)
        return found

    def __contains__(self, key: object) -> bool:
        return self.get(key, _MISSING) is not _MISSING  # type: ignore[arg-type]

    def __len__(self) -> int:
        return self._length

    def __setitem__(self, key: K, value: V) -> None:
        if self._own.get(key) is _GONE:
            del self._own[key]
            self._moved.add(key)
            self._length += 1
        elif key not in self:
            self._length += 1
        self._own[key] = value

    def __delitem__(self, key: K) -> None:
        if key not in self:
            raise KeyError(key)
        self._length -= 1
        self._moved.discard(key)
        self._own.pop(key, None)
        if key in self._base:
            self._own[key] = _GONE

    # Who looks at all entries can as well put them together.

    def __iter__(self) -> Iterator[K]:
        return iter(self._flatten())

    def items(self) -> ItemsView[K, V]:
        return self._flatten().items()

    def values(self) -> ValuesView[V]:
        return self._flatten().values()

    def __repr__(self) -> str:
        return f"Layers({self._flatten()!r})"

    def _flatten(self) -> dict[K, V]:
        if self._own:
            together = self._base.copy()
            for key, value in self._own.items():
                if value is _GONE or key in self._moved:
                    together.pop(key, None)
                if value is not _GONE:
                    together[key] = value
            self._base, self._own, self._moved = together, {}, set()
        return self._base


def differing(first: Mapping[K, V], second: Mapping[K, V]) -> set[K]:
    """The keys under which two mappings have not the same; where they are copies of one, it takes
    time for the changes only."""
    keys: set[K]
    if isinstance(first, Layers) and isinstance(second, Layers) and first._base is second._base:
        keys = {*first._own, *second._own}
    else:
        keys = {*first, *second}
    return {key for key in keys if first.get(key, _MISSING) != second.get(key, _MISSING)}
