"""`learn_rule_weights`: the weights of rules are learned as those of facts are, in every use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.errors import CheckpointError, DirectiveError
from tests.learning.test_gradients import EXAMPLES, FACTS, mean_squared_error

# The rules of h in one program each; their weights begin as 0.7, 1, 0.4, ...
USES = {
    "one": ["h(X, Y) :- p(X, Y)"],
    "two": ["h(X, Y) :- p(X, Y)", "h(X, Y) :- q(X, Y)"],
    "chains": ["h(X, Y) :- p(X, Z), q(Z, Y)", "h(X, Y) :- q(X, Z), p(Z, Y)", "h(X, Y) :- p(Y, X)"],
    "a bias": ["h(X, Y) :- p(X, Y)", "h(X, Y) :- v"],
    "true": ["h(X, Y) :- true", "h(X, Y) :- p(X, Y)"],
    "a constant in the head": ["h(a, Y) :- p(Z, Y)", "h(X, Y) :- q(X, Y)"],
    "recursion": ["h(X, Y) :- p(X, Y)", "h(X, Y) :- p(X, Z), h(Z, Y)"],
    "negation": ["h(X, Y) :- p(X, Y), not u(Y)", "h(X, Y) :- q(X, Z), not p(Z, Y)"],
    "a function": ["h(X, Y) :- p(X, Y), tanh(Y)", "h(X, Y) :- q(X, Z), sigmoid(Z), p(Z, Y)"],
    "an attribute": ["h(X, Y) :- p(X, Y), age(Y, A)", "h(X, Y) :- u(X), p(X, Y)"],
    "no input": ["h(X, Y) :- u(Y)", "h(X, Y) :- q(X, Y)"],
    "the diagonal": ["h(X, Y) :- q(X, Y), q(Y, Y)", "h(X, X) :- u(X)"],
}
# Rules of other predicates, which h calls.
CALLED = {
    "g/2": ["g(X, Y) :- p(X, Z), q(Z, Y)", "g(X, Y) :- q(Y, X)"],
    "c/1": ["c(X) :- p(X, Y), u(Y)", "c(X) :- q(X, X)", "c(X) :- v"],
    "s/0": ["s :- u(X)", "s :- p(X, Y), q(Y, Z)"],
}
CALLS = {
    "g/2": "h(X, Y) :- g(X, Z), g(Z, Y). h(X, Y) :- p(X, Y), not g(Y, X).",
    "c/1": "h(X, Y) :- p(X, Y), c(Y). h(X, Y) :- c(X), q(X, Y), c(b).",
    "s/0": "h(X, Y) :- p(X, Y), s.",
}
STARTS = [0.7, 1.0, 0.4, -0.3]
CASES = [*((name, "h", rules, "") for name, rules in USES.items())]
CASES += [(f"in {name}", name, rules, CALLS[name]) for name, rules in CALLED.items()]
IDS = [case[0] for case in CASES]
OPTIONS = {"epochs": 4, "learning_rate": 0.05, "dtype": "float64", "batch_size": 2}


def weighted(rules: Sequence[str], weights: Sequence[float]) -> str:
    pairs = zip(rules, weights, strict=False)
    return "\n".join(f"{float(w)!r}::{rule}." if w != 1 else f"{rule}." for rule, w in pairs)


def by_rule(session: Session, predicate: str) -> list[float]:
    return [view.rule.weight for view in session.rules(predicate)]


def live(rules: Sequence[str], name: str, more: str = "") -> Session:
    session = Session()
    session.add(f'{FACTS} {EXAMPLES} {more} learn_rule_weights("{name}").')
    session.add(weighted(rules, STARTS), source="rules")
    return session


@pytest.mark.parametrize(("case", "name", "rules", "more"), CASES, ids=IDS)
def test_gradients_against_central_differences(case, name, rules, more, eager) -> None:
    session = live(rules, name, more)
    before = by_rule(session, name)
    assert before == STARTS[: len(rules)]
    session.train(epochs=1, learning_rate=1.0, batch_size=100, dtype="float64")
    found = np.array(before) - by_rule(session, name)

    def loss(weights: Sequence[float]) -> float:
        plain = Session()
        plain.add(f"{FACTS} {more} {weighted(rules, weights)}")
        return mean_squared_error(plain, unknown=False)

    for place, gradient in enumerate(found):
        step = np.zeros(len(before))
        step[place] = 1e-5
        expected = (loss(before + step) - loss(before - step)) / 2e-5
        assert gradient == pytest.approx(expected, rel=1e-5, abs=1e-8)
    assert np.any(found)


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
@pytest.mark.parametrize(("case", "name", "rules", "more"), CASES, ids=IDS)
def test_as_with_a_learned_fact_in_each_rule(case, name, rules, more, optimizer, eager) -> None:
    """The paper's `..., w(k)` and a learned rule weight: the same training, step by step."""
    ours, paper = live(rules, name, more), Session()
    facts = " ".join(f"{w!r}::weight(k{i})." for i, w in enumerate(STARTS[: len(rules)]))
    bodies = " ".join(f"{rule}, weight(k{i})." for i, rule in enumerate(rules))
    paper.add(f"{FACTS} {EXAMPLES} {more} {facts} {bodies} learn(weight).")
    options = {**OPTIONS, "optimizer": optimizer}
    first, second = ours.train(**options), paper.train(**options)
    assert first.logs["loss"] == pytest.approx(second.logs["loss"], rel=1e-9)
    learned = paper.query("weight(X)").weights
    expected = [learned[(f"k{i}",)] for i in range(len(rules))]
    assert by_rule(ours, name) == pytest.approx(expected, rel=1e-9)


