"""`python -m experiments learned`: the paper's tasks without a hand-written rule."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time

import numpy as np

from experiments.arguments import Arguments
from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.induction.aggregation import area, scores
from neurallog_kernel.induction.fitting import fit_weights
from neurallog_kernel.induction.gate import Ranked, choose
from neurallog_kernel.induction.heads import Head, heads_of
from neurallog_kernel.induction.judging import judge
from neurallog_kernel.induction.learner import RuleLearner
from neurallog_kernel.induction.options import LearnOptions
from neurallog_kernel.induction.worth import joined
from neurallog_kernel.learning.examples.targets import listed_examples

FEW = 25  # rules that a reader is shown


@dataclass(frozen=True)
class LearnedTask:
    """Targets of the paper with the bias of the search. Without heads all that have examples."""

    name: str
    heads: tuple[str, ...] = ()
    length: int = 3
    constants: tuple[str, ...] = ()
    each: tuple[str, ...] = ()
    strength: float = 1.0
    kept: int = 300
    folds: int = 5  # 0: one training and one test set
    most: int | None = None  # rules of a head, weighed again without the others


TASKS = {
    "uwcse": LearnedTask(
        "uwcse", ("advisedby/2",), constants=("inphase/2", "hasposition/2"), most=FEW
    ),
    "yelp": LearnedTask("yelp", ("mexican/1",), 2, each=("reviewed/2",), most=FEW),
    "pakdd15": LearnedTask(
        "pakdd15", ("male/1",), 3, each=("viewed/2", "ic1/2", "ic2/2", "ic3/2"), most=FEW
    ),
    "wordnet": LearnedTask("wordnet", length=2, kept=100, folds=0),
    "family": LearnedTask("family", folds=0),
}


@dataclass(frozen=True)
class Outcome:
    """What a fold gave: for each head its number of examples and the ROC AUC of these."""

    heads: dict[str, tuple[int, float]]
    rules: int
    weights: int  # a rule with a weight for each entity has many
    seconds: float  # processor seconds
    ways: dict[str, int]

    @property
    def weighted(self) -> float:
        """The mean over the heads, by their number of examples."""
        numbers, areas = zip(*self.heads.values(), strict=True)
        return float(np.average(areas, weights=numbers))

    @property
    def mean(self) -> float:
        return float(np.mean([found for _, found in self.heads.values()]))

    def __str__(self) -> str:
        ways = ", ".join(f"{way} {number}" for way, number in self.ways.items())
        mean = f" (mean of {len(self.heads)} heads {self.mean:.4f})" if len(self.heads) > 1 else ""
        rules = f"{self.rules} rules, {self.weights} weights"
        return f"{self.weighted:.4f}{mean}, {rules}, {self.seconds:.1f} s; {ways}"


def one_fold(
    data: Path,
    task: LearnedTask,
    fold: int,
    budget: float,
    with_test: bool = True,
) -> Outcome:
    """Learn from the training examples and order the test examples (or those that were held out of
    training), with at most so many rules of each head; fold 0 is the whole."""
    session = Session()
    folder = data / task.name
    examples = folder / f"fold{fold}" if fold else folder
    session.load(folder / "facts.pl")
    session.load(examples / "train.pl", set="train")
    session.load(examples / "test.pl", set="test")
    evaluator = session._evaluator
    listed = listed_examples(evaluator.program, evaluator.symbols, "train")
    heads = task.heads or tuple(f"{one.signature[0]}/{one.signature[1]}" for one in listed)
    options = LearnOptions(
        heads=heads,
        length=task.length,
        constants=task.constants,
        each=task.each,
        kept=task.kept,
        shown=task.most or task.kept,
        budget=budget,
        set="train",
    )
    began = process_time()
    learner = RuleLearner(evaluator, options, fit_weights, task.strength)
    for _ in learner.search_only():
        pass
    learner.refit()
    found = list(learner.ranked.values())
    if task.most is not None:
        found = [_few(one, task.most, task.strength) for one in found]
    if with_test:
        tests = heads_of(evaluator, replace(options, set="test", held_out=0))
        areas = {
            test.name: (test.count + len(test.wrong[0]), _test(learner, one, test))
            for one, test in zip(found, tests, strict=True)
        }
    else:
        areas = {
            one.judged.head.name: (one.figure.examples, one.figure.value)
            for one in found
            if one.figure is not None
        }
    ways: dict[str, int] = {}
    for one in found:
        ways[one.way] = ways.get(one.way, 0) + 1
    rules = sum(one.rows for one in found)
    numbers = sum(len(one.kept) for one in found)
    return Outcome(areas, rules, numbers, process_time() - began, ways)


def _few(found: Ranked, most: int, strength: float) -> Ranked:
    """The best rules only, weighed again without the others."""
    best = np.sort(joined(found.columns()[:most]))
    return choose([found.judged.chosen(best)], fit_weights, strength)[0]


def _test(learner: RuleLearner, found: Ranked, test: Head) -> float:
    """ROC AUC of the test examples of a head."""
    kept = found.kept
    bodies = [found.judged.found[n] for n in kept]
    judged = judge(learner.columns, test, bodies)
    right, wrong = (
        scores(matrix, found.weights[kept], found.way) for matrix in (judged.right, judged.others)
    )
    # examples about entities that no fact and no training example knows
    right, wrong = (
        np.concatenate([some, np.zeros(number - len(some))])
        for some, number in ((right, test.count), (wrong, len(test.wrong[0])))
    )
    return area(right, wrong, 0)


def main(words: Sequence[str]) -> int:
    said = "Learn the rules of the paper's tasks and score their test examples."
    parser = Arguments("learned", said, TASKS)
    parser.add_argument("--budget", type=float, default=30.0, help="seconds for mining a fold")
    parser.add_argument("--folds", type=int, nargs="*")
    parser.add_argument("--strength", type=float, help="of the L1 penalty")
    parser.add_argument("--length", type=int, help="literals of a path")
    parser.add_argument("--kept", type=int, help="candidates of a head that are weighed")
    parser.add_argument("--most", type=int, help="use only so many rules of each head")
    parser.add_argument(
        "--select", action="store_true", help="leave the test examples alone: held-out ones only"
    )
    options = parser.chosen(words)
    given = {
        name: value
        for name in ("strength", "length", "kept", "most")
        if (value := getattr(options, name)) is not None
    }
    try:
        for name in options.names:
            task = replace(TASKS[name], **given)
            figures = []
            for fold in options.folds or (range(1, task.folds + 1) if task.folds else (0,)):
                found = one_fold(options.data, task, fold, options.budget, not options.select)
                figures.append(found.weighted)
                print(f"{name}{f' fold {fold}' if fold else ''}: {found}", flush=True)
            if len(figures) > 1:
                print(f"{name}: ROC AUC {np.mean(figures):.4f}", flush=True)
    except NeuralLogError as error:
        print(error, file=sys.stderr)
        return 1
    return 0
