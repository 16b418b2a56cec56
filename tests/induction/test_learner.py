"""A search for rules as a whole: the same twice, bounded, and clear about what it cannot do."""

from __future__ import annotations

import pytest

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.induction.learner import RuleLearner, learn_rules
from neurallog_kernel.induction.options import LearnOptions

FACTS = "".join(
    f"p(a{i}, b{i % 7}). q(b{i % 7}, c{i % 5}). r(a{i}, c{(i * i) % 5}). h(a{i}, c{i % 5})."
    for i in range(35)
)


def last(text: str, **options):
    session = Session()
    session.add(text)
    *_, snapshot = learn_rules(session._evaluator, LearnOptions(**options))
    assert snapshot.finished
    return snapshot


def test_the_same_options_find_the_same_text() -> None:
    first, second = (last(FACTS, heads=("h/2",)).candidates for _ in range(2))
    assert first.rows == second.rows and first.rows
    assert first.accept([1, 2]).splitlines()[1:] == second.accept([1, 2]).splitlines()[1:]


def test_a_budget_of_nothing_looks_at_nothing_and_says_so() -> None:
    snapshot = last(FACTS, heads=("h/2",), budget=0)
    assert snapshot.stopped == "budget" and not snapshot.candidates.rows
    assert any("budget" in line for line in snapshot.candidates.cut)


def test_a_hub_is_sampled_within_the_budget_and_said() -> None:
    hub = "".join(f"p(hub, x{i}). q(x{i}, hub)." for i in range(3000)) + "h(x1, x2). h(x2, x3)."
    snapshot = last(hub, heads=("h/2",), budget=0.5, min_support=1)
    assert not snapshot.candidates.exact
    assert any("entities" in line for line in snapshot.candidates.cut)


def test_a_search_in_pieces_finds_what_a_whole_one_finds() -> None:
    session = Session()
    session.add(FACTS)
    learner = RuleLearner(session._evaluator, LearnOptions(heads=("h/2",), budget=100))
    for _ in range(200):
        *_, snapshot = learner.run(0.05)
        if not snapshot.stopped:
            break
    whole = last(FACTS, heads=("h/2",), budget=100).candidates
    assert [(row.text, row.right) for row in learner.candidates()] == [
        (row.text, row.right) for row in whole
    ]


def test_an_interrupt_within_a_piece_of_work_loses_only_that_piece() -> None:
    session = Session()
    session.add(FACTS)
    learner = RuleLearner(session._evaluator, LearnOptions(heads=("h/2",)))
    add_block, calls = learner.findings.add_block, []

    def interrupted(block) -> None:
        calls.append(block)
        if len(calls) == 8:
            raise KeyboardInterrupt
        add_block(block)

    learner.findings.add_block = interrupted  # type: ignore[method-assign]
    *_, snapshot = learner.run()
    assert snapshot.stopped == "interrupted" and snapshot.candidates.rows
    *_, again = learner.run()
    assert (
        again.stopped == "" and again.candidates.rows == last(FACTS, heads=("h/2",)).candidates.rows
    )


def test_concepts_attributes_and_constants() -> None:
    people = "".join(
        f"lives(p{i}, {'rome' if i % 2 else 'oslo'}). age(p{i}, {20 + i})."
        f"{1.0 if i % 2 else 0.0}::example(warm, p{i})."
        f"{float(i > 20)}::example(old, p{i})."
        for i in range(40)
    )
    warm = last(people, heads=("warm/1",), constants=("lives/2",)).candidates
    assert warm[1].text == "warm(X) :- lives(X, rome)."
    assert (warm[1].right, warm[1].fires) == (20, 20)
    old = last(people, heads=("old/1",)).candidates
    assert old[1].text == "old(X) :- age(X, A), at_least(A, 40)."  # a quantile: one is wrong
    assert (old[1].right, old[1].fires) == (19, 20)


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("p(a, b). learn(h).", {"heads": ("h/2",)}, "unknown predicate h/2"),
        ("", {}, "nothing to learn"),
        ("p(a, b).", {"heads": ("q",)}, "unknown predicate q"),
        ("age(a, 3).", {"heads": ("age/2",)}, "cannot be learned"),
        ("0.0::example(h, a, b). p(a, b).", {"heads": ("h/2",)}, "all examples of h/2 are false"),
        ("p(a, b).", {"bodies": ("nope/2",)}, "unknown predicate nope/2"),
        ("p(a, b).", {"metarules": ("P(X :- ",)}, "metarule"),
    ],
)
def test_bad_input_is_named(text: str, options: dict, said: str) -> None:
    with pytest.raises(NeuralLogError, match=said):
        last(text, **options)


