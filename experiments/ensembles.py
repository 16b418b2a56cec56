"""`python -m experiments ensembles`: ten seeds that answer together, on the paper's tasks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from experiments.arguments import Arguments
from experiments.data import prepare
from experiments.paper import BY_NAME
from experiments.running import figures, folds
from experiments.settings import RUNS, SETTINGS


def main(words: Sequence[str]) -> int:
    said = "The settings of the single runs, as one ensemble of ten seeds."
    options = Arguments("ensembles", said, BY_NAME).chosen(words)
    for name in options.names:
        experiment, setting = BY_NAME[name], SETTINGS[name]
        found = []
        for fold in folds(experiment):
            session = prepare(options.data, experiment, fold)
            if setting.program:
                session.add(setting.program, source="setting")
            session.train(**setting.options(1), seeds=RUNS)
            found.append(figures(session, experiment, "test"))
        for figure in found[0]:
            print(f"{figure}: {np.mean([one[figure] for one in found]):.4f}", flush=True)
    return 0
