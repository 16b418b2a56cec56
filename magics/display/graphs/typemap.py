"""The type map of a program: entity types, the predicates between them, and how many of each."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from neurallog_kernel import Inspector, PredicateSummary
from neurallog_magics.display.graphs.model import Arrow, Mark, Picture, lines, shorten

LISTED = 6  # unary predicates and attributes named in a type's box
MAXIMUM_ARROWS = 60


def type_map(inspector: Inspector, title: str = "") -> Picture:
    """A box for each type, an arrow for each binary predicate; what has one place is in the box."""
    summaries = [inspector.predicate(signature) for signature in inspector.signatures()]
    inside: dict[int, list[str]] = defaultdict(list)
    arrows: list[Arrow] = []
    marks: list[Mark] = []
    alone: list[str] = []
    for place, summary in enumerate(summaries):
        kinds = _kinds(inspector, summary)
        if not kinds:
            alone.append(_label(summary))
        elif len(kinds) == 1:
            inside[kinds[0]].append(_label(summary))
        elif len(kinds) == 2:
            arrows.append(_arrow(f"p{place}", f"k{kinds[0]}", f"k{kinds[1]}", summary))
        else:
            marks.append(Mark(f"m{place}", _label(summary), "rule", lines(str(summary))))
            for number, kind in enumerate(kinds):
                name = f"p{place}-{number}"
                arrows.append(Arrow(name, f"k{kind}", f"m{place}", str(number + 1), "flow"))
    types = inspector.types()
    numbers = {kind.index: place + 1 for place, kind in enumerate(types)}
    boxes = []
    for kind in types:
        names = ", ".join(shorten(name, 16) for name in kind.names)
        more = "…" if kind.size > len(kind.names) else ""
        listed = inside[kind.index][:LISTED]
        if len(inside[kind.index]) > LISTED:
            listed.append(f"and {len(inside[kind.index]) - LISTED} more")
        count = f"{kind.size:,} {'entity' if kind.size == 1 else 'entities'}"
        head = f"type {numbers[kind.index]} · {count}"
        example = [f"{names}{', ' + more if more else ''}"] if names else []
        label = "\n".join([head, *example, *listed])
        slots = [f"{name}/{arity} place {place + 1}" for name, arity, place in kind.slots[:12]]
        boxes.append(Mark(f"k{kind.index}", label, "type", lines(head, slots)))
    notes = [shorten("numbers on their own: " + ", ".join(alone), 110)] if alone else []
    shown = arrows[:MAXIMUM_ARROWS]
    left_out = ""
    if len(arrows) > len(shown):
        left_out = f"showing {len(shown):,} of {len(arrows):,} predicates"
    picture = Picture(
        "types",
        title,
        (*boxes, *marks),
        tuple(shown),
        tuple(notes),
        text=_text(boxes, arrows, alone),
        left_out=left_out,
    )
    return _renumbered(picture).cut(noun="types")


def _renumbered(picture: Picture) -> Picture:
    """Names that depend on the program only, not on how many types the session has ever had."""
    names = {mark.id: f"k{place}" for place, mark in enumerate(picture.marks)}
    marks = tuple(replace(mark, id=names[mark.id]) for mark in picture.marks)
    arrows = tuple(
        replace(arrow, start=names[arrow.start], end=names[arrow.end]) for arrow in picture.arrows
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
                said.append(f"   {mark}{arrow.label} → {heads[arrow.end]}")
    return "\n".join([*said, *(["numbers: " + ", ".join(alone)] if alone else [])])
