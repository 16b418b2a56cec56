"""Choosing settings on a held-out part of the training examples, never on test examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments.data import HELD_OUT, prepare_selection
from experiments.paper import Experiment
from experiments.running import figures, folds, train
from experiments.settings import Setting


@dataclass(frozen=True)
class Tried:
    """How one setting did on the held-out examples of one fold."""

    experiment: str
    fold: int
    setting: Setting
    values: tuple[float, ...]  # the mean over the experiment's figures, seed by seed

    @property
    def mean(self) -> float:
        return float(np.mean(self.values))


def select(
    data: Path, experiment: Experiment, settings: Sequence[Setting], seeds: int = 1
) -> Iterator[Tried]:
    """Every setting on every fold. A fold is judged by its own training examples alone, so that
    no fold's choice knows the examples it is tested on."""
    for fold in folds(experiment):
        for setting in settings:
            values = []
            for seed in range(1, seeds + 1):
                session = prepare_selection(data, experiment, fold, seed=seed)
                train(session, setting, seed)
                found = list(figures(session, experiment, HELD_OUT).values())
                values.append(np.mean([value for value in found if not np.isnan(value)] or [0.5]))
            yield Tried(experiment.name, fold, setting, tuple(map(float, values)))


def best(tried: Sequence[Tried]) -> dict[int, Tried]:
    """The best setting of each fold."""
    found: dict[int, Tried] = {}
    for one in tried:
        if one.fold not in found or one.mean > found[one.fold].mean:
            found[one.fold] = one
    return found
