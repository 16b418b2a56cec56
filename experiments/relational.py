"""Relational data as columns: what a practitioner computes of facts before fitting a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from experiments.data import arguments, predicate

SMALL = 5_000  # entities that a two-step bag may have as columns
_PARTS = 5  # of the training examples, for evidence that does not know its own example


@dataclass(frozen=True)
class Labelled:
    """Examples of one target: their entities and whether they are true."""

    names: list[tuple[str, ...]]
    truth: np.ndarray

    @classmethod
    def read(cls, file: Path, target: str) -> Labelled:
        lines = file.read_text(encoding="utf-8").splitlines()
        own = [line for line in lines if predicate(line) == target]
        false = [line.lstrip().startswith(("0.0::", "0::")) for line in own]
        return cls([arguments(line) for line in own], ~np.array(false, dtype=bool))


class Columns:
    """The facts of a dataset as matrices: one for each relation and direction."""

    def __init__(self, files: Iterable[Path]) -> None:
        pairs: dict[str, list[tuple[str, str]]] = defaultdict(list)
        single: dict[str, list[str]] = defaultdict(list)
        self.numbers: dict[str, dict[str, float]] = defaultdict(dict)
        for file in files:
            for line in file.read_text(encoding="utf-8").splitlines():
                self._take(predicate(line), arguments(line), pairs, single)
        found = [name for rows in pairs.values() for pair in rows for name in pair]
        found += [name for names in single.values() for name in names]
        self.ids = {name: place for place, name in enumerate(dict.fromkeys(found))}
        self.steps: dict[str, sp.csr_array] = {}
        for name, rows in pairs.items():
            if name.endswith("inverse") and name.removesuffix("inverse") in pairs:
                continue  # the other direction is there anyway
            forward = self._matrix(rows)
            self.steps[name] = forward
            self.steps[f"{name}^-1"] = sp.csr_array(forward.T)
        self.kinds = {name: self._marked(names) for name, names in single.items()}

    def _take(
        self,
        name: str | None,
        given: tuple[str, ...],
        pairs: dict[str, list[tuple[str, str]]],
        single: dict[str, list[str]],
    ) -> None:
        if name is None:
            return
        if len(given) == 1:
            single[name].append(given[0])
        elif len(given) == 2 and _is_number(given[1]):
            self.numbers[name][given[0]] = float(given[1])
        elif len(given) == 2:
            pairs[name].append((given[0], given[1]))

    def _matrix(self, rows: list[tuple[str, str]]) -> sp.csr_array:
        first = np.array([self.ids[a] for a, _ in rows])
        second = np.array([self.ids[b] for _, b in rows])
        size = len(self.ids)
        matrix = sp.csr_array((np.ones(len(rows)), (first, second)), shape=(size, size))
        matrix.data[:] = 1.0
        return matrix

    def _marked(self, names: list[str]) -> np.ndarray:
        marks = np.zeros(len(self.ids))
        marks[[self.ids[name] for name in names]] = 1.0
        return marks

    def places(self, names: list[str]) -> np.ndarray:
        """Of entities; one that no fact names is like one without facts."""
        return np.array([self.ids.get(name, -1) for name in names])

    def rows(self, matrix: sp.csr_array, places: np.ndarray) -> sp.csr_array:
        known = sp.csr_array(matrix[np.maximum(places, 0)])
        return sp.csr_array(sp.diags_array((places >= 0).astype(float)) @ known)

    def of_entities(self, names: list[str]) -> np.ndarray:
        """Degrees, kinds and numbers of single entities."""
        places = self.places(names)
        found = [np.log1p(self.rows(m, places).sum(axis=1)) for m in self.steps.values()]
        found += [np.where(places >= 0, k[np.maximum(places, 0)], 0.0) for k in self.kinds.values()]
        found += [np.array([n.get(name, 0.0) for name in names]) for n in self.numbers.values()]
        return np.column_stack(found)

    def bags(self, names: list[str]) -> dict[str, sp.csr_array]:
        """What entities reach in one step, and in two where that is not too much."""
        places = self.places(names)
        found = {name: self.rows(m, places) for name, m in self.steps.items()}
        for name, bag in list(found.items()):
            for other, matrix in self.steps.items():
                ends = np.flatnonzero(np.diff(sp.csr_array(matrix.T).indptr))
                goes_back = {name, other} == {name.removesuffix("^-1"), f"{other}^-1"}
                if bag.nnz and 0 < len(ends) <= SMALL and not goes_back:
                    two = sp.csr_array(bag @ matrix)
                    if two.nnz:
                        two.data[:] = 1.0
                        found[f"{name}, {other}"] = two
        return {name: bag for name, bag in found.items() if bag.nnz}


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def pair_table(columns: Columns, labelled: Labelled) -> np.ndarray:
    """Pairs: what both reach in common, related facts, and what each is by itself."""
    first, second = ([pair[place] for pair in labelled.names] for place in (0, 1))
    left, right = columns.bags(first), columns.bags(second)
    found = [columns.of_entities(first), columns.of_entities(second)]
    for name, own in left.items():
        for other, theirs in right.items():
            if "," in name + other and name != other:
                continue  # two steps are compared with the same two steps only
            shared = np.asarray(own.multiply(theirs).sum(axis=1)).ravel()
            if not shared.any():
                continue
            both = np.asarray(own.sum(axis=1) + theirs.sum(axis=1)).ravel() - shared
            found.append(np.column_stack([np.log1p(shared), shared / np.maximum(both, 1.0)]))
    places = columns.places(second)
    for matrix in columns.steps.values():
        rows = columns.rows(matrix, columns.places(first))
        related = rows[np.arange(len(places)), np.maximum(places, 0)]
        found.append(np.asarray(related).reshape(-1, 1))
    return np.column_stack(found)


class Evidence:
    """Log-odds of what is reached: for each bag one column, the mean over what it holds."""

    def __init__(self, bags: Mapping[str, sp.csr_array], truth: np.ndarray) -> None:
        self._odds = {name: _log_odds(bag, truth) for name, bag in bags.items()}

    def table(self, bags: Mapping[str, sp.csr_array], number: int) -> np.ndarray:
        found = [np.zeros((number, 0))]
        for name, odds in self._odds.items():
            bag = bags.get(name)
            sums = np.zeros(number) if bag is None else bag @ odds
            sizes = np.ones(number) if bag is None else np.maximum(bag.sum(axis=1), 1.0)
            found.append(np.column_stack([sums, sums / sizes]))
        return np.column_stack(found)


def _log_odds(bag: sp.csr_array, truth: np.ndarray) -> np.ndarray:
    right, wrong = bag[truth].sum(axis=0), bag[~truth].sum(axis=0)
    prior = truth.mean()
    return np.log((right + 2 * prior) / (wrong + 2 * (1 - prior))) - np.log(prior / (1 - prior))


def evidence_of_training(bags: Mapping[str, sp.csr_array], truth: np.ndarray) -> np.ndarray:
    """The columns of training examples, each by the evidence of the others."""
    part = np.random.default_rng(0).integers(_PARTS, size=len(truth))
    whole = Evidence(bags, truth).table(bags, len(truth))
    for number in range(_PARTS):
        own = part == number
        others = Evidence({n: sp.csr_array(b[~own]) for n, b in bags.items()}, truth[~own])
        whole[own] = others.table({n: sp.csr_array(b[own]) for n, b in bags.items()}, own.sum())
    return whole
