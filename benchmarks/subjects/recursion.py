"""Recursion that calls itself twice: to depth 50, and until the values stay."""

from __future__ import annotations

import numpy as np

from benchmarks.measuring import Turns, median, once
from benchmarks.rows import Figure, Measured, Row, Settings, Target, share, subject, within
from neurallog_kernel import Session

ENTITIES, FACTS, DEPTH = 100, 300, 50
RULES = "path(X, Y) :- edge(X, Y). path(X, Y) :- path(X, Z), path(Z, Y)."
WHAT = f"a question of nonlinear recursion, {FACTS} facts, depth {DEPTH}"
ROWS = (
    Row("recursion-50", WHAT, "", Target(1, "s")),
    Row(
        "recursion-growth",
        f"the same at depth {DEPTH}",
        f"five times depth {DEPTH // 5}",
        within(2),
    ),
    Row("recursion-stable", "linear recursion until its values stay", "", Target(1, "s")),
)


def opened(depth: str, rules: str = RULES) -> Session:
    chance = np.random.default_rng(3)
    pairs = {tuple(pair) for pair in chance.integers(0, ENTITIES, (FACTS, 2)).tolist()}
    facts = "".join(f"0.02::edge(e{one}, e{other}).\n" for one, other in sorted(pairs))
    session = Session()
    session.add(f"{facts}{rules} set_parameter(recursion_depth, {depth}).")
    return session


@subject("recursion", ROWS)
def measure(settings: Settings, wanted: frozenset[str]) -> Measured:
    rounds = settings.rounds(9, 3)

    def asked(depth: str, rules: str = RULES):
        session = opened(depth, rules)
        return once(lambda: session.query("path(e1, Y)"))

    opened("2").query("path(e1, Y)")
    deep, flat, stable = [], [], []
    linear = "path(X, Y) :- edge(X, Y). path(X, Y) :- edge(X, Z), path(Z, Y)."
    for _ in range(rounds):
        deep.append(asked(str(DEPTH)))
        flat.append(asked(str(DEPTH // 5)) * 5)
        stable.append(asked("until_stable", linear))
    seconds = median(deep)
    yield "recursion-50", Figure(seconds, "s", seconds, rounds=rounds)
    yield "recursion-growth", share(Turns(tuple(deep), tuple(flat)))
    seconds = median(stable)
    yield "recursion-stable", Figure(seconds, "s", seconds, rounds=rounds)
