"""The table of learned rules: nothing enters unseen, what enters can be taken back, and its reasons
are the facts."""

from __future__ import annotations

import signal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurallog_kernel import NeuralLogError, ParameterError, Session
from neurallog_kernel.induction.table import RuleTable
from neurallog_kernel.induction.walks import Walks

FACTS = """parent(ann, bob). parent(ann, cat). parent(dan, bob). parent(bob, eve).
parent(cat, fay). parent(cat, gus). parent(eve, hal). parent(fay, ida).
lives(ann, rome). lives(eve, rome). lives(fay, oslo). lives(dan, oslo). lives(gus, oslo).
"""
TRUE = "ann,eve ann,fay ann,gus dan,eve bob,hal cat,ida dan,gus"
EXAMPLES = " ".join(f"example(grandparent, {pair.replace(',', ', ')})." for pair in TRUE.split())


def opened() -> Session:
    session = Session()
    session.add(FACTS, source="facts")
    session.add(EXAMPLES, source="examples")
    return session


def learned(session: Session, **options: object) -> RuleTable:
    return session.learn_rules("grandparent/2", **{"min_support": 1, **options})


GRANDPARENT = "grandparent(X, Y) :- parent(X, A), parent(A, Y)."


def number_of(table: RuleTable, text: str) -> int:
    return next(row.number for row in table if row.text == text)


def test_nothing_enters_before_it_is_accepted_and_undo_takes_it_back() -> None:
    session = opened()
    before = session.program()
    table = learned(session)
    assert session.program() == before
    change = table.accept([number_of(table, GRANDPARENT)], source="learned")
    assert change.rules_added == 1
    assert ("fay",) in session.query("grandparent(ann, X)").weights
    session.undo()
    assert session.program() == before


def test_an_accepted_program_reads_back_and_gives_the_same_answers() -> None:
    session = opened()
    learned(session).accept()
    again = Session()
    again.add(session.program())
    for question in ("grandparent(X, Y)", "grandparent(ann, Y)", "grandparent(X, gus)"):
        assert again.query(question).weights == session.query(question).weights
        assert session.query(question).weights


def test_many_ways_to_a_proof_count_as_one() -> None:
    session = Session()
    session.add("p(a, u). p(a, v). q(u, b). q(v, b). p(c, u). h(a, b). h(c, b).")
    table = session.learn_rules("h/2", length=2, min_support=1)
    number = number_of(table, "h(X, Y) :- p(X, A), q(A, Y).")
    row = table[number]
    session.remove(session.sources[0])
    session.add("p(a, u). p(a, v). q(u, b). q(v, b). p(c, u).")
    table.accept([number])
    assert session.query("h(X, b)").weights == pytest.approx(
        {("a",): row.weight, ("c",): row.weight}, abs=1e-5
    )


def test_each_table_has_a_source_of_its_own_and_a_second_accept_replaces_the_first() -> None:
    session = opened()
    table = learned(session)
    table.accept([1])
    change = table.accept([2])
    assert (change.rules_added, change.rules_removed) == (1, 1)
    assert "learned grandparent/2" in session.sources


def test_a_rejected_row_is_gone_for_good() -> None:
    table = learned(opened())
    text = table[1].text
    rows = len(table)
    table.reject(1)
    assert text not in [row.text for row in table] and len(table) == rows - 1
    table.more_time(1)
    assert text not in [row.text for row in table]
    assert [row.number for row in table] == list(range(1, len(table) + 1))


def test_ticks_belong_to_rules_and_stay_when_rows_move() -> None:
    table = learned(opened())
    second = table[2].text
    table.untick(*table.ticked)
    table.tick(2)
    table.reject(1)
    assert [table[number].text for number in table.ticked] == [second]
    assert table.text() == table.text([1])
    assert list(table.to_pandas()["ticked"]).count(True) == 1


def test_misses_are_the_examples_that_no_ticked_row_reaches() -> None:
    table = learned(opened())
    table.untick(*table.ticked)
    table.tick(number_of(table, GRANDPARENT))
    found = table.misses()
    assert (len(found), found.looked_at) == (1, 7)
    (miss,) = found
    assert miss.atom == "grandparent(dan, gus)"
    assert [fact.text for fact in miss.facts] == ["lives(dan, oslo)", "lives(gus, oslo)"]
    assert miss.rule == "grandparent(X, Y) :- lives(X, A), lives(Y, A)."
    assert "facts:3" in str(found)


