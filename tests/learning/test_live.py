"""Learned weights in a live session: where they start, how long they stay, what they answer."""

from __future__ import annotations

import math

import numpy as np
import pytest

from neurallog_kernel import NeuralLogError, Session

FACTS = "p(a, b). 0.5::p(b, c). p(c, a). 0.25::u(a). q(a, c). q(b, a)."
RULES = "h(X, Y) :- p(X, Z), u(Z), q(Z, Y). h(X, Y) :- p(X, Y), w(k)."
EXAMPLES = "example(h, a, b). example(h, b, c). 0.5::example(h, a, a)."
LEARN = "learn(u). learn(w). learn(p)."
EVERYTHING = ["p(X, Y)", "u(X)", "w(X)", "h(X, Y)", "q(X, Y)"]  # w has no fact before training

pytestmark = pytest.mark.usefixtures("eager")


def session(*texts: str) -> Session:
    made = Session()
    for number, text in enumerate(texts or (FACTS, RULES, EXAMPLES, LEARN)):
        made.add(text, source=f"cell-{number}")
    return made


def answers(session: Session) -> dict[str, dict[tuple[str, ...], float]]:
    return {query: session.query(query).weights for query in EVERYTHING}


def same(one: Session, other: Session) -> bool:
    first, second = answers(one), answers(other)
    return all(first[query] == pytest.approx(second[query], abs=1e-9) for query in EVERYTHING)


# -- where weights start ---------------------------------------------------------------------------


def test_before_training_a_learnable_is_its_facts():
    s = session()
    assert s.query("u(X)").weights == {("a",): 0.25}
    with pytest.raises(NeuralLogError, match="unknown"):
        s.query("w(k2)")


def test_initial_values_are_drawn_when_training_starts():
    s = session()
    s.train(epochs=0, seed=5)
    u = s.query("u(X)").weights
    assert set(u) == {("a",), ("b",), ("c",)}
    assert u["a",] == 0.25, "facts keep their weight"
    assert s.query("p(X, Y)").weights == {("a", "b"): 1.0, ("b", "c"): 0.5, ("c", "a"): 1.0}
    drawn = [u["b",], u["c",], s.query("w(k)").weights[()]]
    assert len(set(drawn)) == 3 and all(0 < weight < 1 for weight in drawn)


def test_initial_values_depend_on_the_seed_alone():
    first, second, third = session(), session(), session()
    first.train(epochs=0, seed=5)
    second.train(epochs=0, seed=5)
    third.train(epochs=0, seed=6)
    assert answers(first) == answers(second)
    assert first.query("u(b)").weights != third.query("u(b)").weights


def test_initial_values_have_the_mean_and_deviation_of_the_language():
    s = Session()
    s.add("learn(n). h(X, Y) :- n(X, Y). learn(w). k(X, Y) :- n(X, Y), w.")
    s.add("\n".join(f"example(h, e{i}, e{i})." for i in range(40)))
    s.train(epochs=0, batch_size=100)
    weights = list(s.query("n(X, Y)").weights.values())
    assert len(weights) == 1600, "no facts: all cells"
    assert np.mean(weights) == pytest.approx(0.5, abs=0.02)
    assert np.std(weights) == pytest.approx(0.125, abs=0.01)


def test_an_initial_value_can_be_any_initialiser():
    s = session()
    s.add(
        """set_predicate_parameter(u, initial_value, ones).
        set_predicate_parameter("w/1", initial_value, class_name, "Constant").
        set_predicate_parameter("w/1", initial_value, config, value, 0.75)."""
    )
    s.train(epochs=0)
    assert s.query("u(X)").weights == {("a",): 0.25, ("b",): 1.0, ("c",): 1.0}
    assert s.query("w(k)").weights == {(): 0.75}


def test_all_cells_of_a_relation_with_facts_on_demand():
    s = session()
    s.add('set_predicate_parameter("p/2", trainable_cells, all).')
    s.train(epochs=0)
    weights = s.query("p(X, Y)").weights
    assert len(weights) == 9 and weights["b", "c"] == 0.5


# -- weights are facts -----------------------------------------------------------------------------


