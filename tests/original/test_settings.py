"""Settings written as for the original: each does what it says, is refused by name, or is remarked
once as having no effect here."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import keras
import numpy as np
import pytest

import neurallog_kernel
from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.functions.keras_names import OPTIMIZERS
from neurallog_kernel.knowledge.configured import Configured
from neurallog_kernel.learning.choices.settings import make

pytestmark = pytest.mark.usefixtures("eager")

PROGRAM = """
0.4::p(a, b). 0.9::p(b, c). 0.6::p(a, c). 0.3::u(b). 0.8::u(c). 0.5::u(a).
h(X, Y) :- p(X, Y), u(Y).
learn(p). learn(u).
example(h, a, b). 0::example(h, a, c). example(h, b, c).
"""


def session(text: str) -> Session:
    s = Session()
    s.add(PROGRAM + text, source="program")
    return s


def kinds(text: str) -> list[str]:
    return [notice.kind for notice in Session().add(text).notices]


# -- class_name and config -------------------------------------------------------------------------


def in_full(setting: str, kind: str, **config: object) -> str:
    """A setting by `class_name` and `config`."""
    lines = [f'set_parameter({setting}, class_name, "{kind}").']
    for name, value in config.items():
        shown = value if isinstance(value, int | float) else f'"{value}"'
        lines.append(f"set_parameter({setting}, config, {name}, {shown}).")
    return "\n".join(lines)


@pytest.mark.parametrize("partial", [True, False])
def test_a_value_constraint_with_arguments(partial: bool) -> None:
    bounds = {"clip_value_min": 0.35, "clip_value_max": 0.65}
    if partial:
        text = in_full("value_constraint", "partial", function_name="tf.clip_by_value", **bounds)
    else:
        text = in_full("value_constraint", "tf.clip_by_value", **bounds)
    s = session(text)
    s.train(epochs=3, learning_rate=0.5)
    weights = [*s.query("p(X, Y)").weights.values(), *s.query("u(X)").weights.values()]
    assert min(weights) == pytest.approx(0.35) and max(weights) == pytest.approx(0.65)


def test_a_function_value_with_arguments() -> None:
    text = """
    set_predicate_parameter("cut/1", function_value, class_name, partial).
    set_predicate_parameter("cut/1", function_value, config, function_name, "tf.clip_by_value").
    set_predicate_parameter("cut/1", function_value, config, clip_value_min, 0.5).
    set_predicate_parameter("cut/1", function_value, config, clip_value_max, 0.8).
    cut_off(X, Y) :- p(X, Y), cut(Y). example(cut_off, a, b).
    """
    s = session(text)
    found = s.query("cut_off(X, Y)").weights
    assert found["a", "b"] == 0.5 and found["b", "c"] == 0.8 and found["a", "c"] == 0.6
    assert found["a", "a"] == 0.5, "it makes one half of nothing, too"
    assert np.isfinite(s.train(epochs=2).logs["loss"]).all()


@pytest.mark.parametrize("name", ["relu", "tf.nn.relu", "tf.keras.activations.relu"])
def test_functions_by_the_names_of_tensorflow(name: str) -> None:
    text = f'set_predicate_parameter("f/1", function_value, class_name, "{name}").'
    s = session(text + "g(X, Y) :- p(X, Y), f(Y).")
    assert s.query("g(a, b)").weights[()] == pytest.approx(0.4)


@pytest.mark.parametrize(
    "form",
    [
        'set_parameter(path_combining_function, "tf.math.minimum").',
        in_full("path_combining_function", "tf.math.minimum"),
        in_full("path_combining_function", "partial", function_name="tf.math.minimum"),
        'set_predicate_parameter("g/2", path_combining_function, class_name, minimum).',
    ],
)
def test_combining_functions_in_every_form(form: str) -> None:
    s = Session()
    s.add(f"0.4::p(a, b). 0.6::q(a, b). g(X, Y) :- p(X, Y), q(X, Y). {form}")
    assert s.query("g(a, b)").weights[()] == pytest.approx(0.4)


def test_an_initial_value_in_every_form() -> None:
    for text in (
        in_full("initial_value", "constant", value=0.25),
        "set_parameter(initial_value, 0.25).",
        'set_parameter(initial_value, ones). set_predicate_parameter("n/1", initial_value, 0.25).',
    ):
        s = session(f"{text} learn(n). h(X, Y) :- p(X, Y), n(Y).")
        s.train(epochs=0)
        assert set(s.query("n(X)").weights.values()) == {0.25}


def test_the_old_names_of_the_optimisers() -> None:
    text = in_full("optimizer", "sgd", lr=0.5, decay=0.25)
    s, by_hand = session(text), session("")
    s.train(epochs=3, batch_size=3, dtype="float64")
    for step in range(3):
        by_hand.train(
            epochs=1, batch_size=3, learning_rate=0.5 / (1 + 0.25 * step), dtype="float64"
        )
    expected = by_hand.query("p(X, Y)").weights
    assert s.query("p(X, Y)").weights == pytest.approx(expected, abs=1e-7)


def test_a_regulariser_with_the_old_name_of_its_setting() -> None:
    weights = []
    for text in (in_full("regularizer", "l2", l=0.3), in_full("regularizer", "L2", l2=0.3), ""):
        s = session(text)
        s.train(epochs=2, dtype="float64")
        weights.append(s.query("p(X, Y)").weights)
    assert weights[0] == weights[1] != weights[2]


def test_a_schedule_of_the_learning_rate() -> None:
    text = "set_parameter(optimizer, class_name, sgd)."
    text += 'set_parameter(optimizer, config, learning_rate, class_name, "ExponentialDecay").'
    for name, value in {"initial_learning_rate": 0.5, "decay_steps": 1, "decay_rate": 0.0}.items():
        text += f"set_parameter(optimizer, config, learning_rate, config, {name}, {value})."
    s, once = session(text), session("")
    s.train(epochs=3, batch_size=3)
    once.train(epochs=1, batch_size=3, learning_rate=0.5)
    assert s.query("p(X, Y)").weights == pytest.approx(once.query("p(X, Y)").weights)


# -- names that are not known ----------------------------------------------------------------------

REFUSED = {
    'set_parameter(batch_size, "$p/2[0]").': "write the number",
    'set_parameter(optimizer, config, lr, "$p/2[0][a]").': "write the number",
    "set_parameter(and_combining_function, concat_combining_function).": "one rule for each part",
    "set_parameter(path_combining_function, concat_last_combining_function).": "session.register",
    "set_parameter(literal_combining_function, embedding_lookup).": "embedding(X, Y)",
    'set_parameter(literal_combining_function, "tf.nn.embedding_lookup").': "embedding(X, Y)",
    'set_parameter(edge_combining_function, "tf.concat").': "session.register",
    'set_predicate_parameter("f/1", function_value, config, units, "$p/2[0]").': "write the number",
    in_full("and_combining_function", "tf.math.minimun"): "minimum",
    in_full("and_combining_function", "tf.math.minimum", axis=1): "the name alone",
    in_full("edge_neutral_element", "tf.constant", value=2): "",
    in_full("optimizer", "adagard"): "adagrad",
    in_full("initial_value", "random_norml"): "random_normal",
    in_full("regularizer", "l3"): "L2",
    in_full("loss_function", "mean_square_error"): "mean_squared_error",
    "set_parameter(optimizer, clas_name, adam).": "class_name",
    "set_parameter(callback, c, class_name, roc_ac).": "roc_auc",
    'set_parameter(callback, c, class_name, "TensorBoard").': "--tensorBoard",
    'set_parameter(callback, c, class_name, "CSVLogger").': "neurallog train -o",
    "set_parameter(epochs, config, 3).": "set_parameter(epochs, value)",
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused_by_name_with_what_to_write(text: str) -> None:
    with pytest.raises(NeuralLogError) as caught:
        Session().add(text)
    assert REFUSED[text] in (caught.value.hint or "")
    assert caught.value.span is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (in_full("optimizer", "adam", momentun=0.9), "momentun"),
        (in_full("optimizer", "adam", learning_rate="fast"), "must be a number, not fast"),
        (in_full("optimizer", "adam", amsgrad="maybe"), "must be True or False"),
        (in_full("optimizer", "sgd", decay=-1), "decay"),
        (in_full("regularizer", "l2", l1=0.1), "l1"),
        (in_full("value_constraint", "partial", function_name="tf.io.read_file"), "read_file"),
        (in_full("value_constraint", "partial"), "function_name"),
        (in_full("value_constraint", "tf.clip_by_value", clip_value_min=0), "clip_value_max"),
        (in_full("value_constraint", "softmax"), "single entries"),
        (in_full("callback, c", "roc_auc"), "needs a dataset"),
        (in_full("callback, c", "roc_auc", dataset="train_set", period=0), "period"),
        (in_full("callback, c", "EarlyStopping", patienc=3), "patienc"),
        ("set_parameter(best_model, c, best_).", "there is no ModelCheckpoint c"),
        (
            in_full("callback, c", "ModelCheckpoint")
            + 'set_parameter(best_model, c, "../../etc/x").',
            "cannot be the beginning of a file name",
        ),
    ],
)
def test_wrong_settings_are_told_before_training(text: str, message: str) -> None:
    s = session(text)
    before = s.program()
    with pytest.raises(NeuralLogError, match=message):
        s.train(epochs=1)
    assert s.program() == before


@pytest.mark.parametrize("name", ["Lambda", "keras.layers.Lambda", "builtins.eval", "deserialize"])
def test_a_text_names_no_class_outside_the_tables(name: str, monkeypatch) -> None:
    """A deserialiser that runs would be seen: none is called."""

    def called(*_, **__):
        raise AssertionError("a deserialiser was reached")

    for module in (keras.optimizers, keras.losses, keras.metrics, keras.initializers):
        for function in ("deserialize", "get"):
            monkeypatch.setattr(module, function, called)
    settings = (
        "optimizer",
        "loss_function",
        "metrics",
        "initial_value",
        "regularizer",
        "callback, c",
    )
    for setting in settings:
        with pytest.raises(NeuralLogError):
            Session().add(in_full(setting, name, module="builtins", registered_name="x"))
    session(in_full("optimizer", "adam", lr=0.1) + in_full("initial_value", "ones")).train(epochs=1)


def test_every_optimiser_of_the_table_can_be_made() -> None:
    for name in OPTIMIZERS.classes:
        assert make(OPTIMIZERS, Configured(name, {"lr": 0.25})).learning_rate == 0.25


@pytest.mark.parametrize("name", ["pad_d1", "conv_transpose", "bert"])
def test_functions_that_have_another_form_here(name: str) -> None:
    """By name and in a body: what to register; afterwards it is one."""
    s = Session()
    by_name = f'p(a, b). set_predicate_parameter("f/1", function_value, {name}).'
    (notice,) = s.add(by_name, source="setting").notices
    assert f'session.register("{name}"' in notice.hint
    (notice,) = s.add(f"h(X, Y) :- p(X, Y), {name}(Y).", source="rule").notices
    assert f'session.register("{name}"' in notice.hint
    s.register(name, keras.layers.Rescaling(3.0), kind="rowwise")
    assert s.query("h(a, b)").weights == {(): 3.0}


@pytest.mark.parametrize(
    ("name", "instead"), [("NonNeg", "relu"), ("keras.constraints.MaxNorm", "clip_by_value")]
)
def test_constraints_of_keras_by_name(name: str, instead: str) -> None:
    """The advice was a layer that Keras does not have."""
    with pytest.raises(NeuralLogError) as caught:
        session(f'set_parameter(value_constraint, "{name}").').train(epochs=1)
    assert instead in (caught.value.hint or "")


@pytest.mark.parametrize("name", ["Dense", "keras.layers.Dense", "tf.keras.layers.Dense"])
@pytest.mark.parametrize("config", ["", "units, 3"])
def test_a_layer_by_name_says_how_to_register_it(name: str, config: str) -> None:
    """A layer may be registered later, so this is a remark; its advice is what Python takes."""
    setting = 'set_predicate_parameter("d/1", function_value'
    text = f'{setting}, class_name, "{name}").'
    text += f"{setting}, config, {config})." if config else ""
    s = Session()
    notices = s.add(f"p(a, b). {text}", source="program").notices
    (notice,) = [one for one in notices if one.kind == "unknown_function"]
    made = "keras.layers.Dense(units=3)" if config else "keras.layers.Dense(...)"
    assert f'session.register("dense", {made})' in notice.hint and notice.span is not None
    s.register("dense", keras.layers.Dense(units=1))
    right = f"p(a, b). {setting}, dense). g(X, Y) :- p(X, Y), d(Y)."
    s.add(right, source="program")
    assert len(s.query("g(a, Y)").weights) > 0


def test_every_method_of_a_session_that_a_message_names_exists() -> None:
    package = Path(neurallog_kernel.__file__).parent
    for path in package.rglob("*.py"):
        for name in re.findall(r"\bsession\.(\w+)\(", path.read_text(encoding="utf-8")):
            assert hasattr(Session, name) or name.startswith("_"), f"{path.name}: {name}"


# -- callbacks -------------------------------------------------------------------------------------


def test_early_stopping_as_a_callback() -> None:
    text = in_full("callback, stop", "EarlyStopping", monitor="val_loss", patience=3)
    s = session(text + 'set_parameter(callback, stop, config, restore_best_weights, "True").')
    s.add("0::h(a, b). h(a, c). 0::h(b, c).", set="validation")
    history = s.train(epochs=30, learning_rate=0.1)
    assert history.stopped_early and history.epochs == 4 and history.best_epoch == 1


def test_two_callbacks_that_watch_different_things() -> None:
    text = in_full("callback, stop", "EarlyStopping", monitor="loss")
    text += in_full("callback, keep", "ModelCheckpoint", monitor="val_loss")
    s = session(text + "set_parameter(best_model, keep, best_).")
    with pytest.raises(NeuralLogError, match="one quantity"):
        s.train(epochs=1)


def test_ranks_and_area_are_those_of_evaluate() -> None:
    text = in_full("callback, ranks", "link_prediction_callback", dataset="test_set", top_k=1)
    text += in_full("callback, area", "roc_auc", dataset="test_set", suffix="held_out")
    s = session(text)
    s.add("h(a, b). h(a, c). 0::h(b, c). h(c, c). 0::h(a, a).", set="test")
    logs = s.train(epochs=2, learning_rate=0.1).logs
    figures = s.evaluate("test", ties="optimistic", hits=(1,))
    assert logs["mean_rank_test_set"][-1] == pytest.approx(figures["mean_rank_filtered"])
    assert logs["mean_reciprocal_rank_test_set"][-1] == pytest.approx(figures["mrr_filtered"])
    assert logs["top_k_rank_test_set"][-1] == pytest.approx(figures["hits@1_filtered"])
    assert logs["roc_auc_held_out"][-1] == pytest.approx(figures["roc_auc"])


def test_a_callback_without_examples_is_named() -> None:
    s = session(in_full("callback, area", "roc_auc", dataset="test_set"))
    assert s.train(epochs=1).settings["callbacks without examples"] == "area (test_set)"


# -- notices ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        'set_parameter("literal_negation_function:sparse", "some.function").',
        'set_parameter(allow_sparse, "False"). set_predicate_parameter(p, allow_sparse, "True").',
        'set_predicate_parameter("h/2", avoid_constant, 1, "True").',
        in_full("dataset_class", "sequence_dataset", oov_word="unknown"),
        in_full("callback, keep", "ModelCheckpoint"),
    ],
)
def test_what_has_no_effect_is_said_once(text: str) -> None:
    assert kinds(text) == ["without_effect"]


@pytest.mark.parametrize(
    "text",
    [
        "set_parameter(dataset_class, default_dataset).",
        in_full("edge_neutral_element", "tf.constant", value=1.0),
        in_full("callback, keep", "ModelCheckpoint") + "set_parameter(best_model, keep, best_).",
        in_full("callback, area", "roc_auc", dataset="test_set"),
    ],
)
def test_what_does_what_it_says_is_not_remarked(text: str) -> None:
    assert kinds(text) == []


def test_learning_what_nothing_names() -> None:
    notices = Session().add("p(a). h(X) :- p(X), weight(X). learn(wieght). learn(p).").notices
    found = [notice for notice in notices if notice.kind == "unknown_learnable"]
    assert len(found) == 1 and found[0].span is not None
    assert "wieght" in found[0].message and "weight" in (found[0].hint or "")
    assert "unknown_learnable" not in kinds('p(a). learn(prefix, p). learn("p/1").')
    assert "unknown_learnable" not in kinds('p(a). learn("vote_1/1").')  # declared for templates
    assert "unknown_learnable" in kinds('p(a). learn("p/2").')


def test_an_unknown_function_value() -> None:
    text = 'p(a). h(X) :- p(X), f(X). set_predicate_parameter("f/1", function_value, sigmoyd).'
    found = [n for n in Session().add(text).notices if n.kind == "unknown_function"]
    assert len(found) == 1 and "sigmoid" in (found[0].hint or "")


# -- examples and numbers --------------------------------------------------------------------------


@pytest.mark.parametrize("lines", ["\n", " "])
def test_of_equal_examples_the_last_counts(lines: str) -> None:
    """A ground one does not go before one with variables that follows it, and the other way."""
    facts = "p(a, b). p(b, a). h(X, Y) :- p(X, Y). learn(p)."
    ground, every = "0.75::example(h, a, b).", "0.25::example(h, X, Y)."
    for parts, expected in (((ground, every), 0.25), ((every, ground), 0.75)):
        s = Session()
        s.add(lines.join([facts, *parts]))
        again = Session()
        again.add(s.program())
        for one in (s, again):
            one.train(epochs=60, learning_rate=0.5)
            assert one.query("p(a, b)").weights[()] == pytest.approx(expected, abs=1e-3)
            assert one.query("p(b, a)").weights[()] == pytest.approx(0.25, abs=1e-3)


HUGE = """
p(a, b). p(b, c). 1e308::big(a, b). 1e308::big(b, c). -2::below(a, b). 1e300::u(b).
x1(X, Y) :- big(X, Z), big(Z, Y).
x2(X, Y) :- big(X, Y), exponential(Y), exponential(Y).
x3(X, Y) :- x2(X, Y), softmax(Y).
x4(X, Y) :- below(X, Y), logarithm(Y).
x5(X) :- big(X, Y), big(Y, Z), normalize(Z).
x6(X) :- u(X), square(X), square(X).
learn(w). t(X, Y) :- p(X, Y), w(k). s(X, Y) :- x1(X, Y), w(k).
example(t, a, b). example(s, a, c).
"""


def test_no_warning_of_numpy_reaches_a_user() -> None:
    s = Session()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        s.add(HUGE)
        for atom in ("x1(a, Y)", "x2(X, b)", "x3(a, Y)", "x4(a, b)", "x5(X)", "x6(X)", "x5(a)"):
            s.query(atom)
        for atom in ("x1(a, c)", "x2(a, b)", "x4(a, b)", "x5(a)", "x6(b)"):
            s.explain(atom)
            s.sensitivity(atom)
        s.check()
        s.train(epochs=2, dtype="float64")
        s.evaluate("program").mean("roc_auc")
    assert [str(one.message) for one in caught] == []


@pytest.mark.parametrize(
    "text",
    [
        "set_parameter(optimizer, config, lr, 0.5).",
        "set_parameter(loss_function, config, delta, 2).",
        "set_parameter(regularizer, config, l1, 2).",
        "set_parameter(initial_value, config, value, 0.7).",
        "set_parameter(value_constraint, config, clip_value_min, 0).",
        "set_predicate_parameter(w, initial_value, config, value, 0.7).",
    ],
)
def test_settings_of_nothing_are_refused(text: str) -> None:
    """Before, they were taken and did nothing: a learning rate was lost without a word."""
    session = Session()
    session.add("learn(w). p(a, b). q(X, Y) :- p(X, Y), w(one). example(q, a, b).")
    session.add(text, source="half")
    with pytest.raises(NeuralLogError, match="no class_name"):
        session.train(epochs=1)
    session.remove("half")
    session.train(epochs=1)
