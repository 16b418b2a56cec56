"""NumPy and TensorFlow learn the same weights: update rules, losses, whole trainings."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.errors import ParameterError
from neurallog_kernel.functions.keras_names import LOSSES, OPTIMIZERS
from neurallog_kernel.knowledge.configured import Configured
from neurallog_kernel.knowledge.learned import LEARNED, members_of
from neurallog_kernel.language.printer import format_constant
from neurallog_kernel.learning import backends
from neurallog_kernel.learning.choices.settings import loss_of, make
from neurallog_kernel.learning.formulas.numpy_losses import loss_in_numpy
from neurallog_kernel.learning.formulas.numpy_optimizers import RULES, NumpyOptimizer, not_in_numpy
from neurallog_kernel.network.numpy_arrays import NUMPY_ARRAYS
from neurallog_kernel.network.tensorflow import tensorflow
from tests.learning.test_gradients import FACTS
from tests.learning.test_parity import delicate, with_learned

PROGRAMS = int(os.environ.get("NEURALLOG_FUZZ", "0")) or 12
FIRST = int(os.environ.get("NEURALLOG_SEED", "0"))

# -- update rules ---------------------------------------------------------------------------------

SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "sgd": {},
    "sgd momentum": {"momentum": 0.9},
    "sgd nesterov": {"momentum": 0.8, "nesterov": True, "weight_decay": 0.1},
    "rmsprop": {"clipvalue": 0.4},
    "rmsprop all": {"rho": 0.8, "momentum": 0.5, "centered": True, "epsilon": 1e-5},
    "adagrad": {},
    "adagrad other": {"initial_accumulator_value": 0.0, "clipnorm": 0.5},
    "adadelta": {"learning_rate": 1.0},
    "adam": {"global_clipnorm": 0.7},
    "adam amsgrad": {"amsgrad": True, "beta_1": 0.5, "beta_2": 0.9},
    "adam_w": {},
    "adamax": {},
    "ftrl": {},
    "ftrl all": {
        "l1_regularization_strength": 0.01,
        "l2_regularization_strength": 0.02,
        "l2_shrinkage_regularization_strength": 0.03,
        "beta": 0.1,
        "learning_rate_power": -0.4,
    },
    "lion": {"weight_decay": 0.05},
    "lamb": {},
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", SETTINGS)
def test_update_rules_are_those_of_keras(name: str, dtype: str) -> None:
    chosen = Configured(name.split()[0], {"learning_rate": 0.1, **SETTINGS[name]})
    assert not_in_numpy(chosen) is None
    generator = np.random.default_rng(7)
    starts = [generator.normal(size=size).astype(dtype) for size in (5, 1, 3)]
    starts[0][0] = 0.0
    theirs = [tensorflow().Variable(start) for start in starts]
    ours = [NUMPY_ARRAYS.variable(start, f"v{i}") for i, start in enumerate(starts)]
    keras, own = make(OPTIMIZERS, chosen), NumpyOptimizer(chosen)
    keras.build(theirs)
    own.build(ours)
    for number in range(8):
        gradients = [generator.normal(size=s.shape).astype(dtype) for s in starts]
        if number == 3:
            gradients = [np.zeros_like(g) for g in gradients]
        keras.apply([tensorflow().constant(g) for g in gradients], theirs)
        own.apply(gradients, ours)
    close: dict[str, Any] = (
        {"rtol": 1e-6, "atol": 1e-6} if dtype == "float32" else {"rtol": 1e-9, "atol": 1e-11}
    )
    for one, other in zip(ours, theirs, strict=True):
        assert one.value.dtype == dtype
        np.testing.assert_allclose(one.value, other.numpy(), **close)
    # a checkpoint of one can be taken up by the other
    assert len(own.variables) == len(keras.variables)
    for one, other in zip(own.variables, keras.variables, strict=True):
        assert one.name == "iteration" or one.dtype == other.dtype
        np.testing.assert_allclose(one.value, other.numpy(), **close)


def test_every_rule_is_tested_and_the_others_are_said() -> None:
    assert {OPTIMIZERS.class_name(name.split()[0]) for name in SETTINGS} == set(RULES)
    for name in set(OPTIMIZERS.classes) - set(RULES):
        assert not_in_numpy(Configured(name)) == f"the optimiser {name}"


@pytest.mark.parametrize(
    "config",
    [
        {"use_ema": True},
        {"learning_rate": {"class_name": "CosineDecay"}},
        {"learning_rate": 1},
        {"nesterov": 1},
        {"momentum": 2.0},
        {"clipnorm": 1.0, "clipvalue": 1.0},
        {"no_such": 1.0},
    ],
    ids=str,
)
def test_settings_that_are_not_here_are_left_to_keras(config: Mapping[str, Any]) -> None:
    assert not_in_numpy(Configured("sgd", config)) is not None


# -- losses ---------------------------------------------------------------------------------------

LOSS_SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "binary_crossentropy smoothed": {"label_smoothing": 0.2},
    "binary_crossentropy logits": {"from_logits": True, "label_smoothing": 0.1},
    "binary_focal_crossentropy all": {
        "apply_class_balancing": True,
        "alpha": 0.3,
        "gamma": 1.5,
        "label_smoothing": 0.1,
        "from_logits": True,
    },
    "categorical_crossentropy all": {"label_smoothing": 0.1, "from_logits": True},
    "categorical_crossentropy smoothed": {"label_smoothing": 0.1},
    "huber wide": {"delta": 0.2},
}
WITHOUT = ("CategoricalFocalCrossentropy", "CosineSimilarity", "Dice", "Tversky")
PLAIN = [name for name in (*LOSSES.classes, *LOSSES.own) if name not in (*WITHOUT, "crf")]


@pytest.mark.parametrize("name", [*PLAIN, *LOSS_SETTINGS])
def test_losses_and_their_slopes_are_those_of_keras(name: str) -> None:
    chosen = Configured(name.split()[0], LOSS_SETTINGS.get(name, {}))
    keras, own = loss_of(chosen), loss_of(chosen, "numpy")
    assert own.back is not None
    tf, generator = tensorflow(), np.random.default_rng(3)
    labels = generator.integers(0, 2, size=(6, 4)).astype(float)
    labels[0] = [0.0, 1.0, 0.0, 0.0]
    x = generator.uniform(0.02, 0.98, size=(6, 4))
    listed = generator.integers(0, 2, size=(6, 4)) > 0
    if keras.elementwise:  # what is outside, and where most have a kink
        labels = np.concatenate([labels, [[0.0, 1.0, 0.5, 1.0]]]).reshape(-1, 1)
        x = np.concatenate([x, [[1.2, 0.0, 0.5, 1.0]]]).reshape(-1, 1)
    g = generator.normal(size=len(x))
    more = [listed] if keras.of_listed else []
    with tf.GradientTape() as tape:
        given = tf.constant(x)
        tape.watch(given)
        expected = keras.function(tf.constant(labels), given, *map(tf.constant, more))
    slopes = tape.gradient(expected, given, output_gradients=tf.constant(g)).numpy()
    if keras.elementwise:
        labels, x, slopes = (array.reshape(-1) for array in (labels, x, slopes))
    np.testing.assert_allclose(own.function(labels, x, *more), expected.numpy(), rtol=1e-6)
    np.testing.assert_allclose(own.back(labels, x, g, *more), slopes, rtol=1e-6, atol=1e-9)


def test_losses_that_are_not_here_are_left_to_keras() -> None:
    for name in (*WITHOUT, "crf"):
        assert loss_in_numpy(Configured(name)) is None
    assert loss_in_numpy(Configured("huber", {"delta": "wide"})) is None
    assert loss_in_numpy(Configured("huber", {"reduction": "sum"})) is None


# -- trainings ------------------------------------------------------------------------------------


def trained(text: str, backend: str, **options: Any) -> Session:
    session = Session()
    session.add(text, source="program")
    chosen: dict[str, Any] = {"dtype": "float64", "epochs": 3, "seed": 5, "backend": backend}
    session.train(**(chosen | options))
    return session


def weights(session: Session) -> dict[str, np.ndarray]:
    """What was learned, by predicate."""
    contents = session._program.sources.get(LEARNED)
    if contents is None:
        return {}
    facts = {f"{s[0]}/{s[1]}": block.weights for s, block in contents.facts.items()}
    rules = {f"rules {s}": np.array(list(w.values())) for s, w in contents.rule_weights.items()}
    return {**facts, **rules}


def assert_same(one: Session, other: Session, close: float = 1e-6) -> None:
    """The same weights, and the same history but for the time it took."""
    mine, theirs = weights(one), weights(other)
    assert mine.keys() == theirs.keys()
    for name, values in mine.items():
        np.testing.assert_allclose(values, theirs[name], rtol=close, atol=close, err_msg=name)
    assert one.history is not None and other.history is not None
    mine, theirs = one.history.logs, other.history.logs
    assert mine.keys() == theirs.keys()
    for name in mine.keys() - {"seconds"}:
        np.testing.assert_allclose(mine[name], theirs[name], rtol=1e-5, atol=close, err_msg=name)
    assert one.history.best_epoch == other.history.best_epoch
    assert one.history.stopped_early == other.history.stopped_early


def examples(text: str, seed: int) -> str:
    """Some examples of every predicate with rules, of the entities that it has."""
    session, generator = Session(), np.random.default_rng(seed)
    session.add(text, source="program")
    found = []
    for name, arity in dict.fromkeys(view.rule.head.signature for view in session.rules()):
        kinds = [session._program.entity_type((name, arity, place)) for place in range(arity)]
        if arity == 0 or not all(len(kind) for kind in kinds):
            continue
        for _ in range(4):
            chosen = [kind.members[generator.integers(len(kind))] for kind in kinds]
            terms = [format_constant(n) for n in session._symbols.names(chosen)]
            label = generator.choice([1.0, 0.0, 0.5])
            found.append(f"{label}::example({', '.join([name, *terms])}).")
    return "\n".join(found)


@pytest.mark.usefixtures("eager")
def test_generated_programs_learn_the_same() -> None:
    """On both, whatever the language has. Some diverge: then both do."""
    tried = 0
    for seed in range(FIRST, FIRST + PROGRAMS):
        text, learned = with_learned(seed)
        whole = "\n".join([str(text), *learned])
        said = examples(whole, seed)
        session = Session()
        session.add(f"{whole}\n{said}", source="program")
        if not said or delicate(session):
            continue
        options = {"learning_rate": 0.01, "epochs": 2, "batch_size": 1 + seed % 3, "clip_norm": 1.0}
        try:
            expected = trained(f"{whole}\n{said}", "tensorflow", **options)
        except NeuralLogError as error:
            with pytest.raises(type(error)) as found:
                trained(f"{whole}\n{said}", "numpy", **options)
            assert found.value.message == error.message
            continue
        with np.errstate(all="raise"):  # numbers that overflow are no error of NumPy's
            assert_same(trained(f"{whole}\n{said}", "numpy", **options), expected)
        tried += 1
    assert tried > PROGRAMS / 3


LEARNED_TEXT = f"""{FACTS}
learn(w). learn(u). learn(q). learn_rule_weights("g/1").
h(X, Y) :- p(X, Y), w(k1), u(Y). h(X, Y) :- q(X, Z), tanh(Z), p(Z, Y), w(k2).
0.7::g(X) :- p(X, Y), u(Y). g(X) :- q(X, Y).
example(h, a, b). 0.0::example(h, a, c). example(h, b, c). 0.5::example(h, c, a).
example(g, a). 0.0::example(g, b). example(g, c).
"""
VALIDATION = "h(b, b). 0.0::h(c, c). g(b)."

USES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "plain": ("", {}),
    "batches": ("", {"batch_size": 2, "shuffle": True}),
    "unknown": ("", {"unlisted": "unknown"}),
    "balanced": ("", {"positive_weight": "balanced", "unlisted": "unknown"}),
    "masked": (
        "set_parameter(mask_predictions, True). set_parameter(clip_labels, True).",
        {"positive_weight": 3.0},
    ),
    "negatives": ("", {"negatives": 2}),
    "crossentropy": ("set_parameter(loss_function, binary_crossentropy).", {}),
    "hinge, unknown": ("", {"loss": "hinge", "unlisted": "unknown"}),
    "categorical": ("", {"loss": {"h": "categorical_crossentropy", "g": "mse"}, "batch_size": 3}),
    "ranking": ("", {"loss": {"h": "pairwise_ranking"}, "unlisted": "unknown", "batch_size": 3}),
    "softmax ranking": ("", {"loss": {"h": "softmax_ranking"}}),
    "penalties": (
        'set_parameter(regularizer, l2). set_predicate_parameter("u/1", regularizer, l1).',
        {},
    ),
    "both penalties": ("", {"regularizer": {"class_name": "l1_l2", "l1": 0.1, "l2": 0.2}}),
    "bounds": ("set_parameter(value_constraint, relu).", {"learning_rate": 0.5}),
    "schedule": ("", {"schedule": "cosine", "warm_up": 1, "epochs": 5}),
    "plateau": ("", {"schedule": "plateau", "learning_rate": 0.9, "epochs": 12}),
    "clipped": ("", {"clip_norm": 0.2, "optimizer": "adam"}),
    "average": ("", {"average": 0.5, "epochs": 4}),
    "validation": ("", {"validation": "check", "epochs": 6, "keep_best": True}),
    "patience": ("", {"validation": "check", "epochs": 30, "patience": 1, "learning_rate": 0.5}),
    "held out": ("", {"hold_out": 0.4, "groups": "example"}),
    "metrics": ("", {"metrics": ["roc_auc", "average_precision"], "validation": "check"}),
    "restarts": ("", {"restarts": 2}),
    "inverse": ("", {"inverse_relations": True}),
    "diverges": ("", {"learning_rate": 1e60, "epochs": 6}),
    "momentum": ("", {"optimizer": {"class_name": "sgd", "momentum": 0.9, "nesterov": True}}),
}


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("use", USES)
def test_every_setting_learns_the_same(use: str) -> None:
    said, options = USES[use]
    found = []
    for backend in ("numpy", "tensorflow"):
        session = Session()
        session.add(LEARNED_TEXT + said, source="program")
        session.add(VALIDATION, source="check", set="check")
        chosen: dict[str, Any] = {"learning_rate": 0.1, "epochs": 3, "seed": 5, **options}
        history = session.train(backend=backend, dtype="float64", **chosen)
        assert history.settings["backend"] == f"{backend} (as asked for)"
        found.append(session)
    assert_same(*found)
    assert found[0].program() != LEARNED_TEXT


@pytest.mark.parametrize("loss", ["KLDivergence", "CategoricalHinge"])
def test_a_loss_of_rows_takes_a_number_as_a_row_of_one(loss: str) -> None:
    found = []
    for backend in ("numpy", "tensorflow"):
        session = Session()
        session.add(
            "learn(w). p(a, b). p(b, c). u(X) :- p(X, Y), w(one). 0.3::example(u, a). "
            "known :- w(two). example(known)."
        )
        session.train(epochs=3, loss=loss, seed=1, dtype="float64", backend=backend)
        found.append(session)
    assert_same(*found)


def test_in_single_precision_the_same_to_a_millionth() -> None:
    """With the graph that TensorFlow compiles."""
    text, options = LEARNED_TEXT, {"dtype": "float32", "epochs": 20, "learning_rate": 0.05}
    one, other = (trained(text, name, **options) for name in ("numpy", "tensorflow"))
    assert_same(one, other, 1e-6)


@pytest.mark.usefixtures("eager")
def test_members_of_an_ensemble_are_the_same() -> None:
    one, other = (trained(LEARNED_TEXT, name, seeds=3) for name in ("numpy", "tensorflow"))
    assert_same(one, other)
    mine, theirs = (members_of(session._program) for session in (one, other))
    assert len(mine) == len(theirs) == 3
    for left, right in zip(mine, theirs, strict=True):
        for signature, block in left.facts.items():
            np.testing.assert_allclose(block.weights, right.facts[signature].weights, rtol=1e-6)


# -- going on -------------------------------------------------------------------------------------


class Stop:
    """A user who interrupts after an epoch."""

    def __init__(self, epoch: int) -> None:
        self.epoch = epoch

    def on_epoch(self, state: Any) -> None:
        if state.epoch == self.epoch:
            raise KeyboardInterrupt


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize(("first", "then"), [("numpy", "tensorflow"), ("tensorflow", "numpy")])
def test_what_one_left_off_the_other_goes_on_with(first: str, then: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"optimizer": "adam", "learning_rate": 0.1, "shuffle": True}
    goes_on: dict[str, Any] = options | {"epochs": 4}
    options |= {"epochs": 6}
    expected = trained(LEARNED_TEXT, then, **options)
    file = tmp_path / "run.nlz"
    broken = trained(LEARNED_TEXT, first, checkpoint=file, callbacks=[Stop(3)], **options)
    assert broken.history is not None and broken.history.interrupted
    assert_same(trained(LEARNED_TEXT, then, checkpoint=file, **options), expected)
    session = trained(LEARNED_TEXT, first, **{**options, "epochs": 2})
    session.train(backend=then, resume=True, dtype="float64", seed=5, **goes_on)
    assert_same(session, expected)


def test_an_interrupt_keeps_what_was_learned_and_undo_gives_it_back() -> None:
    session = trained(LEARNED_TEXT, "numpy", epochs=50, callbacks=[Stop(2)])
    assert session.history is not None and session.history.interrupted
    assert_same(session, trained(LEARNED_TEXT, "numpy", epochs=2))
    before = session.program()
    session.train(backend="numpy", epochs=3, resume=True)
    assert session.program() != before
    session.undo()
    assert session.program() == before


def test_a_training_that_fails_leaves_nothing() -> None:
    class Fails:
        def on_epoch(self, state: Any) -> None:
            raise RuntimeError("the disk is full")

    session = trained(LEARNED_TEXT, "numpy")
    before, asked = session.program(), session.query("h(a, X)").weights
    with pytest.raises(RuntimeError, match="disk"):
        session.train(backend="numpy", callbacks=[Fails()])
    assert session.program() == before
    session.add("0.9::p(a, a).")
    session.remove("input-1")
    assert session.query("h(a, X)").weights == asked


# -- which one ------------------------------------------------------------------------------------


def chosen_by(said: str = "", **options: Any) -> str:
    session = Session()
    session.add(LEARNED_TEXT + said, source="program")
    session.register("twice", lambda x: 2 * x)
    return str(session.train(epochs=1, **options).settings["backend"])


def test_small_trainings_need_no_tensorflow_and_the_report_says_why() -> None:
    assert chosen_by() == "numpy (a small training)"
    assert chosen_by("set_parameter(backend, tensorflow).") == "tensorflow (as asked for)"
    assert chosen_by("set_parameter(backend, tensorflow).", backend="numpy") == (
        "numpy (as asked for)"
    )
    assert chosen_by(optimizer="nadam") == "tensorflow (for the optimiser nadam)"
    assert chosen_by(loss="dice") == "tensorflow (for the loss dice)"
    assert chosen_by(metrics=["auc"]) == "tensorflow (for the metric auc)"
    assert chosen_by("h(X, Y) :- p(X, Y), twice(Y).") == (
        "tensorflow (for the function twice, of which no derivative is known,)"
    )


def test_large_trainings_are_left_to_tensorflow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "MOST_FACTS", 10)
    assert chosen_by() == "tensorflow (for 36 facts)"
    monkeypatch.setattr(backends, "MOST_FACTS", 100)
    monkeypatch.setattr(backends, "MOST_LABELS", 6)
    assert chosen_by() == "tensorflow (for 7 examples in all epochs)"
    monkeypatch.setattr(backends, "MOST_LABELS", 100)
    monkeypatch.setattr(backends, "MOST_PARTS", 6)
    assert chosen_by().startswith("tensorflow (for 6 steps of a plan of ")


def test_what_numpy_cannot_do_is_said() -> None:
    with pytest.raises(ParameterError) as found:
        chosen_by(optimizer="nadam", backend="numpy")
    assert found.value.message == "the optimiser nadam needs TensorFlow, and backend is numpy"
    assert found.value.hint == "leave out backend, or say backend=tensorflow"
    with pytest.raises(ParameterError, match="backend must be numpy or tensorflow, not jax"):
        chosen_by(backend="jax")


FRESH = """
import sys
from neurallog_kernel import Session
session = Session()
session.add(sys.stdin.read())
session.train(epochs=5, optimizer="adam")
session.explain("h(a, b)")
print([name for name in ("tensorflow", "keras", "pandas") if name in sys.modules])
"""


def test_a_fresh_process_trains_without_importing_tensorflow() -> None:
    found = subprocess.run(
        [sys.executable, "-c", FRESH], input=LEARNED_TEXT, capture_output=True, text=True
    )
    assert found.stdout.strip() == "[]", found.stdout + found.stderr