@pytest.mark.parametrize(
    "text",
    [
        "h(a, a).",  # one entity
        "1.0::example(h, a, b). 1.0::example(h, c, d). p(a, b).",  # all labels equal
        "".join(f"p{i}(a, b)." for i in range(300)) + "h(a, b). h(c, d).",
    ],
)
def test_little_to_learn_from_gives_a_table_all_the_same(text: str) -> None:
    last(text, heads=("h/2",), length=2)


def test_a_metarule_allows_its_form_only() -> None:
    found = last(FACTS, heads=("h/2",), metarules=("P(X, Y) :- Q(X, Z), R(Z, Y).",)).candidates
    assert found.rows
    for row in found:
        assert len(row.rule.body) == 2
        first, second = row.rule.body
        assert first.terms[0] == row.rule.head.terms[0] and first.terms[1] == second.terms[0]


def test_a_condition_more_is_found_by_the_search() -> None:
    """Heads of groups advise those who came in the last four years, and students at that."""
    text = "".join(f"leads(h{g}, g{g})." for g in range(3))
    for i in range(48):
        text += f"member(p{i}, g{i % 3}). years(p{i}, {1 + i % 8})."
        text += f"student(p{i})." if i % 5 else ""
        text += f"advises(h{i % 3}, p{i})." if i % 5 and i % 8 < 4 else ""
    found = last(text, heads=("advises/2",), length=3, held_out=0).candidates
    base = "advises(X, Y) :- leads(X, A), member(Y, A)"
    rows = {row.text: row for row in found}
    assert (rows[f"{base}."].right, rows[f"{base}."].fires) == (19, 48)
    both = rows[f"{base}, years(Y, B), at_most(B, 4)."]
    assert (both.right, both.fires) == (19, 24)
    assert (rows[f"{base}, student(Y)."].right, rows[f"{base}, student(Y)."].fires) == (19, 38)
    session = Session()
    session.add(text)
    session.add(found.accept([both.number]))
    assert len(session.query("advises(X, Y)").weights) == 24


def test_a_concept_of_two_conditions() -> None:
    text = "".join(
        f"{'red' if i % 2 else 'blue'}(t{i}). size(t{i}, {i % 10})."
        f"{float(i % 2 and i % 10 > 4)}::example(good, t{i})."
        for i in range(60)
    )
    found = last(text, heads=("good/1",), length=2, held_out=0).candidates
    both = next(row for row in found if row.right == row.fires)
    assert "red(X)" in both.text and "at_least(" in both.text and both.right == 18


def test_of_very_many_relations_as_many_are_looked_at_as_the_budget_pays_for() -> None:
    text = "".join(f"r{n}(a{n % 5}, b{n % 3}). " for n in range(1500))
    text += "r7(a1, b2). r7(a4, b0). r9(a4, b1)."
    found = last(text, budget=0.001, length=1, min_support=1).candidates
    assert len(found.heads) == 100
    assert {("r7", 2), ("r9", 2)} <= {report.head for report in found.heads}  # the most facts
    assert "1,400 heads with few facts" in found.cut[0] and "larger budget" in found.cut[0]
    assert "499 predicates with few facts" in found.cut[1]
    named = last(text, heads=("r1400/2",), budget=0.001, length=1).candidates
    assert [report.head for report in named.heads] == [("r1400", 2)]
    assert not any("heads" in line for line in named.cut)


def test_a_target_without_facts_and_examples_says_what_to_give() -> None:
    with pytest.raises(NeuralLogError) as caught:
        last("p(a, b).", heads=("advises/2",))
    assert caught.value.hint == "give facts or examples of it first"


def test_a_concept_is_no_reason_for_itself() -> None:
    session = Session()
    session.add("".join(f"age(e{n}, {n})." + (f"old(e{n})." if n >= 30 else "") for n in range(50)))
    found = session.learn_rules("old/1", held_out=0)
    assert "at_least(A, 30)" in found.rows[0].text
    assert not [row.text for row in found if "old(X)" in row.text.split(":-")[1]]
