"""A worker: it waits for a training, grounds its share of the examples and gives gradients."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.learning.examples.division import Share, common_numbers
from neurallog_kernel.learning.sharing.alignment import Alignment, examples_digest
from neurallog_kernel.learning.sharing.channel import (
    VERSION,
    Channel,
    ChannelClosedError,
    address_of,
)
from neurallog_kernel.learning.sharing.gradients import gradients_of
from neurallog_kernel.learning.sharing.secret import (
    WrongSecretError,
    check_reach,
    prove_to_training,
)
from neurallog_kernel.learning.trainer import Trainer
from neurallog_kernel.learning.training import part_of

Opening = Callable[[Path], Evaluator]  # a saved session, as a program that can be computed


def listen(address: str, secret: bytes) -> socket.socket:
    """A socket at an address; port 0 takes any that is free. Without a secret nobody but this
    machine may reach it."""
    host, port = address_of(address)
    check_reach(host, secret)
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise NeuralLogError(
            f"a worker cannot listen at {address}: {error.strerror or error}",
            hint="name an address of this machine with a port that is free",
        ) from error


def serve(
    listening: socket.socket, secret: bytes, opening: Opening, say: Callable[[str], None]
) -> bool:
    """Work for one training; not for one that has another secret."""
    connection, (host, port, *_) = listening.accept()
    try:
        prove_to_training(connection, secret)
    except (OSError, WrongSecretError) as error:
        connection.close()
        reason = "it has another secret" if isinstance(error, WrongSecretError) else error
        say(f"turned away {host}:{port}: {reason}")
        return False
    say(f"training for {host}:{port}")
    with closing(Channel(connection)) as channel:
        try:
            _work(channel, opening)
        except ChannelClosedError:
            say("the training has ended")
        except NeuralLogError as error:
            say(str(error))
            _tell(channel, error.message, error.hint)
        except Exception as error:  # the other side shall know why
            _tell(channel, f"{type(error).__name__}: {error}")
            raise
    return True


def _tell(channel: Channel, message: str, hint: str = "") -> None:
    try:
        channel.send({"error": message, "hint": hint})
    except ChannelClosedError:
        return


def _work(channel: Channel, opening: Opening) -> None:
    """Until the other side closes the connection."""
    table, arrays = channel.receive()
    if table.get("kind") != "begin" or table.get("version") != VERSION or len(arrays) != 1:
        raise NeuralLogError("this worker is of another version of NeuralLog")
    share = Share(int(table["place"]), int(table["number"]))
    with TemporaryDirectory(prefix="neurallog-worker-") as folder:
        file = Path(folder, "session.nlz")
        file.write_bytes(arrays[0].tobytes())
        part = _OwnShare(part_of(opening(file), table["options"], share))
        channel.send(part.ready())
        while True:
            part.answer(channel, *channel.receive())


class _OwnShare:
    """The share of a training that this process has."""

    def __init__(self, trainer: Trainer) -> None:
        self._updates = trainer.updates
        self._updates.regularizers = {}  # a penalty counts once: with the process that leads
        self._updates.anchor = None
        self._objective = self._updates.objective
        network = self._updates.network
        self._symbols = network.evaluator.symbols
        self._align = Alignment(network, self._symbols)
        self._numbers = common_numbers(self._objective.plan, self._symbols)
        self._gradients = gradients_of(self._updates)

    def ready(self) -> dict[str, Any]:
        program = self._updates.network.program
        examples = examples_digest(program, self._symbols, self._objective.whole_targets)
        return {"weights": self._align.digest, "examples": examples}

    def answer(self, channel: Channel, table: dict[str, Any], arrays: list[np.ndarray]) -> None:
        if table.get("kind") == "divide":
            self._objective.divide_at(arrays[0][self._numbers])
            return
        if table.get("kind") != "step" or arrays[0].shape != (self._align.size,):
            raise NeuralLogError("this worker was asked for something else than gradients")
        weights = self._align.apart(arrays[0])
        for variable, value in zip(self._updates.variables, weights, strict=True):
            variable.assign(value.astype(self._updates.network.dtype))
        found, losses = self._gradients(int(table["batch"]))
        channel.send({}, [self._align.together(found), losses.astype(np.float64)])
