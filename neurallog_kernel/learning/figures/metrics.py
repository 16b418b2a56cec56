"""The metrics of training: each by name, with how it is computed and which way it is better."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from neurallog_kernel.errors import ParameterError
from neurallog_kernel.functions.keras_names import HIGHER, LOWER, METRIC_DIRECTIONS, METRICS
from neurallog_kernel.knowledge.configured import Configured, configured_below
from neurallog_kernel.knowledge.parameters import Parameters
from neurallog_kernel.language.syntax import ParameterValue, Signature
from neurallog_kernel.learning.choices.settings import Loss, make
from neurallog_kernel.learning.examples.targets import Target
from neurallog_kernel.learning.figures.probabilities import DIRECTIONS, listed_figures

MetricOption = str | Callable[[np.ndarray, np.ndarray], float]  # what a call of `train` may name

# Those that compare a row of outputs with a row of labels, not each output with its label.
_OF_ROWS = frozenset(
    (
        "CategoricalAccuracy",
        "TopKCategoricalAccuracy",
        "CategoricalCrossentropy",
        "CategoricalHinge",
        "CosineSimilarity",
        "KLDivergence",
    )
)


@dataclass(frozen=True)
class Metric:
    """A figure of labels and predictions: of the listed examples `[n]`, or (`of_rows`) of all
    outputs of each row `[rows, outputs]`. `direction` None: nobody said which way is better."""

    name: str
    compute: Callable[[np.ndarray, np.ndarray], float]
    direction: str | None
    of_rows: bool = False


def metrics_for(
    parameters: Parameters, target: Target, loss: Loss, given: Iterable[MetricOption] | None
) -> list[Metric]:
    """The metrics of a target: those of the call, or those that the program sets, for all or for
    the predicate."""
    wanted = _set(parameters, target.signature) if given is None else list(given)
    found = {metric.name: metric for metric in (_metric(one, target, loss) for one in wanted)}
    return list(found.values())


def not_in_numpy(
    parameters: Parameters, target: Signature, given: Iterable[MetricOption] | None
) -> Iterator[str]:
    """Which metrics of a target are Keras's."""
    for wanted in _set(parameters, target) if given is None else given:
        if not callable(wanted):
            name = wanted if isinstance(wanted, str) else wanted.name
            if name not in DIRECTIONS:
                METRICS.class_name(name)  # one that nobody has is told before TensorFlow starts
                yield f"the metric {name}"


def _set(parameters: Parameters, target: Signature) -> list[str | Configured]:
    table = parameters.below("metrics", target)
    name, arity = target
    sources: list[ParameterValue | None] = [parameters.get("metrics", target)]
    sources += [table.get(key) for key in (("all",), (name,), (f"{name}/{arity}",))]
    found: list[str | Configured] = []
    for source in sources:
        found += [str(one) for one in (source if isinstance(source, tuple) else (source,)) if one]
    chosen = configured_below(table)
    named = [one for one in found if str(one).lower() != "none"]
    return named if chosen is None else [*named, chosen]


def _metric(wanted: MetricOption | Configured, target: Target, loss: Loss) -> Metric:
    if callable(wanted):
        return _of_function(wanted)
    chosen = Configured(wanted) if isinstance(wanted, str) else wanted
    if chosen.name in DIRECTIONS:  # figures of a set's listed examples that are not Keras's
        name = chosen.name
        return Metric(name, lambda y, x: listed_figures(y, x)[name], DIRECTIONS[name])
    kind = METRICS.class_name(chosen.name)
    direction = METRIC_DIRECTIONS[kind]
    if kind == "Accuracy":  # that exact numbers are equal says nothing of a probability
        of_rows = target.size > 1 and not loss.elementwise
        kind = "CategoricalAccuracy" if of_rows else "BinaryAccuracy"
    if kind in ("F1Score", "FBetaScore"):  # of one output, the highest is always the one
        chosen = replace(chosen, config={"threshold": 0.5, **chosen.config})
    exact = replace(chosen, name=kind)
    make(METRICS, exact)  # a wrong setting is told before the training
    return Metric(
        chosen.name,
        lambda y, x: _by_keras(exact, y, x),
        direction,
        kind in _OF_ROWS and target.size > 1,
    )


def _by_keras(chosen: Configured, labels: np.ndarray, predictions: np.ndarray) -> float:
    metric = make(METRICS, chosen)
    shape = labels.shape if labels.ndim > 1 else (-1, 1)
    metric.update_state(
        labels.reshape(shape).astype("float32"), predictions.reshape(shape).astype("float32")
    )
    return float(np.mean(metric.result()))


def _of_function(function: Any) -> Metric:
    name = getattr(function, "__name__", type(function).__name__)
    mode = getattr(function, "mode", None)
    if mode is not None:
        check_mode(mode)
    return Metric(name, lambda y, x: _number(name, function(y, x)), mode)


def _number(name: str, value: Any) -> float:
    """What a metric of the user gives, if that is one number."""
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"the metric {name} gives {type(value).__name__}, and not a number",
            hint="it is called with labels and predictions, arrays of equal length, and gives one "
            "number",
        ) from error


def check_mode(mode: object) -> None:
    """Which way is better is one of two."""
    if mode not in (LOWER, HIGHER):
        raise ParameterError(f"mode must be {LOWER} or {HIGHER}, not {mode}")
