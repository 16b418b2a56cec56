"""Adding rules, asking, and large bases, each beside hand-written SciPy or a smaller base.

python -m benchmarks.inference            # all
python -m benchmarks.inference rules      # or: queries, large, growth
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # `make bench` runs this file by its path

import numpy as np
import scipy.sparse as sp

from benchmarks.measure import Table, interleaved, once, resident
from neurallog_kernel import Session
from neurallog_kernel.knowledge.matrices import array_bytes


def rules() -> None:
    """One rule more in a program of many, to its first answer."""
    table = Table("one rule added, to its first answer")
    for title, make in (("unrelated predicates", _unrelated), ("the same predicate", _same)):
        for count in (10, 100, 1000):
            session = make(count)
            [seconds] = interleaved(lambda k, s=session, m=make: _add_and_ask(s, m, k))
            goal = 50.0 if count == 1000 else None
            table.row(f"beside {count:,} rules of {title}", seconds * 1e3, "ms", goal)
    session = _unrelated(1000)
    [seconds] = interleaved(lambda k: _edit_and_ask(session, k))
    table.row("a cell of one rule edited, beside 1,000 others", seconds * 1e3, "ms", 50.0)


def _unrelated(count: int) -> Session:
    session = Session()
    session.add("".join(f"p{i}(a, b). p{i}(b, c). q{i}(c, d).\n" for i in range(count)), "facts")
    text = "".join(f"f{i}(X, Y) :- p{i}(X, Z), q{i}(Z, Y).\n" for i in range(count))
    session.add(text, "rules")
    session.query("f1(b, Y)")
    return session


def _same(count: int) -> Session:
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


def _add_and_ask(session: Session, make: object, number: int) -> None:
    if make is _unrelated:
        session.add(f"g{number}(X, Y) :- p1(X, Z), p2(Z, Y).", f"new-{number}")
        session.query(f"g{number}(a, Y)")
    else:
        session.add(f"f(X, Y) :- p{number}(X, Z), p{39 - number}(Z, W), p1(W, Y).", f"n-{number}")
        session.query(f"f(e{number}, Y)")


def _edit_and_ask(session: Session, number: int) -> None:
    session.add(f"{number + 2}::g(X, Y) :- p1(X, Z), p2(Z, Y).", "cell")
    session.query("g(a, Y)")


# -- single questions -----------------------------------------------------------------------------


def queries() -> None:
    """A question with a warm plan and an entity that was not asked before."""
    table = Table("one question, against SciPy by hand (sparse row times CSR matrices)")
    for count in (10_000, 50_000, 200_000):
        base = _Base(count, facts=10 * count)
        for title, query, by_hand in (
            ("chain of 2", "two", base.two),
            ("chain of 2 with a unary literal", "marked", base.marked),
            ("chain of 3", "three", base.three),
        ):
            ours, theirs = interleaved(
                lambda k, b=base, q=query: b.session.query(f"{q}(e{b.asked[k]}, Y)"),
                lambda k, b=base, h=by_hand: h(b.asked[k]),
            )
            title = f"{title}, {count // 1000} k entities ({ours * 1e3:.2f} ms ours)"
            table.row(title, ours / theirs, "times", 1.5)


class _Base:
    """A random base in a session, and the same matrices by hand."""

    def __init__(self, count: int, facts: int) -> None:
        rng = np.random.default_rng(11)
        self.matrices = []
        lines = []
        for name in ("p", "q", "r"):
            pairs = np.unique(rng.integers(0, count, (facts // 3, 2)), axis=0)
            lines += [f"{name}(e{a}, e{b}).\n" for a, b in pairs.tolist()]
            ones = np.ones(len(pairs))
            self.matrices.append(sp.csr_array((ones, pairs.T), shape=(count, count)))
        some = rng.choice(count, count // 4, replace=False)
        lines += [f"u(e{a}).\n" for a in some.tolist()]
        self.unary = np.zeros(count)
        self.unary[some] = 1.0
        self.asked = rng.permutation(np.flatnonzero(np.diff(self.matrices[0].indptr)))
        self.session = Session()
        self.session.add("".join(lines), "facts")
        self.session.add(
            "two(X, Y) :- p(X, Z), q(Z, Y).\n"
            "marked(X, Y) :- p(X, Z), u(Z), q(Z, Y).\n"
            "three(X, Y) :- p(X, A), q(A, B), r(B, Y).",
            "rules",
        )

    def two(self, entity: int) -> sp.csr_array:
        p, q, _ = self.matrices
        return p[[entity]] @ q

    def marked(self, entity: int) -> sp.csr_array:
        p, q, _ = self.matrices
        return p[[entity]].multiply(self.unary).tocsr() @ q

    def three(self, entity: int) -> sp.csr_array:
        p, q, r = self.matrices
        return p[[entity]] @ q @ r


# -- a large base ---------------------------------------------------------------------------------


def large(entities: int = 1_000_000, facts: int = 10_000_000) -> None:
    """A text file of facts: loading, memory, a three-hop question, and cells beside it."""
    table = Table(f"{entities:,} entities, {facts:,} facts")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "facts.pl"
        _write(path, entities, facts)
        session = Session()
        before = resident()
        table.row("load the text file", once(lambda: session.load(path, source="base")), "s", 60)
    after = resident()
    session.add("three(X, Y) :- p(X, A), p(A, B), p(B, Y).", "rules")
    seconds = once(lambda: session.query("three(e7, Y)"))
    table.row("the first three-hop question", seconds * 1e3, "ms")
    [seconds] = interleaved(lambda k: session.query(f"three(e{k + 100}, Y)"))
    table.row("a three-hop question", seconds * 1e3, "ms", 100)
    table.row("arrays of the facts", _bytes(session) / facts, "B a fact", 24)
    session.query("three(X, e7)")
    table.row("the same, asked backwards as well", _bytes(session) / facts, "B a fact", 24)
    table.row("process grown by loading, names included", (after - before) / facts, "B a fact")
    table.row("process grown in all", (resident() - before) / facts, "B a fact")
    [seconds] = interleaved(lambda k: _rerun(session, k))
    table.row("a rule cell edited, to its answer", seconds * 1e3, "ms", 100)
    [seconds] = interleaved(lambda k: _append(session, k))
    table.row("one fact appended, to an answer with it", seconds * 1e3, "ms", 200)


def _write(path: Path, entities: int, facts: int) -> None:
    rng = np.random.default_rng(3)
    with path.open("w", encoding="utf-8") as file:
        for _ in range(0, facts, 500_000):
            pairs = rng.integers(0, entities, (min(500_000, facts), 2)).tolist()
            file.write("".join(f"p(e{a}, e{b}).\n" for a, b in pairs))


def _bytes(session: Session) -> int:
    arrays: list[np.ndarray] = []
    program = session._program
    for unit in program.units.values():
        for block in unit.facts.values():
            arrays += [*block.entities, *block.numbers, block.weights, block.lines]
        arrays += unit.constants.values()
    arrays += [kind.members for kind in program.types.values()]
    for signature, definition in program.definitions.items():
        if definition.facts and signature[1] == 2:
            for part in session._relations.relation(program, signature).parts:
                arrays += part.arrays
    return array_bytes(arrays)


def _rerun(session: Session, number: int) -> None:
    session.add(f"{number + 2}::three(X, Y) :- p(X, A), p(A, B), p(B, Y).", "rules")
    session.query(f"three(e{number}, Y)")


def _append(session: Session, number: int) -> None:
    session.add(f"p(e{number}, new{number}).", "more")
    session.query(f"p(e{number}, Y)")


# -- growth ---------------------------------------------------------------------------------------


def growth() -> None:
    """The same question when the base around it grows."""
    table = Table("what does not concern a question does not slow it down")
    small, large = (_around(count) for count in (1_000, 300_000))
    ours = interleaved(
        lambda k: small.query(f"f(a{k}, Y)"), lambda k: large.query(f"f(a{k}, Y)"), rounds=40
    )
    table.row("300 times the unrelated entities and facts", ours[1] / ours[0], "times", 1.5)
    few, many = _unrelated(10), _unrelated(1000)
    asked = interleaved(
        lambda k: _add_and_ask(few, _unrelated, k), lambda k: _add_and_ask(many, _unrelated, k)
    )
    table.row("100 times the unrelated rules, a rule added", asked[1] / asked[0], "times", 1.5)


def _around(count: int) -> Session:
    session = Session()
    facts = [f"p(a{i}, b{i}). q(b{i}, c{i}).\n" for i in range(100)]
    facts += [f"other(e{i}, e{i + 1}).\n" for i in range(count)]
    session.add("".join(facts), "facts")
    session.add("f(X, Y) :- p(X, Z), q(Z, Y). g(X, Y) :- other(X, Z), other(Z, Y).", "rules")
    return session


if __name__ == "__main__":
    works = {"rules": rules, "queries": queries, "growth": growth, "large": large}
    for name in sys.argv[1:] or works:
        works[name]()
