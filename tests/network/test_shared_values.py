"""Values that several targets share, or a target and its validation set, on generated programs.

`NEURALLOG_FUZZ=3000` tries that many programs, from `NEURALLOG_SEED` on.
"""

from __future__ import annotations

import os
import warnings

import numpy as np
import pytest

from neurallog_kernel import Session
from neurallog_kernel.learning.choices.settings import loss_of
from neurallog_kernel.learning.examples.labelling import Labelling
from neurallog_kernel.learning.examples.targets import Target
from neurallog_kernel.learning.trainer import Objective
from neurallog_kernel.network.network import Network
from tests.learning.helpers import Compiled, executor_predictions, full_target, start
from tests.learning.test_parity import delicate, targets
from tests.programs import UNARY, Drawn, program

PROGRAMS = int(os.environ.get("NEURALLOG_FUZZ", "0")) or 60
FIRST = int(os.environ.get("NEURALLOG_SEED", "0"))
AT_ONCE = 20  # programs of one test
BATCH = 3

ISSUE = """
learn(w). p(a, b). p(b, c).
friend(X, Y) :- p(X, Y), w(w1).
friend(X, Y) :- w(w2).
popular(X, Y) :- p(X, Y), friend(Y, Z).
"""


def with_biases(seed: int) -> str:
    """A program with learned facts, and a learned number for all rows among the rules of some
    predicates: a bias, alone or beside a concept of the output."""
    choices = Drawn(seed)
    text = program(choices)
    biases = []
    for place, (name, arity) in enumerate(dict.fromkeys(rule.signature for rule in text.rules)):
        if not choices.chance(60):
            continue
        variables = ["X", "Y", "Z"][:arity]
        head = f"{name}({', '.join(variables)})" if variables else name
        if variables and choices.chance(60):
            output = choices.pick(variables)
            biases.append(f"{head} :- {choices.pick(UNARY)}({output}), bias(k{place}).")
        biases.append(f"{head} :- bias(b{place}).")
    learned = [name for name in ("w", "z", "u", "p") if choices.chance(25)]
    directives = [f"learn({name})." for name in ["bias", *learned]]
    return "\n".join([str(text), *biases, *directives])


def objectives(session: Session, wanted: list[Target]) -> list[Compiled]:
    """One network for a training set and a validation set with the same targets."""
    network = Network(session._evaluator, dtype="float64")
    losses = [loss_of("mean_squared_error") for _ in wanted]
    return [
        Compiled(Objective(network, wanted, losses, Labelling(), BATCH)) for _ in ("train", "valid")
    ]


def differences(session: Session) -> list[str]:
    wanted = [
        target
        for signature, output in targets(session)
        if (target := full_target(session, signature, output)) is not None
    ]
    if not wanted:  # every place that could be an output is of a type without entities
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # overflow, on both sides
        expected = [executor_predictions(session, target) for target in wanted]
    found = []
    for name, network in zip(("train", "valid"), objectives(session, wanted), strict=True):
        losses = network.batch_losses()
        for place, (target, right) in enumerate(zip(wanted, expected, strict=True)):
            where = f"{name}, {target.signature} towards {target.output}"
            small = np.abs(right) < 1e30  # beyond, sums of either sign are all rounding
            computed = network.predictions(place)
            if not np.allclose(computed[small], right[small], rtol=1e-6, atol=1e-6):
                found.append(f"{where}: the network has {computed}, the executor {right}")
            if np.abs(right).max(initial=0) < 1e6:
                by_hand = _losses_by_hand(network.objective, place, right)
                if not np.allclose(losses[:, place], by_hand, rtol=1e-6, atol=1e-6):
                    found.append(f"{where}: losses {losses[:, place]}, by hand {by_hand}")
    return found


def _losses_by_hand(objective: Objective, place: int, values: np.ndarray) -> list[float]:
    """The squared errors of the rows that each batch has of a target."""
    batches = objective.plan.batches(None)[place]
    rows = (values**2).mean(axis=1)
    bounds = zip(batches.starts[:-1], batches.starts[1:], strict=True)
    return [float(rows[batches.order[first:last]].sum()) for first, last in bounds]


@pytest.mark.parametrize("first", range(FIRST, FIRST + PROGRAMS, AT_ONCE))
def test_targets_with_biases_share_values(first: int, eager: None) -> None:
    wrong = []
    for seed in range(first, first + AT_ONCE):
        text = with_biases(seed)
        session = Session()
        session.add(text, source="program")
        start(session, seed)
        try:
            found = differences(session)
        except Exception as error:
            raise AssertionError(f"seed {seed}:\n{text}") from error
        if found and not delicate(session):
            wrong.append("\n".join([f"seed {seed}", *found, text]))
    assert not wrong, "\n\n".join(wrong)


def test_a_bias_is_shared_by_a_target_and_its_validation_set() -> None:
    session = Session()
    session.add(ISSUE, source="program")
    session.add("popular(a, b).", set="train", source="train")
    session.add("0::popular(b, c).", set="validation", source="validation")
    history = session.train(epochs=2, learning_rate=0.1)
    assert history.logs["val_loss"][-1] > 0
    assert history.logs["loss"][1] < history.logs["loss"][0]