def test_an_example_that_nothing_connects_says_so() -> None:
    session = opened()
    session.add("example(grandparent, zoe, hal). parent(zoe, yan).", source="more")
    table = learned(session)
    assert any("no way of up to" in str(miss) for miss in table.misses(top=20))


def test_reasons_show_right_and_wrong_instances_with_their_lines() -> None:
    session = opened()
    session.add("0::parent(hal, ida). example(grandparent, bob, eve).", source="wrong")
    table = learned(session)
    found = table.explain(number_of(table, GRANDPARENT), top=50)
    assert len(found.right) == table[number_of(table, GRANDPARENT)].right == 6
    assert found.right[0].facts[0].place == "facts:1"
    assert all(proof.atom.replace(" ", "")[12:-1] in TRUE for proof in found.right)
    assert not any(proof.atom in [p.atom for p in found.right] for proof in found.wrong)


@st.composite
def bases(draw: st.DrawFn) -> str:
    people = "abcde"
    facts = draw(st.sets(st.tuples(*map(st.sampled_from, ("pqh", people, people))), min_size=4))
    return " ".join(f"{name}({one}, {other})." for name, one, other in sorted(facts))


@settings(max_examples=40, deadline=None)
@given(bases())
def test_instances_are_what_the_miner_counted(text: str) -> None:
    """The proofs are found by a search of their own: as many as the sparse products counted."""
    session = Session()
    session.add(text + " h(a, b). h(b, c).")
    table = session.learn_rules("h/2", min_support=1, shown=40)
    for row in table:
        found = table.explain(row.number, top=1000)
        assert len(found.right) == row.right, row.text
        atoms = [proof.atom for proof in (*found.right, *found.wrong)]
        assert len(set(atoms)) == len(atoms) <= row.fires, row.text


def test_an_interrupt_keeps_the_best_so_far_and_the_search_goes_on() -> None:
    session = opened()

    table = learned(session, length=3)
    whole = str(table)
    stopped = session.rule_table("grandparent/2", min_support=1)
    stopped.search(0.0)
    assert stopped.finished and stopped.stopped == "budget"
    assert any("more_time" in line for line in stopped.not_looked_at)
    stopped.more_time(5)
    assert [row.text for row in stopped] == [row.text for row in table]
    assert "exact" in whole


