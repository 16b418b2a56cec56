"""Paths of four and five literals: found from both ends, counted as judged."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurallog_kernel import Session
from neurallog_kernel.induction.columns import Columns
from neurallog_kernel.induction.learner import RuleLearner
from neurallog_kernel.induction.long_paths import LongPaths
from neurallog_kernel.induction.options import LearnOptions


def chain(length: int) -> str:
    """h leads along `length` other relations; shorter paths lead nowhere."""
    facts = []
    for i in range(12):
        nodes = [f"n{i}_{k}" for k in range(length + 1)]
        facts += [f"p{k}({nodes[k]}, {nodes[k + 1]})." for k in range(length)]
        facts.append(f"h({nodes[0]}, {nodes[-1]}).")
    return "".join(facts)


@pytest.mark.parametrize("length", [4, 5])
def test_a_long_path_is_found_and_a_short_search_does_not_find_it(length: int) -> None:
    session = Session()
    session.add(chain(length))
    table = session.learn_rules("h/2", length=length)
    letters = ["X", *"ABCD"[: length - 1], "Y"]
    body = ", ".join(f"p{k}({letters[k]}, {letters[k + 1]})" for k in range(length))
    assert (table[1].text, table[1].right, table[1].fires) == (f"h(X, Y) :- {body}.", 12, 12)
    assert any(f"paths of length {length}" in note for note in table.notes)
    assert not session.learn_rules("h/2", length=3).rows


EDGES = st.sets(
    st.tuples(st.sampled_from("pq"), st.integers(0, 6), st.integers(0, 6)), min_size=3, max_size=14
)


@settings(max_examples=25, deadline=None)
@given(EDGES, st.sampled_from([4, 5]))
def test_bodies_between_two_entities_are_those_of_brute_force(known, length) -> None:
    session = Session()
    session.add("".join(f"{p}(a{x}, a{y})." for p, x, y in sorted(known)))
    graph = RuleLearner(session._evaluator, LearnOptions()).graph
    paths = LongPaths(graph, Columns(graph), 0)
    edges = [matrix.toarray() for matrix in graph.between]

    def walks(visited: tuple[int, ...], steps: tuple[int, ...]):
        if len(steps) == length:
            yield visited, steps
            return
        for step, edge in enumerate(edges):
            for end in edge[visited[-1]].nonzero()[0].tolist():
                if end not in visited:
                    yield from walks((*visited, end), (*steps, step))

    expected: dict[tuple[int, int], set] = {}
    for x in range(graph.size):
        for visited, steps in walks((x,), ()):
            expected.setdefault((x, visited[-1]), set()).add(steps)
    for x in range(graph.size):
        for y in range(graph.size):
            if x != y:
                found = {paths._steps(code, length) for code in paths._between(x, y, length)}
                assert found == expected.get((x, y), set())
