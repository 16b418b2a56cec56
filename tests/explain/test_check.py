"""Each check has a program that triggers it and one that does not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from neurallog_kernel import Session
from neurallog_kernel.explain.check_depth import FEW_ENTITIES

FACTS = "p(a, b). p(b, c). q(b, c). q(c, a). u(a). u(b). age(a, 10). age(b, 12)."
CASES = {  # the finding: a program with it, and one without
    "unknown_predicate": ("h(X) :- pp(X, Y), u(Y).", "h(X) :- p(X, Y), u(Y)."),
    "single_variable": ("h(X) :- p(X, Y).", "h(X) :- p(X, _)."),
    "negated_sum": ("h(X) :- u(X), not p(X, _).", "h(X) :- u(X), p(X, Y), not q(X, Y)."),
    "only_any": ("h(X, Y) :- p(X, Y), q(X, Z), u(Z).", "h(X, Y) :- p(X, Y), q(Z, Y), p(X, Z)."),
    "disconnected": ("h(X, Y) :- p(X, Y), q(A, B), p(B, A).", "h(X, Y) :- p(X, Y), u(a)."),
    "separate_sums": (
        "h(X, Y) :- p(X, Z), p(Z, Y), q(Z, Y).",
        "h(X, Y) :- p(X, Z), r(Z, Y). r(Z) :- q(Z, _). r(Z, Y) :- r(Z), p(Z, Y).",
    ),
    "function_on_ones": ("h(X, Y) :- u(X), tanh(Y).", "h(X, Y) :- p(X, Y), tanh(Y)."),
    "function_at_zero": (
        "h(X, Z) :- p(X, Y), sigmoid(Y), q(Y, Z).",
        "h(X, Z) :- p(X, Y), tanh(Y), q(Y, Z), sigmoid(Z).",
    ),
    "counted_twice": (
        "0.5::v(a). h(X, Y) :- v(X), p(X, Y), q(Z, Y), p(X, Z).",
        "0.5::v(a). h(X, Y) :- v(X), p(X, Z), q(Z, Y).",
    ),
    "empty_type": ("h(X, Y) :- g(X, Y). learn(g).", "h(X, Y) :- p(X, Y)."),
    "never_fires": ("h(X, Z) :- q(X, Y), u(Y), p(Y, Z), p(X, Y).", "h(X, Z) :- p(X, Y), q(Y, Z)."),
    "no_negatives": (
        "learn(w). h(X) :- u(X), w(w1). example(h, a).",
        "learn(w). h(X) :- u(X), w(w1). example(h, a). 0::example(h, b).",
    ),
    "nothing_to_learn": (
        "learn(w). g(X) :- u(X), w(w1). h(X, Y) :- p(X, Y). example(h, a, b).",
        "learn(w). h(X, Y) :- p(X, Y), w(w1). example(h, a, b).",
    ),
    "unreached_learnable": (
        "learn(w). learn(b). h(X, Y) :- p(X, Y), w(w1). g(X) :- b(g), u(X). example(h, a, b).",
        "learn(w). learn(b). h(X, Y) :- p(X, Y), w(w1). h(X, Y) :- b(h). example(h, a, b).",
    ),
    "cut_recursion": (
        "c(a, b). c(b, d). c(d, e). c(e, f). h(X, Y) :- c(X, Y). h(X, Y) :- c(X, Z), h(Z, Y).",
        "c(a, b). c(b, d). h(X, Y) :- c(X, Y). h(X, Y) :- c(X, Z), h(Z, Y).",
    ),
    "expensive_question": (
        "set_parameter(question_budget, 1). h(X, Y) :- p(X, Z), p(Z, Y).",
        "h(X, Y) :- p(X, Z), p(Z, Y).",
    ),
    "unsettled_recursion": (
        "c(a, b). c(b, a). h(X, Y) :- c(X, Y). h(X, Y) :- c(X, Z), h(Z, Y)."
        "set_parameter(recursion_depth, until_stable).",
        "c(a, b). c(b, d). h(X, Y) :- c(X, Y). h(X, Y) :- c(X, Z), h(Z, Y)."
        "set_parameter(recursion_depth, until_stable).",
    ),
}


def test_branches_in_the_rules_of_a_call_count_a_weight_twice() -> None:
    """Nothing was said of it: the branches are in another rule, here in one below that."""
    session = Session()
    session.add(
        "p(a, b). q(a, b). 0.5::v(a). both(X, Y) :- p(X, Y), q(X, Y). also(X, Y) :- both(X, Y)."
    )
    session.add("h(X, Y) :- v(X), also(X, Y). g(X, Y) :- v(X), p(X, Y).", source="rules")
    assert session.query("h(a, Y)").weights == {("b",): 0.25}
    (found,) = [one for one in session.check() if one.kind == "counted_twice"]
    assert found.span is not None and (found.span.source, found.span.column) == ("rules", 12)
    assert "2 branches leave X in the rules of also" in found.message


def test_examples_that_are_not_trained_on_teach_nothing() -> None:
    rules = "learn(w). h(X) :- u(X), w(w1). "
    sets = "example_set(train). example(h, a). example_set(test). 0::example(h, b)."
    assert "no_negatives" in found(rules + sets)
    assert "unreached_learnable" in found(f"learn(b). {rules} {sets} g(X) :- b(X). example(g, a).")


def found(program: str) -> set[str]:
    session = Session()
    session.add(FACTS, source="facts")
    session.add(program, source="rules")
    return session.check().kinds


@pytest.mark.parametrize("kind", CASES)
def test_a_program_with_it_and_one_without(kind: str) -> None:
    with_it, without_it = CASES[kind]
    assert kind in found(with_it)
    assert kind not in found(without_it)


def test_the_factor_of_a_disconnected_part_is_given() -> None:
    session = Session()
    session.add(FACTS + "h(X, Y) :- p(X, Y), q(A, B), u(A).")
    (finding,) = [f for f in session.check() if f.kind == "disconnected"]
    assert "q(A, B), u(A)" in finding.message
    assert "which is 1 now" in finding.message


def test_a_finding_has_its_place_and_a_fix() -> None:
    session = Session()
    session.add("parent(a, b).", source="facts")
    session.add("\nold(X) :-\n  parnet(X, _).", source="rules")
    (finding,) = session.check("rules").important
    assert (finding.span.source, finding.span.line, finding.span.column) == ("rules", 3, 3)
    assert finding.hint == "did you mean parent/2?"
    assert str(session.check("rules")).splitlines()[0].startswith("rules:3: unknown_predicate: ")


def test_a_bias_and_a_plain_chain_are_not_remarked() -> None:
    session = Session()
    session.add(
        FACTS + "learn(w). learn(b). h(X, Y) :- p(X, Z), q(Z, Y), tanh(Y), w(w1). h(X, Y) :- b(h)."
    )
    assert str(session.check()) == "No problems found."


def test_a_predicate_of_another_arity_is_the_one_meant() -> None:
    session = Session()
    session.add("p(a, b). h(X) :- p(X).")
    assert [f.hint for f in session.check() if f.kind == "unknown_predicate"] == [
        "did you mean p/2?"
    ]


def test_quick_leaves_out_what_may_take_long_to_compute() -> None:
    session = Session()
    session.add(CASES["cut_recursion"][0])
    assert "cut_recursion" in session.check(quick=True).kinds  # a few entities are counted at once
    session.add("set_parameter(recursion_depth, 2).", source="chosen")
    assert "cut_recursion" in session.check().kinds
    assert "cut_recursion" not in session.check(quick=True).kinds
    session.remove("chosen")
    many = " ".join(f"c(e{i}, e{i + 1})." for i in range(FEW_ENTITIES))
    session.add(many)
    assert "cut_recursion" in session.check().kinds
    assert "cut_recursion" not in session.check(quick=True).kinds


def test_recursion_through_another_predicate_is_seen() -> None:
    session = Session()
    session.add("c(a, b). c(b, d). c(d, e). c(e, f). h(X, Y) :- c(X, Y). h(X, Y) :- g(X, Y).")
    session.add("g(X, Y) :- c(X, Z), h(Z, Y).")
    assert "cut_recursion" in session.check().kinds


def test_a_predicate_of_its_own_does_not_hide_separate_sums() -> None:
    """Its branches are summed separately where it is asked for many entities, and only there."""
    session = Session()
    session.add("p(a, b). p(a, c). q(b, d). r(c, d).", source="facts")
    session.add("both(Z, Y) :- q(Z, Y), r(Z, Y).", source="helper")
    session.add("alias(Z, Y) :- both(Z, Y).", source="alias")
    assert not session.query("both(Z, Y)").weights
    assert "separate_sums" not in session.check().kinds
    for called in ("both", "alias"):
        session.add(f"h(X, Y) :- p(X, Z), {called}(Z, Y).", source="chain")
        assert session.query("h(a, Y)").weights == {("d",): 1.0}
        (finding,) = [f for f in session.check() if f.kind == "separate_sums"]
        assert finding.span.source == "chain"


def test_answers_that_come_back_as_facts_join_exactly() -> None:
    """The other way out that the hint names."""
    session = Session()
    session.add("p(a, b). p(a, c). q(b, d). r(c, d). 0.5::q(c, e). r(c, e).", source="facts")
    session.add("both(Z, Y) :- q(Z, Y), r(Z, Y).", source="helper")
    session.load_table(session.query("both(Z, Y)"), "exact(Z, Y)")
    session.add("h(X, Y) :- p(X, Z), exact(Z, Y).", source="chain")
    assert session.query("h(a, Y)").weights == {("e",): 0.5}
    assert not session.check().kinds


def test_a_number_that_occurs_once_is_not_remarked() -> None:
    session = Session()
    session.add("age(a, 10). p(a, b). h(X) :- age(X, A).")
    assert not session.check().kinds


DATA = Path(os.environ.get("NEURALLOG_DATA", Path(__file__).parents[3] / "shared" / "data"))
EXPECTED = {
    "uwcse": {"only_any", "separate_sums", "function_on_ones", "single_variable"},
    "yelp": {"single_variable"},
    "cora": set(),
    "pakdd15": {"single_variable"},
    "wordnet": {"never_fires"},
}


@pytest.mark.parametrize("name", EXPECTED)
def test_the_theories_of_the_paper(name: str) -> None:
    folder = DATA / name
    if not folder.exists():
        pytest.skip("the paper's data is not beside the project")
    session = Session()
    for file in ("facts.pl", "fold1/facts.pl", "config.pl", "theory.pl"):
        if (folder / file).exists():
            session.load(folder / file, source=file)
    train = "train.pl" if (folder / "train.pl").exists() else "fold1/train.pl"
    session.load(folder / train, set="train", source="train.pl")
    assert session.check().kinds == EXPECTED[name]


def test_the_factor_of_a_disconnected_part_is_that_of_the_network() -> None:
    """`any` takes the mean here, not the sum."""
    session = Session()
    session.add("0.5::u(a). 0.25::u(b). p(a, b). set_parameter(any_aggregation_function, mean).")
    session.add("h(X, Y) :- p(X, Y), u(Z).", source="rules")
    (finding,) = [f for f in session.check() if f.kind == "disconnected"]
    assert session.query("h(a, b)").weight == 0.375
    assert "which is 0.375 now" in finding.message


def test_a_function_under_its_name_in_python_is_known_by_its_name_here():
    session = Session()
    session.add("4::p(a). h(X) :- p(X), sqrt(X). g(X) :- p(X), tahn(X).")
    hints = [notice.hint for notice in session.check() if notice.kind == "unknown_predicate"]
    assert hints == ["did you mean square_root/1?", "did you mean tanh/1?"]


def test_recursion_that_does_not_settle_is_said_under_its_cell() -> None:
    """Its numbers look like any others: 4.9e19 was shown without a word."""
    session = Session()
    session.add(CASES["unsettled_recursion"][0])
    assert "unsettled_recursion" in session.check(quick=True).important.kinds
