"""Rows that a target cannot tell apart: what reaches the learned weights is the same for them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from neurallog_kernel.evaluate.rows import Rows
from neurallog_kernel.network.equal_entities import Classes, numbered


def equal_rows(parts: Iterable[Rows | np.ndarray], rows: int) -> Classes | None:
    """The rows that are equal in all parts; None if hardly any are, or none of the parts tells.

    Rows are compared by a number made of their entries; those that seem equal are then compared
    entry by entry.
    """
    seen: list[Rows | np.ndarray] = []
    labels = np.zeros(rows, dtype=np.uint64)
    for part in parts:
        if (len(part) if isinstance(part, np.ndarray) else part.batch) != rows:
            continue  # one row for all
        seen.append(part)
        labels = _mixed(labels) + _label(part)
        if numbered(labels) is None:
            return None
    found = numbered(labels)
    if found is None or not seen:
        return None
    return found if all(_equal(part, found) for part in seen) else None


def chosen_rows(values: Rows | np.ndarray, chosen: np.ndarray) -> Rows | np.ndarray:
    """Some rows of a batch; of one row for all, that one."""
    if isinstance(values, np.ndarray):
        return values if len(values) == 1 else values[chosen]
    if values.batch == 1:
        return values
    size = values.size
    first = np.searchsorted(values.keys, chosen * size)
    lengths = np.searchsorted(values.keys, (chosen + 1) * size) - first
    ends = np.cumsum(lengths)
    moved = np.repeat(first - (ends - lengths), lengths) + np.arange(lengths.sum())
    keys = np.repeat(np.arange(len(chosen)) * size, lengths) + values.keys[moved] % max(size, 1)
    return Rows(len(chosen), size, keys, values.values[moved], values.rest[chosen])


def _equal(part: Rows | np.ndarray, classes: Classes) -> bool:
    """Whether every row equals the first of its class."""
    chosen = chosen_rows(part, classes.first[classes.of])
    if isinstance(part, np.ndarray) or isinstance(chosen, np.ndarray):
        return np.array_equal(part, chosen)  # type: ignore[arg-type]
    return (
        np.array_equal(part.keys, chosen.keys)
        and np.array_equal(part.values, chosen.values)
        and np.array_equal(part.rest, chosen.rest)
    )


def _label(part: Rows | np.ndarray) -> np.ndarray:
    """A number for each row, made of all its entries."""
    if isinstance(part, np.ndarray):
        return _mixed(_bits(part))
    entries = _mixed(_bits(part.values) ^ _mixed(part.columns().astype(np.uint64)))
    sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(entries, dtype=np.uint64)])
    ends = np.searchsorted(part.keys, np.arange(1, part.batch + 1) * part.size)
    starts = np.concatenate([[0], ends[:-1]])
    return _mixed(sums[ends] - sums[starts] + _bits(part.rest))  # modulo 2 ** 64


def _bits(numbers: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(numbers + 0.0, dtype=np.float64).view(np.uint64)  # -0.0 is 0.0


def _mixed(x: np.ndarray) -> np.ndarray:
    """Every bit spread over all 64 (the finaliser of SplitMix64)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
