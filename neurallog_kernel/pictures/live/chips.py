"""What stands on the card of a rule: its weight, the facts it names, the functions it applies."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurallog_kernel.evaluate.inspection import Inspector
from neurallog_kernel.explain.lookup import rule_text
from neurallog_kernel.functions import Function, FunctionKind
from neurallog_kernel.pictures.live.frames import QuestionFrame
from neurallog_kernel.plan.layers import RuleLayer
from neurallog_kernel.plan.origins import (
    Acted,
    Along,
    Applied,
    Complement,
    Ground,
    Reached,
    Unknown,
)
from neurallog_kernel.rulegraph.graph import BodyLiteral

POINTS = 24  # of a function's curve


def chips(inspector: Inspector, rule: RuleLayer, frame: QuestionFrame) -> list[dict[str, Any]]:
    """The weight first, then facts, then functions."""
    return [*_weight(inspector, rule), *_facts(inspector, rule, frame), *_functions(rule)]


def _weight(inspector: Inspector, rule: RuleLayer) -> list[dict[str, Any]]:
    learned = rule.rule.head.signature in inspector.program.learned_rules
    if rule.rule.weight == 1.0 and not learned:
        return []
    text = rule_text(inspector.program, rule.rule)
    return [{"kind": "weight", "name": text, "value": rule.rule.weight, "learned": learned}]


def _facts(inspector: Inspector, rule: RuleLayer, frame: QuestionFrame) -> list[dict[str, Any]]:
    found = []
    for origin in rule.factors:
        inner = origin.found if isinstance(origin, Complement) else origin
        if not isinstance(inner, Ground | Unknown):
            continue
        layer = rule.calls.get(origin.literal)
        about = inspector.predicate(origin.literal.signature)
        if about.role != "relation" or (layer is not None and layer.rules):
            continue
        found.append(
            {
                "kind": "fact",
                "name": str(origin.literal),
                "value": frame.total(origin.expr),
                "learned": about.learnable,
            }
        )
    return found


def _functions(rule: RuleLayer) -> list[dict[str, Any]]:
    return [
        {
            "kind": "function",
            "name": literal.predicate,
            "learned": origin.function.model is not None,
            "curve": curve(origin.function),
        }
        for literal, origin in acting(rule).items()
        if isinstance(origin, Applied)
    ]


def acting(rule: RuleLayer) -> dict[BodyLiteral, Along | Acted | Applied]:
    """What each literal of a rule makes: along an edge, or where it stays at a node."""
    found: dict[BodyLiteral, Along | Acted | Applied] = {}
    for origin in (*rule.edges.values(), *rule.nodes.values()):
        inner: Any = origin
        while isinstance(inner, Reached | Along | Acted | Applied):
            if isinstance(inner, Reached):
                inner = inner.of
                continue
            found.setdefault(inner.literal, inner)
            match inner:
                case Along():
                    inner = inner.of
                case Acted():
                    inner = inner.before
                case Applied():
                    inner = inner.arguments[0][1]
    return found


def curve(function: Function) -> list[float]:
    """The values of an elementwise function from -3 to 3; of others nothing can be drawn."""
    own = function.given or function.model is not None  # is asked for answers only
    if function.kind is not FunctionKind.ELEMENTWISE or function.inputs != 1 or own:
        return []
    with np.errstate(all="ignore"):
        values = np.asarray(function.numpy(np.linspace(-3.0, 3.0, POINTS)), dtype=float)
    return np.nan_to_num(values).tolist()
