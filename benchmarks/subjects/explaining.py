"""How long an explanation takes, in the WordNet session."""

from __future__ import annotations

import random
from pathlib import Path

from benchmarks.measuring import Seconds, Turns, once
from benchmarks.rows import Figure, Measured, Row, Settings, Target, share, subject
from neurallog_kernel import Session

QUERY = "the query it explains"
ROWS = (
    Row("explain-worst", "the slowest of 40 explanations, WordNet", "", Target(200, "ms")),
    Row("explain-ratio", "an explanation, WordNet", QUERY),
    Row("sensitivity-ratio", "the slopes of an answer, WordNet", QUERY),
)


@subject("explain", ROWS)
def measure(settings: Settings, wanted: frozenset[str]) -> Measured:
    folder = settings.folder("wordnet")
    session = _session(folder)
    taken: dict[str, list[Seconds]] = {"query": [], "explain": [], "sensitivity": []}
    for question in _questions(folder, session, 12 if settings.quick else 40):
        # explain first: no query has prepared anything for it
        for name in ("explain", "query", "sensitivity"):
            ask = getattr(session, name)
            taken[name].append(once(lambda a=ask, q=question: a(q)))
    worst = max(run.wall for run in taken["explain"])
    yield "explain-worst", Figure(1e3 * worst, "ms", worst, rounds=len(taken["explain"]))
    for row, name in (("explain-ratio", "explain"), ("sensitivity-ratio", "sensitivity")):
        yield row, share(Turns(tuple(taken[name]), tuple(taken["query"])))


def _session(folder: Path) -> Session:
    """With weights as a training might leave them, so that every rule contributes."""
    session = Session()
    for name in ("facts.pl", "theory.pl"):
        session.load(folder / name, source=name)
    theory = (folder / "theory.pl").read_text(encoding="utf-8")
    draw = random.Random(7)
    for name in ("w", "b"):
        used = sorted({part.split(")")[0] for part in theory.split(f" {name}(")[1:]})
        facts = " ".join(f"{draw.uniform(0.1, 1.0):.3f}::{name}({one})." for one in used)
        session.add(facts, source=f"weights {name}")
    return session


def _questions(folder: Path, session: Session, number: int) -> list[str]:
    known = {name for name, arity in session.inspect().signatures() if arity == 2}
    lines = (folder / "facts.pl").read_text(encoding="utf-8").splitlines()
    facts = [line.strip() for line in lines if "(" in line and not line.startswith("%")]
    draw = random.Random(7)
    found: list[str] = []
    while len(found) < number:
        relation, rest = draw.choice(facts).split("(", 1)
        if f"i_{relation}" in known:
            found.append(f"i_{relation}({rest.rstrip('.')}")
    return found
