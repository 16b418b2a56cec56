"""Keras models that read text, registered as functions: trained with the rules, or before them."""

from __future__ import annotations

import keras
import numpy as np
import pytest
from keras import ops

from neurallog_kernel import Session

LETTERS = " abcdefghijklmnopqrstuvwxyz"
TAGS = {"ly": "adv", "ness": "noun", "ed": "verb"}
STEMS = ["kind", "slow", "dark", "calm", "loud", "soft", "warm", "cold", "fair", "bold"]
WORDS = {stem + end: tag for end, tag in TAGS.items() for stem in STEMS}
HIDDEN = ("bold", "fair")  # stems whose words have no example


@keras.saving.register_keras_serializable()
class Reader(keras.layers.Layer):
    """Reads the letters of the name that a row stands for, last letter first."""

    def __init__(self, names: list[str], **options) -> None:
        super().__init__(**options)
        self.names = names
        longest = max(map(len, names))
        spelt = [[LETTERS.find(c) for c in name[::-1].ljust(longest)] for name in names]
        self.spelt = np.maximum(np.array(spelt), 0)
        self.embed = keras.layers.Embedding(len(LETTERS), 8)
        self.read = keras.layers.Conv1D(16, 3, activation="tanh")
        self.score = keras.layers.Dense(len(names))

    def call(self, rows):
        letters = ops.take(ops.convert_to_tensor(self.spelt), ops.argmax(rows, axis=-1), axis=0)
        return self.score(self.read(self.embed(letters))[:, 0])


def make_session() -> Session:
    made = Session()
    made.add(
        "".join(f"word({word}). " for word in WORDS)
        + "label(adv). label(noun). label(verb). name(X) :- word(X). name(X) :- label(X)."
        + "tag(W, T) :- word(W), reader(W, T), label(T)."
        + 'learn("f/2"). follows(A, B) :- label(A), f(A, B), label(B).'
        + "set_parameter(loss_function, crf). set_parameter(transition_predicate, follows)."
    )
    return made


def names_of(made: Session) -> list[str]:
    return list(made.inspect().entities(("word", 1), 0, limit=10_000))


def test_letters_are_read_and_learned_with_the_transitions() -> None:
    keras.utils.set_random_seed(1)
    made = make_session()
    names = names_of(made)
    assert {"adv", *WORDS} <= set(names), "words and labels are one type"
    made.register("reader", Reader(names), kind="rowwise")
    known = [word for word in WORDS if not word.startswith(HIDDEN)]
    text = "".join(
        f"mega_example(s{number}, tag, {word}, {WORDS[word]}). "
        for number in range(8)
        for word in known[number::8]
    )
    made.add(text, set="train")
    history = made.train(epochs=25, optimizer="adam", learning_rate=0.02, seed=1)
    assert history.logs["loss"][-1] < 0.1 * history.logs["loss"][0]
    hidden = [word for word in WORDS if word.startswith(HIDDEN)]
    decoded = made.decode("tag", [[word] for word in hidden])
    assert [labels for (labels,) in decoded.labels] == [WORDS[word] for word in hidden]


def test_a_model_that_keras_trained_answers_questions() -> None:
    keras.utils.set_random_seed(2)
    made = make_session()
    names = names_of(made)
    model = keras.Sequential([keras.Input((len(names),)), Reader(names)])
    rows = np.eye(len(names))
    truth = np.array([names.index(WORDS.get(name, "adv")) for name in names])
    model.compile(
        keras.optimizers.Adam(0.02), keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    )
    model.fit(rows, truth, epochs=40, verbose=0)
    made.register("reader", model, kind="rowwise")
    expected = model.predict(rows, verbose=0)
    for word in ("boldly", "warmness", "colded"):
        found = made.query(f"tag({word}, T)").weights
        right = expected[names.index(word)]
        assert found == pytest.approx(
            {(tag,): right[names.index(tag)] for tag in TAGS.values()}, abs=1e-5
        )
        assert max(found, key=found.__getitem__) == (WORDS[word],)
