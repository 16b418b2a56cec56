"""The ways to fill the variables of a rule: the groundings behind its best answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from neurallog_kernel.answers import format_weight
from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.evaluate.inspection import Inspector
from neurallog_kernel.evaluate.rule_view import RuleView
from neurallog_kernel.explain.ground_question import explain
from neurallog_kernel.explain.text import Line, lines_of
from neurallog_kernel.language.printer import format_constant
from neurallog_kernel.language.syntax import Rule

LISTED = 8


def groundings(view: RuleView, inspector: Inspector, given: Mapping[int, str]) -> dict[str, Any]:
    """The groundings of the rule for the best answer that it gives to a question."""
    about = _answer(view, inspector, given)
    if about is None:
        return {}
    try:
        with np.errstate(all="ignore"):
            found = explain(inspector.evaluator, about, LISTED)
    except NeuralLogError:  # the numbers say why already
        return {}
    part = next((one for one in found.rules if _same(one.rule, view.rule)), None)
    lines = () if part is None else lines_of(part).below
    # a function of a whole vector says little by itself: what goes into it does
    inputs = lines[0].below[:LISTED] if len(lines) == 1 else ()
    listed = [*(_row(line, 0) for line in lines[:LISTED]), *(_row(line, 1) for line in inputs)]
    return {"about": about, "rows": listed}


def _row(line: Line, level: int) -> list[Any]:
    """What it is, its value, and whether it goes into the one above it."""
    number = "" if line.value is None else format_weight(line.value)
    value = 0.0 if line.value is None else float(np.nan_to_num(line.value))
    return [line.label(number), value, level]


def _answer(view: RuleView, inspector: Inspector, given: Mapping[int, str]) -> str | None:
    """The question with the strongest answer of this rule in its open place."""
    head, output = view.rule.head, view.dag.output_place
    names = dict(given)
    if head.arity > 1 and output is not None and output not in names:
        top = inspector.trace(view.rule, output, given).result.top
        if not top:
            return None
        names[output] = top[0][0]
    if set(names) != set(range(head.arity)):
        return None
    terms = ", ".join(format_constant(names[place]) for place in range(head.arity))
    name = format_constant(head.predicate)
    return f"{name}({terms})" if terms else name


def _same(one: Rule | None, other: Rule) -> bool:
    """Whether they are one rule; its weight may be moved meanwhile."""
    return one is not None and (one.head, one.body) == (other.head, other.body)
