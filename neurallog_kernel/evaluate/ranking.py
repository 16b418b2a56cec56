"""The best answers of many questions at once: one pass over a batch in place of one for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from neurallog_kernel.errors import QueryError, UnknownEntityError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.rows import Rows
from neurallog_kernel.knowledge.attached_types import AttachedType
from neurallog_kernel.knowledge.roles import Role
from neurallog_kernel.knowledge.types import EntityType
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 20


@dataclass(frozen=True, eq=False)
class Rankings(Tabular):
    """The best answers of each question, best first; ties by name, as in `query`.

    `rankings["ann"]` is what `query("p(ann, Y)", top).weights` gives.
    """

    predicate: str
    asked: tuple[str, ...]  # the entity of each question
    starts: np.ndarray  # where the answers of each question begin, and the end of the last
    answers: tuple[str, ...]
    weights: np.ndarray

    def __len__(self) -> int:
        return len(self.asked)

    def __iter__(self) -> Iterator[str]:
        return iter(self.asked)

    def __getitem__(self, entity: str) -> dict[tuple[str, ...], float]:
        place = self._places.get(entity)
        if place is None:
            raise UnknownEntityError(f"{entity} was not asked about")
        here = range(int(self.starts[place]), int(self.starts[place + 1]))
        return {(self.answers[i],): float(self.weights[i]) for i in here}

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.asked)}

    def to_pandas(self) -> pd.DataFrame:
        """One row per answer: the entity asked about, the rank, the answer, its weight."""
        import pandas as pd

        counts = np.diff(self.starts)
        ranks = np.arange(len(self.answers)) - np.repeat(self.starts[:-1], counts) + 1
        return pd.DataFrame(
            {
                "asked": np.repeat(np.array(self.asked, dtype=object), counts),
                "rank": ranks,
                "answer": list(self.answers),
                "weight": self.weights,
            }
        )

    def __repr__(self) -> str:
        lines = [f"{self.predicate}: {len(self):,} questions, {len(self.answers):,} answers"]
        for name in self.asked[:SHOWN]:
            best = list(self[name].items())[:5]
            listed = ", ".join(f"{answer} {weight:.4g}" for (answer,), weight in best)
            lines.append(f"  {name}: {listed or 'no answer'}")
        if len(self) > SHOWN:
            lines.append(f"  ... {len(self) - SHOWN:,} more")
        return "\n".join(lines)


def rank(
    evaluator: Evaluator,
    signature: Signature,
    entities: Sequence[str] | None = None,
    top: int | None = 10,
    output: int = 1,
) -> Rankings:
    """The best answers for each entity (by default every one) at the place that is not `output`."""
    name = f"{signature[0]}/{signature[1]}"
    if signature[1] != 2 or evaluator.program.role(signature) is not Role.RELATION:
        hint = "a relation between two entities can"
        if signature[1] > 2:
            hint += f": write a rule, as in pair(X, Y) :- {_of_ends(signature)}."
        raise QueryError(f"{name} cannot be ranked", hint=hint)
    given = 1 - output
    indexes = _indexes(evaluator, signature, given, entities)
    domain = evaluator.domain(signature, output)
    order = _NameOrder(evaluator, domain)
    layer = evaluator.layer(signature, output)
    columns, values, counts = [], [], []
    for chosen, rows in evaluator.batches(layer, {given: indexes}):
        of_row, column, weight = _best(rows, len(chosen), order, top)
        columns.append(column)
        values.append(weight)
        counts.append(np.bincount(of_row, minlength=len(chosen)))
    nothing = np.zeros(0, dtype=np.int64)
    together = np.concatenate([nothing, *columns])
    members = evaluator.symbols.names(domain.symbols_at(together).tolist())
    asked = entities or evaluator.names(signature, given)
    starts = np.concatenate([[0], np.cumsum(np.concatenate([nothing, *counts]))])
    weights = np.concatenate([np.zeros(0), *values])
    return Rankings(name, tuple(asked), starts.astype(np.int64), tuple(members), weights)


def _indexes(
    evaluator: Evaluator, signature: Signature, place: int, entities: Sequence[str] | None
) -> np.ndarray:
    if entities is None:
        return np.arange(len(evaluator.domain(signature, place)))
    evaluator.domain(signature, place).look_for(entities)
    found = []
    for name in entities:
        index = evaluator.index(signature, place, name)
        if index is None:
            where = f"place {place + 1} of {signature[0]}/{signature[1]}"
            raise UnknownEntityError(f"unknown entity {name} at {where}")
        found.append(index)
    return np.array(found, dtype=np.int64)


@dataclass(frozen=True)
class _NameOrder:
    """For each entity its place in the order of names, which decides between equal weights."""

    evaluator: Evaluator
    domain: EntityType

    def of(self, columns: np.ndarray) -> np.ndarray:
        """Of these entities; where they are in a database, others are not looked at."""
        if not isinstance(self.domain, AttachedType):
            return self._every[columns]
        met, places = np.unique(columns, return_inverse=True)
        return self._ordered(self.domain.symbols_at(met))[places]

    @cached_property
    def _every(self) -> np.ndarray:
        return self._ordered(self.domain.members)

    def _ordered(self, symbols: np.ndarray) -> np.ndarray:
        names = self.evaluator.symbols.names(symbols.tolist())
        order = np.empty(len(names), dtype=np.int64)
        order[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
        return order


def _best(
    rows: Rows, batch: int, order: _NameOrder, top: int | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row, column and weight of the best entries of each row, row by row, best first."""
    if rows.is_sparse:
        there = rows.values != 0
        row, column, weight = rows.rows()[there], rows.columns()[there], rows.values[there]
    else:
        dense = rows.dense()
        row, column = np.nonzero(dense)
        weight = dense[row, column]
    if rows.batch == 1 and batch > 1:  # the answer does not depend on the question
        row = np.repeat(np.arange(batch), len(column))
        column, weight = np.tile(column, batch), np.tile(weight, batch)
    sorting = np.lexsort((order.of(column), -weight, row))
    row, column, weight = row[sorting], column[sorting], weight[sorting]
    if top is not None:
        counts = np.bincount(row, minlength=batch)
        before = np.repeat(np.cumsum(counts) - counts, counts)
        kept = np.arange(len(row)) - before < top
        row, column, weight = row[kept], column[kept], weight[kept]
    return row, column, weight


def _of_ends(signature: Signature) -> str:
    """A literal between the first and the last place of a predicate."""
    return f"{signature[0]}({', '.join(['X', *['_'] * (signature[1] - 2), 'Y'])})"
