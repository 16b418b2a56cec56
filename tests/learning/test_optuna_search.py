"""Selection with Optuna: it finds what is known to be best, repeats itself, keeps what it has."""

from __future__ import annotations

from typing import Any

import pytest

from neurallog_kernel import NeuralLogError, Session

pytest.importorskip("optuna", reason="needs the extra 'search'")

OPTIONS: dict[str, Any] = {
    "folds": 2,
    "epochs": 10,
    "batch_size": 100,
    "metric": "brier",
    "search": "optuna",
}
RANGE: dict[str, Any] = {"from": 1e-6, "to": 1.0, "log": True}


def session() -> Session:
    """Those with good(X) are to be chosen, which only a rate above about 0.05 learns in time."""
    s = Session()
    s.add("learn(w). h(X) :- good(X), w(a). h(X) :- odd(X), w(b). 0.01::w(a). 1::w(b).")
    s.add(" ".join(f"good(e{i})." for i in range(12)))
    s.add(" ".join(f"odd(e{i})." for i in range(0, 24, 2)))
    s.add(" ".join(f"{float(i < 12)}::h(e{i})." for i in range(24)), set="train")
    return s


def test_a_good_rate_is_found_in_a_range_and_again() -> None:
    s = session()
    before = s.program()
    found = s.select({"learning_rate": RANGE, "shuffle": [True, False]}, tries=8, **OPTIONS)
    assert found.best["learning_rate"] > 0.01
    assert found.choices[0].result.mean < found.choices[-1].result.mean
    assert s.program() == before
    again = s.select({"learning_rate": RANGE, "shuffle": [True, False]}, tries=8, **OPTIONS)
    assert again.to_pandas().equals(found.to_pandas())
    assert s.train(epochs=10, batch_size=100, **found.best).epochs == 10


def test_halving_drops_settings_early() -> None:
    options = {**OPTIONS, "folds": 4, "epochs": 3}
    found = session().select({"learning_rate": RANGE}, tries=8, halving=True, **options)
    folds = [len(choice.result.folds) for choice in found.choices]
    assert max(folds) == 4
    assert min(folds) < 4
    assert found.choices[0].complete


def test_an_interrupt_keeps_what_was_measured() -> None:
    def stop(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    found = session().select({"epochs": [1, 2]}, folds=2, search="optuna", tries=3, progress=stop)
    assert found.interrupted
    assert len(found.choices) == 2


@pytest.mark.parametrize(
    ("space", "options", "said"),
    [
        ({"learning_rate": {"from": 1, "to": 0.1}}, {}, "from one number up"),
        ({"learning_rate": {"from": 0, "to": 1, "log": True}}, {}, "both above 0"),
        ({"learning_rate": {"from": 0.1, "til": 1}}, {}, "from one number up"),
        ({"learning_rate": []}, {}, "needs a list"),
        ({"rate": [1]}, {}, "unknown option rate"),
        ({"epochs": {"from": -3, "to": 5}}, {}, "epochs"),
        ([{"epochs": 3}], {}, "a table of values"),
        ({"epochs": [3]}, {"search": "luck"}, "search must be optuna"),
        ({"epochs": {"from": 1, "to": 5}}, {"search": None}, "needs a list"),
    ],
)
def test_bad_input_is_told_before_the_first_training(
    space: Any, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(NeuralLogError, match=said):
        session().select(space, **{"search": "optuna", **options})
