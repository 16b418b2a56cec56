"""DuckDB's recursive SQL on the same facts: what an entity reaches.

The answers are compared as a set. The numbers differ by design: SQL says what is reached, NeuralLog
adds up the weights of all ways there.
"""

from __future__ import annotations

import numpy as np

from benchmarks.measuring import take_turns
from benchmarks.rows import Measured, Row, Settings, Skipped, faster, speed_up, subject
from neurallog_kernel import Session

PEER = "DuckDB, WITH RECURSIVE"
ENTITIES, FACTS, DEPTH = 1_000, 3_000, 20
WHAT = "what an entity reaches, recursive rule, 3 k facts"
ROWS = (Row("duckdb-recursive", WHAT, PEER, faster(1)),)
ASKED = """
WITH RECURSIVE reached(b) AS (
    SELECT b FROM edge WHERE a = ?
    UNION
    SELECT edge.b FROM reached JOIN edge ON edge.a = reached.b
)
SELECT b FROM reached
"""


@subject("duckdb-recursive", ROWS)
def measure(settings: Settings, wanted: frozenset[str]) -> Measured:
    try:
        import duckdb
    except ImportError:
        raise Skipped("DuckDB is not installed: pip install 'neurallog[tables]'") from None
    chance = np.random.default_rng(5)
    pairs = sorted({tuple(pair) for pair in chance.integers(0, ENTITIES, (FACTS, 2)).tolist()})
    session = Session()
    session.add("".join(f"0.1::edge(e{one}, e{other}).\n" for one, other in pairs))
    session.add(
        "reached(X, Y) :- edge(X, Y). reached(X, Y) :- edge(X, Z), reached(Z, Y)."
        f"set_parameter(recursion_depth, {DEPTH})."
    )
    base = duckdb.connect()
    base.execute("CREATE TABLE edge (a INTEGER, b INTEGER)")
    base.executemany("INSERT INTO edge VALUES (?, ?)", [list(pair) for pair in pairs])
    asked = sorted({one for one, _ in pairs})
    for entity in asked[:5]:
        ours = {name for (name,) in session.query(f"reached(e{entity}, Y)").weights}
        theirs = {f"e{other}" for (other,) in base.execute(ASKED, [entity]).fetchall()}
        assert ours == theirs, entity
    turns = take_turns(
        lambda k: session.query(f"reached(e{asked[k % len(asked)]}, Y)"),
        lambda k: base.execute(ASKED, [asked[k % len(asked)]]).fetchall(),
        settings.rounds(15),
    )
    yield "duckdb-recursive", speed_up(turns)
