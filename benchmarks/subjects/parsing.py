"""Text to program: WordNet's 106 thousand facts, by the fast path and by the grammar alone."""

from __future__ import annotations

import random

from benchmarks.measuring import Seconds, Turns, median, once
from benchmarks.original import load_by_grammar
from benchmarks.rows import (
    Figure,
    Measured,
    Row,
    Settings,
    Skipped,
    Target,
    faster,
    speed_up,
    subject,
)
from neurallog_kernel import Session

FACTS = 106_088
LINE = "parse and load 106 k facts"
ROWS = (
    Row("parse-seconds", "parse and load 106 k facts", "the pure grammar", Target(1, "s"), LINE),
    Row("parse-ratio", "parse and load 106 k facts", "the pure grammar", faster(50), LINE),
)


@subject("parse", ROWS)
def measure(settings: Settings, wanted: frozenset[str]) -> Measured:
    try:
        text = (settings.folder("wordnet") / "facts.pl").read_text(encoding="utf-8")
        note = ""
    except Skipped:
        text, note = generated(FACTS), "generated facts: there is no WordNet here"
    if settings.quick:
        lines = text.splitlines(keepends=True)
        text, note = "".join(lines[: len(lines) // 5]), "a fifth of the facts"
    Session().add("p(a). q(X) :- p(X).")  # the grammar is built once a process, and not measured
    ours: list[Seconds] = []
    theirs: list[Seconds] = []
    for _ in range(1 if settings.quick else 3):
        theirs.append(once(lambda: load_by_grammar({text: None})))
        runs = [once(lambda: Session().add(text)) for _ in range(5)]
        ours.append(Seconds(median(runs, "wall"), median(runs)))
    turns = Turns(tuple(ours), tuple(theirs))
    yield "parse-ratio", speed_up(turns, note)
    wall = median(ours, "wall")
    yield "parse-seconds", Figure(wall, "s", wall, median(theirs, "wall"), note=note)


def generated(count: int) -> str:
    """As many facts as asked for, of 18 predicates one after the other, like WordNet's."""
    draw = random.Random(7).randrange
    entities = max(10, count * 2 // 5)
    lines = []
    for fact in range(count):
        first, second = draw(entities), draw(entities)
        lines.append(f"relation_{18 * fact // count}(s{first:08}, s{second:08}).\n")
    return "".join(lines)
