"""Mega examples: those of one id stay in one batch, in order, whatever else is in the set."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurallog_kernel import Session
from neurallog_kernel.learning.choices.options import TrainOptions, decide
from neurallog_kernel.learning.examples.batches import RowPlan
from neurallog_kernel.learning.examples.targets import Target, targets_of
from neurallog_kernel.learning.sampling import with_negatives
from tests.language.generators import examples as cases

WORDS = """
word(the). word(dog). word(runs). word(run).
learn("w/2"). pos(X, Y) :- word(X), w(X, Y).
w(the, det). w(dog, noun). w(runs, verb). w(run, noun). w(run, verb).
"""


def session(examples: str) -> Session:
    made = Session()
    made.add(WORDS, source="program")
    made.add(examples, source="examples", set="train")
    return made


def targets(made: Session) -> list[Target]:
    return targets_of(made._program, made._symbols, "train")


def steps(made: Session) -> list[tuple[int, str, dict[str, float]]]:
    """The rows of the only target: group, input, labels."""
    (target,) = targets(made)
    entities = made._program.entity_type(("pos", 2, 1))
    names = made._symbols.names(entities.members.tolist())
    found: list[tuple[int, str, dict[str, float]]] = []
    for row, (key, group) in enumerate(zip(target.keys, target.groups.tolist(), strict=True)):
        listed = np.flatnonzero(target.rows == row)
        labels = {names[target.outputs[i]]: float(target.labels[i]) for i in listed}
        found.append((group, made._symbols.name(key[0]), labels))
    return found


# -- what a step is -------------------------------------------------------------------------------


def test_a_word_may_stand_twice_in_a_sentence() -> None:
    made = session(
        """
        mega_example(1, pos, the, det). mega_example(1, pos, run, noun).
        mega_example(2, pos, run, verb). mega_example(2, pos, run, noun).
        """
    )
    assert steps(made) == [
        (0, "the", {"det": 1.0}),
        (0, "run", {"noun": 1.0}),
        (1, "run", {"verb": 1.0}),
        (1, "run", {"noun": 1.0}),
    ]


def test_what_is_not_so_belongs_to_the_step_before() -> None:
    made = session(
        "mega_example(1, pos, run, noun). 0::mega_example(1, pos, run, verb)."
        "mega_example(1, pos, run, noun). 0::mega_example(1, pos, run, det)."
        "0::mega_example(2, pos, run, det). mega_example(2, pos, run, noun)."
    )
    assert steps(made) == [
        (0, "run", {"noun": 1.0, "verb": 0.0}),
        (0, "run", {"noun": 1.0, "det": 0.0}),
        (1, "run", {"det": 0.0}),
        (1, "run", {"noun": 1.0}),
    ]


def test_a_variable_is_every_label_of_one_step() -> None:
    made = session("mega_example(1, pos, run, noun). mega_example(1, pos, run, Any).")
    first, second = steps(made)
    assert first[2] == {"noun": 1.0}
    assert second[2] == {"det": 1.0, "noun": 1.0, "verb": 1.0}


def test_groups_may_come_in_turn_and_beside_plain_examples() -> None:
    made = session(
        "pos(the, det). mega_example(b, pos, dog, noun). mega_example(a, pos, the, det)."
        "mega_example(b, pos, runs, verb). pos(dog, noun). 0::pos(the, det)."
    )
    # in a text, open examples and those of groups come first; of equal plain ones the last counts
    assert sorted(steps(made)) == [
        (-1, "dog", {"noun": 1.0}),
        (-1, "the", {"det": 0.0}),
        (0, "dog", {"noun": 1.0}),
        (0, "runs", {"verb": 1.0}),
        (1, "the", {"det": 1.0}),
    ]


def test_drawn_negatives_join_the_steps_of_their_subject() -> None:
    made = session(
        "mega_example(1, pos, run, noun). mega_example(1, pos, run, verb). pos(run, noun)."
        "pos(the, det)."
    )
    (listed,) = targets(made)
    from neurallog_kernel.learning.examples.targets import examples_of, targets_from

    (examples,) = examples_of(made._program, made._symbols, "train")
    more = with_negatives(made._program, made._symbols, examples, 3, seed=0)
    (target,) = targets_from(made._program, [more])
    assert target.keys == listed.keys
    counts = np.bincount(target.rows[target.labels == 0], minlength=len(target.keys))
    by_input = dict(zip(target.keys, counts.tolist(), strict=True))
    run = made._symbols.find("run")
    assert run is not None and by_input[run,] == 1, "det is all that run is listed nowhere with"
    assert [n for key, n in zip(target.keys, counts.tolist(), strict=True) if key == (run,)] == [
        1,
        1,
        1,
    ]


# -- batches --------------------------------------------------------------------------------------

groups = st.lists(st.integers(-1, 4), min_size=1, max_size=12)


@cases(200)
@given(groups, groups, st.integers(1, 5), st.none() | st.integers(0, 9))
def test_a_group_is_in_one_batch_and_in_order(
    first: list[int], second: list[int], size: int, seed: int | None
) -> None:
    made = Session()
    made.add("w(a, x). p(X, Y) :- w(X, Y). q(X, Y) :- w(X, Y). learn(w).")
    text = ""
    for name, of in (("p", first), ("q", second)):
        for number, group in enumerate(of):
            atom = f"{name}, i{number % 5}, x"
            text += f"example({atom}). " if group < 0 else f"mega_example(g{group}, {atom}). "
    made.add(text, set="train")
    found = targets(made)
    plan = RowPlan(found, size)
    divided = plan.batches(None if seed is None else np.random.default_rng(seed))
    batch_of: dict[int, set[int]] = {}
    for target, batches in zip(found, divided, strict=True):
        assert sorted(batches.order.tolist()) == list(range(len(target.keys)))
        for batch in range(plan.count):
            rows = batches.order[batches.starts[batch] : batches.starts[batch + 1]]
            own = target.groups[rows].tolist()
            runs = [g for i, g in enumerate(own) if g >= 0 and (i == 0 or own[i - 1] != g)]
            assert len(runs) == len(set(runs)), "the rows of a group stand side by side"
            for group in set(runs):
                batch_of.setdefault(group, set()).add(batch)
                inside = [row for row in rows.tolist() if target.groups[row] == group]
                assert inside == sorted(inside)
    assert all(len(batches) == 1 for batches in batch_of.values())
    assert plan.sizes.sum() == plan.total
    assert len(plan.sizes) == plan.count


# -- training -------------------------------------------------------------------------------------

FLAT = """
f(a, 1). f(b, 2). f(c, 3). f(d, 0.5). f(e, 4).
learn(w). h(X) :- f(X, A), w(k). 0.3::w(k).
"""
LABELS = {"a": 0.9, "b": 0.2, "c": 0.4, "d": 0.7, "e": 0.1}
VALUES = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 0.5, "e": 4.0}


def trained(text: str, **options) -> float:
    made = Session()
    made.add(FLAT, source="program")
    made.add(text, source="examples")
    made.train(**{"epochs": 1, "learning_rate": 0.05} | options)
    return made.query("w(k)").weights[()]


def by_hand(batches: list[str], epochs: int = 1) -> float:
    weight = 0.3
    for _ in range(epochs):
        for batch in batches:
            slopes = [2 * (VALUES[x] * weight - LABELS[x]) * VALUES[x] for x in batch]
            weight -= 0.05 * sum(slopes) / len(batch)
    return weight


def mega(group: str, names: str) -> str:
    return " ".join(f"{LABELS[x]}::mega_example({group}, h, {x})." for x in names)


@pytest.mark.usefixtures("eager")
def test_each_mega_example_is_a_batch_of_its_own() -> None:
    text = mega("one", "ab") + mega("two", "cda") + mega("three", "e")
    assert trained(text, epochs=3) == pytest.approx(by_hand(["ab", "cda", "e"], 3), abs=1e-6)


@pytest.mark.usefixtures("eager")
def test_the_batch_size_counts_mega_examples() -> None:
    text = mega("one", "ab") + mega("two", "cda") + mega("three", "e")
    found = trained(text, batch_size=2)
    assert found == pytest.approx(by_hand(["abcda", "e"]), abs=1e-6)


def test_shuffled_mega_examples_of_different_lengths() -> None:
    """The compiled loop sees the new lengths of its batches: it is not run step by step here."""
    text = mega("one", "ab") + mega("two", "cda") + mega("three", "e")
    made = Session()
    made.add(FLAT + text)
    plan = decide(made._program, TrainOptions())
    assert plan.batch_size == 1
    found = trained(text, epochs=4, shuffle=True, seed=3)
    generator = np.random.default_rng(3)
    weight = 0.3
    for _ in range(4):
        place = generator.permutation(3)
        order = [["ab", "cda", "e"][i] for i in np.argsort(place)]
        for batch in order:
            slopes = [2 * (VALUES[x] * weight - LABELS[x]) * VALUES[x] for x in batch]
            weight -= 0.05 * sum(slopes) / len(batch)
    assert found == pytest.approx(weight, abs=1e-6)


@pytest.mark.usefixtures("eager")
def test_the_loss_is_the_mean_over_all_steps() -> None:
    made = Session()
    made.add(FLAT + mega("one", "ab") + mega("two", "cda"))
    history = made.train(epochs=1, learning_rate=0.0)
    errors = [(VALUES[x] * 0.3 - LABELS[x]) ** 2 for x in "abcda"]
    assert history.logs["loss"][0] == pytest.approx(np.mean(errors), abs=1e-6)


# -- evaluation and text --------------------------------------------------------------------------


def test_evaluation_counts_every_step() -> None:
    made = session(
        "mega_example(1, pos, run, noun). 0::mega_example(1, pos, run, det)."
        "mega_example(2, pos, run, noun). 0::mega_example(2, pos, run, det)."
    )
    metrics = made.evaluate("train")
    assert metrics.targets[0].examples == 4
    assert metrics["roc_auc"] == 1.0


def test_inferences_have_every_atom_once() -> None:
    made = session("mega_example(1, pos, run, noun). mega_example(2, pos, run, noun).")
    text = made.inference("train")
    assert text.count("pos(run, noun).") == 1


def test_the_table_of_examples_names_the_groups() -> None:
    made = session("pos(the, det). mega_example(s1, pos, run, noun).")
    assert {(e.text, e.group) for e in made.examples()} == {
        ("pos(the, det)", None),
        ("pos(run, noun)", "s1"),
    }


def test_the_text_of_a_program_keeps_groups_and_their_order() -> None:
    made = session(
        "mega_example(b, pos, run, noun). mega_example(a, pos, the, det). pos(run, verb)."
    )
    again = Session()
    again.add(made.program())
    assert steps(again) == steps(made)
