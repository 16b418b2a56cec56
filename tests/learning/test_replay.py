"""Training, replayed in NumPy: the same batches, losses, penalties, constraints and updates.

The forward pass of the program below is written out by hand; its derivatives are taken with a
complex step, which is exact, so the replay owes nothing to TensorFlow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest

from neurallog_kernel import Session

ENTITIES = "abcd"
TEXT = """
0.5::p(a, b). 0.8::p(b, c). 0.6::p(a, c). 0.9::p(c, d). 0.7::p(d, a).
0.4::u(a). 1.1::u(b). 0.3::u(c). -0.2::u(d).
0.35::w(k).
h(X, Y) :- p(X, Y), u(Y).
h(X, Y) :- p(X, Z), p(Z, Y), w(k), tanh(Y).
g(X, Y) :- p(Y, X), u(X).
c(X) :- p(X, Y), u(Y).
learn(p). learn(u). learn(w).
"""
H_EXAMPLES = "example(h, b, c). 0.5::example(h, a, c). example(h, a, b). 0::example(h, b, d)."
G_EXAMPLES = "0.6::example(g, d, c). example(g, a, d). -1::example(g, c, a)."
C_EXAMPLES = "0.9::example(c, b). 0.1::example(c, c)."
START = {
    "p(a, b)": 0.5,
    "p(b, c)": 0.8,
    "p(a, c)": 0.6,
    "p(c, d)": 0.9,
    "p(d, a)": 0.7,
    "u(a)": 0.4,
    "u(b)": 1.1,
    "u(c)": 0.3,
    "u(d)": -0.2,
    "w(k)": 0.35,
}
Labels = dict[tuple[str, ...], float]
H: Labels = {("b", "c"): 1.0, ("a", "c"): 0.5, ("a", "b"): 1.0, ("b", "d"): 0.0}
G: Labels = {("d", "c"): 0.6, ("a", "d"): 1.0, ("c", "a"): -1.0}
C: Labels = {("b",): 0.9, ("c",): 0.1}


def forward(weights: dict[str, complex]) -> dict[str, np.ndarray]:
    """h, g and c for every input, from the weights."""
    p = np.zeros((4, 4), dtype=complex)
    u = np.zeros(4, dtype=complex)
    for atom, weight in weights.items():
        places = [ENTITIES.index(e) for e in atom[2:-1].split(", ") if e in ENTITIES]
        if atom[0] == "p":
            p[places[0], places[1]] = weight
        elif atom[0] == "u":
            u[places[0]] = weight
    return {
        "h": p * u + np.tanh(p @ p) * weights["w(k)"],
        "g": u[:, None] * p.T,
        "c": (p @ u)[:, None],
    }


@dataclass
class Replay:
    """The updates of a training, with its own record of what the optimiser remembers."""

    targets: dict[str, Labels]
    batch_size: int
    update: Callable[[Replay, str, float], float]
    unknown: bool = False
    penalty: float = 0.0
    constrained: str = ""  # predicates kept from below zero
    weights: dict[str, float] = field(default_factory=lambda: dict(START))
    memory: dict[tuple[str, str], float] = field(default_factory=dict)
    steps: int = 0

    def inputs(self) -> list[str]:
        """The distinct inputs of all targets, in order of first appearance."""
        keys = [key[0] for labels in self.targets.values() for key in labels]
        return list(dict.fromkeys(keys))

    def batches(self) -> list[list[str]]:
        rows = self.inputs()
        return [rows[i : i + self.batch_size] for i in range(0, len(rows), self.batch_size)]

    def loss(self, weights: dict[str, complex], batch: list[str]) -> complex:
        values = forward(weights)
        total: complex = 0
        for name, labels in self.targets.items():
            for row in batch:
                total += self.row_loss(values[name][ENTITIES.index(row)], row, labels)
        penalty = sum(self.penalty * weight**2 for weight in weights.values())
        return total / len(batch) + penalty

    def row_loss(self, values: np.ndarray, row: str, labels: Labels) -> complex:
        own = {key[1:]: label for key, label in labels.items() if key[0] == row}
        if not own:
            return 0
        errors = []
        for place, value in enumerate(values):
            key = (ENTITIES[place],) if len(values) > 1 else ()
            if key in own or not self.unknown:
                errors.append((value - own.get(key, 0.0)) ** 2)
        return sum(errors) / len(errors)

    def step(self, batch: list[str]) -> float:
        tiny = 1e-30
        gradients = {
            atom: self.loss({**self.weights, atom: weight + tiny * 1j}, batch).imag / tiny
            for atom, weight in self.weights.items()
        }
        before = float(np.real(self.loss(dict(self.weights), batch)))
        self.steps += 1
        for atom, gradient in gradients.items():
            self.weights[atom] += self.update(self, atom, gradient)
            if atom[0] in self.constrained:
                self.weights[atom] = max(self.weights[atom], 0.0)
        return before

    def epoch(self) -> float:
        """One epoch; gives the mean of the losses of its rows."""
        losses = [(self.step(batch), len(batch)) for batch in self.batches()]
        return sum(loss * rows for loss, rows in losses) / sum(rows for _, rows in losses)

    def remember(self, name: str, atom: str, value: float) -> float:
        self.memory[name, atom] = value
        return value


def sgd(replay: Replay, atom: str, gradient: float) -> float:
    return -0.3 * gradient


def momentum(replay: Replay, atom: str, gradient: float) -> float:
    before = replay.memory.get(("v", atom), 0.0)
    return replay.remember("v", atom, 0.9 * before - 0.1 * gradient)


def adagrad(replay: Replay, atom: str, gradient: float) -> float:
    before = replay.memory.get(("s", atom), 0.1)
    squares = replay.remember("s", atom, before + gradient**2)
    return -0.1 * gradient / np.sqrt(squares + 1e-7)


def adam(replay: Replay, atom: str, gradient: float) -> float:
    first, second = (replay.memory.get((name, atom), 0.0) for name in "mv")
    first = replay.remember("m", atom, 0.9 * first + 0.1 * gradient)
    second = replay.remember("v", atom, 0.999 * second + 0.001 * gradient**2)
    powers = [float(np.float32(beta)) ** replay.steps for beta in (0.9, 0.999)]  # as Keras rounds
    rate = 0.05 * np.sqrt(1 - powers[1]) / (1 - powers[0])
    return -rate * first / (np.sqrt(second) + 1e-7)


OPTIMISERS = {
    "sgd": (sgd, {"optimizer": "sgd", "learning_rate": 0.3}),
    "momentum": (
        momentum,
        {"optimizer": {"class_name": "SGD", "momentum": 0.9, "learning_rate": 0.1}},
    ),
    "adagrad": (adagrad, {"optimizer": "adagrad", "learning_rate": 0.1}),
    "adam": (adam, {"optimizer": "adam", "learning_rate": 0.05}),
}
EPOCHS = 4


def session_with(text: str) -> Session:
    session = Session()
    session.add(f"{TEXT} {text}")
    return session


def weights_of(session: Session) -> dict[str, float]:
    found = {}
    for query in ("p(X, Y)", "u(X)", "w(X)"):
        for key, weight in session.query(query).weights.items():
            found[f"{query[0]}({', '.join(key)})"] = weight
    return found


def compare(session: Session, replay: Replay, **options) -> None:
    history = session.train(epochs=EPOCHS, dtype="float64", **options)
    losses = [replay.epoch() for _ in range(EPOCHS)]
    assert history.logs["loss"] == pytest.approx(losses, rel=1e-5, abs=1e-7)
    found = weights_of(session)
    for atom, weight in replay.weights.items():  # a weight of zero is no answer
        assert found.get(atom, 0.0) == pytest.approx(weight, abs=1e-5), atom


@pytest.mark.parametrize("batch_size", [1, 2, 100])
@pytest.mark.parametrize("unlisted", ["false", "unknown"])
@pytest.mark.parametrize("name", OPTIMISERS)
def test_one_target(name: str, unlisted: str, batch_size: int, eager: None) -> None:
    update, options = OPTIMISERS[name]
    replay = Replay({"h": H}, batch_size, update, unlisted == "unknown")
    session = session_with(H_EXAMPLES)
    compare(session, replay, batch_size=batch_size, unlisted=unlisted, **options)


@pytest.mark.parametrize("batch_size", [1, 2, 3, 100])
@pytest.mark.parametrize("unlisted", ["false", "unknown"])
def test_three_targets(unlisted: str, batch_size: int, eager: None) -> None:
    update, options = OPTIMISERS["adagrad"]
    replay = Replay({"h": H, "g": G, "c": C}, batch_size, update, unlisted == "unknown")
    session = session_with(H_EXAMPLES + G_EXAMPLES + C_EXAMPLES)
    compare(session, replay, batch_size=batch_size, unlisted=unlisted, **options)


def test_the_order_of_targets_is_that_of_their_examples(eager: None) -> None:
    replay = Replay({"c": C, "g": G, "h": H}, 2, sgd)
    session = session_with(C_EXAMPLES + G_EXAMPLES + H_EXAMPLES)
    compare(session, replay, batch_size=2, learning_rate=0.3)


@pytest.mark.parametrize("batch_size", [1, 100])
def test_the_penalty_of_a_tensor_counts_once(batch_size: int, eager: None) -> None:
    """p is used five times in the rules; Keras's l2 is 0.01 times the squares."""
    replay = Replay({"h": H, "g": G}, batch_size, sgd, penalty=0.01)
    session = session_with(H_EXAMPLES + G_EXAMPLES + "set_parameter(regularizer, l2).")
    compare(session, replay, batch_size=batch_size, learning_rate=0.3)