SMALL = """
q(a, b). q(b, c). 0.5::r(a, c). r(b, c). r(a, b).
example(p, a, b). 0.2::example(p, b, c). 0.4::example(p, a, c).
"""
RULES = "0.7::p(X, Y) :- q(X, Y).\np(X, Y) :- r(X, Y).\n"
LEARN = 'learn_rule_weights("p/2").'


def trained(rules: str = RULES, more: str = LEARN, **options) -> Session:
    session = Session()
    session.add(SMALL + more, source="facts")
    session.add(rules, source="rules")
    session.train(**{"epochs": 6, "learning_rate": 0.1, "seed": 1, **options})
    return session


def answers(session: Session, predicate: str = "p") -> Mapping:
    return session.query(f"{predicate}(X, Y)").weights


def test_off_by_default(eager) -> None:
    with pytest.raises(NeuralLogError, match="nothing to learn"):
        trained(more="")


def test_the_text_reads_back_as_the_same_program(eager) -> None:
    session = trained()
    assert by_rule(session, "p") != [0.7, 1.0]
    again = Session()
    again.add(session.program())
    assert answers(again) == answers(session)
    assert LEARN in again.program()
    assert by_rule(again, "p") == by_rule(session, "p")


@pytest.mark.parametrize(("value", "kept"), [(0.5, 2), (0.0, 1)])
def test_rules_that_learn_the_same_weight_stay_two(eager, value, kept) -> None:
    pair = "0.7::p(X, Y) :- q(X, Y). 0.3::p(X, Y) :- q(X, Y)."
    session = Session()
    session.register("fixed", lambda x: x * 0 + value)
    constraint = 'set_predicate_parameter("p/2", value_constraint, fixed).'
    session.add(f"{SMALL} {LEARN} {constraint} {pair}")
    session.train(epochs=1)
    assert by_rule(session, "p") == [value, value]
    again = Session()
    again.register("fixed", lambda x: x * 0 + value)
    again.add(session.program())
    assert len(again.rules("p")) == kept  # of two that give nothing, one is enough
    assert answers(again) == pytest.approx(answers(session))


def test_saved_opened_and_loaded(eager, tmp_path: Path) -> None:
    session, path = trained(), tmp_path / "m.nlz"
    session.save(path)
    opened = Session.open(path)
    assert opened.program() == session.program()
    assert answers(opened) == answers(session)
    fresh = Session()
    fresh.add(SMALL + LEARN + "0.7::p(A, B) :- q(A, B). p(A, B) :- r(A, B).")  # other names
    before = fresh.program()
    fresh.load_weights(path)
    assert answers(fresh) == answers(session)
    fresh.undo()
    assert fresh.program() == before
    opened.add(RULES, source="rules")
    assert answers(opened) == answers(session)