def test_an_interrupt_of_the_search_is_not_the_end_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A real signal, in the midst of counting: the search stops, and then goes on to the end."""
    session = opened()
    whole = [row.text for row in learned(session)]
    table = session.rule_table("grandparent/2", min_support=1)
    real, calls = Walks.length_two, []

    def interrupted(self: Walks, first: int):
        calls.append(first)
        if len(calls) == 1:
            signal.raise_signal(signal.SIGINT)
        return real(self, first)

    monkeypatch.setattr(Walks, "length_two", interrupted)
    table.search()
    assert table.stopped == "interrupted" and len(calls) == 1
    assert "not looked at: interrupted at paths of length 2" in str(table)
    table.more_time(5)
    assert table.stopped == "" and [row.text for row in table] == whole


def test_a_second_interrupt_ends_it_at_once_and_loses_nothing() -> None:
    session = opened()
    whole = [row.text for row in learned(session)]

    def impatient(snapshot: object) -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    table = session.rule_table("grandparent/2", min_support=1).search(progress=impatient)
    assert table.stopped == "interrupted" and len(table)
    assert [row.text for row in table.more_time(5)] == whole


def test_revise_says_what_each_change_moves() -> None:
    session = opened()
    session.add("grandparent(X, Y) :- lives(X, A), lives(Y, A). female(ann). female(cat).")
    table = learned(session)
    table.untick(*table.ticked)
    found = table.revise()
    assert found.rules == 1 and found.drawn
    gains = {(one.what, one.rule): one.difference for one in found}
    row = number_of(table, GRANDPARENT)
    best = gains[f"with row {row}", GRANDPARENT]
    assert found.changes[0].difference == best > 0.2
    table.tick(row)
    again = table.revise()
    assert again.figure == pytest.approx(found.figure + best)
    lost = {one.what: one.difference for one in again if one.rule == GRANDPARENT}
    assert lost["without"] == pytest.approx(-best)
    assert "and female(X) in" in lost
    assert "without parent(X, A) in" not in lost  # X must stay in the body
    assert "ROC AUC" in str(again)


def test_revise_finds_a_cut_of_a_number() -> None:
    """Heads of groups advise those who came in the last four years; nobody said so."""
    people = [f"p{number}" for number in range(24)]
    years = {name: 1 + number % 8 for number, name in enumerate(people)}
    text = [f"years({name}, {years[name]})." for name in people]
    text += [f"member({name}, g{number % 3})." for number, name in enumerate(people)]
    text += [f"leads(h{group}, g{group})." for group in range(3)]
    text += [
        f"example(advises, h{number % 3}, {name})."
        for number, name in enumerate(people)
        if years[name] <= 4
    ]
    session = Session()
    session.add(" ".join(text))
    table = session.learn_rules("advises/2", length=2, bodies=("leads/2", "member/2", "years/2"))
    rule = "advises(X, Y) :- leads(X, A), member(Y, A)."
    table.untick(*table.ticked)
    table.tick(number_of(table, rule))
    found = table.revise()
    best = found.changes[0]
    assert (best.what, best.rule) == ("and years(Y, N), at_most(N, 4) in", rule)
    assert found.figure + best.difference == pytest.approx(1.0)
    changed = rule.replace(").", "), years(Y, N), at_most(N, 4).")
    session.add(changed)
    answers = session.query("advises(X, Y)").weights
    assert {(f"h{n % 3}", p) for n, p in enumerate(people) if years[p] <= 4} == set(answers)


def test_a_changed_program_is_said() -> None:
    session = opened()
    table = learned(session)
    assert not table.is_stale
    table.accept([1])
    assert not table.is_stale
    session.add("parent(x, y).")
    assert "the program has changed" in str(table)


def test_a_head_that_no_body_reaches_says_why() -> None:
    session = Session()
    session.add("likes(a, b). other(c, d).")
    assert "no rule" in str(session.learn_rules("likes/2"))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda s, t: s.learn_rules("grandprent/2"), "unknown predicate grandprent/2"),
        (lambda s, t: s.learn_rules("grandparent/2", budgt=3), "no option budgt"),
        (lambda s, t: s.learn_rules(3), "must be text"),
        (lambda s, t: s.learn_rules("grandparent/2", budget=-1), "budget"),
        (lambda s, t: s.learn_rules("grandparent/2", length=0), "length"),
        (lambda s, t: Session().learn_rules(), "nothing to learn rules from"),
        (lambda s, t: t.accept([99]), "no row 99"),
        (lambda s, t: t.accept([]), "no row is chosen"),
        (lambda s, t: t.accept("1"), "by their numbers"),
        (lambda s, t: t.accept([True]), "not the number of a row"),
        (lambda s, t: t.more_time(0), "more_time"),
        (lambda s, t: t.more_time("soon"), "more_time"),
        (lambda s, t: t.explain(0), "no row 0"),
        (lambda s, t: t.misses("parent/2"), "not about parent/2"),
    ],
)
def test_bad_input_is_named_and_changes_nothing(call, said: str) -> None:
    session = opened()
    table = learned(session)
    before = session.program()
    with pytest.raises(NeuralLogError, match=said):
        call(session, table)
    assert session.program() == before


def test_an_unknown_option_suggests_the_one_that_was_meant() -> None:
    with pytest.raises(ParameterError) as caught:
        opened().learn_rules("grandparent/2", budgt=3)
    assert "budget" in caught.value.hint


def test_several_heads_are_named_one_after_the_other() -> None:
    session = opened()
    table = session.learn_rules("grandparent/2", "parent/2", min_support=1, length=2)
    assert [report.head for report in table.heads] == [("grandparent", 2), ("parent", 2)]
    with pytest.raises(ParameterError, match="heads must be text, not 2"):
        session.learn_rules("grandparent/2", 2)  # type: ignore[arg-type]


def test_heads_may_be_a_list() -> None:
    """Before, a list was refused as no text."""
    session = opened()
    found = [
        session.learn_rules(*heads, min_support=1, length=2, **options)
        for heads, options in (
            (("grandparent/2", "parent/2"), {}),
            ((), {"heads": ["grandparent/2", "parent/2"]}),
        )
    ]
    assert found[0].heads and [row.text for row in found[0]] == [row.text for row in found[1]]
