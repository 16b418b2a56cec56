"""Probabilities from weights: a calibration fitted to examples that a training did not see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from neurallog_kernel.arguments import a_text, one_of
from neurallog_kernel.errors import NeuralLogError, ParameterError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.knowledge import describe
from neurallog_kernel.knowledge.calibrated import CALIBRATION, ByTemperature, Calibrated, Isotonic
from neurallog_kernel.knowledge.example_sets import set_names, training_set
from neurallog_kernel.knowledge.learned import LEARNED
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.language.printer import format_clause
from neurallog_kernel.language.syntax import SetPredicateParameter, Signature
from neurallog_kernel.learning.examples.targets import Target, targets_of
from neurallog_kernel.learning.figures.predictions import predict
from neurallog_kernel.learning.figures.probabilities import classification, probability_figures
from neurallog_kernel.packages import needed
from neurallog_kernel.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

METHODS = ("temperature", "isotonic")
_VALIDATION = "validation"  # the set that is taken where none is named
_LEAST = 1e-6  # of a temperature, as a share of the spread of the weights


@dataclass(frozen=True)
class Fitted:
    """The calibration of one predicate, with the figures of its examples before and after."""

    signature: Signature
    chance: Calibrated
    examples: int
    positives: int
    before: Mapping[str, float]
    after: Mapping[str, float]

    @property
    def name(self) -> str:
        return f"{self.signature[0]}/{self.signature[1]}"


class Calibration(Tabular):
    """What `calibrate` fitted: predicate by predicate, with figures of the examples it used. Those
    after it are of the same examples, so other examples tell how good it is."""

    def __init__(self, set: str, method: str, fitted: Sequence[Fitted]) -> None:
        self.set = set
        self.method = method
        self.fitted = tuple(fitted)

    def program(self) -> str:
        """The calibration as program text."""
        return "".join(f"{line}\n" for one in self.fitted for line in _lines(one))

    def to_pandas(self) -> pd.DataFrame:
        """One row a predicate."""
        import pandas as pd

        rows = [
            {
                "examples": one.examples,
                "positives": one.positives,
                **{f"{name} before": value for name, value in one.before.items()},
                **{f"{name} after": value for name, value in one.after.items()},
            }
            for one in self.fitted
        ]
        return pd.DataFrame(rows, index=pd.Index([f.name for f in self.fitted], name="predicate"))

    def __repr__(self) -> str:
        return self.to_pandas().to_string(float_format=lambda x: f"{x:.4f}")


def fit(
    evaluator: Evaluator, set: str | None, method: str, predicate: str | None = None
) -> Calibration:
    """Fit the probabilities of every target of a set, or of one predicate."""
    one_of(*METHODS)("method", method)
    chosen = _set(evaluator.program, set)
    only = None if predicate is None else describe.one_named(evaluator.program, predicate)
    targets = targets_of(evaluator.program, evaluator.symbols, chosen, False, None)
    targets = [target for target in targets if only in (None, target.signature)]
    if not targets:
        raise NeuralLogError(f"the set {chosen} has no examples of {predicate}")
    return Calibration(chosen, method, [_fitted(evaluator, one, chosen, method) for one in targets])


def _set(program: Program, given: str | None) -> str:
    """The set to fit to; never, without being told, one that something else is judged by."""
    sets = set_names(program)
    if given is not None:
        a_text("set", given)
    name = given or _VALIDATION
    if name not in sets:
        raise NeuralLogError(
            f"there are no examples in the set {name} to calibrate with",
            hint=f"there are: {', '.join(sets)}" if sets else "load a file with set='validation'",
        )
    if LEARNED in program.sources and name == training_set(program):
        raise ParameterError(
            f"the weights were learned from the set {name}, which makes them look better than they "
            "are",
            hint="calibrate with examples that were held out, as in calibrate('validation')",
        )
    return name


def _fitted(evaluator: Evaluator, target: Target, name: str, method: str) -> Fitted:
    truth, weights = target.labels > 0, predict(evaluator, target)
    if truth.all() or not truth.any():
        raise NeuralLogError(
            f"the examples of {target.name} in the set {name} are all "
            f"{'true' if truth.all() else 'false'}: a probability needs both",
            hint="list false examples with weight 0, or draw some with sample_negatives"
            if truth.all()
            else "list true examples too",
        )
    if not np.isfinite(weights).all():
        raise NeuralLogError(f"a weight of {target.name} is infinite or not a number")
    if classification(target.labels, weights)["roc_auc"] <= 0.5:
        raise NeuralLogError(
            f"higher weights of {target.name} are not more often true in the set {name}, so no "
            "probability follows from them",
            hint="train first, or look at evaluate()",
        )
    chance = by_temperature(weights, truth) if method == "temperature" else isotonic(weights, truth)
    before, after = (probability_figures(target.labels, p) for p in (weights, chance(weights)))
    return Fitted(target.signature, chance, len(truth), int(truth.sum()), before, after)


def by_temperature(weights: np.ndarray, truth: np.ndarray) -> ByTemperature:
    """The temperature and the centre with the lowest log loss. True examples count as a little less
    than certain (Platt's targets), so that examples which a weight divides have a temperature.

    >>> found = by_temperature(np.array([0.0, 0.2, 0.8, 1.0]), np.array([False, False, True, True]))
    >>> round(found.centre, 3)
    0.5
    """
    minimize = needed("scipy.optimize", "calibration", "learning").minimize
    right, wrong = int(truth.sum()), int((~truth).sum())
    aims = np.where(truth, (right + 1) / (right + 2), 1 / (wrong + 2))
    middle, scale = float(weights.mean()), float(weights.std()) or 1.0
    x = (weights - middle) / scale

    def loss(slope_and_shift: np.ndarray) -> tuple[float, np.ndarray]:
        slope, shift = slope_and_shift
        z = slope * x + shift
        off = 0.5 * (1 + np.tanh(z / 2)) - aims
        total = float(np.mean(np.logaddexp(0, z) - aims * z))
        return total, np.array([np.mean(off * x), np.mean(off)])

    slope, shift = minimize(loss, np.array([1.0, 0.0]), jac=True, method="BFGS").x
    slope = float(np.clip(slope, _LEAST, 1 / _LEAST))
    return ByTemperature(scale / slope, middle - scale * float(shift) / slope)


def isotonic(weights: np.ndarray, truth: np.ndarray) -> Isotonic:
    """The line that never goes down with the least squared distance. No probability is nearer to 0
    or 1 than one more example of the other kind would leave it.

    >>> isotonic(np.array([0.1, 0.2, 0.9]), np.array([False, True, True])).probabilities
    (0.2, 0.8, 0.8)
    """
    regression = needed("sklearn.isotonic", "calibration", "learning").IsotonicRegression()
    regression.fit(weights, truth.astype(float))
    nearest = 1 / (len(truth) + 2)
    points = np.clip(regression.y_thresholds_, nearest, 1 - nearest)
    places: Any = regression.X_thresholds_
    return Isotonic(tuple(map(float, places)), tuple(map(float, points)))


# -- as text --------------------------------------------------------------------------------------


def _lines(one: Fitted) -> list[str]:
    return [
        format_clause(SetPredicateParameter(*one.signature, (CALIBRATION, part), value))
        for part, value in one.chance.settings().items()
    ]


def text_with(before: str, found: Calibration) -> str:
    """The text of the calibrations so far, with those that were fitted now in place of theirs."""
    own = {line.split(",")[0] for line in found.program().splitlines()}
    kept = [line for line in before.splitlines() if line.split(",")[0] not in own]
    return "".join(f"{line}\n" for line in kept) + found.program()