def test_after_training_weights_are_facts():
    s = session()
    before = answers(s)
    s.train(epochs=3, learning_rate=0.3)
    after = answers(s)
    assert after["p(X, Y)"].keys() == before["p(X, Y)"].keys()
    assert after["p(X, Y)"] != before["p(X, Y)"]
    assert after["q(X, Y)"] == before["q(X, Y)"]
    p, u, w, q = (after[x] for x in ("p(X, Y)", "u(X)", "w(X)", "q(X, Y)"))
    for x in "abc":
        for y in "abc":
            expected = p.get((x, y), 0) * w["k",] + sum(
                p.get((x, z), 0) * u[z,] * q.get((z, y), 0) for z in "abc"
            )
            assert after["h(X, Y)"].get((x, y), 0) == pytest.approx(expected)


def test_the_program_text_carries_what_was_learned():
    s = session()
    s.train(epochs=3, learning_rate=0.3)
    again = Session()
    again.add(s.program())
    assert answers(again) == answers(s)


def test_running_a_cell_again_keeps_what_was_learned():
    s = session()
    s.train(epochs=3, learning_rate=0.3)
    before = answers(s)
    for number, text in enumerate((FACTS, RULES, EXAMPLES, LEARN)):
        s.add(text, source=f"cell-{number}")
        assert answers(s) == before, text


def test_stating_a_fact_anew_replaces_what_was_learned():
    s = session()
    s.train(epochs=3, learning_rate=0.3)
    before = answers(s)
    s.add(FACTS.replace("0.5::p(b, c)", "0.9::p(b, c)"), source="cell-0")
    p = s.query("p(X, Y)").weights
    assert p["b", "c"] == 0.9
    assert p["a", "b"] == before["p(X, Y)"]["a", "b"]
    assert s.query("u(X)").weights == before["u(X)"]
    s.add("0.125::u(c).", source="new cell")
    assert s.query("u(X)").weights == {**before["u(X)"], ("c",): 0.125}


def test_a_fact_that_goes_takes_its_learned_weight_along():
    s = session()
    s.train(epochs=3, learning_rate=0.3)
    s.add(FACTS.replace("0.5::p(b, c).", "p(b, a)."), source="cell-0")
    assert ("b", "c") not in s.query("p(X, Y)").weights
    assert s.query("p(b, a)").weights == {(): 1.0}


def test_adding_a_rule_keeps_the_weights():
    s = session()
    s.train(epochs=3, learning_rate=0.3)
    before = answers(s)
    s.add("h(X, Y) :- q(X, Y).", source="new rule")
    after = answers(s)
    for query in ("p(X, Y)", "u(X)", "w(X)"):
        assert after[query] == before[query]
    s.train(epochs=0)
    assert answers(s) == after, "what was learned is where the next training starts"


def test_new_entities_get_initial_values_and_the_old_keep_theirs():
    s = session()
    s.train(epochs=3, learning_rate=0.3)
    before = s.query("u(X)").weights
    s.add("q(d, a). p(d, d).", source="more")
    assert s.query("u(X)").weights == before
    s.train(epochs=0)
    after = s.query("u(X)").weights
    assert set(after) == {*before, ("d",)}
    assert {key: after[key] for key in before} == before


def test_taking_learn_back_forgets_what_was_learned():
    s = session()
    s.train(epochs=3, learning_rate=0.3)
    p = s.query("p(X, Y)").weights
    s.add("learn(w). learn(p).", source="cell-3")
    assert s.query("u(X)").weights == {("a",): 0.25}, "u is what its facts say again"
    assert s.query("p(X, Y)").weights == p
    s.remove("cell-3")
    assert s.query("p(X, Y)").weights == {("a", "b"): 1.0, ("b", "c"): 0.5, ("c", "a"): 1.0}


def test_an_entity_that_goes_takes_its_weights_along():
    s = session()
    s.add("q(d, a). p(d, b).", source="more")
    s.train(epochs=2, learning_rate=0.3)
    assert ("d",) in s.query("u(X)").weights
    s.remove("more")
    assert ("d",) not in s.query("u(X)").weights
    assert ("d", "b") not in s.query("p(X, Y)").weights
    assert "d" not in s.constants()
    s.train(epochs=1)
    assert set(s.query("u(X)").weights) == {("a",), ("b",), ("c",)}


