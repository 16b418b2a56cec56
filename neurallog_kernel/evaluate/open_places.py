"""Questions with several open places: listed over the entities of all but the last, in batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from neurallog_kernel.errors import BoundError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.rows import Rows, look_up, one_hot
from neurallog_kernel.knowledge.fact_rows import FactRows
from neurallog_kernel.knowledge.types import EntityType
from neurallog_kernel.language.printer import format_literal
from neurallog_kernel.language.syntax import Constant, Literal, Variable
from neurallog_kernel.plan.exprs import Expr

MOST_LISTED = 200_000_000  # answers that a question may go through: about a minute
MOST_ASKED = 5_000_000  # choices of entities for all open places but the last
SAMPLED = 16  # first entities that are tried before all of them are
MAXIMUM_LISTED = 1_000_000  # answers kept of a question with several open places


@dataclass(frozen=True)
class FoundAnswers:
    """The symbols of each answer, a column per open variable, and its weight; `total` counts those
    that were not kept too."""

    columns: list[np.ndarray]
    weights: np.ndarray
    total: int


@dataclass
class OpenPlaces:
    """One question with several open places; `given` has the index of each named entity by
    place."""

    evaluator: Evaluator
    atom: Literal
    given: Mapping[int, int]
    top: int | None

    def __post_init__(self) -> None:
        places: dict[Variable, list[int]] = {}
        for place, term in enumerate(self.atom.terms):
            if isinstance(term, Variable):
                places.setdefault(term, []).append(place)
        self.variables = list(places.values())

    def answer(self) -> FoundAnswers:
        program, signature = self.evaluator.program, self.atom.signature
        if signature[1] > 2 and not program.definition(signature).rules:
            return self._of_facts(self.evaluator.storage.rows(signature))
        return self._in_batches()

    # -- facts alone ----------------------------------------------------------------------------

    def _of_facts(self, rows: FactRows) -> FoundAnswers:
        """The facts themselves: only those are looked at that have the rarest named entity."""
        chosen = fitting_rows(rows, self.given)
        for places in self.variables:
            for place in places[1:]:
                first, other = (rows.symbols[p][chosen] for p in (places[0], place))
                chosen = chosen[first == other]
        weights = rows.weights.weights[chosen]
        there = weights != 0
        best = LargestAnswers(self._limit)
        best.add([chosen[there]], weights[there])
        (kept,), weights = best.result()
        columns = [rows.symbols[places[0]][kept] for places in self.variables]
        return FoundAnswers(columns, weights, best.total)

    # -- rules ----------------------------------------------------------------------------------

    @property
    def _limit(self) -> int:
        return MAXIMUM_LISTED if self.top is None else self.top

    def _in_batches(self) -> FoundAnswers:
        """Every choice of entities for the open variables but the last; the last place is the
        output, and is read off at its own entity where the variable stands elsewhere too."""
        output = max(place for places in self.variables for place in places)
        whole = [output]  # of a variable that is the output and nothing else
        asked = [places for places in self.variables if places != whole]
        pools = [self._pool(places) for places in asked]
        layer = self.evaluator.layer(self.atom.signature, output)
        kind = self.evaluator.domain(self.atom.signature, output)
        self._check(layer.result, asked, pools, kind)
        sizes = [len(pool) for pool in pools]
        choices = np.unravel_index(np.arange(int(np.prod(sizes))), sizes)
        symbols = [pool[choice] for pool, choice in zip(pools, choices, strict=True)]
        columns = self._columns(asked, symbols, output)
        best = LargestAnswers(self._limit)
        for chosen, found in self.evaluator.batches(layer, columns):
            if whole in self.variables:
                which, last, weights = entries(found, chosen, len(kind))
                best.add([which, last], weights)
            else:
                best.add(*self._read_off(found, chosen, symbols, asked, kind, output))
        kept, weights = best.result()
        by_places = {tuple(p): s[kept[0]] for p, s in zip(asked, symbols, strict=True)}
        if whole in self.variables:
            by_places[tuple(whole)] = kind.symbols_at(kept[1])
        return FoundAnswers([by_places[tuple(p)] for p in self.variables], weights, best.total)

    def _pool(self, places: Sequence[int]) -> np.ndarray:
        """The symbols that can stand at all places of a variable."""
        first, *others = (self.evaluator.domain(self.atom.signature, p).members for p in places)
        for other in others:
            first = first[np.isin(first, other)]
        return first

    def _columns(
        self, asked: Sequence[Sequence[int]], symbols: Sequence[np.ndarray], output: int
    ) -> dict[int, np.ndarray]:
        """The index of the entity at each place but the output, for every choice."""
        count = len(symbols[0])
        columns = {place: np.full(count, index) for place, index in self.given.items()}
        for places, chosen in zip(asked, symbols, strict=True):
            for place in places:
                if place != output:
                    kind = self.evaluator.domain(self.atom.signature, place)
                    columns[place] = kind.positions(chosen).astype(np.int64)
        return columns

    def _read_off(
        self,
        found: Rows,
        chosen: np.ndarray,
        symbols: Sequence[np.ndarray],
        asked: Sequence[Sequence[int]],
        kind: EntityType,
        output: int,
    ) -> tuple[list[np.ndarray], np.ndarray]:
        (own,) = (s for places, s in zip(asked, symbols, strict=True) if output in places)
        count = len(chosen)
        at = kind.positions(own[chosen]).astype(np.int64)
        weights = look_up(found, np.arange(count, dtype=np.int64) * len(kind) + at, count)
        there = np.flatnonzero(weights)
        return [chosen[there]], weights[there]

    def _check(
        self,
        result: Expr,
        asked: Sequence[Sequence[int]],
        pools: Sequence[np.ndarray],
        kind: EntityType,
    ) -> None:
        """Refuse what would list for hours; a few entities tell how many answers there are."""
        choices = 1
        for pool in pools:
            choices *= len(pool)
        if len(pools) > 1 and choices > MOST_ASKED:
            raise self._too_many(f"goes through {choices:,} choices of entities", pools)
        if choices * len(kind) <= MOST_LISTED:
            return
        some = np.unique(np.linspace(0, choices - 1, SAMPLED).astype(np.int64))
        picked = np.unravel_index(some, [len(pool) for pool in pools])
        symbols = [pool[choice] for pool, choice in zip(pools, picked, strict=True)]
        inputs = {
            place: one_hot(len(self.evaluator.domain(self.atom.signature, place)), column)
            for place, column in self._columns(asked, symbols, -1).items()
        }
        there, _, _ = entries(self.evaluator.rows(result, inputs), some, len(kind))
        expected = len(there) * choices // len(some)
        if expected > MOST_LISTED:
            noun = "pairs" if self.atom.arity == 2 else "answers"
            raise self._too_many(f"has about {expected:,} {noun} with a weight", pools)

    def _too_many(self, what: str, pools: Sequence[np.ndarray]) -> BoundError:
        first = self.evaluator.symbols.name(int(pools[0][0]))
        one = _named(self.atom, first)
        return BoundError(
            f"{format_literal(self.atom)} {what}, too many to list",
            self.atom.span,
            f"name one more entity, as in {one}, or write a rule for what you want to know",
        )


def fitting_rows(rows: FactRows, given: Mapping[int, int]) -> np.ndarray:
    """The facts that have these entities at their places, found through the rarest of them."""
    if not given:
        return np.arange(len(rows))
    rarest, start, end = -1, 0, len(rows) + 1
    for place, index in given.items():
        starts = rows.incidences[place].parts[0].transposed.starts
        if index + 1 >= len(starts):  # an entity that came after the facts
            return np.zeros(0, dtype=np.int64)
        first, last = int(starts[index]), int(starts[index + 1])
        if last - first < end - start:
            rarest, start, end = place, first, last
    chosen = rows.incidences[rarest].parts[0].transposed.columns[start:end]
    for place, index in given.items():
        if place != rarest:
            chosen = chosen[rows.columns[place][chosen] == index]
    return chosen


class LargestAnswers:
    """The largest weights of many batches, each with its numbers."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.total = 0
        self.parts: list[tuple[list[np.ndarray], np.ndarray]] = []
        self.held = 0

    def add(self, columns: list[np.ndarray], weights: np.ndarray) -> None:
        self.total += len(weights)
        self.held += len(weights)
        self.parts.append((columns, weights))
        if self.held > 2 * self.limit + 1000:
            self.parts = [self.result()]
            self.held = len(self.parts[0][1])

    def result(self) -> tuple[list[np.ndarray], np.ndarray]:
        if not self.parts:
            nothing = np.zeros(0, dtype=np.int64)
            return [nothing, nothing], np.zeros(0)
        columns = [np.concatenate(parts) for parts in zip(*(c for c, _ in self.parts), strict=True)]
        weights = np.concatenate([w for _, w in self.parts])
        if len(weights) > self.limit:
            best = np.argpartition(-weights, self.limit)[: self.limit]
            columns, weights = [column[best] for column in columns], weights[best]
        return columns, weights


def entries(rows: Rows, chosen: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The non-zero entries: which of the chosen rows, which column, and the weight."""
    if rows.is_sparse and rows.batch == len(chosen):
        there = rows.values != 0
        keys, weights = rows.keys[there], rows.values[there]
    else:
        dense = np.broadcast_to(rows.dense(), (len(chosen), size)).reshape(-1)
        keys = np.flatnonzero(dense)
        weights = dense[keys]
    return chosen[keys // size] if size else keys, keys % size if size else keys, weights


def _named(atom: Literal, name: str) -> str:
    """The question with its first open place named."""
    place = next(p for p, term in enumerate(atom.terms) if isinstance(term, Variable))
    terms = [Constant(name) if p == place else term for p, term in enumerate(atom.terms)]
    return format_literal(Literal(atom.predicate, tuple(terms)))