def test_a_constraint_holds_after_every_update(eager: None) -> None:
    replay = Replay({"h": H, "g": G}, 1, sgd, constrained="u")
    session = session_with(
        H_EXAMPLES + G_EXAMPLES + "set_predicate_parameter(u, value_constraint, relu)."
    )
    compare(session, replay, batch_size=1, learning_rate=0.3)
    free = Replay({"h": H, "g": G}, 1, sgd)
    for _ in range(EPOCHS):
        free.epoch()
    assert abs(free.weights["u(d)"] - replay.weights["u(d)"]) > 0.01


@pytest.mark.parametrize("name", OPTIMISERS)
def test_the_compiled_loop_does_the_same(name: str) -> None:
    update, options = OPTIMISERS[name]
    replay = Replay({"h": H, "g": G, "c": C}, 2, update, penalty=0.01, constrained="u")
    session = session_with(
        H_EXAMPLES
        + G_EXAMPLES
        + C_EXAMPLES
        + "set_parameter(regularizer, l2). set_predicate_parameter(u, value_constraint, relu)."
    )
    compare(session, replay, batch_size=2, **options)


def test_everything_can_be_set_in_the_program(eager: None) -> None:
    """Text and call say the same things."""
    replay = Replay({"h": H}, 2, adagrad, unknown=True, penalty=0.02)
    session = session_with(
        H_EXAMPLES
        + """set_parameter(optimizer, class_name, adagrad).
        set_parameter(optimizer, config, learning_rate, 0.1).
        set_parameter(regularizer, class_name, l2). set_parameter(regularizer, config, l2, 0.02).
        set_parameter(batch_size, 2). set_parameter(unlisted, unknown).
        set_parameter(epochs, 4). set_parameter(loss_function, mean_squared_error)."""
    )
    history = session.train(dtype="float64")
    losses = [replay.epoch() for _ in range(EPOCHS)]
    assert history.logs["loss"] == pytest.approx(losses, abs=1e-7)
    assert weights_of(session) == pytest.approx(replay.weights, abs=1e-5)
