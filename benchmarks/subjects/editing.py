"""A rule added to a large program, or edited in it, to its first answer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.measuring import median, repeat, take_turns
from benchmarks.rows import Figure, Measured, Row, Settings, Target, share, subject, within
from neurallog_kernel import Session

LINE = "add one rule to 1,000"
ROWS = (
    Row(
        "add-rule",
        "one rule more beside 1,000 unrelated ones, to its answer",
        "",
        Target(50, "ms"),
        LINE,
    ),
    Row(
        "add-rule-same",
        "one rule more in a predicate of 1,000, to its answer",
        "",
        Target(50, "ms"),
        LINE,
    ),
    Row(
        "edit-rule",
        "a cell of one rule edited beside 1,000, to its answer",
        "",
        Target(50, "ms"),
        LINE,
    ),
    Row(
        "join-types",
        "a rule that joins two types of 400,000 facts, to its answer, and gone again",
        "",
        Target(50, "ms"),
        "an edit costs what it changes",
    ),
    Row(
        "add-rule-unrelated",
        "one rule more beside 1,000 unrelated ones",
        "the same beside 10",
        within(1.5),
        "independent of the number of unrelated rules",
    ),
)


@subject("editing", ROWS)
def measure(settings: Settings, wanted: frozenset[str]) -> Measured:
    rounds = settings.rounds(25)
    many, few = unrelated(1000), unrelated(10)
    turns = take_turns(adding(many), adding(few), rounds, least=0)
    yield "add-rule", _milliseconds(median(turns.ours, "wall"), rounds)
    yield "add-rule-unrelated", share(turns)
    same = _same(1000)
    yield "add-rule-same", _alone(lambda k: _add_to_same(same, k), rounds)
    session = unrelated(1000)
    yield "edit-rule", _alone(lambda k: _edit(session, k), rounds)
    if "join-types" in wanted:
        apart = _apart(400_000)
        yield "join-types", _alone(lambda k: _join(apart, k), rounds)


def _alone(work: Callable[[int], object], rounds: int) -> Figure:
    return _milliseconds(median(repeat(work, rounds, least=0), "wall"), rounds)


def _milliseconds(seconds: float, rounds: int) -> Figure:
    return Figure(1e3 * seconds, "ms", seconds, rounds=rounds)


def unrelated(count: int) -> Session:
    """As many predicates, each with a rule and facts of its own."""
    session = Session()
    session.add("".join(f"p{i}(a, b). p{i}(b, c). q{i}(c, d).\n" for i in range(count)), "facts")
    text = "".join(f"f{i}(X, Y) :- p{i}(X, Z), q{i}(Z, Y).\n" for i in range(count))
    session.add(text, "rules")
    session.query("f1(b, Y)")
    return session


def adding(session: Session) -> Callable[[int], object]:
    """Add a rule of a predicate of its own, and ask it."""

    def add(number: int) -> None:
        session.add(f"g{number}(X, Y) :- p1(X, Z), p2(Z, Y).", f"new-{number}")
        session.query(f"g{number}(a, Y)")

    return add


def _same(count: int) -> Session:
    """A predicate of so many rules, over forty relations."""
    session = Session()
    rng = np.random.default_rng(5)
    facts = [
        f"p{k}(e{a}, e{b}).\n"
        for k in range(40)
        for a, b in rng.integers(0, 500, (250, 2)).tolist()
    ]
    session.add("".join(facts), "facts")
    pairs = [(i % 40, i // 40) for i in range(count)]
    text = "".join(f"f(X, Y) :- p{i}(X, Z), p{j}(Z, Y).\n" for i, j in pairs)
    session.add(text, "rules")
    session.query("f(e1, Y)")
    return session


def _add_to_same(session: Session, number: int) -> None:
    first, second = number % 40, (number // 40) % 40
    session.add(f"f(X, Y) :- p{first}(X, Z), p{second}(Z, W), p1(W, Y).", f"new-{number}")
    session.query(f"f(e{number % 500}, Y)")


def _edit(session: Session, number: int) -> None:
    session.add(f"{number + 2}::g(X, Y) :- p1(X, Z), p2(Z, Y).", "cell")
    session.query("g(a, Y)")


def _apart(facts: int) -> Session:
    """Four relations of so many facts together, over four types."""
    session = Session()
    each = range(facts // 4)
    for name, first, second in (
        ("p", "a", "b"),
        ("p2", "a", "b"),
        ("q", "c", "d"),
        ("q2", "c", "d"),
    ):
        session.add("".join(f"{name}({first}{i}, {second}{i}).\n" for i in each), name)
        session.query(f"{name}({first}1, X)")
    return session


def _join(session: Session, number: int) -> None:
    session.add("h(X, Y) :- p(X, Z), q(Z, Y).", "joining")
    session.query(f"h(a{number}, Y)")
    session.remove("joining")
