"""The one place where these tests look inside the network: targets with every pair as an example,
predictions of both executors, and the losses of batches."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from neurallog_kernel import Session
from neurallog_kernel.knowledge.update import with_source
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.learning.choices.settings import loss_of
from neurallog_kernel.learning.examples.labelling import Labelling
from neurallog_kernel.learning.examples.targets import Target
from neurallog_kernel.learning.figures.predictions import predict
from neurallog_kernel.learning.predicting import listed_predictor
from neurallog_kernel.learning.start.learned_facts import initial_contents
from neurallog_kernel.learning.start.start_weights import StartWeights
from neurallog_kernel.learning.trainer import Objective
from neurallog_kernel.network.network import Network
from neurallog_kernel.network.tensorflow import tensorflow


def start(session: Session, seed: int = 0) -> None:
    """Give every learned weight its initial value, as training does first."""
    contents = initial_contents(StartWeights(session._evaluator.storage, seed))
    if contents.signatures:
        program = with_source(session._program, contents, session._symbols, strict=False)
        session._adopt(session._state.changed(program, "start of training"))


def entity_names(session: Session, name: str, arity: int, place: int) -> list[str]:
    """The entities of a place, in the order of its vectors."""
    members = session._program.entity_type((name, arity, place)).members
    return session._symbols.names(members.tolist())


def full_target(
    session: Session, signature: Signature, output: int | None, labels: float = 0.0
) -> Target | None:
    """Every tuple of entities as an example; None if there is none."""
    program = session._program
    arity = signature[1]
    kinds = [program.entity_type((*signature, place)) for place in range(arity)]
    inputs = [0] if arity == 1 else [place for place in range(arity) if place != output]
    grid = list(itertools.product(*(range(len(kinds[place])) for place in inputs)))
    if not grid:
        return None
    size = len(kinds[output]) if arity > 1 and output is not None else 1
    if size == 0:
        return None
    table = np.array(grid, dtype=np.int64).reshape(len(grid), len(inputs))
    columns = {place: table[:, i].copy() for i, place in enumerate(inputs)}
    keys = tuple(
        tuple(int(kinds[place].members[at]) for place, at in zip(inputs, row, strict=True))
        for row in grid
    )
    rows = np.repeat(np.arange(len(grid)), size)
    outputs = np.tile(np.arange(size), len(grid))
    groups = np.full(len(grid), -1)
    every = np.full(len(rows), labels)
    return Target(signature, output, columns, keys, rows, outputs, every, size, groups)


def executor_predictions(session: Session, target: Target) -> np.ndarray:
    """What queries compute, `[rows, outputs]`."""
    found = predict(session._evaluator, target)
    return found.reshape(len(target.keys), target.size)


@dataclass
class Compiled:
    """The TensorFlow network of some targets."""

    objective: Objective

    def predictions(self, place: int = 0) -> np.ndarray:
        target = self.objective.targets[place]
        _, found = listed_predictor(self.objective, place)()
        return found.reshape(len(target.keys), target.size)

    def batch_losses(self) -> np.ndarray:
        """`[batches, targets]`: the sum of the losses of a batch's rows."""
        tf = tensorflow()
        found = []
        for batch in range(self.objective.plan.count):
            step = self.objective.feeding.step(tf.constant(batch))
            found.append([loss.x.numpy().item() for loss in self.objective.batch_losses(step)])
        return np.array(found)

    @property
    def variables(self) -> list[Any]:
        return self.objective.network.variables


def compiled(
    session: Session,
    targets: list[Target],
    batch_size: int = 1,
    loss: str = "mean_squared_error",
    unknown: bool = False,
) -> Compiled:
    """The network of a session's program for some targets, in double precision."""
    network = Network(session._evaluator, dtype="float64")
    losses = [loss_of(loss) for _ in targets]
    return Compiled(Objective(network, targets, losses, Labelling(unknown), batch_size))
