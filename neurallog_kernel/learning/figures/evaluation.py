"""How good the answers are: ROC AUC and average precision, and ranks of the true answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.rows import Rows, look_up
from neurallog_kernel.knowledge.calibrated import calibrated
from neurallog_kernel.knowledge.example_sets import set_names
from neurallog_kernel.knowledge.symbols import distinct
from neurallog_kernel.learning.choices.option_checks import EVALUATION, check_options
from neurallog_kernel.learning.choices.ties import EXPECTED
from neurallog_kernel.learning.examples.targets import (
    Target,
    listed_examples,
    target_of,
    targets_of,
)
from neurallog_kernel.learning.figures.predictions import predict, predict_rows
from neurallog_kernel.learning.figures.probabilities import classification, probability_figures
from neurallog_kernel.learning.figures.ranks import TELLS
from neurallog_kernel.learning.figures.standings import Standing, standing, standing_among
from neurallog_kernel.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

SET_ORDER = ("program", "train", "validation", "test")


@dataclass(frozen=True)
class TargetMetrics:
    """One target's figures: over its listed examples, and ranks of its answers."""

    name: str
    examples: int
    positives: int
    values: dict[str, float]
    ranked: int = 0  # true answers that were ranked


class Metrics(Tabular):
    """Figures by name: over all targets, weighted by their number of examples, and by target.

    >>> m = Metrics([TargetMetrics("p/2", 4, 2, {"roc_auc": 1.0}),
    ...              TargetMetrics("q/2", 4, 2, {"roc_auc": 0.5})])
    >>> m["roc_auc"], m.by_target["q/2"]["roc_auc"]
    (0.75, 0.5)
    """

    def __init__(self, targets: Sequence[TargetMetrics]) -> None:
        self.targets = tuple(targets)

    @property
    def by_target(self) -> dict[str, dict[str, float]]:
        return {target.name: target.values for target in self.targets}

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(name for target in self.targets for name in target.values))

    def __getitem__(self, name: str) -> float:
        parts = [
            (t.values[name], t.ranked if _is_rank(name) else t.examples)
            for t in self.targets
            if name in t.values and not np.isnan(t.values[name])
        ]
        if not parts:
            if name not in self.names:
                raise KeyError(f"{name}; there are {', '.join(self.names)}")
            return float("nan")
        values, counts = zip(*parts, strict=True)
        return float(np.average(values, weights=counts))

    def mean(self, name: str) -> float:
        """The arithmetic mean over targets."""
        values = [t.values[name] for t in self.targets if name in t.values]
        known = [value for value in values if not np.isnan(value)]
        return float(np.mean(known)) if known else float("nan")

    def to_pandas(self) -> pd.DataFrame:
        """One row a target, and one for all of them."""
        import pandas as pd

        rows = [
            {"examples": t.examples, "positives": t.positives, **t.values} for t in self.targets
        ]
        index = [t.name for t in self.targets]
        if len(self.targets) > 1:
            total = {
                "examples": sum(t.examples for t in self.targets),
                "positives": sum(t.positives for t in self.targets),
            }
            rows.append({**total, **{name: self[name] for name in self.names}})
            index.append("all")
        return pd.DataFrame(rows, index=pd.Index(index, name="target"))

    def __repr__(self) -> str:
        return self.to_pandas().to_string(float_format=lambda x: f"{x:.4f}")


def _is_rank(name: str) -> bool:
    return any(part in name for part in ("mrr", "rank", "hits@"))


def evaluate(
    evaluator: Evaluator,
    set: str,
    ranks: bool = True,
    filtered: bool = True,
    ties: str = EXPECTED,
    hits: Sequence[int] = (1, 3, 10),
    inverse: bool = False,
    place: int | None = None,
    **unknown: object,
) -> Metrics:
    """Figures of a set of examples; an option that is not known is an error with the nearest one.

    `ranks` adds MRR, mean rank and hits@k of the true answers of targets with two and more
    arguments, raw and (with `filtered`) without the other answers listed for the same input; `ties`
    says how a rank counts answers of equal weight; where these decide much, the MRR of the best
    and the worst order stand beside the expected one. The answer is the last argument, or the one
    at `place`, counted from 1. A calibrated predicate has the Brier score and the log loss of its
    probabilities as well.
    """
    given = {"set": set, "ranks": ranks, "filtered": filtered, "ties": ties, "hits": hits}
    if place is not None:
        given["place"] = place
    check_options(EVALUATION, {**given, "inverse": inverse, **unknown}, "evaluate")
    found = []
    for target in targets_of(evaluator.program, evaluator.symbols, set, inverse, place):
        predictions = predict(evaluator, target)
        values = classification(target.labels, predictions)
        chance = calibrated(evaluator.program.parameters, target.signature)
        if chance is not None:
            values |= probability_figures(target.labels, chance(predictions))
        ranked = 0
        if ranks and target.signature[1] > 1:
            figures, ranked = _ranks(evaluator, target, set, filtered, ties, hits)
            values |= figures
        positives = int((target.labels > 0).sum())
        found.append(TargetMetrics(target.name, len(target.labels), positives, values, ranked))
    return Metrics(found)


