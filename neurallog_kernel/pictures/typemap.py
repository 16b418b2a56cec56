"""The type map of a program: entity types, the predicates between them, and how many of each."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from neurallog_kernel.evaluate.inspection import Inspector, PredicateSummary, TypeSummary
from neurallog_kernel.pictures.model import Arrow, Mark, Picture, lines, shorten

LISTED = 8  # predicates named in a type's box or on a shared arrow
EACH = 4  # predicates between two types that have arrows of their own
HOVERED = 30


def type_map(inspector: Inspector, title: str = "") -> Picture:
    """A box for each type, arrows for the predicates between them; what stays within a type is
    listed in its box."""
    summaries = [inspector.predicate(signature) for signature in inspector.signatures()]
    inside: dict[int, list[PredicateSummary]] = defaultdict(list)
    between: dict[tuple[int, int], list[PredicateSummary]] = defaultdict(list)
    marks: list[Mark] = []
    arrows: list[Arrow] = []
    alone: list[str] = []
    for place, summary in enumerate(summaries):
        kinds = _kinds(inspector, summary)
        if not kinds:
            alone.append(_label(summary))
        elif len(set(kinds)) == 1 and len(kinds) < 3:
            inside[kinds[0]].append(summary)
        elif len(kinds) == 2:
            between[kinds[0], kinds[1]].append(summary)
        else:
            marks.append(Mark(f"m{place}", _label(summary), "rule", lines(str(summary))))
            for number, kind in enumerate(kinds):
                name = f"p{place}-{number}"
                arrows.append(Arrow(name, f"k{kind}", f"m{place}", str(number + 1), "flow"))
    for (start, end), found in between.items():
        arrows += _arrows(f"k{start}", f"k{end}", found)
    types = inspector.types()
    boxes = [_box(kind, place, inside[kind.index]) for place, kind in enumerate(types, start=1)]
    notes = [shorten("numbers on their own: " + ", ".join(alone), 240)] if alone else []
    text = _text(boxes, arrows, alone)
    picture = Picture("types", title, (*boxes, *marks), tuple(arrows), tuple(notes), text=text)
    return _renumbered(picture).cut(noun="types")


def _box(kind: TypeSummary, number: int, inside: list[PredicateSummary]) -> Mark:
    """A type: how many entities, some of them, and what holds between or of them."""
    names = ", ".join(shorten(name, 16) for name in kind.names)
    more = ", …" if kind.size > len(kind.names) else ""
    head = f"type {number} · {kind.size:,} {'entity' if kind.size == 1 else 'entities'}"
    listed = _listed(inside, LISTED)
    label = "\n".join([head, *([f"{names}{more}"] if names else []), *listed])
    about = [str(summary) for summary in _largest(inside)[:HOVERED]]
    return Mark(f"k{kind.index}", label, "type", lines(head, about))


def _arrows(start: str, end: str, found: list[PredicateSummary]) -> list[Arrow]:
    """Few predicates have an arrow each; many share one that lists them."""
    if len(found) <= EACH:
        return [_arrow(f"p-{start}-{end}-{i}", start, end, s) for i, s in enumerate(found)]
    label = "\n".join(_listed(found, LISTED))
    about = lines(map(str, _largest(found)[:HOVERED]))
    return [Arrow(f"p-{start}-{end}", start, end, label, "literal", about)]


def _listed(found: list[PredicateSummary], limit: int) -> list[str]:
    named = [_label(summary) for summary in _largest(found)[:limit]]
    left = len(found) - len(named)
    return [*named, f"and {left} more"] if left else named


def _largest(found: list[PredicateSummary]) -> list[PredicateSummary]:
    """Those with the most facts first, then in order of appearance."""
    return sorted(found, key=lambda summary: -summary.facts)


def _renumbered(picture: Picture) -> Picture:
    """Names that depend on the program only, not on how many types the session has ever had."""
    names = {mark.id: f"k{place}" for place, mark in enumerate(picture.marks)}
    marks = tuple(replace(mark, id=names[mark.id]) for mark in picture.marks)
    arrows = tuple(
        replace(arrow, id=f"p{place}", start=names[arrow.start], end=names[arrow.end])
        for place, arrow in enumerate(picture.arrows)
    )
    return replace(picture, marks=marks, arrows=arrows)


def _kinds(inspector: Inspector, summary: PredicateSummary) -> list[int]:
    found = (inspector.type_of(summary.signature, p) for p in range(summary.signature[1]))
    return [kind for kind in found if kind is not None]


def _label(summary: PredicateSummary) -> str:
    name, arity = summary.signature
    parts = [f"{summary.facts:,}"] if summary.facts else []
    parts += [f"{summary.rules:,} rule{'s' if summary.rules > 1 else ''}"] if summary.rules else []
    number = " = number" if summary.role == "attribute" else ""
    mark = "◆ " if summary.learnable else ""
    return f"{mark}{shorten(name, 28)}/{arity}{number}" + (
        f" ({', '.join(parts)})" if parts else ""
    )


def _arrow(name: str, start: str, end: str, summary: PredicateSummary) -> Arrow:
    kind = "literal" if summary.facts else "derived"
    label = _label(summary).removeprefix("◆ ")
    return Arrow(name, start, end, label, kind, lines(str(summary)), summary.learnable)


def _text(boxes: list[Mark], arrows: list[Arrow], alone: list[str]) -> str:
    said = []
    heads = {box.id: box.label.split(" · ")[0] for box in boxes}
    for box in boxes:
        first, *rest = box.label.split("\n")
        said.append(first)
        said += [f"   {line}" for line in rest]
        for arrow in arrows:
            if arrow.start == box.id and arrow.end in heads:
                mark = "◆ " if arrow.learned else ""
                for label in arrow.label.split("\n"):
                    said.append(f"   {mark}{label} → {heads[arrow.end]}")
    return "\n".join([*said, *(["numbers: " + ", ".join(alone)] if alone else [])])
