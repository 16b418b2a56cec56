"""What a shared training cannot do: said before anything is sent."""

from __future__ import annotations

import numpy as np

from neurallog_kernel.errors import ParameterError
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.learning.choices.settings import Loss
from neurallog_kernel.learning.saving.checkpoint import used_functions
from neurallog_kernel.learning.sharing.channel import address_of
from neurallog_kernel.network.tensorflow import tensorflow


def addresses_of(workers: str) -> list[str]:
    """The addresses that a text lists.

    >>> addresses_of("a:7700, b:7700")
    ['a:7700', 'b:7700']
    """
    found = [text.strip() for text in workers.split(",")]
    for text in found:
        address_of(text)
    twice = next((text for text in found if found.count(text) > 1), None)
    if twice is not None:
        raise ParameterError(f"the worker {twice} is named twice", hint="each has one share")
    return found


def check_alone(seeds: int, restarts: int) -> None:
    """Members and restarts begin anew, each by itself."""
    for name, number in (("seeds", seeds), ("restarts", restarts)):
        if number > 1:
            raise ParameterError(f"workers and {name} cannot go together", hint=f"leave out {name}")


def check_measured() -> None:
    raise ParameterError(
        "metrics of the training examples are not measured while workers train: no process has "
        "all of them",
        hint="leave out metrics; evaluate() afterwards tells them",
    )


def check_sent(program: Program) -> None:
    """Refuse what cannot be sent."""
    if used_functions(program):
        raise ParameterError(
            "the program uses Python functions or Keras models, and no code is sent to workers",
            hint="leave out workers",
        )
    if any(contents.attached for contents in program.sources.values()):
        raise ParameterError(
            "the program has attached tables, and a worker opens no database",
            hint="load the facts that are needed, or leave out workers",
        )


def check_sum(loss: Loss) -> None:
    """A loss of a batch must be the sum of its rows' losses: else shares do not add up to it."""
    if loss.chain is not None or loss.of_listed or loss.back is not None:
        return  # these are of single rows or of whole sequences, which are never divided
    tf = tensorflow()
    generator = np.random.default_rng(0)
    labels = tf.constant(np.eye(4)[:, :3] * 1.0, "float32")
    outputs = tf.constant(generator.uniform(0.1, 0.9, (4, 3)), "float32")
    whole = loss.function(labels, outputs).numpy()
    halves = [loss.function(labels[a:b], outputs[a:b]).numpy() for a, b in ((0, 2), (2, 4))]
    if not np.allclose(whole, np.concatenate(halves), atol=1e-5):
        raise ParameterError(
            f"the loss {loss.name} is of a whole batch, and workers have parts of it",
            hint="use a loss of single rows, such as binary_crossentropy",
        )