@pytest.mark.parametrize(
    ("rules", "more", "message"),
    [
        ("p(X, Y) :- q(X, Y).", LEARN, "no rule 0.7::p"),
        (RULES, "", "does not learn them"),
    ],
)
def test_weights_of_other_rules_do_not_fit(eager, tmp_path, rules, more, message) -> None:
    path = tmp_path / "m.nlz"
    trained().save(path)
    other = Session()
    other.add(SMALL + rules + more)
    before = other.program()
    with pytest.raises(CheckpointError, match=message):
        other.load_weights(path)
    assert other.program() == before


def test_undo_takes_a_training_back(eager) -> None:
    session = trained()
    change = session.undo()
    assert str(change) == "learned weights: -2 rule weights"
    assert by_rule(session, "p") == [0.7, 1.0]
    assert answers(session)["a", "b"] == 1.7


def test_running_the_cell_again_keeps_what_was_learned(eager) -> None:
    session = trained()
    before = answers(session)
    session.add(RULES, source="rules")
    session.add("p(X, Y) :- t(X, Y).", source="more")
    assert answers(session) == before


def test_stating_a_rule_anew_replaces_what_was_learned_for_it(eager) -> None:
    session = trained()
    first, second = by_rule(session, "p")
    session.add(RULES.replace("0.7", "0.6"), source="rules")
    assert by_rule(session, "p") == [0.6, second]
    session.add("p(X, Y) :- r(X, Y).", source="again")
    assert by_rule(session, "p") == [0.6, 1.0]
    assert first not in by_rule(session, "p")


def test_a_rule_that_goes_takes_its_weight_with_it(eager) -> None:
    session = trained()
    session.remove("rules")
    session.add(RULES, source="rules")
    assert by_rule(session, "p") == [0.7, 1.0]


def test_without_the_directive_the_text_counts_again(eager) -> None:
    session = trained()
    session.add(SMALL, source="facts")
    assert answers(session)["a", "b"] == 1.7
    session.add(SMALL + LEARN, source="facts")
    assert by_rule(session, "p") == [0.7, 1.0]


def test_a_failed_training_and_a_failed_edit_change_nothing(eager) -> None:
    session = trained()
    text, before = session.program(), answers(session)
    with pytest.raises(NeuralLogError):
        session.train(optimizer="no_such")
    with pytest.raises(NeuralLogError):
        session.add("0.2::p(X, Y) :- q(X, Y). p(.", source="rules")
    assert session.program() == text
    session.add("s(a, b). p(X, Y) :- s(X, Y).", source="more")
    assert answers(session)["a", "b"] == pytest.approx(before["a", "b"] + 1)
    session.train(epochs=1)
    assert len(set(by_rule(session, "p")) & {0.7, 1.0}) == 0
    session.undo()
    session.undo()
    assert session.program() == text
    assert answers(session) == before


def test_rules_of_a_template_and_a_loop_have_weights_of_their_own(eager) -> None:
    for made in ("p(X, Y) :- {e}_of(X, Y).", "for e in q r do p(X, Y) :- {e}_of(X, Y). done"):
        session = Session()
        facts = SMALL.replace("q(", "q_of(").replace("r(", "r_of(")
        session.add(facts + LEARN, source="facts")
        session.add(made, source="rules")
        session.train(epochs=5, learning_rate=0.1)
        assert len(set(by_rule(session, "p"))) == 2
        again = Session()
        again.add(session.program())
        assert answers(again) == answers(session)
        before = answers(session)
        session.add("2::z_of(a, b).", source="new")
        assert len(session.rules("p")) == (3 if made.startswith("p") else 2)
        session.remove("new")
        assert answers(session) == before


def test_regulariser_and_constraint_of_the_predicate(eager) -> None:
    constraint = 'set_predicate_parameter("p/2", value_constraint, relu).'
    plain = trained(epochs=60)
    small = trained(more=LEARN + "set_parameter(regularizer, l2).", epochs=60)
    bounded = trained(more=LEARN + constraint, epochs=60)
    assert sum(w**2 for w in by_rule(small, "p")) < sum(w**2 for w in by_rule(plain, "p"))
    assert min(by_rule(plain, "p")) < 0 <= min(by_rule(bounded, "p"))


