"""Start weights: as small as the sums they feed are large, around 0 where tanh follows."""

from __future__ import annotations

import numpy as np
import pytest

from neurallog_kernel import Session

RULES = """
learn(w). learn(b). learn(feat).
hidden(B) :- hidden_sum(B), tanh(B).
hidden_sum(B) :- reviewed(R, B), feat(R), w(feat).
hidden_sum(B) :- reviewed(R, B), w(count).
hidden_sum(B) :- b(hidden).
good(B) :- hidden(B), w(out).
"""


def session(fan: int, rules: str = RULES) -> Session:
    s = Session()
    s.add(rules)
    s.add("\n".join(f"reviewed(r{i}_{j}, b{i})." for i in range(4) for j in range(fan)))
    s.add("example(good, b0). 0::example(good, b1).")
    return s


def weights(s: Session, predicate: str) -> dict[str, float]:
    return {key[0]: value for key, value in s.query(f"{predicate}(X)").weights.items()}


def begun(fan: int, rules: str = RULES, seed: int = 0) -> Session:
    s = session(fan, rules)
    s.train(epochs=0, seed=seed)
    return s


def test_the_wider_the_sum_the_smaller_the_weights():
    few, many = begun(4), begun(400)
    spread = {fan: np.std(list(weights(s, "feat").values())) for fan, s in ((4, few), (400, many))}
    assert spread[4] / spread[400] == pytest.approx(10, rel=0.5), "by the root of the fan"
    assert weights(few, "w")["count"] / weights(many, "w")["count"] == pytest.approx(100, rel=1e-6)


def test_numbers_of_entities_and_biases_have_the_mean_0_before_tanh():
    s = begun(400)
    values = np.array(list(weights(s, "feat").values()))
    assert abs(values.mean()) < 4 * values.std() / np.sqrt(len(values))
    starts = [weights(begun(2, seed=seed), "b")["hidden"] for seed in range(40)]
    assert min(starts) < 0 < max(starts)


def test_no_sum_begins_where_tanh_is_flat():
    hidden = begun(400).query("hidden(B)").weights.values()
    assert max(map(abs, hidden)) < 0.9


def test_a_linear_sum_begins_at_about_a_half():
    s = begun(400, "learn(feat). good(B) :- reviewed(R, B), feat(R).")
    values = np.array(list(s.query("good(B)").weights.values()))
    assert values == pytest.approx(0.5, abs=0.1)
    assert min(weights(s, "feat").values()) > 0, "no function follows: as the language has it"


def test_what_a_rule_further_up_sums_counts_as_well():
    rules = "learn(w). good(B) :- reviewed(R, B), mid(R). mid(R) :- known(R), w(mid)."
    s = session(400, rules)
    s.add("\n".join(f"known(r{i}_{j})." for i in range(4) for j in range(400)))
    s.train(epochs=0)
    assert s.query("good(b0)").weights[()] == pytest.approx(0.5, abs=0.4)


def test_a_layer_of_pairs_counts_its_inputs():
    s = Session()
    s.add("learn(layer). h(X, H) :- input(X, I), layer(I, H), tanh(H). unit(h1). unit(h2).")
    s.add("other(X, H) :- h(X, H), unit(H).")
    s.add("\n".join(f"input(x{i}, i{j})." for i in range(3) for j in range(100)))
    s.add("example(h, x0, h1).")
    s.train(epochs=0)
    values = np.array(list(s.query("layer(I, H)").weights.values()))
    assert values.std() == pytest.approx(0.1, rel=0.3)


def test_an_initial_value_of_the_program_is_kept():
    rules = RULES + "set_parameter(initial_value, 0.75)."
    assert set(weights(begun(400, rules), "feat").values()) == {0.75}


def test_the_report_says_how_weights_began():
    s = session(400)
    said = s.train(epochs=0).settings["initial values"]
    assert "feat/1 0 ± 0.0063" in said and "b/1 0 ± 0.12" in said
    s.add("set_parameter(initial_value, 0.75).")
    assert "initial values" not in s.train(epochs=0).settings, "nothing was drawn"


FACTS = "2::feat(a). 3::feat(b). learn(feat). good(X) :- feat(X). example(good, a)."


def test_stated_weights_are_where_learning_starts():
    s = Session()
    s.add(FACTS)
    s.train(epochs=0)
    assert weights(s, "feat") == {"a": 2.0, "b": 3.0}


@pytest.mark.parametrize("more", ["", "set_parameter(initial_value, 0.25)."])
def test_stated_weights_can_be_drawn_instead(more: str):
    s = Session()
    s.add(FACTS + 'set_predicate_parameter("feat/1", start_from, initial_value).' + more)
    s.train(epochs=0)
    found = weights(s, "feat")
    assert all(abs(value) < 1.1 for value in found.values())
    assert not more or set(found.values()) == {0.25}
    s.train(epochs=0, seed=1)
    assert weights(s, "feat") == found, "what was learned is not drawn again"


def test_drawn_instead_of_stated_in_relations_attributes_and_rows():
    s = Session()
    s.add("""learn(p). learn(age). learn(gave).
    5::p(a, b). 5::age(a, 30). 5::gave(a, b, c).
    good(X, Y) :- p(X, Y). good(X, Y) :- gave(X, Y, c). old(X) :- age(X, N).
    set_parameter(start_from, initial_value). set_parameter(initial_value, 0.5).
    example(good, a, b). example(old, a).""")
    s.train(epochs=0)
    assert s.query("p(a, b)").weights == {(): 0.5}
    assert s.query("gave(a, b, c)").weights == {(): 0.5}
    assert s.query("old(a)").weights == {(): 15.0}


def test_rules_that_call_each_other_in_a_ring_have_start_weights():
    s = Session()
    s.add("learn(w). p(X, Y) :- q(X, Y), w(k), tanh(Y). q(X, Y) :- p(X, Y). q(X, Y) :- e(X, Y).")
    s.add("e(a, b). example(p, a, b).")
    assert "w/1" in s.train(epochs=0).settings["initial values"]


def test_adamw_shrinks_weights_that_no_example_moves():
    s = Session()
    s.add("2::feat(a). 2::feat(b). learn(feat). good(X) :- feat(X). 2::example(good, a).")
    decay = {"class_name": "adamw", "learning_rate": 0.1, "weight_decay": 0.1}
    s.train(epochs=10, optimizer=decay)
    assert weights(s, "feat")["b"] < 1.9
