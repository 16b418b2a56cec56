"""Why an answer has its weight, as plain data for the browser: lines with their numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurallog_kernel.answers import format_weight
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.explain.ground_question import explain
from neurallog_kernel.explain.text import Line

LINES = 80  # of a large explanation the first


def told(evaluator: Evaluator, about: str) -> dict[str, Any]:
    """The explanation of an answer, line by line."""
    with np.errstate(all="ignore"):  # an infinite weight is explained too
        found = explain(evaluator, about)
    left = [LINES]
    return {"about": about, "whole": float(np.nan_to_num(found.weight)), **_line(found.lines, left)}


def _line(line: Line, left: list[int]) -> dict[str, Any]:
    left[0] -= 1
    number = "" if line.value is None else format_weight(line.value)
    shown = [_line(child, left) for child in line.below if left[0] > 0]
    return {
        "text": line.label(number),
        "number": number,
        "value": None if line.value is None else float(np.nan_to_num(line.value)),
        "say": line.say,
        "below": shown,
        "left_out": len(line.below) - len(shown),
    }
