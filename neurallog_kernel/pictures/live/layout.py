"""Where the cards of the living network stand: Graphviz lays them out, the browser draws them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from neurallog_kernel.answers import format_weight
from neurallog_kernel.pictures.live.graph import Card, CardGraph
from neurallog_kernel.pictures.render import render

HEAD, LINE, CHIP, ROW, EDGE = 20, 15, 22, 16, 9  # heights in pixels
LETTER, BOLD, DIGIT = 6.4, 7.1, 8.4  # pixels of a letter of a rule, of a name, of a number
MARGIN = 20
ROWS = 3  # entries on a card; in a large network fewer
LARGE = 26


@dataclass(frozen=True)
class Widths:
    """Pixels of cards: the more columns, the narrower, so that a network fits on a page."""

    rule: int
    other: int

    def of(self, kind: str) -> int:
        return self.rule if kind == "rule" else self.other


ROOMY, DENSE = Widths(236, 172), Widths(214, 150)
COLUMNS = 5  # of a network with roomy cards, at most
PAGE, PANES, CONTROLS = 1060, 380, 100  # pixels of a saved page: its width, answers, what is above


def laid_out(
    graph: CardGraph, values: Mapping[str, dict[str, Any]], columns: int
) -> dict[str, Any]:
    """Cards with their places and sizes, and arrows with their ways; `columns` from the facts to
    what is asked."""
    rows = ROWS if len(graph.cards) <= LARGE else 2
    widths = ROOMY if columns <= COLUMNS else DENSE
    cards = {name: _card(c, values.get(name), rows, widths) for name, c in graph.cards.items()}
    found = render(_dot(cards, list(graph.arrows)), "plain")
    if found is None:  # no Graphviz: in columns, which is what there is without it
        return {"cards": list(cards.values()), "arrows": [], "width": 0, "height": 0}
    return _placed(cards, found.decode())


def page_height(scene: Mapping[str, Any]) -> int:
    """Pixels for a saved page with this picture, as it is on a page of the usual width: nearly as
    high as what it shows. One that is narrower, or in which a rule is opened, is scrolled."""
    width, height = max(scene["width"], 1), scene["height"]
    beside = (PAGE - PANES) / width > 0.9  # as live.js puts the answers
    picture = min(720, height * min(1.0, (PAGE - (PANES if beside else 0)) / width) + 24)
    answers = 60 + 21 * min(len(scene["answers"]) + 1, 13)
    weights = 130 + 19 * min(len(scene.get("sliders", ())) + 1, 10)
    below = 60 + 18 * len(scene["notes"]) + 30  # the legend, notes, and a line for the reasons
    if beside:
        return int(CONTROLS + max(picture + below, answers + weights))
    return int(CONTROLS + picture + below + max(answers + 30, weights))


def _card(card: Card, value: dict[str, Any] | None, rows: int, widths: Widths) -> dict[str, Any]:
    """A card as the browser draws it, with its size."""
    width = widths.of(card.kind)
    letter = LETTER if card.kind == "rule" else BOLD
    number = max(6, len(format_weight(value["total"]))) if value else 0
    less = ceil((number * DIGIT + 6) / letter)  # the first line has the number, too
    lines = wrapped(card.title or card.name, int((width - MARGIN) / letter), less)
    shown = min(rows, len(value["top"])) if value else 0
    # a foot: more entries, or the entity that a number is for
    alone = value is not None and value["size"] is None
    more = value is not None and (value["about"] if alone else value["count"] > shown)
    height = HEAD + LINE * (len(lines) - 1) + CHIP * len(card.chips) + ROW * shown + EDGE
    foot = bool(card.kind != "rule" or card.folded or more)
    if foot:
        height += LINE
    return {**vars(card), "lines": lines, "rows": shown, "foot": foot, "w": width, "h": height}


def wrapped(text: str, letters: int, less: int = 0, most: int = 4) -> list[str]:
    """Lines of a text, broken between literals where possible; the first has `less` letters less.

    >>> wrapped("grandparent(X, Z) :- parent(X, Y), parent(Y, Z)", 26)
    ['grandparent(X, Z) :-', 'parent(X, Y), parent(Y, Z)']
    >>> wrapped("a_very_long_name_of_a_predicate", 20, 8)
    ['a_very_long_', 'name_of_a_predicate']
    """
    lines = [""]
    for word in _words(text):
        left = word
        while left:
            room = letters - len(lines[-1]) - (less if len(lines) == 1 else 0)
            if len(left.rstrip()) <= room:
                lines[-1] += left
                break
            whole = letters - (less if len(lines) == 0 else 0)
            if lines[-1] and len(left.rstrip()) <= whole:
                lines.append("")
                continue
            cut = max(left.rfind(mark, 1, room) + 1 for mark in "_,( ") if room > 1 else 0
            cut = cut or (0 if lines[-1] else max(1, room))
            lines[-1] += left[:cut]
            left = left[cut:].lstrip()
            lines.append("")
    lines = [line.rstrip() for line in lines if line.strip()] or [""]
    return lines if len(lines) <= most else [*lines[: most - 1], lines[most - 1] + " …"]


def _words(text: str) -> list[str]:
    """The head of a rule, and its literals one by one."""
    words, depth = [""], 0
    for letter in text:
        words[-1] += letter
        depth += (letter == "(") - (letter == ")")
        if letter == " " and depth == 0:
            words.append("")
    return [word for word in words if word]


def _dot(cards: Mapping[str, dict[str, Any]], arrows: Sequence[tuple[str, str]]) -> str:
    numbers = {name: number for number, name in enumerate(cards)}
    lines = [
        "digraph { rankdir=LR; nodesep=0.11; ranksep=0.42; "
        'edge [arrowhead=none]; node [shape=box, fixedsize=true, label=""];'
    ]
    lines += [
        f"n{numbers[name]} [width={card['w'] / 72:.3f}, height={card['h'] / 72:.3f}];"
        for name, card in cards.items()
    ]
    lines += [f"n{numbers[start]}:e -> n{numbers[end]}:w;" for start, end in arrows]
    for number, group in enumerate(_groups(cards, arrows)):
        members = " ".join(f"n{numbers[name]};" for name in group)
        lines.append(f"subgraph cluster_{number} {{ style=invis; margin=3; {members} }}")
    return "\n".join([*lines, "}"])


def _groups(
    cards: Mapping[str, dict[str, Any]], arrows: Sequence[tuple[str, str]]
) -> list[list[str]]:
    """The rules of each predicate, which stand together."""
    rules: dict[str, list[str]] = {}
    for start, end in arrows:
        if cards[start]["kind"] == "rule" and cards[end]["kind"] == "predicate":
            rules.setdefault(end, []).append(start)
    return [group for group in rules.values() if len(group) > 1]


def _placed(cards: dict[str, dict[str, Any]], text: str) -> dict[str, Any]:
    """What Graphviz says, in pixels from the upper left corner."""
    names = list(cards)
    width = height = 0.0
    arrows = []
    for line in text.splitlines():
        kind, *words = line.split()
        if kind == "graph":
            width, height = (72 * float(word) for word in words[1:3])
        elif kind == "node":
            card = cards[names[int(words[0][1:])]]
            x, y = 72 * float(words[1]), height - 72 * float(words[2])
            card |= {"x": round(x - card["w"] / 2, 1), "y": round(y - card["h"] / 2, 1)}
        elif kind == "edge":
            start, end = (names[int(word[1:].split(":")[0])] for word in words[:2])
            points = [72 * float(word) for word in words[3 : 3 + 2 * int(words[2])]]
            pairs = [
                (round(x, 1), round(height - y, 1))
                for x, y in zip(points[::2], points[1::2], strict=True)
            ]
            arrows.append({"from": start, "to": end, "path": _path(pairs)})
    return {
        "cards": list(cards.values()),
        "arrows": arrows,
        "width": round(width),
        "height": round(height),
    }


def _path(points: Sequence[tuple[float, float]]) -> str:
    first, *rest = (f"{x:g},{y:g}" for x, y in points)
    return f"M{first}C{' '.join(rest)}"
