"""Numbers for very many names at once: names are compared as whole numbers of eight letters each.

A dictionary of a million names does not fit into the processor's cache, so that each of ten million
look-ups waits for memory several times. Where each number appears first is found in a small table;
the dictionary is then asked once for each distinct name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from neurallog_kernel.language.facts import Names

LEAST = 200_000  # fewer names are looked up one by one as fast
_LETTERS = 8  # in a word of 64 bits
_LONGEST = 4 * _LETTERS  # longer names are looked up one by one
_SLOT_BITS = 22
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # odd: the upper bits of a product depend on all letters
_MASKS = np.array([(1 << 8 * k) - 1 for k in range(_LETTERS + 1)], dtype=np.uint64)


def numbers_of(names: Sequence[str], ids: Mapping[str, int]) -> NDArray[np.int32]:
    """The number of each name; `ids` is asked in order of first appearance."""
    keys = _keys(names) if isinstance(names, Names) and len(names) >= LEAST else None
    if keys is None:
        return np.fromiter(map(ids.__getitem__, names), dtype=np.int32, count=len(names))
    assert isinstance(names, Names)
    first = first_of_each(keys)
    distinct = np.flatnonzero(first == np.arange(len(first), dtype=first.dtype))
    numbers = np.empty(len(names), dtype=np.int32)  # of distinct names, at their first places
    asked = map(ids.__getitem__, names.at(distinct))
    numbers[distinct] = np.fromiter(asked, dtype=np.int32, count=len(distinct))
    return numbers[first]


def first_of_each(keys: NDArray[np.uint64]) -> NDArray[np.int32]:
    """Where each key appears first.

    A table that fits into the processor's cache has a slot for several keys, and keeps the first
    place among them. Where another key was first in the slot, sorting finds the place.

    >>> first_of_each(np.array([7, 5, 7, 5, 9], dtype=np.uint64)).tolist()
    [0, 1, 0, 1, 4]
    """
    slots = keys * _SPREAD
    slots >>= np.uint64(64 - _SLOT_BITS)
    slots = slots.view(np.int64)
    places = np.arange(len(keys), dtype=np.int32)
    table = np.zeros(1 << _SLOT_BITS, dtype=np.int32)
    table[slots[::-1]] = places[::-1]  # the last that is written stays
    first = table[slots]
    del slots
    other = np.flatnonzero(keys[first] != keys)
    if len(other):
        order, starts = _groups(keys[other])
        found = other[np.minimum.reduceat(order, starts)]
        first[other[order]] = np.repeat(found, np.diff(np.append(starts, len(other))))
    return first


def _groups(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An order in which equal keys stand together, and where each of them begins in it."""
    order = np.argsort(keys)
    ordered = keys[order]
    return order, np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))


def _keys(names: Names) -> NDArray[np.uint64] | None:
    """Equal names have equal keys, and different ones different keys; None where a name is too long
    for that, or has letters of more than a byte."""
    parts = [_words(part) for part in names.packed()]
    if any(part is None for part in parts):
        return None
    most = max(len(part) for part in parts if part is not None)
    keys: NDArray[np.uint64] | None = None
    for place in range(most):
        word = np.concatenate([_word(part, place) for part in parts if part is not None])
        keys = word if keys is None else (_ranks(keys) << np.uint64(32)) | _ranks(word)
    return keys


def _word(part: Sequence[np.ndarray], place: int) -> np.ndarray:
    return part[place] if place < len(part) else np.zeros_like(part[0])


def _ranks(keys: np.ndarray) -> NDArray[np.uint64]:
    """A small number for each of the different keys."""
    order, starts = _groups(keys)
    ranks = np.empty(len(keys), dtype=np.uint64)
    lengths = np.diff(np.append(starts, len(keys)))
    ranks[order] = np.repeat(np.arange(len(starts), dtype=np.uint64), lengths)
    return ranks


def _words(part: str) -> list[NDArray[np.uint64]] | None:
    """The letters of each name of a packed part, eight in a number, the missing ones 0."""
    if not part.isascii() or "\0" in part:
        return None
    letters = np.frombuffer(part.encode("ascii") + b"\n" + bytes(_LONGEST), dtype=np.uint8)
    ends = np.flatnonzero(letters == ord("\n"))
    starts = np.concatenate([[0], ends[:-1] + 1])
    lengths = ends - starts
    longest = int(lengths.max())
    if longest > _LONGEST:
        return None
    shape = (len(letters) - _LETTERS + 1,)
    at_each = np.ndarray(shape, "<u8", letters, strides=(1,))  # the eight letters from each on
    return [
        at_each[starts + start] & _MASKS[np.clip(lengths - start, 0, _LETTERS)]
        for start in range(0, max(longest, 1), _LETTERS)
    ]
