"""Figures of an example set that a program's callbacks ask for, after every so many epochs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from neurallog_kernel.evaluate.rows import Rows
from neurallog_kernel.functions.keras_names import HIGHER, LOWER
from neurallog_kernel.learning.choices.callbacks import LinkPrediction, RocAuc
from neurallog_kernel.learning.figures.evaluation import known_answers, rank
from neurallog_kernel.learning.figures.probabilities import classification
from neurallog_kernel.learning.gradient_step import Objective
from neurallog_kernel.learning.predicting import listed_predictor, row_predictor

MEAN_RANK, RECIPROCAL, TOP = "mean_rank_", "mean_reciprocal_rank_", "top_k_rank_"
_RANKS = {MEAN_RANK: LOWER, RECIPROCAL: HIGHER, TOP: HIGHER}


class LinkRanks:
    """The original's link prediction: where the true answers stand among all."""

    def __init__(self, asked: LinkPrediction, objective: Objective, set_name: str) -> None:
        self.asked = asked
        self.objective = objective
        self.set_name = set_name
        self.suffix = asked.suffix or asked.dataset
        self.places = [p for p, t in enumerate(objective.targets) if t.signature[1] > 1]
        self._rank: dict[int, Callable[[], np.ndarray]] = {}

    def directions(self) -> dict[str, str | None]:
        owners = ["", *_owners(self.objective, self.places)]
        return {
            f"{owner}{name}{self.suffix}": way for owner in owners for name, way in _RANKS.items()
        }

    def measure(self) -> dict[str, float]:
        """For each target and for all, weighted by how many answers were ranked."""
        ranks = [self._ranks(place) for place in self.places]
        logs: dict[str, float] = {}
        for owner, found in zip(_owners(self.objective, self.places), ranks, strict=False):
            logs |= self._figures(owner, found)
        together = np.concatenate(ranks) if ranks else np.zeros(0)
        return logs | self._figures("", together)

    def _figures(self, owner: str, ranks: np.ndarray) -> dict[str, float]:
        if not len(ranks):
            return {}
        figures = {
            MEAN_RANK: ranks.mean(),
            RECIPROCAL: (1.0 / ranks).mean(),
            TOP: (ranks <= self.asked.top_k).mean(),
        }
        return {f"{owner}{name}{self.suffix}": float(value) for name, value in figures.items()}

    def _ranks(self, place: int) -> np.ndarray:
        if place not in self._rank:
            self._rank[place] = self._ranker(place)
        return self._rank[place]()

    def _ranker(self, place: int) -> Callable[[], np.ndarray]:
        target = self.objective.targets[place]
        network = self.objective.network
        known: dict[tuple[int, ...], np.ndarray] = {}
        if self.asked.filtered:
            known = known_answers(network.evaluator, target, self.set_name)
        positive = target.labels > 0
        truth = [target.outputs[positive & (target.rows == r)] for r in range(len(target.keys))]
        predict = row_predictor(self.objective, place)

        def ranks() -> np.ndarray:
            found: list[float] = []
            for first, part in predict():
                for row, values in enumerate(part, first):
                    listed = known.get(target.keys[row], np.zeros(0, dtype=np.int64))
                    found += _row_ranks(values, truth[row], listed, self.asked.rank_method)
            return np.array(found)

        return ranks


def _row_ranks(
    values: np.ndarray, truth: np.ndarray, listed: np.ndarray, ties: str
) -> Iterator[float]:
    if not len(truth):
        return
    row = Rows(1, len(values), np.arange(len(values)), values.astype(float), np.zeros(1))
    for answer in truth.tolist():
        yield rank(row, answer, ties, listed[listed != answer])


class Separated:
    """The area under the ROC curve of the listed examples."""

    def __init__(self, asked: RocAuc, objective: Objective) -> None:
        self.asked = asked
        self.objective = objective
        self.suffix = asked.suffix or asked.dataset
        self.places = list(range(len(objective.targets)))
        self._predict: dict[int, Callable[[], tuple[np.ndarray, np.ndarray]]] = {}

    def directions(self) -> dict[str, str | None]:
        owners = ["", *_owners(self.objective, self.places)]
        return {f"{owner}roc_auc_{self.suffix}": HIGHER for owner in owners}

    def measure(self) -> dict[str, float]:
        """For each target, and the mean weighted by their numbers of examples."""
        found = [self._area(place) for place in self.places]
        logs: dict[str, float] = {}
        for owner, (area, _) in zip(_owners(self.objective, self.places), found, strict=False):
            logs[f"{owner}roc_auc_{self.suffix}"] = area
        counted = [(area, number) for area, number in found if not np.isnan(area)]
        total = sum(number for _, number in counted)
        mean = sum(area * number for area, number in counted) / total if total else float("nan")
        return logs | {f"roc_auc_{self.suffix}": mean}

    def _area(self, place: int) -> tuple[float, int]:
        if place not in self._predict:
            self._predict[place] = listed_predictor(self.objective, place)
        labels, predictions = self._predict[place]()
        true = labels == self.asked.positive_label
        counted = true | (labels == self.asked.negative_label)
        area = classification(true[counted].astype(float), predictions[counted])["roc_auc"]
        return area, int(counted.sum())


def _owners(objective: Objective, places: Sequence[int]) -> list[str]:
    """What stands before the figures of each target, where there are several."""
    if len(objective.targets) < 2:
        return []
    return [f"{objective.targets[place].name} " for place in places]


SetFigures = LinkRanks | Separated