def test_undo_of_an_edit_after_training_leaves_the_weights_alone():
    s = session()
    s.train(epochs=2, learning_rate=0.3)
    before = answers(s)
    s.add("h(X, Y) :- q(X, Y).", source="new rule")
    assert answers(s) != before
    s.undo()
    assert answers(s) == before


def test_undo_takes_a_training_back():
    s = session()
    untrained = answers(s)
    s.train(epochs=2, learning_rate=0.3)
    once = answers(s)
    s.train(epochs=2, learning_rate=0.3)
    s.undo()
    assert answers(s) == once
    s.undo()
    assert answers(s) == untrained


# -- incremental is fresh --------------------------------------------------------------------------

EDITS = [
    ("rules", "h(X, Y) :- p(X, Y), u(Y)."),
    ("facts", FACTS),
    ("noise", "r(x, y). h(X, Y) :- r(X, Y). q(c, x)."),
    ("examples", EXAMPLES),
    ("rules", RULES),
    ("learn", "learn(u)."),
    ("noise", None),
    ("facts", FACTS.replace("q(b, a)", "q(b, b)")),
    ("learn", LEARN),
    ("facts", FACTS),
]


def edited() -> Session:
    s = Session()
    for source, text in EDITS:
        if text is None:
            s.remove(source)
        else:
            s.add(text, source=source)
            s.query("h(X, Y)", top=3)  # so that there is something to keep, or to drop
    return s


def test_training_after_edits_equals_training_afresh():
    one, other = edited(), session()
    options = {"epochs": 4, "learning_rate": 0.2, "batch_size": 2, "seed": 4, "dtype": "float64"}
    first, second = one.train(**options), other.train(**options)
    assert first.logs["loss"] == pytest.approx(second.logs["loss"], abs=1e-12)
    assert same(one, other)


def test_edits_after_training_equal_a_fresh_session_with_the_same_weights():
    s = session()
    s.train(epochs=3, learning_rate=0.3)
    s.add("h(X, Y) :- q(X, Z), p(Z, Y), tanh(Y). g(X) :- h(X, Y).", source="later")
    s.add(RULES.replace("w(k)", "u(Y)"), source="cell-1")
    s.add("s(a, e).", source="more")
    s.remove("more")
    fresh = Session()
    fresh.add(s.program())
    for query in ("h(X, Y)", "g(X)", "p(X, Y)", "u(X)"):
        assert s.query(query).weights == pytest.approx(fresh.query(query).weights, abs=1e-12)
    options = {"epochs": 2, "learning_rate": 0.2, "dtype": "float64", "optimizer": "adam"}
    s.train(**options)
    fresh.train(**options)
    for query in ("h(X, Y)", "g(X)", "p(X, Y)", "u(X)"):
        assert s.query(query).weights == pytest.approx(fresh.query(query).weights, abs=1e-9)


def test_sessions_do_not_touch_each_other():
    one, other = session(), session()
    before = answers(other)
    one.train(epochs=2, learning_rate=0.5)
    assert answers(other) == before


def test_training_a_session_from_its_own_examples_again_goes_on():
    s = session()
    first = s.train(epochs=5, learning_rate=0.2)
    second = s.train(epochs=5, learning_rate=0.2)
    assert second.logs["loss"][0] < first.logs["loss"][-1]
    assert second.epochs == 5, "without resume, a history of its own"


@pytest.mark.parametrize("rate", [1e3, 1e30])
def test_training_that_diverges_stops_and_keeps_the_last_weights_that_are_numbers(rate: float):
    s = session()
    history = s.train(epochs=200, learning_rate=rate, optimizer="sgd", batch_size=1)
    assert history.epochs < 200
    (note,) = history.notes
    assert f"epoch {history.epochs + 1}" in note
    assert "learning_rate" in note
    fresh = Session()
    fresh.add(s.program())
    for predicate in ("p(X, Y)", "u(X)", "w(X)"):
        weights = s.query(predicate).weights
        assert all(math.isfinite(weight) for weight in weights.values())
        assert fresh.query(predicate).weights == pytest.approx(weights)


def test_training_goes_on_from_the_weights_before_it_diverged():
    one, other = session(), session()
    one.train(epochs=2, learning_rate=1e30, batch_size=1)
    assert one.train(epochs=2, learning_rate=0.1, resume=True).notes == ()
    other.train(epochs=2, learning_rate=0.1)
    assert same(one, other)
