"""The X-ray: a rule's graph with the numbers of one question written into it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from neurallog_kernel.answers import format_weight
from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.evaluate.inspection import Inspector
from neurallog_kernel.evaluate.rule_view import RuleView
from neurallog_kernel.pictures.inspectable import Inspectable
from neurallog_kernel.pictures.model import Arrow, Mark, Picture, lines, shorten
from neurallog_kernel.pictures.numbers import numbers
from neurallog_kernel.pictures.rule import rule_picture

ENTRIES = 3  # of a vector; the others are counted
NAME = 16


def xrays(session: Inspectable, question: str) -> list[Picture]:
    """The question's way through each rule of its predicate."""
    inspector = session.inspect()
    signature, names = inspector.read_query(question)
    name, arity = f"{signature[0]}/{signature[1]}", signature[1]
    views = session.rules(name)
    if not views:
        raise NeuralLogError(f"{name} has facts only", hint="an X-ray goes through rules")
    output = None
    if arity > 1:
        left_open = [place for place, given in enumerate(names) if given is None]
        output = left_open[-1] if left_open else arity - 1
        names[output] = None
    missing = [place for place, given in enumerate(names) if given is None and place != output]
    if missing:
        raise NeuralLogError(
            f"name an entity at place {missing[0] + 1} of {name}",
            hint="the numbers are those of one input",
        )
    given = {place: entity for place, entity in enumerate(names) if entity is not None}
    if output is not None:
        views = [view.towards(output) for view in views]
    return [xray_picture(view, inspector, given) for view in views]


def xray_picture(view: RuleView, inspector: Inspector, given: Mapping[int, str]) -> Picture:
    """The picture of a rule; at each term its vector, at each literal what it sends on."""
    found = numbers(view, inspector, given)
    ends = found["steps"][-1]["ids"]  # they hold what the rule gives, with its weight
    values = {**found["values"], **dict.fromkeys(ends, found["result"])}
    picture = rule_picture(view.dag, inspector)
    marks = [_mark(mark, values) for mark in picture.marks]
    arrows = [_arrow(arrow, values) for arrow in picture.arrows]
    steps = "\n".join(f"  {step['say']}" for step in found["steps"][:-1])
    return replace(
        picture,
        title=f"{found['question']} through {view}",
        marks=tuple(marks),
        arrows=tuple(arrows),
        notes=(found["steps"][-1]["say"],),
        text=steps,
    )


def _mark(mark: Mark, values: Mapping[str, Any]) -> Mark:
    value = values.get(mark.id)
    if value is None:
        return mark
    if mark.kind == "ground":
        return replace(mark, label=f"{mark.label} = {format_weight(value['total'])}")
    listed = _entries(value)
    label = "\n".join([mark.label, *listed])
    return replace(mark, label=label, hover=lines(mark.hover, listed))


def _arrow(arrow: Arrow, values: Mapping[str, Any]) -> Arrow:
    value = values.get(arrow.id)
    if value is None:
        return arrow
    sign = "Σ " if arrow.kind == "any" else ""
    listed = [sign + entry for entry in _entries(value)]
    return replace(arrow, label="\n".join([arrow.label, *listed]), hover=lines(arrow.hover, listed))


def _entries(value: Mapping[str, Any]) -> list[str]:
    """A vector as its strongest entries, one a line."""
    if value["size"] is None:
        return [format_weight(value["total"])]
    if not value["count"]:
        return ["nothing"]
    shown = [f"{shorten(name, NAME)} {format_weight(w)}" for name, w in value["top"][:ENTRIES]]
    more = value["count"] - len(shown)
    return [*shown, *([f"+ {more:,} more"] if more else [])]
