"""Programs that could grow beyond their text: calls along many ways, unknown names, templates."""

from __future__ import annotations

from collections.abc import Callable

from neurallog_kernel import Session


def two_before(size: int) -> Callable[[int], object]:
    """So many rules that each call the two before, from text to the first answer."""
    facts = "p0(a, b). p0(b, c). p0(c, a). p1(a, c). p1(b, b). p1(c, a).\n"
    rules = "\n".join(f"p{i + 2}(X, Y) :- p{i}(X, Z), p{i + 1}(Z, Y)." for i in range(size))
    return _answered(facts + rules, f"p{size + 1}(a, Y)")


def doubled_recursion(size: int) -> Callable[[int], object]:
    """A rule that calls itself twice, so deep, over 300 facts."""
    facts = "".join(f"p(n{i}, n{i + 1}). " for i in range(300))
    depth = f'set_predicate_parameter("p/2", recursion_depth, {size}).\n'
    return _answered(depth + facts + "p(X, Y) :- p(X, Z), p(Z, Y).", "p(n0, Y)")


def before_facts(size: int) -> Callable[[int], object]:
    """So many rules over predicates of which nothing is known yet."""
    return _answered("\n".join(f"h{i}(X, Y) :- b{i}(X, Z), c{i}(Z, Y)." for i in range(size)))


def one_predicate(size: int) -> Callable[[int], object]:
    """So many rules of one predicate, each over a predicate of its own."""
    facts = "\n".join(f"b{i}(a, c{i % 10})." for i in range(size))
    rules = "\n".join(f"h(X, Y) :- b{i}(X, Y)." for i in range(size))
    return _answered(f"{facts}\n{rules}", "h(a, Y)")


def instances(size: int) -> Callable[[int], object]:
    """A template with so many instances."""
    facts = "\n".join(f"rel_{i}(a, b)." for i in range(size))
    return _answered(facts + "\nt_{i}(X, Y) :- rel_{i}(X, Y).")


def _answered(text: str, question: str | None = None) -> Callable[[int], object]:
    def load(_: int) -> None:
        session = Session()
        session.add(text)
        if question is not None:
            session.query(question)

    return load
