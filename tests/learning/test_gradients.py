"""Gradients of every learned use against central differences.

Both sides are public: one step of gradient descent with rate 1 moves each weight by minus its
gradient, and the loss for other weights comes from queries.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from neurallog_kernel import Session
from tests.learning.helpers import start

FACTS = """
0.5::p(a, b). 0.8::p(a, c). 1.5::p(b, c). 0.7::p(c, a). 0.9::p(b, b).
1.2::q(a, a). 0.6::q(b, c). 0.4::q(c, b). 1.1::q(c, c).
0.3::u(a). 0.9::u(b). 0.8::u(c).
0.6::v. 0.7::w(k1). 1.3::w(k2).
0.5::age(a, 2). 1.5::age(b, 0.5).
0.25::pi(3).
0.5::m(a, b, c). 0.8::m(a, a, b). 1.5::m(b, c, a). 0.7::m(c, c, c). 0.9::m(b, b, b). m(c, a, b).
0.6::y(a, b, 2024). 1.2::y(b, c, 2024). 0.9::y(a, c, 7).
"""

# What is learned, and the rules whose target is h.
USES = {
    "ground": ("w", "h(X, Y) :- p(X, Y), w(k1). h(X, Y) :- q(X, Y), w(k2)."),
    "bias": ("w", "h(X, Y) :- p(X, Y). h(X, Y) :- w(k1)."),
    "propositional": ("v", "h(X, Y) :- p(X, Y), v."),
    "numeric scalar": ("pi", "h(X, Y) :- p(X, Y), pi(A)."),
    "unary at the input": ("u", "h(X, Y) :- u(X), p(X, Y)."),
    "unary in the middle": ("u", "h(X, Y) :- p(X, Z), u(Z), p(Z, Y)."),
    "unary at the output": ("u", "h(X, Y) :- p(X, Y), u(Y)."),
    "unary with a constant": ("u", "h(X, Y) :- p(X, Y), u(a)."),
    "binary facts": ("p", "h(X, Y) :- p(X, Y)."),
    "binary twice": ("p", "h(X, Y) :- p(X, Z), p(Z, Y)."),
    "binary after constant parts": ("p", "h(X, Y) :- q(X, Z), p(Z, Y)."),
    "binary before constant parts": ("p", "h(X, Y) :- p(X, Z), q(Z, Y)."),
    "binary all cells": ("n", "h(X, Y) :- p(X, Z), n(Z, Y)."),
    "binary with facts, all cells": (
        "q",
        'h(X, Y) :- p(X, Z), q(Z, Y). set_predicate_parameter("q/2", trainable_cells, all).',
    ),
    "attribute": ("age", "h(X, Y) :- p(X, Y), age(Y, A)."),
    "attribute at the input": ("age", "h(X, Y) :- age(X, A), p(X, Y)."),
    "attribute with a number": ("age", "h(X, Y) :- p(X, Y), age(Y, 0.5)."),
    "inverted": ("p", "h(X, Y) :- p(Y, X)."),
    "inverted in a chain": ("p", "h(X, Y) :- q(X, Z), p(Y, Z)."),
    "full diagonal, summed": ("n", "h(X, Y) :- p(X, Y), n(D, D). g(X) :- p(X, Z), n(X, Z)."),
    "diagonal": ("q", "h(X, Y) :- p(X, Y), q(Y, Y)."),
    "constant second": ("p", "h(X, Y) :- q(X, Y), p(Y, c)."),
    "constant first": ("p", "h(X, Y) :- q(X, Y), p(a, Y)."),
    "constant in the head": ("p", "h(a, Y) :- p(Z, Y). h(X, Y) :- q(X, Y)."),
    "ground binary": ("p", "h(X, Y) :- q(X, Y), p(a, b)."),
    "concept": ("p", "c(X) :- p(X, Y). h(X, Y) :- q(X, Y), c(Y)."),
    "concept at the input": ("u", "c(X) :- p(X, Y), u(Y). h(X, Y) :- c(X), q(X, Y)."),
    "non-linear concept": (
        "p",
        "c(X) :- p(X, Y), u(Y), tanh(Y). h(X, Y) :- q(X, Y), c(Y).",
    ),
    "concept with its own fact": ("c", "0.5::c(a). c(X) :- p(X, Y). h(X, Y) :- q(X, Y), c(Y)."),
    "recursion": ("p", "h(X, Y) :- p(X, Y). h(X, Y) :- p(X, Z), h(Z, Y)."),
    "deep recursion": (
        "u",
        "h(X, Y) :- p(X, Y). h(X, Y) :- h(X, Z), u(Z), q(Z, Y). set_parameter(recursion_depth, 3).",
    ),
    "inside another predicate": ("p", "g(X, Y) :- p(X, Z), q(Z, Y). h(X, Y) :- g(Y, X), u(X)."),
    "negated unary": ("u", "h(X, Y) :- p(X, Y), not u(Y)."),
    "negated binary": ("p", "h(X, Y) :- q(X, Z), not p(Z, Y)."),
    "negated ground": ("w", "h(X, Y) :- p(X, Y), not w(k1)."),
    "negated proposition": ("v", "h(X, Y) :- p(X, Y), not v."),
    "negated call": ("p", "g(X, Y) :- p(X, Y), u(Y). h(X, Y) :- q(X, Z), not g(Z, Y)."),
    "summed out": ("u", "h(X, Y) :- p(X, Y), u(Z), q(Z, V)."),
    "any at the output": ("p", "h(X, Y) :- p(X, Z), u(Y)."),
    "weighted rule": ("p", "0.7::h(X, Y) :- p(X, Y). 0.2::h(X, Y) :- p(X, Z), p(Z, Y)."),
    "two predicates": ("p, u", "h(X, Y) :- p(X, Z), u(Z), q(Z, Y). h(X, Y) :- u(X), p(X, Y)."),
    "the target's facts": ("h", "0.4::h(a, b). 0.2::h(c, c). h(X, Y) :- p(X, Y)."),
    "three places": ("m", "h(X, Y) :- m(X, Z, Y)."),
    "three places, two inputs": ("m", "h(X, Y) :- p(X, A), q(X, B), m(A, B, Y)."),
    "three places, inverted": ("m", "h(X, Y) :- m(Y, Z, X), u(Z)."),
    "three places, a constant": ("m", "h(X, Y) :- m(X, b, Y). h(X, Y) :- m(c, Y, X)."),
    "three places, a year": ("y", "h(X, Y) :- y(X, Y, 2024)."),
    "three places, a variable twice": (
        "m",
        "h(X, Y) :- m(X, X, Y). h(X, Y) :- p(X, Z), m(Y, Z, Y).",
    ),
    "three places, the diagonal": ("m", "h(X, Y) :- p(X, Y), m(Y, Y, Y)."),
    "three places, ground": ("m", "h(X, Y) :- p(X, Y), m(a, b, c)."),
    "three places, negated": ("m", "h(X, Y) :- p(X, Y), not m(X, a, Y)."),
    "three places, a concept": (
        "m",
        "c(X) :- m(X, Y, Z), u(Z), tanh(Z). h(X, Y) :- p(X, Y), c(Y).",
    ),
    "three places, all cells": ("n", "h(X, Y) :- n(X, Z, Y), u(Z)."),
    "three places, facts and rules": (
        "m",
        "t(X, Y, Z) :- m(X, Y, Z). t(X, Y, Z) :- m(Z, Y, W), t(X, W, Z). h(X, Y) :- t(X, Z, Y).",
    ),
    "minimum": (
        "p",
        'h(X, Y) :- p(X, Y), u(Y). set_parameter(and_combining_function, "tf.math.minimum").',
    ),
    "maximum of rules": (
        "p",
        "h(X, Y) :- p(X, Y). h(X, Y) :- q(X, Y)."
        ' set_predicate_parameter("h/2", literal_combining_function, "tf.math.maximum").',
    ),
    "maximum in any": (
        "u",
        "h(X, Y) :- p(X, Y), u(Z), q(Z, V). set_parameter(any_aggregation_function, max).",
    ),
}
FUNCTIONS = [
    "tanh",
    "sigmoid",
    "hard_sigmoid",
    "relu",
    "relu6",
    "leaky_relu",
    "elu",
    "selu",
    "gelu",
    "silu",
    "softplus",
    "softsign",
    "exponential",
    "square",
    "square_root",
    "absolute",
    "negative",
    "inverse",
    "linear",
    "softmax",
    "normalize",
    "sum",
    "mean",
    "max",
    "min",
    "count",
]
for name in FUNCTIONS:
    USES[f"through {name}"] = ("p", f"h(X, Y) :- p(X, Z), {name}(Z), q(Z, Y).")
    USES[f"out of {name}"] = ("p", f"h(X, Y) :- p(X, Y), {name}(Y).")
USES["through a function of two places"] = ("p", "h(X, Y) :- p(X, Z), tanh(Z, Y).")

EXAMPLES = """example(h, a, b). 0.5::example(h, a, c). example(h, b, c). 0.2::example(h, b, a).
0::example(h, c, b). 0.7::example(h, c, a)."""
LABELS = {("a", "b"): 1.0, ("a", "c"): 0.5, ("b", "c"): 1.0, ("b", "a"): 0.2, ("c", "b"): 0.0}
LABELS["c", "a"] = 0.7
ENTITIES = "abc"


def mean_squared_error(session: Session, unknown: bool) -> float:
    """LANGUAGE 7: the mean over outputs (all, or the listed ones), then over the inputs."""
    rows = []
    for first in ENTITIES:
        weights = session.query(f"h({first}, Y)").weights
        listed = [y for y in ENTITIES if not unknown or (first, y) in LABELS]
        errors = [(weights.get((y,), 0.0) - LABELS.get((first, y), 0.0)) ** 2 for y in listed]
        rows.append(sum(errors) / len(errors))
    return sum(rows) / len(rows)


def learned_weights(session: Session, names: str) -> dict[str, float]:
    """The learned facts of a session by their atoms, from its program text."""
    found = {}
    wanted = [name.strip() for name in names.split(",")]
    for line in session.program().splitlines():
        text = line.removesuffix(".")
        if ":-" in text or text.startswith(("%", "learn", "set_", "example")) or not text:
            continue
        weight, _, atom = text.rpartition("::")
        if atom.split("(")[0] in wanted and "example(" not in atom:
            found[atom] = float(weight or 1)
    return found


def loss_with(text: str, weights: dict[str, float], unknown: bool) -> float:
    session = Session()
    session.add(text)
    session.add("\n".join(f"{weight!r}::{atom}." for atom, weight in weights.items()))
    return mean_squared_error(session, unknown)


def central_differences(
    text: str, weights: dict[str, float], unknown: bool
) -> Iterator[tuple[str, float]]:
    step = 1e-5
    for atom, weight in weights.items():
        above = loss_with(text, {**weights, atom: weight + step}, unknown)
        below = loss_with(text, {**weights, atom: weight - step}, unknown)
        yield atom, (above - below) / (2 * step)


def one_step(backend: str) -> dict[str, Any]:
    """A training that moves each weight by minus its gradient."""
    return {
        "epochs": 1,
        "learning_rate": 1.0,
        "batch_size": 100,
        "dtype": "float64",
        "backend": backend,
    }


CASES = [(use, "false") for use in USES] + [
    (use, "unknown") for use in USES if not use.startswith(("through", "out of"))
]


@pytest.mark.parametrize(("use", "unlisted"), CASES)
def test_gradient(use: str, unlisted: str, eager: None) -> None:
    names, rules = USES[use]
    text = f"{FACTS} {rules} {EXAMPLES}"
    session = Session()
    session.add(f"{text} {' '.join(f'learn({name}).' for name in names.split(', '))}")
    start(session, seed=3)
    before = learned_weights(session, names)
    unknown = unlisted == "unknown"
    loss, expected = (
        loss_with(text, before, unknown),
        dict(central_differences(text, before, unknown)),
    )
    for backend in ("tensorflow", "numpy"):
        history = session.train(unlisted=unlisted, **one_step(backend))
        after = learned_weights(session, names)
        assert history.logs["loss"][0] == pytest.approx(loss, abs=1e-9)
        assert before.keys() == after.keys()
        moved = {atom: before[atom] - after[atom] for atom in before}
        assert moved == pytest.approx(expected, rel=1e-5, abs=1e-7), backend
        session.undo()
    if not use.endswith((" count", " sum")):
        assert any(abs(gradient) > 1e-4 for gradient in expected.values())


def test_what_is_not_learned_gets_no_gradient(eager: None) -> None:
    session = Session()
    session.add(f"{FACTS} h(X, Y) :- p(X, Z), u(Z), q(Z, Y), v, w(k1), age(Y, A). {EXAMPLES}")
    session.add("learn(u).")
    before = {name: learned_weights(session, name) for name in ("p", "q", "v", "w", "age", "u")}
    session.train(epochs=3, learning_rate=0.5)
    for name, weights in before.items():
        after = learned_weights(session, name)
        if name == "u":
            assert all(abs(after[atom] - weights[atom]) > 1e-4 for atom in ("u(a)", "u(c)"))
        else:
            assert after == weights


def test_a_learned_predicate_that_no_target_uses_stays(eager: None) -> None:
    session = Session()
    session.add(f"{FACTS} h(X, Y) :- p(X, Y). {EXAMPLES} learn(p). learn(u).")
    before = learned_weights(session, "u")
    session.train(epochs=2, learning_rate=0.5, dtype="float64")
    assert learned_weights(session, "u") == before


def test_gradients_of_one_predicate_in_every_use_add_up(eager: None) -> None:
    """One tensor, used forward, backward, on the diagonal, with a constant and ground."""
    rules = """h(X, Y) :- p(X, Y). h(X, Y) :- p(Y, X), u(Y). h(X, Y) :- q(X, Y), p(Y, Y).
    h(X, Y) :- q(X, Y), p(Y, c). h(X, Y) :- q(X, Y), p(a, b). h(X, Y) :- not p(X, Y), u(X)."""
    text = f"{FACTS} {rules} {EXAMPLES}"
    session = Session()
    session.add(f"{text} learn(p).")
    before = learned_weights(session, "p")
    expected = dict(central_differences(text, before, False))
    for backend in ("tensorflow", "numpy"):
        session.train(**one_step(backend))
        after = learned_weights(session, "p")
        session.undo()
        moved = {atom: before[atom] - after[atom] for atom in before}
        assert moved == pytest.approx(expected, rel=1e-5, abs=1e-8), backend
