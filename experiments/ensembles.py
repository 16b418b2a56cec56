"""`python -m experiments ensembles`: ten seeds that answer together, on the paper's tasks."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from experiments.data import prepare
from experiments.paper import BY_NAME
from experiments.running import figures, folds
from experiments.settings import RUNS, SETTINGS

ROOT = Path(__file__).parents[1]


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m experiments ensembles",
        description="The settings of the single runs, as one ensemble of ten seeds.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"among {', '.join(BY_NAME)}")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    options = parser.parse_args(words)
    unknown = [name for name in options.names if name not in BY_NAME]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(BY_NAME)}")
    for name in options.names or BY_NAME:
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
