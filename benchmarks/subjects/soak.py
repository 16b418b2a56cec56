"""Many edits and re-trainings in one process: memory and the time of a compile stay flat.

`tests/learning/test_soak.py` runs some rounds and counts what is alive after them.
"""

from __future__ import annotations

import gc
import random
import statistics
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from time import process_time

from benchmarks.measuring import resident
from benchmarks.rows import Figure, Measured, Row, Settings, Target, subject
from neurallog_kernel import Session

ENTITIES = [f"e{i}" for i in range(30)]
RULES = [
    "h(X, Y) :- p(X, Y), u(Y).",
    "h(X, Y) :- p(X, Z), q(Z, Y).",
    "h(X, Y) :- q(Y, X), w(k1).",
    "h(X, Y) :- p(X, Z), c(Z), q(Z, Y), tanh(Y).",
    "h(X, Y) :- not q(X, Y), w(k2).",
    "h(X, Y) :- h(X, Z), p(Z, Y).",
]
CONCEPTS = ["c(X) :- q(X, Y), u(Y).", "c(X) :- p(X, Y), q(Y, Z), sigmoid(Z)."]
FIRST = "× the first quarter's"
ROUND_FIGURES = {
    "soak-train": "train_seconds",
    "soak-add": "add_seconds",
    "soak-memory": "resident",
}
ROWS = (
    Row(
        "soak-train",
        "edit and train again, the last quarter of many",
        "the first",
        Target(1.2, FIRST),
    ),
    Row("soak-add", "a cell run again, the last quarter of many", "the first", Target(1.2, FIRST)),
    Row("soak-memory", "memory, the last quarter of many", "the first", Target(1.2, FIRST)),
)
ALIVE = ("ResourceVariable", "FuncGraph", "Network", "Trainer", "Program")


@dataclass(frozen=True)
class Round:
    """One edit and one training."""

    add_seconds: float
    query_seconds: float
    train_seconds: float  # a new network each time: this is the time of a compile
    resident: int  # bytes
    alive: Counter[str]


def facts(choose: random.Random, name: str, number: int) -> str:
    pairs = {(choose.choice(ENTITIES), choose.choice(ENTITIES)) for _ in range(number)}
    return "\n".join(f"{choose.random():.3f}::{name}({x}, {y})." for x, y in sorted(pairs))


def rounds(number: int, seed: int = 0) -> Iterator[Round]:
    """Edit a cell, ask, train for two epochs, ask again."""
    choose = random.Random(seed)
    session = Session()
    session.add("learn(p). learn(u). learn(w).", source="learn")
    session.add(facts(choose, "p", 60), source="p")
    session.add(facts(choose, "q", 60), source="q")
    for _ in range(number):
        started = process_time()
        edit(session, choose)
        added = process_time()
        session.query("h(X, Y)", top=5)
        asked = process_time()
        optimizer = choose.choice(["sgd", "adagrad"])
        session.train(epochs=2, batch_size=8, optimizer=optimizer, resume=choose.random() < 0.5)
        trained = process_time()
        session.query("h(X, Y)", top=5)
        yield Round(added - started, asked - added, trained - asked, resident(), alive(session))


def edit(session: Session, choose: random.Random) -> None:
    """Rules and examples are another choice each time; facts now and then; one cell comes and
    goes with an entity of its own."""
    rules = choose.sample(RULES, 4)
    session.add("\n".join([*rules, choose.choice(CONCEPTS)]), source="rules")
    session.add(facts(choose, "h", 40), source="examples", set="train")
    if choose.random() < 0.3:
        session.add(facts(choose, "p", 60), source="p")
    if "visitor" in session.sources:
        session.remove("visitor")
    else:
        session.add(f"p(v{choose.randrange(5)}, e0). u(e0).", source="visitor")


def alive(session: Session) -> Counter[str]:
    """How many objects of the kinds that could pile up there are."""
    gc.collect()
    found: Counter[str] = Counter()
    for thing in gc.get_objects():
        kind = type(thing)
        if kind.__name__ in ALIVE:
            found[kind.__name__] += 1
        elif kind.__name__ == "Variable" and str(kind.__module__).startswith("keras"):
            found["variables of Keras"] += 1
        elif str(kind.__module__).startswith("neurallog_kernel.network"):
            found["of the network"] += 1
        elif str(kind.__module__).startswith("neurallog_kernel.plan"):
            found["of the plan"] += 1
    planner = session._planner
    found["interned nodes"] = len(planner.algebra.interner)
    found["literal layers"] = len(planner._kept.literals)
    found["rule layers"] = len(planner._kept.rules)
    found["graphs of rules"] = len(planner._dags)
    return found


@subject("soak", ROWS, slow=True)
def measure(settings: Settings, wanted: frozenset[str]) -> Measured:
    from neurallog_kernel.network.tensorflow import keras

    keras()
    done = list(rounds(30 if settings.quick else 60))[5:]  # the first ones fill the caches
    part = len(done) // 4
    early, late = done[:part], done[-part:]
    for row, name in ROUND_FIGURES.items():
        before, after = (
            statistics.median(getattr(one, name) for one in some) for some in (early, late)
        )
        times = (after, before) if name != "resident" else (None, None)
        yield row, Figure(after / before, FIRST, *times, rounds=len(done))
