"""The weights beside the living network: what an answer depends on, and how well examples fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurallog_kernel.answers import format_weight
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.explain.sensitivity import sensitivity
from neurallog_kernel.knowledge.example_sets import set_names
from neurallog_kernel.pictures.model import shorten

LISTED = 60  # weights that can be moved
EXAMPLES = 2_000  # of more, the fit is not worked out while a slider moves


def sliders(evaluator: Evaluator, about: str) -> list[dict[str, Any]]:
    """The facts and rules that an answer depends on most."""
    if not about:
        return []
    slopes = sensitivity(evaluator, about).slopes
    # the plain 1 of a rule is a weight too, but rarely the one that somebody wants to move
    ranked = sorted(
        slopes, key=lambda one: one.kind == "rule" and one.weight == 1 and not one.learned
    )
    return [
        {
            "name": one.name,
            "kind": one.kind,
            "label": shorten(one.name, 60),
            "weight": one.weight,
            "slope": float(np.nan_to_num(one.slope)),
            "learned": one.learned,
            "say": f"changes the answer by {format_weight(one.slope)} per unit",
        }
        for one in ranked[:LISTED]
    ]


def fit(evaluator: Evaluator) -> dict[str, Any] | None:
    """The squared error of the training examples; None where there are none, or too many."""
    from neurallog_kernel.learning.examples.targets import targets_of
    from neurallog_kernel.learning.figures.predictions import predict

    name = next((one for one in ("train", "program") if one in set_names(evaluator.program)), None)
    if name is None:
        return None
    targets = targets_of(evaluator.program, evaluator.symbols, name)
    examples = sum(len(target.labels) for target in targets)
    if not 0 < examples <= EXAMPLES:
        return None
    errors = [predict(evaluator, target) - target.labels for target in targets]
    value = float(np.nan_to_num(np.mean(np.concatenate(errors) ** 2)))
    examples_of = f"the {examples:,} examples of the set {name}"
    return {"name": f"mean squared error over {examples_of}", "value": value}
