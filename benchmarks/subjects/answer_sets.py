"""clingo on the same facts: what every entity reaches, by a recursive rule.

clingo reasons forward: it works out all of a program before it shows any of it, so the work of a
turn is the whole relation, from the text to every pair in Python. The pairs are compared; the
numbers differ by design: clingo says what follows, NeuralLog adds up the weights of all ways there.
What clingo takes before the pairs are read from it is in the note.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.measuring import median, repeat, take_turns
from benchmarks.rows import Measured, Row, Settings, Skipped, faster, speed_up, subject
from neurallog_kernel import Session

PEER = "clingo"
ENTITIES, FACTS, DEPTH = 300, 900, 20
WHAT = "what every entity reaches, recursive rule, 900 facts"
ROWS = (Row("clingo-recursive", WHAT, PEER, faster(1)),)
RULES = "reached(X, Y) :- edge(X, Y). reached(X, Y) :- edge(X, Z), reached(Z, Y)."


@subject("clingo-recursive", ROWS)
def measure(settings: Settings, wanted: frozenset[str]) -> Measured:
    try:
        import clingo  # noqa: F401
    except ImportError:
        raise Skipped("clingo is not installed: pip install clingo") from None
    chance = np.random.default_rng(5)
    pairs = sorted({tuple(pair) for pair in chance.integers(0, ENTITIES, (FACTS, 2)).tolist()})
    facts = "".join(f"edge(e{one}, e{other}).\n" for one, other in pairs)
    assert _ours(facts) == _theirs(facts)
    turns = take_turns(lambda _: _ours(facts), lambda _: _theirs(facts), settings.rounds(9))
    ground = median(repeat(lambda _: _grounded(facts), settings.rounds(9)))
    yield "clingo-recursive", speed_up(turns, f"clingo has them after {1000 * ground:.0f} ms")


def _ours(facts: str) -> set[tuple[str, ...]]:
    session = Session()
    session.add(facts)
    session.add(f"{RULES} set_parameter(recursion_depth, {DEPTH}).")
    return set(session.query("reached(X, Y)").weights)


def _theirs(facts: str) -> set[tuple[str, ...]]:
    control = _grounded(facts)  # its atoms are gone with it
    atoms = control.symbolic_atoms.by_signature("reached", 2)
    pairs = (atom.symbol.arguments for atom in atoms)
    return {(one.name, other.name) for one, other in pairs}


def _grounded(facts: str) -> Any:
    import clingo

    control = clingo.Control(["--warn=none"])
    control.add("base", [], facts + RULES)
    control.ground([("base", [])])
    return control
