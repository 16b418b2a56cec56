"""The miner's counts are those of brute force: every path, every head, every pair."""

from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neurallog_kernel import Session
from neurallog_kernel.induction.bit_walks import BitWalks
from neurallog_kernel.induction.bodies import rule_of
from neurallog_kernel.induction.learner import RuleLearner
from neurallog_kernel.induction.options import LearnOptions
from neurallog_kernel.induction.search import BodySearch
from neurallog_kernel.language.syntax import Literal, Variable

ENTITIES = "abcde"
facts = st.sets(
    st.tuples(st.sampled_from("pqr"), st.sampled_from(ENTITIES), st.sampled_from(ENTITIES)),
    min_size=1,
    max_size=22,
)
labels = st.dictionaries(
    st.tuples(st.sampled_from(ENTITIES), st.sampled_from(ENTITIES)), st.booleans(), max_size=14
)


exact = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(params=["walks", "bits"])
def counting(request, monkeypatch):
    """Both ways to count paths of three steps, whichever costs less."""

    def bits(search, walks):
        return BitWalks(search.graph, walks.pairs, walks.all) if request.param == "bits" else None

    monkeypatch.setattr(BodySearch, "_by_bits", bits)


def searched(text, **options):
    session = Session()
    session.add(text)
    learner = RuleLearner(
        session._evaluator,
        LearnOptions(min_support=1, kept=100_000, budget=100, held_out=0, **options),
    )
    for _ in learner.run():
        pass
    return learner


def counts(learner):
    """For each head and rule (as its literals) the two counts."""
    found = {}
    for number, head in enumerate(learner.heads):
        for one in learner.findings.best(number):
            key = head.signature[0], rule_of(learner.graph, head.signature, one.body).body
            assert key not in found, "a rule was found twice"
            found[key] = one.right, one.fires
    return found


def groundings(body, known):
    """All ways to make a body true with different entities for different variables."""
    names = list(dict.fromkeys(t.name for literal in body for t in literal.terms))
    for chosen in product(ENTITIES, repeat=len(names)):
        if len(set(chosen)) == len(chosen):
            at = dict(zip(names, chosen, strict=True))
            if all((b.predicate, *(at[t.name] for t in b.terms)) in known for b in body):
                yield at["X"], at["Y"]


def all_paths(relations, longest):
    """Every path as literals, in both directions of each step."""
    for length in range(1, longest + 1):
        names = ["X", *"AB"[: length - 1], "Y"]
        steps_of_all = [(p, turned) for p in relations for turned in (False, True)]
        for steps in product(steps_of_all, repeat=length):
            yield tuple(
                Literal(p, tuple(map(Variable, (e, s) if turned else (s, e))))
                for (p, turned), s, e in zip(steps, names[:-1], names[1:], strict=True)
            )


def reached(body, known):
    return frozenset(groundings(body, known))


@exact
@given(known=facts)
def test_counts_equal_brute_force_on_facts(counting, known):
    learner = searched("".join(f"{p}({x}, {y})." for p, x, y in sorted(known)))
    found = counts(learner)
    relations = sorted({p for p, _, _ in known})
    expected = {}
    for body in all_paths(relations, 3):
        pairs = reached(body, known)
        for head in relations:
            right = sum((head, x, y) in known for x, y in pairs)
            if right:
                expected[head, body] = right, len(pairs)
    for (head, body), numbers in found.items():
        assert expected[head, body] == numbers
    # what is left is the head itself, or a second spelling of something found
    spelled = {(head, reached(body, known)) for head, body in found}
    for head, body in expected:
        itself = len(body) == 1 and body[0].predicate == head
        assert itself or (head, reached(body, known)) in spelled or (head, body) in found


@exact
@given(known=facts, labelled=labels)
def test_counts_equal_brute_force_on_listed_examples(counting, known, labelled):
    text = "".join(f"{p}({x}, {y})." for p, x, y in sorted(known))
    text += "".join(f"{float(t)}::example(h, {x}, {y})." for (x, y), t in labelled.items())
    if not any(labelled.values()) or all(labelled.values()):
        return
    found = counts(searched(text, heads=("h/2",)))
    relations = sorted({p for p, _, _ in known})
    for body in all_paths(relations, 3):
        listed = [labelled[pair] for pair in reached(body, known) if pair in labelled]
        if ("h", body) in found:
            assert found["h", body] == (sum(listed), len(listed))
        elif sum(listed):
            pairs = reached(body, known)
            paths = [other for _, other in found if "X" in str(other) and "Y" in str(other)]
            assert any(reached(other, known) == pairs for other in paths), body
