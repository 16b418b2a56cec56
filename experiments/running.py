"""One run: train with a seed, look at the test examples once, note figures and times."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any

from experiments.data import prepare
from experiments.paper import Experiment
from experiments.settings import SETTINGS, Setting
from neurallog_kernel import Session


@dataclass(frozen=True)
class Run:
    """The figures of one training on one fold."""

    experiment: str
    fold: int
    run: int
    values: dict[str, float]  # by the names of the experiment's figures
    epoch_seconds: float  # a later epoch: the first one compiles
    total_seconds: float  # load, compile, ten epochs, evaluation
    setting: str


def one_run(data: Path, experiment: Experiment, fold: int, run: int) -> Run:
    """Load, train with the run's number as the seed, evaluate."""
    started = perf_counter()
    session = prepare(data, experiment, fold)
    setting = SETTINGS[experiment.name]
    epoch = train(session, setting, run)
    values = figures(session, experiment, "test")
    total = perf_counter() - started
    return Run(experiment.name, fold, run, values, epoch, total, str(setting))


def train(session: Session, setting: Setting, seed: int) -> float:
    """Train; gives the seconds of a later epoch."""
    if setting.program:
        session.add(setting.program, source="setting")
    ends = session.train(**setting.options(seed)).logs["seconds"]
    lengths = sorted(b - a for a, b in pairwise(ends))
    return lengths[len(lengths) // 2] if lengths else ends[0]


def figures(session: Session, experiment: Experiment, name: str) -> dict[str, float]:
    """The experiment's areas under the ROC curve on a set of examples."""
    metrics = session.evaluate(name, ranks=False)
    found: dict[str, float] = {}
    for figure in experiment.figures:
        if figure.target == "weighted":
            found[figure.name] = metrics["roc_auc"]
        elif figure.target == "mean":
            found[figure.name] = metrics.mean("roc_auc")
        else:
            found[figure.name] = metrics.by_target[figure.target]["roc_auc"]
    return found


def folds(experiment: Experiment) -> range:
    return range(1, experiment.folds + 1) if experiment.folds else range(1)


class Journal:
    """The runs that are done, one JSON line each, so that a stopped experiment goes on."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def runs(self) -> list[Run]:
        """The last run of each experiment, fold and number, with its current setting."""
        found: dict[tuple[str, int, int], Run] = {}
        for line in self._lines():
            run = Run(**line)
            setting = SETTINGS.get(run.experiment)
            if setting is not None and run.setting == str(setting):
                found[run.experiment, run.fold, run.run] = run
        return list(found.values())

    def _lines(self) -> Iterator[dict[str, Any]]:
        if self.file.exists():
            for line in self.file.read_text(encoding="utf-8").splitlines():
                yield json.loads(line)

    def add(self, run: Run) -> None:
        with self.file.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(asdict(run)) + "\n")
