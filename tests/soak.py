"""Edits and questions for as long as you like: `python -m tests.soak --edits 10000 --facts 20000`.

Prints the resident memory as it goes; after the first hundred edits, which fill the caches and the
list of changes that can be taken back, it must stay flat.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator

from benchmarks.measuring import resident
from neurallog_kernel import Session


def base(facts: int, seed: int = 0) -> str:
    """A large source that stays."""
    choose, size = random.Random(seed), max(2, facts // 4)
    pairs = ((choose.randrange(size), choose.randrange(size)) for _ in range(facts))
    return "\n".join(f"p(e{a}, e{b})." for a, b in pairs)


def rules(number: int) -> str:
    weight = 0.5 + number % 7 / 10
    return f"""
        grand(X, Z) :- p(X, Y), p(Y, Z).
        {weight}::near(X, Y) :- p(X, Y), tanh(Y).
        near(X, Y) :- grand(X, Z), q(Z, Y), busy(Z).
        near(X, Y) :- p(X, e{number % 5}), q(X, Y).
        busy(X) :- q(X, Y), any(Y).
    """


QUESTIONS = ("near(e1, Y)", "near(X, e2)", "grand(e3, Y)", "busy(X)", "busy(e1)", "q(e1, Y)")


def edits(session: Session, number: int) -> Iterator[int]:
    """One edit, then some questions; in turn facts with an entity that is new, weights, rules,
    sources that come and go, registered functions, undo."""
    for done in range(number):
        kind = done % 6
        if kind == 0:
            session.add(f"q(e1, v{done % 50}). 0.{done % 9 + 1}::q(e2, e1).", source="cell")
        elif kind == 1:
            session.add(rules(done), source="rules")
        elif kind == 2:
            session.add(f"p(e1, visitor{done % 50}).", source="visitor")
        elif kind == 3:
            session.remove("visitor")
        elif kind == 4:
            session.register("scale", lambda x, by=done: x * by)
        else:
            session.undo()
        for question in QUESTIONS:
            session.query(question, top=3)
        yield done


def started(facts: int) -> Session:
    session = Session()
    session.add(base(facts), source="base")
    session.add("q(e1, e2). q(e2, e1). q(e3, e4).", source="more")
    session.add(rules(0), source="rules")
    return session


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=10_000)
    parser.add_argument("--facts", type=int, default=20_000)
    given = parser.parse_args()
    session = started(given.facts)
    print(f"{0:>8,} edits  {resident() / 1e6:>8.1f} MB")
    step = max(1, given.edits // 10)
    for done in edits(session, given.edits):
        if done + 1 == 100 or (done + 1) % step == 0:
            print(f"{done + 1:>8,} edits  {resident() / 1e6:>8.1f} MB", flush=True)


if __name__ == "__main__":
    main()
