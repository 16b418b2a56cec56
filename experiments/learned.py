"""`python -m experiments learned`: the paper's tasks without a hand-written rule."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.induction.aggregation import area, scores
from neurallog_kernel.induction.fitting import fit_weights
from neurallog_kernel.induction.heads import heads_of
from neurallog_kernel.induction.judging import judge
from neurallog_kernel.induction.learner import RuleLearner
from neurallog_kernel.induction.options import LearnOptions

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class LearnedTask:
    """A target of the paper with the bias of the search."""

    name: str
    head: str
    length: int = 3
    constants: tuple[str, ...] = ()
    strength: float = 1.0
    kept: int = 300


TASKS = {
    "uwcse": LearnedTask("uwcse", "advisedby/2", constants=("inphase/2", "hasposition/2")),
    "yelp": LearnedTask("yelp", "mexican/1", 2, ("reviewed/2",), kept=3000),
    "pakdd15": LearnedTask(
        "pakdd15", "male/1", 3, ("viewed/2", "ic1/2", "ic2/2", "ic3/2"), kept=2000
    ),
}
FOLDS = range(1, 6)


def one_fold(data: Path, task: LearnedTask, fold: int, budget: float) -> tuple[float, int, float]:
    """ROC AUC of a fold's test examples, the number of rules, processor seconds."""
    session = Session()
    folder = data / task.name
    session.load(folder / "facts.pl")
    session.load(folder / f"fold{fold}" / "train.pl", set="train")
    session.load(folder / f"fold{fold}" / "test.pl", set="test")
    options = LearnOptions(
        heads=(task.head,),
        length=task.length,
        constants=task.constants,
        kept=task.kept,
        budget=budget,
        set="train",
    )
    began = process_time()
    learner = RuleLearner(session._evaluator, options, fit_weights, task.strength)
    for _ in learner.run():
        pass
    found = learner.ranked[0]
    (test,) = heads_of(session._evaluator, LearnOptions(heads=(task.head,), set="test", held_out=0))
    kept = found.kept
    bodies = [found.judged.found[n] for n in kept]
    judged = judge(learner.graph, learner.columns, test, bodies)
    right, wrong = (
        scores(matrix, found.weights[kept], found.way) for matrix in (judged.right, judged.others)
    )
    return area(right, wrong, 0), len(kept), process_time() - began


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m experiments learned",
        description="Learn the rules of the paper's tasks and score their test examples.",
    )
    parser.add_argument("names", nargs="*", metavar="TASK", help=f"among {', '.join(TASKS)}")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--budget", type=float, default=30.0, help="seconds for mining a fold")
    parser.add_argument("--folds", type=int, nargs="*", default=list(FOLDS))
    parser.add_argument("--strength", type=float, help="of the L1 penalty")
    options = parser.parse_args(words)
    unknown = [name for name in options.names if name not in TASKS]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(TASKS)}")
    try:
        for name in options.names or TASKS:
            task = TASKS[name]
            if options.strength is not None:
                task = LearnedTask(**{**vars(task), "strength": options.strength})
            figures = []
            for fold in options.folds:
                value, rules, seconds = one_fold(options.data, task, fold, options.budget)
                figures.append(value)
                print(
                    f"{name} fold {fold}: {value:.4f}, {rules} rules, {seconds:.1f} s", flush=True
                )
            print(f"{name}: ROC AUC {np.mean(figures):.4f}", flush=True)
    except NeuralLogError as error:
        print(error, file=sys.stderr)
        return 1
    return 0
