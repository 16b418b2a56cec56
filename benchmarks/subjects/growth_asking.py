"""Growth of asking and editing: the works whose size is facts, entities, rules or depth."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.bases import random_base
from benchmarks.subjects.editing import adding, unrelated
from neurallog_kernel import Session


def touched(size: int) -> Callable[[int], object]:
    """Two hops from hubs of so many facts, in a base that is always the same size."""
    hubs = 6  # more than the executor remembers
    facts = [f"p(h{k}, e{i}).\n" for k in range(hubs) for i in range(size)]
    facts += [f"q(e{i}, f{i}).\n" for i in range(size)]
    session = Session()
    session.add("".join(facts), "facts")
    session.add("two(X, Y) :- p(X, Z), q(Z, Y).", "rules")
    return lambda k: session.query(f"two(h{k % hubs}, Y)")


def around(size: int) -> Callable[[int], object]:
    """The same question and the same facts, in a type of so many entities."""
    session = Session()
    session.add("".join(f"p(a{i}, b{i}). q(b{i}, c{i}).\n" for i in range(500)), "facts")
    session.add("".join(f"p(x{i}, y{i}).\n" for i in range(size // 2)), "others")
    session.add("f(X, Y) :- p(X, Z), q(Z, Y).", "rules")
    return lambda k: session.query(f"f(a{k % 500}, Y)")


def beside_a_hub(size: int) -> Callable[[int], object]:
    """Facts of three arguments: the first given place has so many, the second a few."""
    few = 500
    session = Session()
    session.add("".join(f"gave(hub, e{i}, t{i % 50}).\n" for i in range(size)), "hub")
    session.add("".join(f"gave(f{i}, e{i}, t{i % 50}).\n" for i in range(few)), "others")
    session.add("got(X, Y, Z) :- gave(X, Y, Z).", "rules")
    return lambda k: session.query(f"got(hub, e{k % few}, T)")


def unrelated_rules(size: int) -> Callable[[int], object]:
    """A rule more and its answer, beside so many rules of other predicates."""
    return adding(unrelated(size))


def _rules_text(size: int) -> str:
    return "".join(f"f{i}(X, Y) :- p(X, Z), q{i % 50}(Z, Y), w(k{i}).\n" for i in range(size))


def load_rules(size: int) -> Callable[[int], object]:
    """So many rules as text, to the first answer of one of them."""
    text = _rules_text(size)
    facts = "p(a, b). learn(w). " + " ".join(f"q{i}(b, c)." for i in range(50))

    def load(_: int) -> None:
        session = Session()
        session.add(facts, "facts")
        session.add(text, "rules")
        session.query("f1(a, Y)")

    return load


def same_predicate(size: int) -> Callable[[int], object]:
    """A question of one predicate with so many rules."""
    session = Session()
    entities = 2_000
    base = random_base(entities, 8_000)
    session.add(base.text(), "facts")
    names = ("p", "q", "r")
    text = "".join(
        f"{1 + i}::f(X, Y) :- {names[i % 3]}(X, Z), {names[i // 3 % 3]}(Z, Y).\n"
        for i in range(size)
    )
    session.add(text, "rules")
    asked = sorted({a for a, _ in base.pairs["p"].tolist()})
    return lambda k: session.query(f"f(e{asked[k % len(asked)]}, Y)")


def chain(size: int) -> Callable[[int], object]:
    """A question through so many rules, each over the one before; one fact a hop."""
    session = Session()
    session.add("".join(f"p(e{i}, e{i + 1}).\n" for i in range(3_000)), "facts")
    session.add(_chain(size), "rules")
    return lambda k: session.query(f"f{size}(e{k % 1_000}, Y)")


def load_chain(size: int) -> Callable[[int], object]:
    """The same from text to the first answer: types, graphs and plan of so deep a program."""

    def load(_: int) -> None:
        session = Session()
        session.add("".join(f"p(e{i}, e{i + 1}).\n" for i in range(3_000)), "facts")
        session.add(_chain(size), "rules")
        session.query(f"f{size}(e1, Y)")

    return load


def _chain(size: int) -> str:
    rules = [f"f{i}(X, Y) :- f{i - 1}(X, Z), p(Z, Y).\n" for i in range(2, size + 1)]
    return "f1(X, Y) :- p(X, Y).\n" + "".join(rules)


def recursion(size: int) -> Callable[[int], object]:
    """A recursive rule applied so many times, from text to the first answer."""
    facts = "".join(f"p(e{i}, e{i + 1}).\n" for i in range(3_000))
    rules = f"set_parameter(recursion_depth, {size}).\nf(X, Y) :- p(X, Y).\n"
    rules += "f(X, Y) :- p(X, Z), f(Z, Y).\n"

    def load(number: int) -> None:
        session = Session()
        session.add(facts, "facts")
        session.add(rules, "rules")
        session.query(f"f(e{number % 1_000}, Y)")

    return load
