"""How good the answers are: ROC AUC and average precision, and ranks of the true answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.rows import Rows, look_up
from neurallog_kernel.knowledge.example_sets import set_names
from neurallog_kernel.knowledge.symbols import distinct
from neurallog_kernel.learning.examples import Target, listed_examples, target_of, targets_of
from neurallog_kernel.learning.option_checks import EVALUATION, check_options
from neurallog_kernel.learning.predictions import predict, predict_rows
from neurallog_kernel.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

SET_ORDER = ("program", "train", "validation", "test")


@dataclass(frozen=True)
class TargetMetrics:
    """One target's figures: over its listed examples, and (binary targets) ranks."""

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
    return not name.startswith(("roc_auc", "average_precision"))


def evaluate(
    evaluator: Evaluator,
    set: str,
    ranks: bool = True,
    filtered: bool = True,
    ties: str = "average",
    hits: Sequence[int] = (1, 3, 10),
    inverse: bool = False,
) -> Metrics:
    """Figures of a set of examples.

    `ranks` adds MRR, mean rank and hits@k of the true answers of binary targets, raw and (with
    `filtered`) without the other answers listed for the same input; `ties` says how a rank counts
    answers of equal weight.
    """
    given = {"set": set, "ranks": ranks, "filtered": filtered, "ties": ties, "hits": hits}
    check_options(EVALUATION, {**given, "inverse": inverse}, "evaluate")
    found = []
    for target in targets_of(evaluator.program, evaluator.symbols, set, inverse):
        predictions = predict(evaluator, target)
        values = classification(target.labels, predictions)
        ranked = 0
        if ranks and target.signature[1] == 2:
            figures, ranked = _ranks(evaluator, target, set, filtered, ties, hits)
            values |= figures
        positives = int((target.labels > 0).sum())
        found.append(TargetMetrics(target.name, len(target.labels), positives, values, ranked))
    return Metrics(found)


def classification(labels: np.ndarray, predictions: np.ndarray) -> dict[str, float]:
    """ROC AUC and average precision; not defined without both positive and negative examples."""
    try:
        from sklearn.metrics import average_precision_score, roc_auc_score
    except ImportError as error:
        raise NeuralLogError(
            "evaluation needs scikit-learn, which is not installed",
            hint='install it with: pip install "neurallog[learning]"',
        ) from error
    truth = labels > 0
    if truth.all() or not truth.any():
        return {"roc_auc": float("nan"), "average_precision": float("nan")}
    return {
        "roc_auc": float(roc_auc_score(truth, predictions)),
        "average_precision": float(average_precision_score(truth, predictions)),
    }


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
    raw: list[float] = []
    without_known: list[float] = []
    positive = target.labels > 0
    for row, values in _each_row(evaluator, target):
        truth = target.outputs[positive & (target.rows == row)]
        if not len(truth):
            continue
        listed = known.get(target.keys[row], _NOTHING)
        for answer in truth.tolist():
            raw.append(rank(values, answer, ties))
            if filtered:
                others = listed[listed != answer]
                without_known.append(rank(values, answer, ties, others))
    figures = rank_figures(np.array(raw), hits, "")
    if filtered:
        figures |= rank_figures(np.array(without_known), hits, "_filtered")
    return figures, len(raw)


_NOTHING = np.zeros(0, dtype=np.int64)


def _each_row(evaluator: Evaluator, target: Target) -> Iterator[tuple[int, Rows]]:
    for chosen, values in predict_rows(evaluator, target):
        starts = np.searchsorted(values.keys, np.arange(values.batch + 1) * values.size)
        for place, row in enumerate(chosen.tolist()):
            at = 0 if values.batch == 1 else place
            part = slice(starts[at], starts[at + 1])
            keys = values.keys[part] - at * values.size
            yield row, Rows(1, values.size, keys, values.values[part], values.rest[at : at + 1])


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


def rank_figures(ranks: np.ndarray, hits: Sequence[int], suffix: str) -> dict[str, float]:
    if not len(ranks):
        return {}
    figures = {
        f"mrr{suffix}": float((1.0 / ranks).mean()),
        f"mean_rank{suffix}": float(ranks.mean()),
    }
    return figures | {f"hits@{k}{suffix}": float((ranks <= k).mean()) for k in hits}


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
