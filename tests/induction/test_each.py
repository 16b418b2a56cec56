"""Rules with a weight for each entity: one row for the reader, counted and weighed body by body."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.induction.bodies import end_of
from neurallog_kernel.induction.each import families
from neurallog_kernel.induction.findings import Family
from neurallog_kernel.induction.learner import RuleLearner
from neurallog_kernel.induction.options import LearnOptions
from neurallog_kernel.induction.table import RuleTable

MEXICAN = "mexican(X) :- reviewed(A, X), mexican_by_reviewed(A)."
CRITICS = 12  # critic k likes one kitchen: those with an even number Mexican places


def places(number: int = 60) -> str:
    """Each place has three critics, two of them of its own kitchen."""
    lines = []
    for place in range(number):
        mexican = place % 2 == 0
        own = [(place // 2 * 2 + 2 * k) % CRITICS + (not mexican) for k in range(2)]
        other = (place * 5) % CRITICS // 2 * 2 + mexican
        lines += [f"reviewed(c{critic}, b{place})." for critic in dict.fromkeys((*own, other))]
        lines.append(f"{float(mexican)}::example(mexican, b{place}).")
    return " ".join(lines)


def learned(text: str, head: str = "mexican/1", **options: object) -> tuple[Session, RuleTable]:
    session = Session()
    session.add(text, source="facts")
    return session, session.learn_rules(head, **{"each": ("reviewed/2",), "length": 2, **options})


def row_of(table: RuleTable, text: str) -> int:
    return next(row.number for row in table if row.text == text)


def test_one_row_stands_for_all_entities_and_carries_the_score() -> None:
    _, table = learned(places())
    row = table[row_of(table, MEXICAN)]
    assert row.number == 1 and row.kept and row.weight == 1.0
    assert (row.right, row.fires) == (30, 60)
    weights = dict(row.weights)
    assert set(weights) <= {f"c{n}" for n in range(CRITICS)}
    assert all((weight > 0) is (int(name[1:]) % 2 == 0) for name, weight in weights.items())
    (report,) = table.heads
    assert report.held_out is not None and report.held_out > 0.95
    assert f"{len(weights)} weights" in str(table) and " to +" in str(table)
    assert table.to_pandas().loc[1, "weights"] == len(weights)


def test_what_is_accepted_adds_up_the_weights_of_the_row() -> None:
    session, table = learned(places())
    row = table[row_of(table, MEXICAN)]
    table.accept([row.number])
    reviewers = defaultdict(list)
    for critic, place in session.query("reviewed(X, Y)").weights:
        reviewers[place].append(critic)
    weights = dict(row.weights)
    expected = {p: sum(weights.get(c, 0.0) for c in own) for p, own in reviewers.items()}
    answers = {at[0]: weight for at, weight in session.query("mexican(X)").weights.items()}
    assert answers == {p: pytest.approx(w, rel=1e-4) for p, w in expected.items() if p in answers}
    assert all(abs(w) < 1e-9 for p, w in expected.items() if p not in answers)
    again = Session()
    again.add(session.program())
    assert again.query("mexican(X)").weights == session.query("mexican(X)").weights


def test_it_is_known_when_the_search_is_repeated_and_can_be_undone() -> None:
    session, table = learned(places())
    before = session.program()
    table.accept([row_of(table, MEXICAN)])
    again = session.learn_rules("mexican/1", each=("reviewed/2",), length=2)
    assert again[row_of(again, MEXICAN)].known
    session.undo()
    assert session.program() == before


TWO_STEPS = " ".join(
    f"viewed(u{n}, i{n % 8}). viewed(u{n}, i{(n + 4) % 8}). ic(i{n % 8}, k{n % 4}). "
    f"{float(n % 4 < 2)}::example(male, u{n})."
    for n in range(40)
)


def test_two_ways_to_one_entity_count_once() -> None:
    text = "male(X) :- viewed(X, A), ic(A, B), male_by_viewed_ic(B)."
    session, table = learned(TWO_STEPS, "male/1", each=("ic/2",), length=3)
    row = table[row_of(table, text)]
    table.accept([row.number])  # each user has viewed two items of one kind
    answers = {at[0]: w for at, w in session.query("male(X)").weights.items()}
    weights = dict(row.weights)
    for user in range(40):
        expected = weights.get(f"k{user % 4}", 0.0)
        assert answers.get(f"u{user}", 0.0) == pytest.approx(expected, rel=1e-4)
    again = session.learn_rules("male/1", each=("ic/2",), length=3)
    assert again[row_of(again, text)].known


def test_an_argument_of_a_relation_has_them_too() -> None:
    text = " ".join(
        f"rank(p{n}, r{n % 3}). {float(n % 3 == 0)}::example(advises, p{n}, s{n % 5})."
        for n in range(45)
    )
    session, table = learned(text, "advises/2", each=("rank/2",), length=2)
    row = table[row_of(table, "advises(X, Y) :- rank(X, A), advises_by_rank(A).")]
    table.accept([row.number])
    weights = dict(row.weights)
    answers = session.query("advises(p0, Y)").weights
    assert answers and all(w == pytest.approx(weights["r0"], rel=1e-4) for w in answers.values())


def test_reasons_misses_rejection_and_revision_know_such_a_row() -> None:
    _, table = learned(places())
    number = row_of(table, MEXICAN)
    said = str(table.explain(number))
    assert "reviewed(c" in said and "weights:" in said
    table.untick(*table.ticked)
    table.tick(number)
    assert len(table.misses()) == 0
    changes = {(one.what, one.rule): one.difference for one in table.revise()}
    assert changes["without", MEXICAN] < -0.3
    table.reject(number)
    assert MEXICAN not in {row.text for row in table}
    assert MEXICAN not in {row.text for row in table.refit()}


def test_an_interrupt_leaves_the_row_with_weights_by_counts() -> None:
    session = Session()
    session.add(places())
    table = session.rule_table("mexican/1", each=("reviewed/2",), length=2)
    for _ in table.learner.search_only():
        pass
    table.candidates = table.learner.candidates()
    row = table[row_of(table, MEXICAN)]
    assert all(weight > 0 for _, weight in row.weights)
    assert "mexican_by_reviewed(c" in table.text([row.number])


def test_paths_that_lead_back_to_the_example_are_not_offered() -> None:
    _, table = learned(places(), length=3)
    assert all("reviewed(A, X), reviewed(A, B)" not in row.text for row in table)


def test_unknown_names_and_small_budgets_are_told() -> None:
    with pytest.raises(NeuralLogError, match="unknown predicate nope/2"):
        learned(places(), each=("nope/2",))
    with pytest.raises(NeuralLogError, match="each must be a list"):
        learned(places(), each="reviewed/2")
    session = Session()
    session.add(places())
    learner = RuleLearner(session._evaluator, LearnOptions(each=("reviewed/2",)))
    (text,) = [
        one
        for one in families(learner.graph, learner.heads[0], {("reviewed", 2)}, 2, 2, 10)
        if isinstance(one, str)
    ][:1]
    assert "more than the budget" in text


facts = st.sets(st.tuples(st.sampled_from("pq"), st.integers(0, 5), st.integers(0, 5)), min_size=1)
labels = st.dictionaries(st.integers(0, 5), st.booleans(), min_size=2)


@settings(max_examples=60, deadline=None)
@given(facts, labels)
def test_counts_are_those_of_trying_all(known: set, marked: dict[int, bool]) -> None:
    if not any(marked.values()):
        marked = {**marked, 0: True}
    session = Session()
    session.add(
        " ".join(f"{p}(e{a}, e{b})." for p, a, b in sorted(known))
        + " ".join(f"{float(true)}::example(h, e{a})." for a, true in marked.items())
    )
    options = LearnOptions(heads=("h/1",), held_out=0.0)
    learner = RuleLearner(session._evaluator, options)
    graph, (head,) = learner.graph, learner.heads
    for one in families(graph, head, {("p", 2), ("q", 2)}, 3, 1, 10**9):
        assert isinstance(one, Family)
        each = one.whole.body.each
        assert each is not None
        ends = {a: _ends(graph, known, each[1], a) for a in range(6)}
        for found in one.members:
            end = int(graph.name(end_of(found.body))[1:])
            right = sum(true and end in ends[a] for a, true in marked.items())
            assert found.right == right
            if head.is_listed:
                assert found.fires == sum(end in ends[a] for a in marked)
        assert one.whole.right == sum(bool(true and ends[a]) for a, true in marked.items())


def _ends(graph, known: set, steps: tuple[int, ...], start: int) -> set[int]:
    reached = {start}
    for step in steps:
        (name, _), inverse = graph.steps[step].signature, graph.steps[step].inverse
        pairs = [(b, a) if inverse else (a, b) for p, a, b in known if p == name]
        if graph.steps[step].symmetric:
            pairs += [(b, a) for a, b in pairs]
        reached = {b for a, b in pairs if a in reached}
    return reached
