"""A grounding drawn over its rule: the entities at the terms, the weights at the literals."""

from __future__ import annotations

from dataclasses import replace

from neurallog_kernel.answers import format_weight
from neurallog_kernel.explain.parts import Part
from neurallog_kernel.pictures.model import Arrow, Mark, Picture, lines, shorten
from neurallog_kernel.pictures.rule import literal_id, node_ids, rule_picture
from neurallog_kernel.rulegraph.graph import node_label


def proof_picture(rule: Part, grounding: Part | None = None) -> Picture:
    """A rule of an explanation with its strongest grounding (or the one that is given)."""
    assert rule.dag is not None
    chosen = grounding or strongest_grounding(rule)
    title = f"{rule.label}  gives {format_weight(rule.value)}"
    picture = rule_picture(rule.dag, title=title)
    ids = {name: node for node, name in node_ids(rule.dag).items()}
    entities = dict(chosen.entities)
    weights = {
        literal_id(part.literal): part
        for part in (*rule.children, *chosen.children)
        if part.literal is not None and part.literal in _literals(rule)
    }
    marks = tuple(_mark(mark, ids, entities, weights) for mark in picture.marks)
    arrows = tuple(_arrow(arrow, weights) for arrow in picture.arrows)
    said = f"this grounding {format_weight(chosen.value)}, the rule {format_weight(rule.value)}"
    return replace(picture, marks=marks, arrows=arrows, notes=(said,))


def strongest_grounding(rule: Part) -> Part:
    """The first grounding below a rule: they are sorted."""
    if rule.entities:
        return rule
    return next((part for part in rule.walk() if part.kind == "grounding"), rule)


def _literals(rule: Part) -> set:
    dag = rule.dag
    assert dag is not None
    loops = [literal for found in dag.loops.values() for literal in found]
    return {*(edge.literal for edge in dag.edges), *loops, *dag.grounded}


def _mark(mark: Mark, ids: dict, entities: dict, weights: dict[str, Part]) -> Mark:
    if mark.id in weights:  # a ground literal
        part = weights[mark.id]
        label = f"{shorten(mark.label, 30)} {format_weight(part.value)}"
        return replace(mark, label=label, hover=lines(part.place, mark.hover))
    name = entities.get(ids.get(mark.id))
    if name is None:
        return mark
    label = f"{node_label(ids[mark.id])} = {name}"
    return replace(mark, label=shorten(label, 24), hover=lines(label, mark.hover))


def _arrow(arrow: Arrow, weights: dict[str, Part]) -> Arrow:
    part = weights.get(arrow.id)
    if part is None:
        return arrow
    label = f"{shorten(arrow.label, 30)} {format_weight(part.value)}"
    said = f"{part.label} {format_weight(part.value)}"
    return replace(arrow, label=label, hover=lines(said, part.place, arrow.hover))