# -- ranks ----------------------------------------------------------------------------------------


def _ranks(
    evaluator: Evaluator,
    target: Target,
    set: str,
    filtered: bool,
    ties: str,
    hits: Sequence[int],
) -> tuple[dict[str, float], int]:
    known = known_answers(evaluator, target, set) if filtered else {}
    raw: list[Standing] = []
    without_known: list[Standing] = []
    true = np.flatnonzero(target.labels > 0)
    true = true[np.argsort(target.rows[true], kind="stable")]
    for chosen, values in predict_rows(evaluator, target):
        first, last = np.searchsorted(target.rows[true], [chosen[0], chosen[-1] + 1])
        rows = target.rows[true[first:last]] - chosen[0]
        answers = target.outputs[true[first:last]]
        found = standing(values, len(chosen), rows, answers)
        raw.append(found)
        if filtered:
            listed = [known.get(target.keys[row], _NOTHING) for row in chosen.tolist()]
            of_row = np.repeat(np.arange(len(chosen)), [len(one) for one in listed])
            others = standing_among(
                values, len(chosen), rows, answers, of_row, np.concatenate([_NOTHING, *listed])
            )
            without_known.append(found.without(others))
    figures = rank_figures(Standing.of(raw), ties, hits, "")
    if filtered:
        figures |= rank_figures(Standing.of(without_known), ties, hits, "_filtered")
    return figures, sum(len(part.higher) for part in raw)


_NOTHING = np.zeros(0, dtype=np.int64)


def rank(values: Rows, answer: int, ties: str, without: np.ndarray = _NOTHING) -> float:
    """The place of an answer among all entities (1 is best), some of them left out."""
    own = float(look_up(values, np.array([answer]), 1)[0])
    rest, unlisted = float(values.rest[0]), values.size - len(values.keys)
    higher = int((values.values > own).sum()) + (unlisted if rest > own else 0)
    equal = int((values.values == own).sum()) + (unlisted if rest == own else 0) - 1
    if len(without):
        left_out = look_up(values, without, 1)
        higher -= int((left_out > own).sum())
        equal -= int((left_out == own).sum())
    extra = {"optimistic": 0, "pessimistic": equal, "average": equal // 2}[ties]
    return 1.0 + higher + extra


def rank_figures(found: Standing, ties: str, hits: Sequence[int], suffix: str) -> dict[str, float]:
    """The figures; where the order of equal answers decides much, the best and worst of it too."""
    if not len(found.higher):
        return {}
    figures = {f"mrr{suffix}": float(found.reciprocals(ties).mean())}
    best, worst = (found.reciprocals(end).mean() for end in ("optimistic", "pessimistic"))
    if ties == EXPECTED and best - worst > TELLS:
        figures |= {f"mrr{suffix}_best": float(best), f"mrr{suffix}_worst": float(worst)}
    figures[f"mean_rank{suffix}"] = float(found.ranks(ties).mean())
    return figures | {f"hits@{k}{suffix}": float(found.within(ties, k).mean()) for k in hits}


def known_answers(
    evaluator: Evaluator, target: Target, set: str
) -> dict[tuple[int, ...], np.ndarray]:
    """For each input the outputs listed in this set and in those before it."""
    program = evaluator.program
    available = set_names(program)
    order = [name for name in SET_ORDER if name in available]
    names = order[: order.index(set) + 1] if set in order else [*order, set]
    answers: dict[tuple[int, ...], list[np.ndarray]] = {}
    for name in names:
        for examples in listed_examples(program, evaluator.symbols, name):
            if examples.signature != target.signature:
                continue
            other = target_of(program, examples, target.output)
            order_rows = np.argsort(other.rows, kind="stable")
            starts = np.searchsorted(other.rows[order_rows], np.arange(len(other.keys) + 1))
            for row, key in enumerate(other.keys):
                chosen = order_rows[starts[row] : starts[row + 1]]
                answers.setdefault(key, []).append(other.outputs[chosen])
    return {key: distinct(np.concatenate(parts)) for key, parts in answers.items()}
