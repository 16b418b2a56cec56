"""What a query gives back: weights by entity, sorted, and as many forms of them as a user wants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, overload

import numpy as np

from neurallog_kernel.errors import visible
from neurallog_kernel.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

SHOWN_ROWS = 20


class WeightsByKey(dict[tuple[str, ...], float]):
    """Weights by key. A name alone is no key, and the error says how to write one."""

    def __missing__(self, key: object) -> float:
        if (key,) in self:
            raise KeyError(f"a key has one name for each open place: write weights[{key!r},]")
        raise KeyError(key)


class Answers(Tabular):
    """The answers of a query, best first; ties by name.

    `variables` are the open places in query order; `weights` maps a tuple with one name for each
    of them to the weight. `total` counts all answers, also those that `top` cut off. Of an ensemble
    the weight is the mean of its members, and `spread` has their deviation by the same keys. Where
    the predicate is calibrated, `probabilities` has what its weights stand for.
    """

    def __init__(
        self,
        query: str,
        variables: Sequence[str],
        columns: Sequence[Sequence[str]],
        weights: np.ndarray,
        total: int | None = None,
        spread: np.ndarray | None = None,
        chance: Callable[[np.ndarray], np.ndarray] | None = None,
    ) -> None:
        self.query = query
        self.variables = tuple(variables)
        self._columns = columns
        self._unsorted = weights
        self.total = len(weights) if total is None else total
        self._spread = spread
        self._chance = chance

    def calibrated(self, chance: Callable[[np.ndarray], np.ndarray] | None) -> Answers:
        """The same answers, with what makes probabilities of their weights."""
        return Answers(
            *(self.query, self.variables, self._columns, self._unsorted, self.total),
            spread=self._spread,
            chance=chance,
        )

    @cached_property
    def _order(self) -> np.ndarray:
        order = np.argsort(-self._unsorted, kind="stable")
        ordered = self._unsorted[order]
        starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        for start, end in zip(starts, [*starts[1:], len(order)], strict=True):
            if end - start > 1:
                order[start:end] = sorted(order[start:end].tolist(), key=self._key)
        return order

    def _key(self, place: int) -> tuple[str, ...]:
        return tuple(column[place] for column in self._columns)

    @cached_property
    def weights(self) -> dict[tuple[str, ...], float]:
        """Weights by key, best first."""
        return WeightsByKey((self._key(i), float(self._unsorted[i])) for i in self._order.tolist())

    @cached_property
    def spread(self) -> dict[tuple[str, ...], float] | None:
        """The deviation of an ensemble's members by key, best answer first; None without one."""
        if self._spread is None:
            return None
        return {self._key(i): float(self._spread[i]) for i in self._order.tolist()}

    @cached_property
    def probabilities(self) -> dict[tuple[str, ...], float] | None:
        """The probabilities by key, best answer first; None where nothing is calibrated."""
        if self._chance is None:
            return None
        found = self._chance(self._unsorted)
        return {self._key(i): float(found[i]) for i in self._order.tolist()}

    def __len__(self) -> int:
        return len(self._unsorted)

    def __iter__(self) -> Iterator[tuple[tuple[str, ...], float]]:
        return iter(self.weights.items())

    @overload
    def __getitem__(self, which: int) -> tuple[tuple[str, ...], float]: ...
    @overload
    def __getitem__(self, which: slice) -> Answers: ...
    def __getitem__(self, which: int | slice) -> tuple[tuple[str, ...], float] | Answers:
        if isinstance(which, int):
            place = self._order[which]
            return self._key(place), float(self._unsorted[place])
        if isinstance(which, str | tuple):
            name = (which,) if isinstance(which, str) else which
            raise TypeError(f"answers are numbered, answers[0]; of a name: answers.weights[{name}]")
        chosen = self._order[which]
        places: list[int] = chosen.tolist()
        columns = [[column[i] for i in places] for column in self._columns]
        spread = None if self._spread is None else self._spread[chosen]
        weights = self._unsorted[chosen]
        return Answers(
            self.query, self.variables, columns, weights, self.total, spread, self._chance
        )

    def top(self, number: int) -> Answers:
        """The best `number` answers."""
        return self[:number]

    @property
    def weight(self) -> float:
        """The one weight of a ground query."""
        if self.variables:
            raise ValueError(f"{self.query} has open places: use .weights")
        return float(self._unsorted[0])

    def to_pandas(self) -> pd.DataFrame:
        """One row an answer: a column for each open variable, and the weight."""
        import pandas as pd

        order: list[int] = self._order.tolist()
        table: dict[str, Sequence[str] | np.ndarray] = {
            name: [column[i] for i in order]
            for name, column in zip(self._labels(), self._columns, strict=True)
        }
        table["weight"] = self._unsorted[self._order]
        if self._spread is not None:
            table["spread"] = self._spread[self._order]
        if self._chance is not None:
            table["probability"] = self._chance(self._unsorted[self._order])
        return pd.DataFrame(table)

    def _labels(self) -> list[str]:
        """Column names: the variables, made distinct where a query has several `_`."""
        labels: list[str] = []
        for place, name in enumerate(self.variables):
            labels.append(f"_{place + 1}" if name in labels or name == "_" else name)
        return labels

    def __repr__(self) -> str:
        return self.to_text()

    def to_text(self, rows: int | None = SHOWN_ROWS) -> str:
        """The question and a table of the best answers; None shows them all."""
        lines = [f"?- {visible(str(self.query))}."]
        if not self.variables:
            spread = "" if self._spread is None else f" ± {format_weight(float(self._spread[0]))}"
            return f"{lines[0]}  {format_weight(self.weight)}{spread}{self.said_chance()}"
        if not len(self):
            return f"{lines[0]}  no answer"
        shown = self[:rows]
        more = [] if self._chance is None else ["probability"]
        table = [[*self._labels(), "weight", *more]]
        table += [[*map(visible, key), *self._shown(key, weight)] for key, weight in shown]
        widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
        lines += ["  " + _aligned(row, widths, 1 + len(more)) for row in table]
        if self.total > len(shown):
            lines.append(f"  ... {self.total - len(shown):,} more")
        return "\n".join(lines)

    def _shown(self, key: tuple[str, ...], weight: float) -> list[str]:
        spread = "" if self.spread is None else f" ± {format_weight(self.spread[key])}"
        chance = [] if self.probabilities is None else [f"{self.probabilities[key]:.3f}"]
        return [f"{format_weight(weight)}{spread}", *chance]

    def said_chance(self) -> str:
        """The probability of a ground query, in words."""
        return "" if self.probabilities is None else f" (probability {self.probabilities[()]:.3f})"


def _aligned(row: Sequence[str], widths: Sequence[int], numbers: int) -> str:
    last = len(row) - numbers
    cells = [
        cell.ljust(width) if place < last else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()


def format_weight(weight: float) -> str:
    """Four significant digits, whole numbers without a point.

    >>> format_weight(0.123456), format_weight(12.0), format_weight(1234.5)
    ('0.1235', '12', '1234')
    """
    if np.isfinite(weight) and weight == int(weight):
        return str(int(weight)) if abs(weight) < 1e15 else f"{weight:.4g}"
    return f"{weight:.4g}" if abs(weight) < 1000 else f"{weight:.0f}"
