"""The process that leads a shared training: it asks workers for gradients, sums and steps."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from neurallog_kernel.errors import NeuralLogError, ParameterError
from neurallog_kernel.learning.examples.division import Share, common_numbers
from neurallog_kernel.learning.gradient_step import Updates
from neurallog_kernel.learning.sharing.alignment import Alignment, examples_digest
from neurallog_kernel.learning.sharing.channel import VERSION, Channel, ChannelClosedError
from neurallog_kernel.learning.sharing.gradients import gradients_of, stepping
from neurallog_kernel.learning.sharing.secret import secret_of

_NOT_SENT = ("workers", "metrics", "patience", "keep_best", "monitor", "mode", "average")


class Workers:
    """The other processes of a training. This one has the first share, the optimiser, penalties,
    bounds and validation; a worker is sent the weights, and gives the gradients of its share."""

    def __init__(self, addresses: Sequence[str], checkpoint: object = None) -> None:
        self.addresses = tuple(addresses)
        self._checkpoint = checkpoint
        self._channels: list[Channel] = []
        secret = secret_of()
        try:
            for address in self.addresses:
                self._channels.append(Channel.to(address, secret))
        except BaseException:
            self.close()
            raise

    @property
    def share(self) -> Share:
        """That of this process."""
        return Share(0, len(self.addresses) + 1)

    def begin(self, model: bytes, options: Mapping[str, Any]) -> None:
        """Give every worker the saved session and its share; they make ready at the same time."""
        chosen = {name: value for name, value in options.items() if name not in _NOT_SENT}
        try:
            plain = json.loads(json.dumps(chosen))
        except TypeError as error:
            raise ParameterError(
                "an option of the training is a Python object, which cannot be sent to workers",
                hint="name losses and optimisers: no code is sent",
            ) from error
        for place in range(len(self._channels)):
            said = {"kind": "begin", "version": VERSION, "options": plain}
            share = {"place": place + 1, "number": len(self._channels) + 1}
            self._send(place, said | share, [np.frombuffer(model, dtype=np.uint8)])

    def loop(self, updates: Updates) -> Callable[[int, int], np.ndarray]:
        """What runs batches `first` to `last`, in place of the loop of one process."""
        return _SharedLoop(self, updates).run

    def agree(self, updates: Updates) -> None:
        """See that every worker has the same weights and the same examples, by their names."""
        objective = updates.objective
        evaluator = updates.network.evaluator
        self.alignment = Alignment(updates.network, evaluator.symbols)
        self._objective = objective
        self._numbers = common_numbers(objective.plan, evaluator.symbols)
        own = {
            "weights": self.alignment.digest,
            "examples": examples_digest(
                updates.network.program, evaluator.symbols, objective.whole_targets
            ),
        }
        for place, address in enumerate(self.addresses):
            told, _ = self._receive(place)
            for what, digest in own.items():
                if told.get(what) != digest:
                    raise NeuralLogError(
                        f"the worker {address} has other {what}",
                        hint="what a seed draws (hold_out, negatives) depends on the order of "
                        "edits: save the session, open it again, and train that",
                    )
        self.divide(objective.plan.places(None))

    def divide(self, places: np.ndarray) -> None:
        """Set the batches, here and there."""
        self._objective.divide_at(places)
        common = np.empty(len(places), dtype=np.int64)
        common[self._numbers] = places
        for place in range(len(self._channels)):
            self._send(place, {"kind": "divide"}, [common])

    def ask(self, batch: int, weights: np.ndarray) -> None:
        for place in range(len(self._channels)):
            self._send(place, {"kind": "step", "batch": batch}, [weights])

    def answers(self, losses: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """Gradients and summed losses of each worker, in the order of the workers: sums are the
        same every time."""
        found = []
        for place, address in enumerate(self.addresses):
            _, arrays = self._receive(place)
            shapes = [array.shape for array in arrays]
            if shapes != [(self.alignment.size,), (losses,)]:
                raise NeuralLogError(f"the worker {address} gives something else than gradients")
            found.append((arrays[0], arrays[1]))
        return found

    def _send(self, place: int, table: Mapping[str, Any], arrays: Sequence[np.ndarray]) -> None:
        try:
            self._channels[place].send(table, arrays)
        except ChannelClosedError:
            self._receive(place)  # it may have said why before it went
            raise self._lost(place) from None

    def _receive(self, place: int) -> tuple[dict[str, Any], list[np.ndarray]]:
        try:
            table, arrays = self._channels[place].receive()
        except ChannelClosedError as error:
            raise self._lost(place) from error
        if "error" in table:
            said = f"the worker {self.addresses[place]}: {table['error']}"
            raise NeuralLogError(said, hint=str(table.get("hint") or ""))
        return table, arrays

    def _lost(self, place: int) -> NeuralLogError:
        address = self.addresses[place]
        again = f"start it again (neurallog worker {address}) and train as before: "
        if self._checkpoint is None:
            again += "with checkpoint='run.nlz' a training goes on where it was"
        else:
            again += f"it goes on from {self._checkpoint}, with the last epoch that was written"
        return NeuralLogError(f"the worker {address} has ended in the middle of it", hint=again)

    def close(self) -> None:
        for channel in self._channels:
            channel.close()


class _SharedLoop:
    """Steps whose gradients come from all processes."""

    def __init__(self, workers: Workers, updates: Updates) -> None:
        self._workers = workers
        self._updates = updates
        self._gradients = gradients_of(updates)
        self._step = stepping(updates)

    def run(self, first: int, last: int) -> np.ndarray:
        align = self._workers.alignment
        sums = np.zeros(len(self._updates.objective.targets) + 1)
        for batch in range(first, last):
            weights = align.together([v.numpy() for v in self._updates.variables])
            self._workers.ask(batch, weights)
            own, losses = self._gradients(batch)
            total = align.together(own)
            sums += losses
            for gradients, theirs in self._workers.answers(len(sums)):
                total = total + gradients
                sums += theirs
            self._step(align.apart(total))
        return sums