def test_facts_and_rules_of_one_predicate(eager) -> None:
    more = LEARN + "learn(p). 0.5::p(a, b)."
    session = trained(more=more)
    assert session.query("p(a, b)").weight != 2.2
    again = Session()
    again.add(session.program())
    assert answers(again) == answers(session)
    status = next(one for one in session.predicates() if one.name == "p/2")
    assert status.learned and status.rules_learned


def test_a_checkpoint_goes_on_to_the_same_weights(eager, tmp_path: Path) -> None:
    whole, path = trained(epochs=6, optimizer="adam"), tmp_path / "run.nlz"
    trained(epochs=3, optimizer="adam", checkpoint=path)
    assert by_rule(Session.open(path), "p") != by_rule(whole, "p")
    assert by_rule(trained(epochs=6, optimizer="adam", checkpoint=path), "p") == by_rule(whole, "p")


def test_the_best_epoch_is_kept(eager) -> None:
    session = trained(epochs=8, learning_rate=1.9, keep_best=True)
    history = session.history
    assert history is not None and history.best_epoch is not None
    assert history.best_epoch == 1 + int(np.argmin(history.logs["loss"]))
    assert history.best_epoch < 8 or min(history.logs["loss"]) == history.logs["loss"][-1]
    best = trained(epochs=history.best_epoch, learning_rate=1.9)
    assert by_rule(session, "p") == by_rule(best, "p")


def test_sensitivity_explanation_and_difference(eager) -> None:
    session = trained()
    first, second = by_rule(session, "p")
    slopes = {one.name: one for one in session.sensitivity("p(a, b)") if one.kind == "rule"}
    assert slopes["p(X, Y) :- q(X, Y)."].weight == first
    assert all(one.learned for one in slopes.values())
    part = session.explain("p(a, b)")
    assert str(part).count("rule weight") == 2
    (move,) = [m for m in session.diff() if m.query == "p(a, b)"]
    assert ("p(X, Y) :- r(X, Y).", 1.0, second) in move.parts


def test_the_table_of_weights(eager) -> None:
    session = trained()
    table = session.weights().to_pandas()
    assert table["rule"].tolist() == ["p(X, Y) :- q(X, Y).", "p(X, Y) :- r(X, Y)."]
    assert table["weight"].tolist() == by_rule(session, "p")
    assert table["learned"].all()
    assert len(session.weights("p")) == 2


def test_as_a_keras_model_its_rule_weights_are_variables(eager) -> None:
    session = trained()
    model = session.to_keras("p", dtype="float64")
    expected = [answers(session).get(("a", name), 0.0) for name in model.names]
    assert np.asarray(model(["a"]))[0].tolist() == pytest.approx(expected)
    (variable,) = model.trainable_variables
    variable.assign([1.0, 0.0])
    assert np.asarray(model(["a"]))[0].tolist() == [float(n == "b") for n in model.names]


def test_exported_as_a_saved_model(eager, tmp_path: Path) -> None:
    from neurallog_kernel.network.tensorflow import tensorflow

    session = trained()
    session.export_saved_model("p", tmp_path / "model")
    loaded = tensorflow().saved_model.load(str(tmp_path / "model"))
    found = loaded.query(tensorflow().constant(["a"]))["weights"].numpy()[0].tolist()
    names = [name.decode() for name in loaded.names()["names"].numpy()]
    assert found == pytest.approx([answers(session).get(("a", name), 0.0) for name in names])


def test_every_arity_without_one(eager) -> None:
    session = trained(more="learn_rule_weights(p). c(X) :- q(X, Y). p(X) :- q(X, Y).")
    assert by_rule(session, "p/2") != [0.7, 1.0]
    assert "learn_rule_weights(p)." in session.program()


@pytest.mark.parametrize(
    "text",
    [
        "learn_rule_weights.",
        "learn_rule_weights(p, q).",
        "learn_rule_weights(X).",
        "0.5::learn_rule_weights(p).",
        "learn_rule_weights(learn).",
    ],
)
def test_bad_forms(text) -> None:
    with pytest.raises(DirectiveError) as caught:
        Session().add(text)
    assert caught.value.span is not None and caught.value.hint


def test_a_predicate_without_rules_is_noticed() -> None:
    session = Session()
    (notice,) = session.add('learn_rule_weights("pp/2"). q(a, b). p(X, Y) :- q(X, Y).').notices
    assert (notice.kind, notice.hint) == ("unknown_learnable", "did you mean p?")
