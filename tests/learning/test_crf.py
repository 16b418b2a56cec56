"""The loss of whole sequences against the sum over all of them, and what it learns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurallog_kernel import NeuralLogError, Session
from tests.language.generators import examples as cases

LABELS = ("det", "noun", "verb")
TOKENS = tuple(f"t{i}" for i in range(6))
CHAIN = """
label(det). label(noun). label(verb).
learn("e/2"). learn("f/2"). learn("s/1").
tag(X, Y) :- e(X, Y), label(Y).
follows(A, B) :- label(A), f(A, B), label(B).
starts(A) :- label(A), s(A).
set_predicate_parameter("tag/2", loss_function, crf).
set_predicate_parameter("tag/2", transition_predicate, follows).
"""
INITIAL = 'set_predicate_parameter("tag/2", initial_predicate, "starts/1").'

Weights = Mapping[tuple[str, ...], float]


def facts(weights: Mapping[tuple[str, ...], float]) -> str:
    return "".join(f"{w}::{name}({', '.join(terms)}).\n" for (name, *terms), w in weights.items())


def some_weights(seed: int) -> dict[tuple[str, ...], float]:
    generator = np.random.default_rng(seed)
    keys = [("e", t, y) for t in TOKENS for y in LABELS]
    keys += [("f", a, b) for a in LABELS for b in LABELS] + [("s", a) for a in LABELS]
    return {key: round(float(generator.normal()), 3) for key in keys}


def score(labels: Sequence[str], tokens: Sequence[str], weights: Weights, initial: bool) -> float:
    found = sum(weights["e", t, y] for t, y in zip(tokens, labels, strict=True))
    found += sum(weights["f", a, b] for a, b in pairwise(labels))
    return found + (weights["s", labels[0]] if initial else 0.0)


def loss(
    sequences: Sequence[Sequence[tuple[str, Sequence[str]]]], weights: Weights, initial: bool
) -> float:
    """Minus the logarithm of the share of the labelled sequences, per step."""
    found = 0.0
    for steps in sequences:
        tokens = [token for token, _ in steps]
        every, labelled = 0.0, 0.0
        for labels in product(LABELS, repeat=len(steps)):
            part = np.exp(score(labels, tokens, weights, initial))
            every += part
            if all(y in allowed for y, (_, allowed) in zip(labels, steps, strict=True)):
                labelled += part
        found += np.log(every) - np.log(labelled)
    return found / sum(map(len, sequences))


def trained(
    weights: Weights, text: str, initial: bool, rate: float, **options
) -> tuple[float, Session]:
    made = Session()
    made.add(CHAIN + facts(weights) + (INITIAL if initial else ""))
    made.add(text, set="train")
    settings = {"epochs": 1, "learning_rate": rate, "batch_size": 100, "dtype": "float64"}
    history = made.train(**settings | options)
    return history.logs["loss"][0], made


steps = st.tuples(st.sampled_from(TOKENS), st.sampled_from([*LABELS, "?"]))
sequences = st.lists(st.lists(steps, min_size=1, max_size=4), min_size=1, max_size=3)


def written(given_: list[list[tuple[str, str]]]) -> str:
    return "".join(
        f"mega_example(s{n}, tag, {token}, {'Any' if label == '?' else label}).\n"
        for n, one in enumerate(given_)
        for token, label in one
    )


def allowed(given_: list[list[tuple[str, str]]]) -> list[list[tuple[str, Sequence[str]]]]:
    return [[(t, LABELS if y == "?" else (y,)) for t, y in one] for one in given_]


@pytest.mark.usefixtures("eager")
@cases(40)
@given(sequences, st.integers(0, 1000), st.booleans())
def test_the_loss_is_the_share_among_all_sequences(
    given_: list[list[tuple[str, str]]], seed: int, initial: bool
) -> None:
    weights = some_weights(seed)
    found, _ = trained(weights, written(given_), initial, 0.0)
    assert found == pytest.approx(loss(allowed(given_), weights, initial), abs=1e-9)


@pytest.mark.parametrize("initial", [True, False])
def test_the_gradient_is_that_of_the_loss(initial: bool) -> None:
    """Compiled, with sequences of different lengths, a token twice and a step without a label."""
    given_ = [
        [("t0", "det"), ("t1", "noun"), ("t2", "verb"), ("t1", "noun")],
        [("t3", "verb")],
        [("t4", "?"), ("t0", "noun"), ("t5", "det")],
    ]
    weights = some_weights(7)
    rate, small = 0.5, 1e-6
    _, session = trained(weights, written(given_), initial, rate)
    for key, weight in weights.items():
        name, *terms = key
        learned = session.query(f"{name}({', '.join(terms)})").weights[()]
        up = loss(allowed(given_), {**weights, key: weight + small}, initial)
        down = loss(allowed(given_), {**weights, key: weight - small}, initial)
        slope = (up - down) / (2 * small)
        assert learned == pytest.approx(weight - rate * slope, abs=1e-7), key


def test_batches_of_sequences_add_up() -> None:
    given_ = [[("t0", "det"), ("t1", "noun")], [("t2", "verb")], [("t3", "noun"), ("t4", "verb")]]
    weights = some_weights(3)
    found = [
        trained(weights, written(given_), True, 0.0, batch_size=size, shuffle=True)[0]
        for size in (1, 2, 3)
    ]
    assert found == pytest.approx([loss(allowed(given_), weights, True)] * 3, abs=1e-9)


@pytest.mark.usefixtures("eager")
def test_listed_negatives_exclude_labels() -> None:
    weights = some_weights(5)
    text = "mega_example(s, tag, t0, det). 0::mega_example(s, tag, t1, noun)."
    text += "mega_example(s, tag, t2, verb)."
    found, _ = trained(weights, text, False, 0.0)
    one = [("t0", ("det",)), ("t1", ("det", "verb")), ("t2", ("verb",))]
    assert found == pytest.approx(loss([one], weights, False), abs=1e-9)


@pytest.mark.usefixtures("eager")
def test_another_set_is_validated_with_the_same_loss() -> None:
    weights = some_weights(4)
    made = Session()
    made.add(CHAIN + INITIAL + facts(weights))
    made.add("mega_example(s, tag, t0, det). mega_example(s, tag, t1, noun).", set="train")
    held_out = [[("t2", "verb"), ("t3", "noun")], [("t4", "det")]]
    made.add(written(held_out), set="validation")
    history = made.train(epochs=1, learning_rate=0.0, dtype="float64")
    expected = loss(allowed(held_out), weights, True)
    assert history.logs["val_loss"][0] == pytest.approx(expected, abs=1e-9)


def test_neighbours_decide_what_a_word_alone_cannot() -> None:
    """`run` is a noun after `the` and a verb after `dogs`: only transitions tell them apart."""
    made = Session()
    made.add(
        """
        label(det). label(noun). label(verb).
        word(the). word(dogs). word(run).
        learn("e/2"). learn("f/2").
        pos(W, Y) :- word(W), e(W, Y), label(Y).
        follows(A, B) :- label(A), f(A, B), label(B).
        set_parameter(loss_function, crf).
        set_parameter(transition_predicate, follows).
        """
    )
    made.add(
        """
        mega_example(1, pos, the, det). mega_example(1, pos, run, noun).
        mega_example(2, pos, dogs, noun). mega_example(2, pos, run, verb).
        """,
        set="train",
    )
    made.train(epochs=60, learning_rate=0.5, optimizer="adam", seed=1)
    decoded = made.decode("pos", [["the", "run"], ["dogs", "run"]])
    assert decoded.labels == [["det", "noun"], ["noun", "verb"]]


# -- what is refused ------------------------------------------------------------------------------


def refused(text: str, **options) -> NeuralLogError:
    made = Session()
    made.add(
        "label(x). label(y). learn(e). p(X, Y) :- e(X, Y), label(Y). e(a, x). u(X) :- label(X), w."
        "learn(w). next(A, B) :- label(A), label(B). other(c, d)."
    )
    made.add(text)
    with pytest.raises(NeuralLogError) as caught:
        made.train(**options)
    assert made.query("e(a, x)").weights == {(): 1.0}
    return caught.value


@pytest.mark.parametrize(
    ("text", "options", "says", "hint"),
    [
        ("mega_example(1, p, a, x).", {}, "needs a predicate", "transition_predicate"),
        (
            "set_parameter(transition_predicate, other). mega_example(1, p, a, x).",
            {},
            "knows none of the labels of p/2",
            "label",
        ),
        (
            "set_parameter(transition_predicate, nxt). mega_example(1, p, a, x).",
            {},
            "unknown predicate nxt",
            "next",
        ),
        (
            "set_parameter(transition_predicate, u). mega_example(1, p, a, x).",
            {},
            "two arguments",
            "",
        ),
        (
            "set_parameter(transition_predicate, next). mega_example(1, p, a, x).",
            {"inverse_relations": True},
            "last place",
            "inverse_relations",
        ),
        (
            "set_parameter(transition_predicate, next). mega_example(1, u, x).",
            {},
            "only one",
            "binary_crossentropy",
        ),
    ],
)
def test_a_chain_that_cannot_be(text: str, options: dict, says: str, hint: str) -> None:
    error = refused(text, loss="crf", **options)
    assert says in error.message
    assert hint in (error.hint or "")
