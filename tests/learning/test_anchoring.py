"""The anchor: weights that stay near their start, against steps by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from neurallog_kernel import NeuralLogError, Session

pytestmark = pytest.mark.usefixtures("eager")

# The answer is the weight itself: the loss is (w - 1)^2, the penalty anchor * (w - 0.2)^2.
TEXT = "0.2::w(k). h(X) :- e(X), w(k). e(a). learn(w). example(h, a)."


def session(*texts: str) -> Session:
    s = Session()
    for text in (TEXT, *texts):
        s.add(text)
    return s


def weight(s: Session) -> float:
    return s.query("w(k)").weights[()]


def by_hand(anchor: float, epochs: int, start: float = 0.2) -> float:
    now = start
    for _ in range(epochs):
        now -= 0.1 * (2 * (now - 1) + 2 * anchor * (now - start))
    return now


@pytest.mark.parametrize("backend", ["numpy", "tensorflow"])
def test_the_steps_are_those_by_hand(backend: str) -> None:
    s = session()
    history = s.train(epochs=5, learning_rate=0.1, anchor=0.7, backend=backend)
    assert weight(s) == pytest.approx(by_hand(0.7, 5), abs=1e-6)
    assert history.settings["anchor"] == 0.7
    assert history.logs["loss"][0] == pytest.approx(0.64)


def test_a_program_can_set_it_and_the_call_goes_before() -> None:
    s = session("set_parameter(anchor, 0.7).")
    s.train(epochs=5, learning_rate=0.1)
    assert weight(s) == pytest.approx(by_hand(0.7, 5), abs=1e-6)
    t = session("set_parameter(anchor, 0.7).")
    t.train(epochs=5, learning_rate=0.1, anchor=2.0)
    assert weight(t) == pytest.approx(by_hand(2.0, 5), abs=1e-6)


def test_a_checkpoint_goes_on_with_the_same_start(tmp_path: Path) -> None:
    options = {"learning_rate": 0.1, "anchor": 0.7, "checkpoint": tmp_path / "run.nlz"}
    session().train(epochs=2, **options)
    s = session()
    s.train(epochs=5, **options)
    assert weight(s) == pytest.approx(by_hand(0.7, 5), abs=1e-6)


@pytest.mark.parametrize("backend", ["numpy", "tensorflow"])
def test_members_have_their_own_start(backend: str) -> None:
    text = "h(X) :- f(X, Y), v(Y). f(a, b). f(c, d). learn(v). example(h, a). 0::example(h, c)."
    ensemble, alone = Session(), Session()
    for s in (ensemble, alone):
        s.add(text)
    options = {"epochs": 3, "learning_rate": 0.1, "anchor": 5.0, "backend": backend}
    ensemble.train(seeds=2, seed=1, **options)
    found = []
    for seed in (1, 2):
        alone.train(seed=seed, **options)
        found.append(alone.query("v(b)").weight)
        alone.undo()
    assert ensemble.query("v(b)").weight == pytest.approx(sum(found) / 2, abs=1e-6)


@pytest.mark.parametrize("wrong", [0, -1.0, "much", True])
def test_bad_input_is_told(wrong: object) -> None:
    with pytest.raises(NeuralLogError, match="anchor must be"):
        session().train(anchor=wrong)  # type: ignore[arg-type]
