"""Bodies at examples: as the engine counts, but never with the help of the example's own fact."""

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from neurallog_kernel import Session
from neurallog_kernel.induction.bodies import Body
from neurallog_kernel.induction.columns import Columns
from neurallog_kernel.induction.learner import RuleLearner
from neurallog_kernel.induction.options import LearnOptions

ENTITIES = "abcd"
facts = st.sets(
    st.tuples(st.sampled_from("pq"), st.sampled_from(ENTITIES), st.sampled_from(ENTITIES)),
    min_size=2,
    max_size=14,
)


def holds(steps, known, x, y):
    """Whether some walk leads from x to y."""
    reached = {x}
    for predicate, turned in steps:
        pairs = {(b, a) if turned else (a, b) for p, a, b in known if p == predicate}
        reached = {b for a, b in pairs if a in reached}
    return y in reached


@settings(max_examples=60, deadline=None)
@given(facts, st.integers(1, 4), st.randoms(use_true_random=False))
def test_an_example_is_judged_without_its_own_fact(known, length, random):
    session = Session()
    session.add("".join(f"{p}({x}, {y})." for p, x, y in sorted(known)))
    graph = RuleLearner(session._evaluator, LearnOptions()).graph
    columns = Columns(graph)
    places = {graph.name(i): i for i in range(graph.size)}
    every = list(product(range(len(graph.steps)), repeat=length))
    for steps in random.sample(every, min(12, len(every))):
        named = [(graph.steps[s].signature[0], graph.steps[s].inverse) for s in steps]
        whole = columns.holds(Body(steps)).toarray()
        for own in sorted({p for p, _, _ in known}):
            mine = sorted((x, y) for p, x, y in known if p == own)
            first, second = (np.array([places[pair[i]] for pair in mine]) for i in (0, 1))
            found = columns.at(Body(steps), (own, 2), first, second)
            for (x, y), value in zip(mine, found, strict=True):
                assert value == (x != y and holds(named, known - {(own, x, y)}, x, y))
                assert whole[places[x], places[y]] == holds(named, known, x, y)
