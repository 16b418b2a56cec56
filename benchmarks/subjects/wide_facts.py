"""Facts of three arguments: against the same facts taken apart by hand, and against pairs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.measuring import take_turns
from benchmarks.rows import Measured, Row, Settings, share, subject, within
from neurallog_kernel import Session

LINE = "facts of three arguments"
BY_HAND = "the same facts as pairs by hand"
QUESTIONS = {  # what is asked of ours, and of the pairs; a and b are the entities of a fact
    "two": ("gave({a}, {b}, What)", "apart({a}, {b}, What)", "two named entities"),
    "rule": ("got({a}, What)", "got_apart({a}, What)", "a rule over one of them"),
    "join": ("through({a}, What)", "through_apart({a}, What)", "a rule that joins two"),
}
RULES = """
got(X, Z) :- gave(X, Y, Z).
through(X, W) :- gave(X, Y, Z), gave(Y, Z, W).
apart(X, Y, Z) :- giver(R, X), receiver(R, Y), thing(R, Z).
got_apart(X, Z) :- giver(R, X), thing(R, Z).
through_apart(X, W) :- apart(X, Y, Z), apart(Y, Z, W).
"""
ROWS = [
    Row("wide-load", "loading facts of three arguments", "as many pairs", within(2), LINE),
    *(
        Row(f"wide-{name}", f"a question, {title}", BY_HAND, within(1), LINE)
        for name, (_, _, title) in QUESTIONS.items()
    ),
]


@subject("wide", ROWS)
def measure(settings: Settings, wanted: frozenset[str]) -> Measured:
    facts = _facts(20_000 if settings.quick else 200_000)
    triples = "".join(f"gave(e{a}, e{b}, e{c}).\n" for a, b, c in facts.tolist())
    if "wide-load" in wanted:
        pairs = "".join(f"pair(e{a}, e{b}).\n" for a, b, _ in facts.tolist())
        turns = take_turns(_loading(triples), _loading(pairs), settings.rounds(9))
        yield "wide-load", share(turns, f"{len(facts):,} facts on either side")
    if wanted <= {"wide-load"}:
        return
    session = Session()
    session.add(triples, source="gave")
    session.add(_taken_apart(facts), source="apart")
    session.add(RULES, source="rules")
    for name in QUESTIONS:
        if f"wide-{name}" in wanted:
            ours, theirs = (_asking(session, text, facts) for text in QUESTIONS[name][:2])
            _check_same(ours, theirs)
            yield f"wide-{name}", share(take_turns(ours, theirs, settings.rounds(25)))


def _facts(number: int) -> np.ndarray:
    """Facts over a tenth as many entities, each once, in no order: no question comes twice."""
    generator = np.random.default_rng(1)
    drawn = generator.integers(0, number // 10, (number, 3))
    return generator.permutation(np.unique(drawn, axis=0))


def _taken_apart(facts: np.ndarray) -> str:
    names = ("giver", "receiver", "thing")
    return "".join(
        f"{name}(r{row}, e{fact[place]}).\n"
        for place, name in enumerate(names)
        for row, fact in enumerate(facts.tolist())
    )


def _loading(text: str) -> Callable[[int], object]:
    return lambda _: Session().add(text, source="facts")


def _asking(session: Session, text: str, facts: np.ndarray) -> Callable[[int], object]:
    def ask(number: int) -> object:
        a, b, _ = facts[number % len(facts)].tolist()
        return session.query(text.format(a=f"e{a}", b=f"e{b}"))

    return ask


def _check_same(ours: Callable, theirs: Callable) -> None:
    for number in range(5):
        if ours(number).weights != theirs(number).weights:
            raise AssertionError("the two sides answer differently")
