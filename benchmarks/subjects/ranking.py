"""All answers of many questions at once against the same questions one by one."""

from __future__ import annotations

import numpy as np

from benchmarks.measuring import Turns, once
from benchmarks.rows import Measured, Row, Settings, faster, speed_up, subject
from neurallog_kernel import Session

ENTITIES, RELATIONS, FACTS, RULES, QUESTIONS = 2_000, 40, 2_000, 2_000, 5_000
ASKED = 50  # questions of one turn that are asked one by one, as a sample of all
ROWS = [
    Row(
        "rank-batch",
        f"the best ten answers of {QUESTIONS:,} questions, {RULES:,} rules",
        "the same questions one by one",
        faster(50),
    )
]


@subject("rank", ROWS)
def measure(settings: Settings, wanted: frozenset[str]) -> Measured:
    session = _session()
    asked = [f"e{number % ENTITIES}" for number in range(QUESTIONS)]
    _check_same(session, asked[:20])
    together, one_by_one = [], []
    for turn in range(settings.rounds(5, 2)):
        some = asked[turn * ASKED : (turn + 1) * ASKED]
        together.append(once(lambda: session.rank("h/2", asked, top=10)))
        alone = once(lambda some=some: [session.query(f"h({e}, Y)", 10) for e in some])
        one_by_one.append(alone * (QUESTIONS / ASKED))
    turns = Turns(tuple(together), tuple(one_by_one))
    yield "rank-batch", speed_up(turns, f"{ASKED} of them were asked one by one in each turn")


def _session() -> Session:
    chance = np.random.default_rng(7)
    text = []
    for relation in range(RELATIONS):
        pairs = chance.integers(0, ENTITIES, (FACTS, 2)).tolist()
        text += [f"r{relation}(e{one}, e{other})." for one, other in pairs]
    for weight, first, second in zip(
        chance.integers(10, 100, RULES).tolist(),
        *chance.integers(0, RELATIONS, (2, RULES)).tolist(),
        strict=True,
    ):
        text.append(f"0.{weight}::h(X, Y) :- r{first}(X, Z), r{second}(Z, Y).")
    session = Session()
    session.add("\n".join(text))
    return session


def _check_same(session: Session, asked: list[str]) -> None:
    rankings = session.rank("h/2", asked, top=10)
    for entity in asked:
        expected = session.query(f"h({entity}, Y)", 10).weights
        assert list(rankings[entity]) == list(expected)
