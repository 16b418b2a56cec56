"""A million entities and ten million facts: loading, asking, memory, and cells beside it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from benchmarks.bases import many_as_matrix, write_facts
from benchmarks.measuring import median, once, repeat, resident, take_turns
from benchmarks.rows import Figure, Measured, Row, Settings, Target, share, subject, within
from neurallog_kernel import Session
from neurallog_kernel.knowledge.matrices import array_bytes

LINE = "1 M entities, 10 M facts"
HAND = "SciPy by hand"
ROWS = (
    Row("large-load", "load 10 M facts over 1 M entities from text", "", Target(60, "s"), LINE),
    Row("large-query", "a three-hop question there", HAND, Target(100, "ms"), LINE),
    Row("large-limit", "a three-hop question there", HAND, within(1.5)),
    Row(
        "large-bytes", "its facts in memory, both directions", "", Target(24, "bytes a fact"), LINE
    ),
    Row("large-process", "the whole process grown, names included", ""),
    Row("large-edit", "a rule cell edited there, to its answer", "", Target(100, "ms")),
    Row("large-append", "one fact more there, to an answer with it", "", Target(200, "ms")),
)


@subject("large", ROWS)
def measure(settings: Settings, wanted: frozenset[str]) -> Measured:
    scale = 10 if settings.quick else 1
    entities, facts = 1_000_000 // scale, 10_000_000 // scale
    note = f"a tenth of it: {facts:,} facts" if settings.quick else ""
    session = Session()
    before = resident()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "facts.pl"
        write_facts(path, entities, facts)
        taken = once(lambda: session.load(path, source="base")).wall
    yield "large-load", Figure(taken, "s", taken, note=note)
    session.add("three(X, Y) :- p(X, A), p(A, B), p(B, Y).", "rules")
    matrix = many_as_matrix(entities, facts)
    rounds = settings.rounds(25)
    turns = take_turns(
        lambda k: session.query(f"three(e{k + 100}, Y)"),
        lambda k: matrix[[k + 100]] @ matrix @ matrix,
        rounds,
    )
    seconds = median(turns.ours, "wall")
    theirs = median(turns.theirs, "wall")
    yield "large-query", Figure(1e3 * seconds, "ms", seconds, theirs, rounds=rounds, note=note)
    yield "large-limit", share(turns, note)
    session.query("three(X, e7)")  # backwards as well
    yield "large-bytes", Figure(fact_bytes(session) / facts, "bytes a fact", note=note)
    grown = (resident() - before - _bytes(matrix)) / facts
    yield "large-process", Figure(grown, "bytes a fact", note=note)
    for name, work in (("edit", _edit), ("append", _append)):
        runs = repeat(lambda k, w=work: w(session, k), settings.rounds(9))
        seconds = median(runs, "wall")
        yield f"large-{name}", Figure(1e3 * seconds, "ms", seconds, rounds=len(runs), note=note)


def _bytes(matrix) -> int:
    return matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes


def fact_bytes(session: Session) -> int:
    """The arrays that hold the facts of a session, each counted once."""
    arrays: list[np.ndarray] = []
    program = session._program
    for contents in program.sources.values():
        for block in contents.facts.values():
            arrays += [*block.entities, *block.numbers, block.weights, block.lines]
        arrays += contents.constants.values()
    arrays += [kind.members for kind in program.types.values()]
    for signature, definition in program.definitions.items():
        if definition.facts and signature[1] == 2:
            for part in session._relations.relation(program, signature).parts:
                arrays += part.arrays
    return array_bytes(arrays)


def _edit(session: Session, number: int) -> None:
    session.add(f"{number + 2}::three(X, Y) :- p(X, A), p(A, B), p(B, Y).", "rules")
    session.query(f"three(e{number}, Y)")


def _append(session: Session, number: int) -> None:
    session.add(f"p(e{number}, new{number}).", "more")
    session.query(f"p(e{number}, Y)")
