"""Cross-validation and selection: honest folds, a known best setting, nothing left behind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from neurallog_kernel import NeuralLogError, Session

pytestmark = pytest.mark.usefixtures("eager")


def session(seed: int = 0) -> Session:
    """Forty people: those with good(X) are to be chosen, bad(X) says nothing."""
    drawn = np.random.default_rng(seed)
    people = [f"e{i}" for i in range(40)]
    good = [name for name in people if drawn.random() < 0.5]
    bad = [name for name in people if drawn.random() < 0.5]
    s = Session()
    s.add("learn(w). h(X) :- good(X), w(a). h(X) :- bad(X), w(b). 0.01::w(a). 1::w(b).")
    s.add(" ".join([*(f"good({n})." for n in good), *(f"bad({n})." for n in bad)]))
    labels = " ".join(f"{float(n in good)}::h({n})." for n in people)
    s.add(labels, source="train", set="train")
    return s


def test_the_best_setting_is_found_where_it_is_known() -> None:
    """A rate of 0 learns nothing, one of 0.5 learns that good(X) is what counts."""
    s = session()
    found = s.select({"learning_rate": [0.0, 0.5, 1e-6]}, folds=4, epochs=30, batch_size=100)
    assert found.best == {"learning_rate": 0.5}
    assert found.choices[0].result.mean == 1.0
    assert found.choices[-1].result.mean < 1.0
    assert found.program() == "set_parameter(learning_rate, 0.5)."
    table = found.to_pandas()
    assert list(table.columns) == ["learning_rate", "roc_auc", "deviation", "folds"]


def test_the_session_stays_as_it_is() -> None:
    s = session()
    s.add("h(e1). 0::h(e2).", source="test", set="test")
    before = s.program()
    s.cross_validate(folds=3, epochs=3, learning_rate=0.3)
    s.select({"epochs": [1, 2]}, folds=2)
    assert s.program() == before


def test_nothing_that_was_learned_before_is_used() -> None:
    """A weight for each example can know all labels; it must not know those held out."""
    s = Session()
    s.add("learn(u). h(X) :- u(X), e(X). " + " ".join(f"e(e{i})." for i in range(20)))
    s.add(" ".join(f"{i % 2}::h(e{i})." for i in range(20)), source="train", set="train")
    fresh = s.cross_validate(folds=4, groups="example", epochs=20, learning_rate=0.5)
    s.train(epochs=50, learning_rate=0.5)
    assert s.evaluate("train")["roc_auc"] == 1.0
    again = s.cross_validate(folds=4, groups="example", epochs=20, learning_rate=0.5)
    assert again.values == fresh.values
    assert again.mean < 0.9


def test_the_figures_are_those_of_sets_made_by_hand() -> None:
    """A fold measures as `evaluate` does on a set that was never trained on."""
    s = session()
    found = s.cross_validate(folds=2, groups="example", epochs=5, learning_rate=0.2, seed=3)
    evaluator = s._evaluator
    from neurallog_kernel.learning.examples.splits import folds_of
    from neurallog_kernel.learning.examples.targets import examples_of

    listed = examples_of(evaluator.program, evaluator.symbols, "train")
    for split, value in zip(
        folds_of(evaluator.program, listed, 2, "example", 0), found.values, strict=True
    ):
        by_hand = session()
        by_hand.remove("train")
        for part, name in ((split.kept, "train"), (split.held, "test")):
            (examples,) = part
            names = [evaluator.symbols.name(int(symbol)) for symbol in examples.places[0]]
            text = " ".join(
                f"{label}::h({n})." for n, label in zip(names, examples.labels, strict=True)
            )
            by_hand.add(text, source=name, set=name)
        by_hand.train(epochs=5, learning_rate=0.2, seed=3)
        assert by_hand.evaluate("test")["roc_auc"] == pytest.approx(value)


def test_halving_drops_the_worse_half_and_tells_how_far_it_is() -> None:
    s, told = session(), []
    rates = [0.5, 0.3, 0.0, 1e-6]
    found = s.select(
        {"learning_rate": rates},
        folds=4,
        halving=True,
        epochs=20,
        batch_size=100,
        progress=lambda done, total: told.append((done, total)),
    )
    assert [len(choice.result.folds) for choice in found.choices] == [4, 3, 2, 2]
    assert found.best["learning_rate"] in (0.5, 0.3)
    assert told[-1] == (11, 11) and len(told) == 11


def test_some_of_many_settings_are_drawn() -> None:
    s = session()
    space = {"epochs": list(range(1, 101)), "learning_rate": [i / 100 for i in range(1, 101)]}
    with pytest.raises(NeuralLogError, match="10,000 settings are too many"):
        s.select(space)
    found = s.select(space, tries=3, folds=2)
    assert len({choice.label for choice in found.choices}) == 3
    assert found.best == s.select(space, tries=3, folds=2).best


def test_a_list_of_settings() -> None:
    found = session().select(
        [{"optimizer": {"class_name": "adam", "learning_rate": 0.3}}, {"learning_rate": 1e-6}],
        folds=2,
        epochs=20,
    )
    assert found.program() == (
        "set_parameter(optimizer, class_name, adam).\n"
        "set_parameter(optimizer, config, learning_rate, 0.3)."
    )
    s = session()
    s.add(found.program())  # the text sets what the call set
    s.train(epochs=20)
    other = session()
    other.train(epochs=20, **found.best)
    assert s.query("w(X)").weights == other.query("w(X)").weights


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"space": {}}, "nothing to select from"),
        ({"space": {"epochs": 5}}, "epochs needs a list of values"),
        ({"space": {"epoch": [5]}}, "unknown option epoch of train"),
        ({"space": {"epochs": [5, -1]}}, "epochs must be a whole number"),
        ({"space": "epochs"}, "a table of values by option"),
        ({"space": {"epochs": [5]}, "folds": 1}, "folds must be a whole number of at least 2"),
        ({"space": {"epochs": [5]}, "folds": 41}, "41 folds need at least 41 groups"),
        ({"space": {"epochs": [5]}, "metric": "roc"}, "roc is not a metric"),
        ({"space": {"epochs": [5]}, "groups": "nosuch"}, "groups: unknown predicate"),
        ({"space": {"epochs": [5]}, "patience": 3}, "patience and keep_best need examples"),
        ({"space": {"epochs": [5]}, "validation": "v"}, "measures on the examples that each fold"),
        ({"space": {"epochs": [5]}, "tries": 0}, "tries must be a whole number"),
        ({"space": {"epochs": [5]}, "examples": "test"}, "test is for the figures at the end"),
        ({"space": {"examples": ["train", "test"]}}, "examples are the same for all settings"),
    ],
)
def test_odd_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(NeuralLogError, match=message):
        session().select(**arguments)


def test_folds_without_true_examples_are_refused() -> None:
    s = Session()
    s.add("learn(u). u(a). h(X) :- u(X). example(h, a). example(h, b). example(h, c).")
    with pytest.raises(NeuralLogError, match="no true and false examples") as caught:
        s.cross_validate(folds=3)
    assert "brier" in caught.value.hint
    assert s.cross_validate(folds=3, metric="brier").mean >= 0


def test_a_held_out_part_stops_each_fold() -> None:
    found = session().cross_validate(
        folds=2, epochs=40, hold_out=0.25, patience=2, keep_best=True, learning_rate=0.3
    )
    assert len(found.folds) == 2


def test_restarts_keep_the_lowest_loss() -> None:
    s = Session()
    s.add("learn(w). h(X, Y) :- p(X, Y), w(k), tanh(Y). p(a, b). example(h, a, b).")
    losses = []
    for seed in range(4):
        one = Session()
        one.add(s.program())
        losses.append(one.train(epochs=2, seed=seed, learning_rate=0.05).logs["loss"][-1])
    history = s.train(epochs=2, restarts=4, learning_rate=0.05)
    assert history.logs["loss"][-1] == min(losses)
    assert f"restart {losses.index(min(losses)) + 1} of 4 is kept" in history.notes[0]
    learned = s.query("w(k)").weights
    s.train(epochs=2, restarts=4, learning_rate=0.05)
    assert s.query("w(k)").weights == learned  # what was learned before is not used
    s.undo()
    s.undo()
    assert s.query("w(k)").weights == {(): 0.0}


@pytest.mark.parametrize("other", [{"resume": True}, {"checkpoint": "run.nlz"}])
def test_restarts_begin_anew(other: dict[str, Any]) -> None:
    s = session()
    with pytest.raises(NeuralLogError, match="cannot go together"):
        s.train(restarts=2, **other)
