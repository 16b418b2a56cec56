"""How often each bit is set in many rows of bits, for thousands of bits at once.

Numbers stand on their side: bit j of the planes 1, 2, 4, ... together is the number of column j.
Two such numbers are added by a few operations on whole words, for 64 columns in each.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

WORD = np.dtype("<u8")  # byte k has the bits from 8k on, on any machine
BITS = 64
EVEN = 12  # groups with a multiple of so many rows are added up without copies at first
# the steps that turn the 8 by 8 bits of a word: blocks of 1, 2 and 4 change places
_TURNS = ((7, 0x00AA00AA00AA00AA), (14, 0x0000CCCC0000CCCC), (28, 0x00000000F0F0F0F0))


def packed(bits: np.ndarray) -> np.ndarray:
    """Words of the bits along the last axis, whose length is a multiple of 64."""
    return np.packbits(bits, axis=-1, bitorder="little").view(WORD)


def filled_up(sizes: np.ndarray, nothing: int, multiple: int) -> tuple[np.ndarray, np.ndarray]:
    """The places of rows that stand group by group, each group filled up with the place `nothing`;
    and the new sizes.

    >>> filled_up(np.array([1, 3]), 9, 2)[0].tolist()
    [0, 9, 1, 2, 3, 9]
    """
    full = -(-sizes // multiple) * multiple
    places = np.full(int(full.sum()), nothing)
    start, own = np.cumsum(full) - full, np.cumsum(sizes) - sizes
    row = np.arange(int(sizes.sum()))
    places[row + np.repeat(start - own, sizes)] = row
    return places, full


def bit_sums(rows: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """For each group of rows and each bit, in how many rows of the group it is set. The rows, of
    words, stand group by group; no group is empty.

    >>> rows = np.array([[5], [4], [6]], dtype=WORD)
    >>> bit_sums(rows, np.array([1, 2]))[:, :3].tolist()
    [[1, 0, 1], [0, 1, 2]]
    """
    planes = [rows]
    while sizes.max(initial=1) > 1:
        if len(planes) == 1 and not (sizes % 3).any():
            planes, sizes = _threes(rows[0::3], rows[1::3], rows[2::3]), sizes // 3
            continue
        if (sizes % 2).any():
            places, sizes = filled_up(sizes, len(planes[0]), 2)
            nothing = np.zeros((1, rows.shape[1]), dtype=WORD)
            planes = [np.concatenate([plane, nothing])[places] for plane in planes]
        planes = _added([plane[0::2] for plane in planes], [plane[1::2] for plane in planes])
        sizes = sizes // 2
    return _upright(planes)


def _threes(one: np.ndarray, two: np.ndarray, three: np.ndarray) -> list[np.ndarray]:
    """The sums of three bits each: that takes less than sums of two, and then of their sums."""
    either = one ^ two
    both = one & two
    sums = either ^ three
    either &= three
    both |= either
    return [sums, both]


def _added(one: Sequence[np.ndarray], other: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The sums of numbers that stand on their side: a plane more."""
    planes = [one[0] ^ other[0]]
    carry = one[0] & other[0]
    for first, second in zip(one[1:], other[1:], strict=True):
        either = first ^ second
        both = first & second
        planes.append(either ^ carry)
        either &= carry
        both |= either
        carry = both
    return [*planes, carry]


def _upright(planes: Sequence[np.ndarray]) -> np.ndarray:
    """The numbers of each row: a number for each bit of its words."""
    rows, words = planes[0].shape
    kind = np.uint8 if len(planes) <= 8 else np.uint16 if len(planes) <= 16 else np.int64
    found = np.zeros((rows, words * BITS), dtype=kind)
    for start in range(0, len(planes), 8):
        bits = np.zeros((rows, words * 8, 8), dtype=np.uint8)
        for place, plane in enumerate(planes[start : start + 8]):
            bits[:, :, place] = np.ascontiguousarray(plane).view(np.uint8)
        turned = _turned(bits.reshape(rows, -1).view(WORD)).view(np.uint8)
        found |= turned.astype(kind) << kind(start)
    return found


def _turned(words: np.ndarray) -> np.ndarray:
    """Bit j of byte k becomes bit k of byte j."""
    for by, mask in _TURNS:
        change = (words ^ (words >> WORD.type(by))) & WORD.type(mask)
        words = words ^ change ^ (change << WORD.type(by))
    return words
