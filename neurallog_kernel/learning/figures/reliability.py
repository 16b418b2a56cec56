"""Reliability: of what was said to be so likely, how much is so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from neurallog_kernel.arguments import a_text, whole
from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.knowledge import describe
from neurallog_kernel.knowledge.calibrated import calibrated
from neurallog_kernel.learning.examples.targets import targets_of
from neurallog_kernel.learning.figures.predictions import predict
from neurallog_kernel.learning.figures.probabilities import probability_figures
from neurallog_kernel.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

MOST_BINS = 100


@dataclass(frozen=True)
class Bin:
    """Examples whose probability is from `low` to `high`: their mean, and the share of true."""

    low: float
    high: float
    examples: int
    probability: float
    true: float


@dataclass(frozen=True)
class TargetReliability:
    """One predicate's bins; `is_calibrated` False: weights below 0 count as 0, above 1 as 1."""

    name: str
    examples: int
    is_calibrated: bool
    bins: tuple[Bin, ...]
    figures: dict[str, float]

    @property
    def gap(self) -> float:
        """The mean distance of the two over all examples (expected calibration error)."""
        parts = [one.examples * abs(one.probability - one.true) for one in self.bins]
        return float(sum(parts) / self.examples)

    @property
    def caption(self) -> str:
        kind = "probabilities" if self.is_calibrated else "weights as they are"
        brier, loss = self.figures["brier"], self.figures["log_loss"]
        return (
            f"{self.name}: {kind}, {self.examples:,} examples, Brier score {brier:.4f}, "
            f"log loss {loss:.4f}, mean gap {self.gap:.4f}"
        )


class Reliability(Tabular):
    """How probabilities compare with what is so, in bins."""

    def __init__(self, set: str, targets: Sequence[TargetReliability]) -> None:
        self.set = set
        self.targets = tuple(targets)

    def to_pandas(self) -> pd.DataFrame:
        """One row a bin that has examples."""
        import pandas as pd

        rows = [
            {
                "target": target.name,
                "from": one.low,
                "to": one.high,
                "examples": one.examples,
                "probability": one.probability,
                "true": one.true,
            }
            for target in self.targets
            for one in target.bins
        ]
        return pd.DataFrame(rows)

    def __repr__(self) -> str:
        lines = [f"set {self.set}"]
        for target in self.targets:
            lines += [target.caption, "      said  is true  examples"]
            lines += [
                f"  {one.probability:8.3f}  {one.true:7.3f}  {one.examples:8,}"
                for one in target.bins
            ]
        return "\n".join(lines)


def reliability(
    evaluator: Evaluator, set: str, bins: int = 10, predicate: str | None = None
) -> Reliability:
    """The reliability of a set's targets, or of one predicate."""
    a_text("set", set)
    whole(1, MOST_BINS)("bins", bins)
    program = evaluator.program
    only = None if predicate is None else describe.one_named(program, predicate)
    found = []
    for target in targets_of(program, evaluator.symbols, set):
        if only not in (None, target.signature):
            continue
        chance = calibrated(program.parameters, target.signature)
        weights = predict(evaluator, target)
        said = np.clip(weights, 0, 1) if chance is None else chance(weights)
        parts = binned(said, target.labels > 0, int(bins))
        figures = probability_figures(target.labels, said)
        found.append(TargetReliability(target.name, len(said), chance is not None, parts, figures))
    if not found:
        raise NeuralLogError(f"the set {set} has no examples of {predicate}")
    return Reliability(set, found)


def binned(said: np.ndarray, truth: np.ndarray, number: int) -> tuple[Bin, ...]:
    """Bins of equal width; those without examples are left out.

    >>> for one in binned(np.array([0.1, 0.2, 0.9, 1.0]), np.array([0, 1, 1, 1]), 2):
    ...     print(one.low, one.high, one.examples, round(one.probability, 3), one.true)
    0.0 0.5 2 0.15 0.5
    0.5 1.0 2 0.95 1.0
    """
    place = np.minimum((said * number).astype(int), number - 1)
    return tuple(
        Bin(
            one / number,
            (one + 1) / number,
            int((place == one).sum()),
            float(said[place == one].mean()),
            float(truth[place == one].mean()),
        )
        for one in np.unique(place).tolist()
    )
