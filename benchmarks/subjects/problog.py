"""ProbLog on the same facts and rules: a question asked from loaded facts to its answers.

The answers are compared as a set. The numbers differ by design: ProbLog gives the probability that
an answer has a proof, NeuralLog the weighted sum of its proofs; with all facts certain ProbLog
gives 1 where we give the number of proofs. Certain facts spare ProbLog the compilation of a
circuit, so this is its cheapest work; with probable facts it would do more.
"""

from __future__ import annotations

from typing import Any

from benchmarks.bases import random_base
from benchmarks.measuring import take_turns
from benchmarks.rows import Measured, Row, Settings, Skipped, faster, speed_up, subject
from neurallog_kernel import Session

PEER = "ProbLog"
ROWS = (
    Row("problog-two", "a question, a chain of two, 3 k facts", PEER, faster(1)),
    Row("problog-three", "a question, a chain of three, 3 k facts", PEER, faster(1)),
    Row("problog-load", "load 3 k facts", PEER, faster(1)),
)
RULES = """
two(X, Y) :- p(X, Z), q(Z, Y).
three(X, Y) :- p(X, A), q(A, B), r(B, Y).
"""


@subject("problog", ROWS)
def measure(settings: Settings, wanted: frozenset[str]) -> Measured:
    try:
        from problog.engine import DefaultEngine
        from problog.program import PrologString
    except ImportError:
        raise Skipped("ProbLog is not installed: pip install 'neurallog[bench]'") from None
    base = random_base(600, 3_000)
    text = base.text() + RULES
    asked = sorted({a for a, _ in base.pairs["p"].tolist()})
    session = Session()
    session.add(text)
    engine = DefaultEngine()
    prepared = engine.prepare(PrologString(text))
    for name in ("two", "three"):
        _check_same(asked[:5], session, engine, prepared, name)
        turns = take_turns(
            lambda k, n=name: session.query(f"{n}(e{asked[k % len(asked)]}, Y)"),
            lambda k, n=name: _ask(engine, prepared, n, asked[k % len(asked)]),
            settings.rounds(15),
        )
        yield f"problog-{name}", speed_up(turns)
    turns = take_turns(
        lambda _: Session().add(text),
        lambda _: engine.prepare(PrologString(text)),
        settings.rounds(5),
    )
    yield "problog-load", speed_up(turns)


def _ask(engine: Any, prepared: Any, name: str, entity: int) -> dict[str, float]:
    """The probability of each answer: grounding, then evaluation."""
    from problog import get_evaluatable
    from problog.logic import Term

    query = Term(name, Term(f"e{entity}"), None)
    ground = engine.ground_all(prepared, queries=[query])
    found = get_evaluatable().create_from(ground).evaluate()
    return {str(term.args[1]): value for term, value in found.items() if value}


def _check_same(
    entities: list[int], session: Session, engine: Any, prepared: Any, name: str
) -> None:
    for entity in entities:
        ours = {key[-1] for key in session.query(f"{name}(e{entity}, Y)").weights}
        theirs = set(_ask(engine, prepared, name, entity))
        if ours != theirs:
            raise AssertionError(f"{name}(e{entity}, Y): the answers differ")
