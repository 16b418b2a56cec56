"""`until_stable`: the depth is found, and all answers are those of that depth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from neurallog_kernel import Session
from neurallog_kernel.errors import ParameterError

LINEAR = "path(X, Y) :- edge(X, Y). path(X, Y) :- edge(X, Z), path(Z, Y)."
TWICE = "path(X, Y) :- edge(X, Y). path(X, Y) :- path(X, Z), path(Z, Y)."
STABLE = "set_parameter(recursion_depth, until_stable)."
CHAIN = " ".join(f"edge(n{i}, n{i + 1})." for i in range(20))
LOOP = "0.5::edge(a, b). 0.5::edge(b, a). 0.25::edge(a, a)."


def opened(*texts: str) -> Session:
    session = Session()
    session.add(" ".join(texts), source="program")
    return session


def found(session: Session) -> tuple[int, float]:
    session.query("path(X, Y)")
    settled = session._program.settled["path", 2]
    return settled.depth, settled.change


def test_a_chain_is_followed_to_its_end() -> None:
    session = opened(CHAIN, LINEAR, STABLE)
    assert session.query("path(n0, Y)").weights == {(f"n{i}",): 1.0 for i in range(1, 21)}
    assert found(session) == (32, 0.0)


def test_a_loop_with_small_weights_is_summed() -> None:
    """(I - E)^-1 E: the sum of all walks."""
    edges = np.array([[0.25, 0.5], [0.5, 0.0]])
    expected = np.linalg.inv(np.eye(2) - edges) @ edges
    session = opened(LOOP, LINEAR, STABLE)
    weights = session.query("path(X, Y)").weights
    for (i, one), (j, other) in [(x, y) for x in enumerate("ab") for y in enumerate("ab")]:
        assert weights[one, other] == pytest.approx(expected[i, j], rel=1e-4)
    assert found(session)[1] == 0.0


def test_what_is_found_answers_as_a_number_that_was_written() -> None:
    session = opened(LOOP, LINEAR, STABLE)
    depth, _ = found(session)
    other = opened(LOOP, LINEAR, f"set_parameter(recursion_depth, {depth}).")
    assert session.query("path(X, Y)").weights == other.query("path(X, Y)").weights
    assert str(session.explain("path(a, b)")) == str(other.explain("path(a, b)"))
    assert str(session.sensitivity("path(a, b)")) == str(other.sensitivity("path(a, b)"))


def test_edits_look_for_it_again_and_what_fails_or_is_undone_leaves_nothing() -> None:
    session = opened("edge(n0, n1).", LINEAR, STABLE)
    assert found(session) == (1, 0.0)
    session.add(CHAIN, source="more")
    assert len(session.query("path(n0, Y)")) == 20
    with pytest.raises(ParameterError, match="a whole number of at least 0, or until_stable"):
        session.add("set_parameter(recursion_depth, forever).")
    assert len(session.query("path(n0, Y)")) == 20
    session.undo()
    assert len(session.query("path(n0, Y)")) == 1
    session.add(CHAIN, source="more")
    session.add('set_predicate_parameter("path/2", recursion_depth, 2).', source="depth")
    assert len(session.query("path(n0, Y)")) == 3
    session.remove("depth")
    assert len(session.query("path(n0, Y)")) == 20


def test_an_interrupt_while_it_is_looked_for_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from neurallog_kernel.evaluate import settling

    session, own, calls = opened(CHAIN, LINEAR, STABLE), settling._values, []

    def interrupted(*arguments: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return own(*arguments)

    monkeypatch.setattr(settling, "_values", interrupted)
    with pytest.raises(KeyboardInterrupt):
        session.query("path(n0, Y)")
    assert len(session.query("path(n0, Y)")) == 20


@pytest.mark.parametrize("rules", [LINEAR, TWICE])
def test_what_does_not_settle_is_said_and_answered_as_deep_as_numbers_go(rules: str) -> None:
    session = opened("2::edge(a, b). 3::edge(b, a).", rules, STABLE)
    depth, change = found(session)
    assert change > 0 and depth >= 4
    assert all(np.isfinite(w) for w in session.query("path(X, Y)").weights.values())
    (notice,) = [n for n in session.check() if n.kind == "unsettled_recursion"]
    assert notice.message.startswith(f"path/2 does not become stable: at depth {depth} its values")


def test_groups_that_call_groups_and_other_arities() -> None:
    session = opened(
        CHAIN,
        LINEAR,
        "even(X) :- start(X). odd(Y) :- even(X), edge(X, Y). even(Y) :- odd(X), edge(X, Y)."
        "start(n0). far(X, Y) :- path(X, Z), far(Z, Y). far(X, Y) :- path(X, Y), start(X).",
        STABLE,
    )
    assert {key for (key,) in session.query("even(X)").weights} == {
        f"n{i}" for i in range(0, 21, 2)
    }
    assert "unsettled_recursion" not in session.check().kinds


def test_training_uses_what_is_found() -> None:
    text = (CHAIN.replace("edge(", "0.5::edge("), "learn(w).", LINEAR, STABLE)
    rules = "h(X, Y) :- path(X, Y), w(all). example(h, n0, n3). 0.0::example(h, n0, n9)."
    one = opened(*text, rules)
    depth, _ = found(one)
    other = opened(*text, rules, f"set_parameter(recursion_depth, {depth}).")
    one.train(epochs=3)
    other.train(epochs=3)
    assert one.query("w(all)").weight == other.query("w(all)").weight
