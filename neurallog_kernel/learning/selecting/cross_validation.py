"""Cross-validation: how good a training is on examples that it did not see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from neurallog_kernel.arguments import Check, a_text, whole
from neurallog_kernel.errors import NeuralLogError, ParameterError, UnknownNameError, did_you_mean
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.functions.keras_names import LOWER
from neurallog_kernel.interrupts import Interrupts
from neurallog_kernel.knowledge.example_sets import TEST_SET
from neurallog_kernel.learning.choices.option_checks import a_seed, check_options
from neurallog_kernel.learning.choices.options import TrainOptions, decide
from neurallog_kernel.learning.examples.splits import CONNECTED, Split, folds_of
from neurallog_kernel.learning.examples.targets import Examples, examples_of, targets_from
from neurallog_kernel.learning.figures.evaluation import Metrics as Metrics
from neurallog_kernel.learning.figures.evaluation import TargetMetrics
from neurallog_kernel.learning.figures.predictions import predict
from neurallog_kernel.learning.figures.probabilities import DIRECTIONS, listed_figures
from neurallog_kernel.learning.training import Training, without_learned
from neurallog_kernel.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

_CHECKS: Mapping[str, Check] = {
    "folds": whole(2),
    "groups": a_text,
    "metric": a_text,
    "seed": a_seed,
}


@dataclass(frozen=True)
class FoldOptions:
    """How examples are divided and what is measured; `seed` draws the folds."""

    folds: int = 5
    groups: str = CONNECTED
    metric: str = "roc_auc"
    seed: int = 0

    @classmethod
    def of(cls, given: Mapping[str, Any], call: str) -> FoldOptions:
        check_options(_CHECKS, given, call)
        found = cls(**given)
        if found.metric not in DIRECTIONS:
            hint = did_you_mean(found.metric, DIRECTIONS) or f"known: {', '.join(DIRECTIONS)}"
            raise UnknownNameError(
                f"{found.metric} is not a metric of held-out examples", hint=hint
            )
        return found

    @property
    def sign(self) -> float:
        """What makes a higher value the better one."""
        return -1.0 if DIRECTIONS[self.metric] == LOWER else 1.0


class CrossValidation(Tabular):
    """The figures of each fold, and their mean and deviation.

    >>> folds = [Metrics([TargetMetrics("p/2", 4, 2, {"roc_auc": value})]) for value in (0.5, 1.0)]
    >>> found = CrossValidation(FoldOptions(folds=2), folds, [10, 12])
    >>> found.mean, found.deviation
    (0.75, 0.25)
    """

    def __init__(
        self, options: FoldOptions, folds: Sequence[Metrics], examples: Sequence[int]
    ) -> None:
        self.options = options
        self.folds = tuple(folds)
        self.examples = tuple(examples)  # that were held out

    @property
    def values(self) -> tuple[float, ...]:
        """Of the metric, fold by fold."""
        return tuple(fold[self.options.metric] for fold in self.folds)

    @property
    def mean(self) -> float:
        return float(np.mean(self.values)) if self.folds else float("nan")

    @property
    def deviation(self) -> float:
        return float(np.std(self.values)) if self.folds else float("nan")

    def to_pandas(self) -> pd.DataFrame:
        """One row a fold."""
        import pandas as pd

        rows = [
            {"held out": number, **{name: fold[name] for name in fold.names}}
            for number, fold in zip(self.examples, self.folds, strict=True)
        ]
        return pd.DataFrame(rows, index=pd.RangeIndex(1, len(rows) + 1, name="fold"))

    def __repr__(self) -> str:
        folds = f"{len(self.folds)} fold{'' if len(self.folds) == 1 else 's'}"
        return f"<{self.options.metric} {self.mean:.4f} ± {self.deviation:.4f} over {folds}>"


def divided(evaluator: Evaluator, options: FoldOptions, training: Mapping[str, Any]) -> list[Split]:
    """The folds of the training examples. No other set is looked at."""
    program, symbols = evaluator.program, evaluator.symbols
    wanted = {name: training[name] for name in ("examples",) if training.get(name) is not None}
    if wanted.get("examples") == TEST_SET:
        raise ParameterError(
            f"the set {TEST_SET} is for the figures at the end: what is chosen by it says nothing "
            "of new examples",
            hint="leave out examples, or read these examples into a set of another name",
        )
    name = decide(program, TrainOptions(**wanted)).examples
    splits = folds_of(
        program, examples_of(program, symbols, name), options.folds, options.groups, options.seed
    )
    for number, split in enumerate(splits, 1):
        _check_classes(split, number, options)
    return splits


def _check_classes(split: Split, number: int, options: FoldOptions) -> None:
    """A fold with true examples only, or with none, has no curve."""
    if options.metric not in ("roc_auc", "average_precision"):
        return
    true = [int((examples.labels > 0).sum()) for examples in split.held]
    if any(0 < count < len(e) for count, e in zip(true, split.held, strict=True)):
        return
    listed = [(sum(true), "true"), (sum(map(len, split.held)) - sum(true), "false")]
    missing = [f"list more {word} examples, " for count, word in listed if not count]
    raise NeuralLogError(
        f"fold {number} of {options.folds} has no true and false examples of one predicate, so "
        f"{options.metric} says nothing of it",
        hint=f"{''.join(missing)}use fewer folds, or metric='brier'",
    )


def fold_figures(
    evaluator: Evaluator,
    split: Split,
    options: Mapping[str, Any],
    interrupts: Interrupts,
) -> Metrics:
    """Train on one part of a split and measure the other; the program stays as it is. What was
    learned before is left out: it may know the examples that are held out."""
    _check_honest(options)
    training = Training(without_learned(evaluator), options, given=split.kept)
    try:
        history = training.run([], interrupts)
        if history.interrupted:
            raise KeyboardInterrupt
        program = training.learned_in(training.program)
        return held_figures(evaluator.of(program), split.held)
    finally:
        training.put_back(training.begun)


def _check_honest(options: Mapping[str, Any]) -> None:
    """What stops a training must not be what measures it."""
    if options.get("workers") is not None:
        raise ParameterError("cross-validation is of one process", hint="leave out workers")
    if options.get("validation") is not None:
        raise ParameterError(
            "cross-validation measures on the examples that each fold leaves out",
            hint="leave out validation; hold_out=0.2 takes part of the others to stop by",
        )
    stops = options.get("patience") is not None or options.get("keep_best")
    if stops and options.get("hold_out") is None:
        raise ParameterError(
            "patience and keep_best need examples to watch that the fold does not measure",
            hint="add hold_out=0.2",
        )


def held_figures(evaluator: Evaluator, listed: Sequence[Examples]) -> Metrics:
    """The figures of some examples."""
    found = []
    for target in targets_from(evaluator.program, listed):
        values = listed_figures(target.labels, predict(evaluator, target))
        positives = int((target.labels > 0).sum())
        found.append(TargetMetrics(target.name, len(target.labels), positives, values))
    return Metrics(found)


def cross_validate(
    evaluator: Evaluator,
    options: FoldOptions,
    training: Mapping[str, Any],
    interrupts: Interrupts,
) -> CrossValidation:
    """Train and measure once for each fold."""
    splits = divided(evaluator, options, training)
    folds = [fold_figures(evaluator, split, training, interrupts) for split in splits]
    return CrossValidation(options, folds, [_size(split) for split in splits])


def _size(split: Split) -> int:
    return sum(len(examples) for examples in split.held)
