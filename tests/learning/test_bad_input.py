"""What a training is refused for, or warned of: each with what to do, before TensorFlow starts."""

from __future__ import annotations

import socket
import subprocess
import sys
from typing import Any

import pandas as pd
import pytest

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.errors import TableError

RULES = """
learn(w). learn(b). learn(d).
good(X) :- has(X, Y), w(Y).
good(X) :- b(good).
near(X, Y) :- has(X, Z), d(Z), has(Y, Z).
has(a, u). has(b, v). has(c, u). has(d, v). has(e, u). has(g, v).
"""
TRUE = "example(good, a). example(good, b). example(good, c)."
FALSE = "0::example(good, a). 0::example(good, b)."
MIXED = "example(good, a). 0::example(good, b). example(good, c). 0::example(good, d)."
PAIRS = "example(near, a, c). example(near, b, d)."


def session(text: str) -> Session:
    s = Session()
    s.add(RULES + text)
    return s


def notes(text: str, **options: Any) -> str:
    return " ".join(session(text).train(epochs=1, **options).notes)


# -- examples of one side -------------------------------------------------------------------------


def test_only_true_examples_are_told_with_what_to_add():
    found = notes(TRUE)
    assert "all 3 examples of good/1 are true, and nothing says no" in found
    assert "0::example(good, a)." in found


def test_only_false_examples_are_told_with_what_to_add():
    found = notes(FALSE)
    assert "all 2 examples of good/1 are false, and nothing says yes" in found
    assert "as in example(good, a)." in found


def test_in_the_closed_world_the_settings_say_that_nothing_else_is_false():
    history = session(PAIRS).train(epochs=1)
    assert history.notes == ()
    assert history.settings["unlisted"] == "false (closed world), and nothing else does"
    mixed = session(PAIRS + "0::example(near, a, b).").train(epochs=1)
    assert mixed.settings["unlisted"] == "false (closed world)"


def test_only_true_pairs_say_nothing_against_unknown_ones():
    found = notes(PAIRS, unlisted="unknown")
    assert "all 2 examples of near/2 are true, and nothing says no" in found
    assert "negatives=2" in found and "unlisted='false'" in found
    assert notes(PAIRS, negatives=1) == ""


def test_only_false_pairs_are_told_in_the_closed_world_too():
    assert "nothing says yes" in notes("0::example(near, a, c).")


def test_both_sides_and_values_between_are_no_news():
    assert notes(MIXED) == ""
    assert notes("0.3::example(good, a). 0.3::example(good, b).") == ""


def test_every_predicate_is_told_of_once():
    found = session(TRUE + "0::example(near, a, c).").train(epochs=1, inverse_relations=True).notes
    assert [note.split(" of ")[1][:6] for note in found] == ["good/1", "near/2"]


def test_members_and_restarts_say_it_too():
    assert "nothing says no" in notes(TRUE, seeds=2, optimizer="adam")
    assert "nothing says no" in notes(TRUE, restarts=2)


# -- labels that are no numbers -------------------------------------------------------------------


def test_a_label_that_is_no_number_is_no_example():
    s = session("")
    table = pd.DataFrame({"x": ["a", "b"], "label": [1.0, float("nan")]})
    loaded = s.load_table(table, "good(x)", label="label", set="train")
    assert "1 skipped" in str(loaded) and "without a value in label" in str(loaded)
    with pytest.raises(TableError, match="label"):
        s.load_table(table, "good(x)", label="label", set="train", missing="error")


# -- groups and folds -----------------------------------------------------------------------------

CHAIN = "example(near, a, b). example(near, b, c). 0::example(near, c, d)."


@pytest.mark.parametrize(
    ("text", "call", "message", "hint"),
    [
        (CHAIN, lambda s: s.train(hold_out=0.5), "hold_out=0.5 needs at least 2", "'subject'"),
        (CHAIN, lambda s: s.cross_validate(folds=2), "there is 1 (connected)", "'subject'"),
        (MIXED, lambda s: s.train(hold_out=0.1), "at least 10 groups", "larger share"),
        (MIXED, lambda s: s.cross_validate(folds=5), "5 folds need", "use fewer folds"),
        (MIXED, lambda s: s.select({"epochs": [1, 2]}, folds=5), "5 folds need", "fewer folds"),
        (
            "example(good, a). 0::example(good, b). 0::example(good, c).",
            lambda s: s.cross_validate(folds=3, groups="example", epochs=1),
            "no true and false examples of one predicate",
            "metric='brier'",
        ),
        (
            TRUE,
            lambda s: s.cross_validate(folds=2, epochs=1),
            "no true and false",
            "list more false",
        ),
        (
            FALSE,
            lambda s: s.cross_validate(folds=2, epochs=1),
            "no true and false",
            "list more true",
        ),
        (TRUE, lambda s: s.train(positive_weight="balanced"), "are all true", ""),
        (MIXED, lambda s: s.cross_validate(metric="rocauc"), "is not a metric", "roc_auc"),
        (MIXED, lambda s: s.train(metrics=["rocauc"]), "unknown metric rocauc", "roc_auc"),
        (MIXED, lambda s: s.train(monitor="val_loss"), "not recorded", "hold_out=0.2"),
        (MIXED, lambda s: s.train(monitor="aucc", patience=1), "not recorded", "there are: loss"),
    ],
)
def test_the_error_says_what_to_do(text: str, call: Any, message: str, hint: str):
    with pytest.raises(NeuralLogError) as caught:
        call(session(text))
    assert message in caught.value.message
    assert hint in (caught.value.hint or "")


# -- before TensorFlow starts ---------------------------------------------------------------------

TRIED = """
import sys
from neurallog_kernel import NeuralLogError, Session
s = Session()
s.add({text!r})
try:
    s.{call}
except NeuralLogError as error:
    print(error.message)
print("tensorflow" in sys.modules)
"""


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("train(metrics=['rocauc'], optimizer='lion')", "unknown metric rocauc"),
        ("train(loss='mse2', optimizer='lion')", "unknown loss mse2"),
        ("train(examples='trian', optimizer='lion')", "no examples to learn from"),
        ("cross_validate(folds=9, optimizer='lion')", "9 folds need"),
        ("select({'optimizer': ['lion', 'nadam']}, metric='auc')", "is not a metric"),
        ("train(workers='127.0.0.1:PORT', optimizer='lion')", "does not answer"),
    ],
)
def test_it_is_told_before_tensorflow_starts(call: str, message: str):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # bound, but nobody listens: no other process gets the port
        call = call.replace("PORT", str(free.getsockname()[1]))
        words = [sys.executable, "-c", TRIED.format(text=RULES + MIXED, call=call)]
        told, loaded = subprocess.run(
            words, capture_output=True, text=True, check=True
        ).stdout.splitlines()
    assert message in told and loaded == "False"
