"""Going on after a training was killed: what is written after its epochs, and taken up again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from neurallog_kernel.errors import CheckpointError, ParameterError
from neurallog_kernel.learning.saving.archive import Archive, read_archive, write_archive
from neurallog_kernel.learning.saving.checkpoint import file_contents, source_list, used_functions
from neurallog_kernel.learning.saving.form import check_form
from neurallog_kernel.learning.saving.restore import history_of, well_formed
from neurallog_kernel.learning.trainer import BestEpoch, Mean
from neurallog_kernel.learning.training import Training
from neurallog_kernel.unpacking import TIMES

# options that another call may give otherwise: no step differs
_FREE = ("epochs", "backend", "workers")


class Checkpoint:
    """One file for one training: the session as after the last epoch that was kept, which can be
    opened as any saved one, and all that the next step depends on."""

    def __init__(
        self, path: str | Path, every: int, training: Training, session: Mapping[str, Any]
    ) -> None:
        if isinstance(every, bool) or not isinstance(every, int) or every < 1:
            raise ParameterError(f"every must be a whole number of epochs from 1 on, not {every}")
        self.path = Path(path)
        self.every = every
        self._training = training
        self._session = session
        self._sources = source_list(training.program, training.symbols)
        functions = [(f.name, f.kind.value, f.inputs) for f in used_functions(training.program)]
        said = json.dumps([[s["text"], s["examples"]] for s in self._sources] + functions)
        self._program = hashlib.sha256(said.encode()).hexdigest()

    # -- writing ----------------------------------------------------------------------------------

    def keep(self, last: bool) -> None:
        """Called after each epoch; the last one is kept in any case."""
        if last or self._training.trainer.history.epochs % self.every == 0:
            write_archive(self.path, self._contents())

    def _contents(self) -> Archive:
        training, trainer = self._training, self._training.trainer
        program = training.learned_in(training.program)
        whole = file_contents(
            program, training.symbols, trainer.history, self._session, self._sources
        )
        arrays = dict(whole.arrays)
        for number, variable in enumerate(trainer.everything()):
            arrays[f"training/{number}"] = np.asarray(variable)
        best = trainer.best
        for number, array in enumerate(best.weights or () if best is not None else ()):
            arrays[f"training/best/{number}"] = array
        if best is not None and best.value is not None:
            arrays["training/best/value"] = np.array([best.value, best.epoch])
        for number, array in enumerate(trainer.mean.weights):
            arrays[f"training/mean/{number}"] = array
        if trainer.mean.epochs:
            arrays["training/mean/epochs"] = np.array([trainer.mean.epochs])
        section = {
            "program": self._program,
            "options": _plain_options(training),
            "generator": trainer.generator.bit_generator.state,
        }
        return Archive({**whole.manifest, "training": section}, arrays)

    # -- taking up --------------------------------------------------------------------------------

    def take_up(self) -> str:
        """Put the trainer where the file says it was; what the user should know of it. Nothing
        happens if there is no file yet."""
        if not self.path.exists():
            return ""
        trainer = self._training.trainer
        archive = read_archive(self.path, self._unpacked())
        check_form(self.path, archive)
        saved = archive.manifest.get("training")
        if saved is None:
            raise CheckpointError(
                f"{self.path} is a saved session, and not the checkpoint of a training",
                hint="give checkpoint= a file of its own",
            )
        with well_formed(self.path):
            self._check(saved)
            values = self._values(archive)
            history = history_of(self.path, archive)
            state = {**trainer.generator.bit_generator.state, **saved["generator"]}
            trainer.generator.bit_generator.state = state
            best, mean = self._best(archive), self._mean(archive)
        assert history is not None
        for variable, value in zip(trainer.everything(), values, strict=True):
            variable.assign(value)
        trainer.history, trainer.best, trainer.mean = history, best, mean
        return self._note(history.epochs, history.stopped_early)

    def _unpacked(self) -> int:
        """How many times its size the file may unpack to: what the variables take, at most twice.
        The state of an optimiser may be all zeros, which pack to nothing."""
        expected = sum(np.asarray(v).nbytes for v in self._training.trainer.everything())
        return TIMES + 2 * expected // max(1, self.path.stat().st_size)

    def _note(self, epochs: int, stopped: bool) -> str:
        if stopped or epochs >= self._training.plan.epochs:
            return (
                f"{self.path} holds this training with all its {epochs} epochs: there was nothing "
                "left to do. Delete the file to train from the start"
            )
        return f"continued after epoch {epochs}, from {self.path}"

    def _check(self, saved: Mapping[str, Any]) -> None:
        if saved["program"] != self._program:
            raise CheckpointError(
                f"{self.path} is the checkpoint of another program, or of this one before an edit",
                hint="give another file, or delete this one to train from the start",
            )
        here = _plain_options(self._training)
        for name in {**here, **saved["options"]}:
            now, then = here.get(name), saved["options"].get(name)
            if now != then:
                raise CheckpointError(
                    f"{self.path} is the checkpoint of a training with {name}={then!r}, and this "
                    f"one has {name}={now!r}",
                    hint="train with the same options, give another file, or delete this one",
                )

    def _values(self, archive: Archive) -> list[np.ndarray]:
        variables = self._training.trainer.everything()
        names = [f"training/{number}" for number in range(len(variables))]
        there = [n for n in archive.arrays if n.startswith("training/") and n.count("/") == 1]
        shapes = [tuple(archive.manifest["arrays"].get(n, {"shape": ""})["shape"]) for n in names]
        if len(there) != len(names) or shapes != [tuple(v.shape) for v in variables]:
            raise CheckpointError(f"{self.path}: its weights do not fit this training")
        return [archive.arrays[name] for name in names]

    def _best(self, archive: Archive) -> BestEpoch:
        trainer = self._training.trainer
        best = BestEpoch(self._training.plan.monitor, self._training.mode)
        if "training/best/value" in archive.arrays:
            value, epoch = archive.arrays["training/best/value"].tolist()
            best.value, best.epoch = float(value), int(epoch)
        if "training/best/0" in archive.arrays:
            names = [f"training/best/{number}" for number in range(len(trainer.variables))]
            best.weights = [archive.arrays[name] for name in names]
        return best

    def _mean(self, archive: Archive) -> Mean:
        mean = Mean()
        if "training/mean/epochs" in archive.arrays:
            number = len(self._training.trainer.variables)
            mean.epochs = int(archive.arrays["training/mean/epochs"][0])
            mean.weights = [archive.arrays[f"training/mean/{place}"] for place in range(number)]
        return mean


def _plain_options(training: Training) -> dict[str, Any]:
    """The options of the call, as JSON has them."""
    given = {k: v for k, v in asdict(training.options).items() if k not in _FREE}
    if training.plan.schedule.needs_epochs or training.plan.average is not None:
        given["epochs"] = training.plan.epochs  # the steps depend on how many there are
    return json.loads(json.dumps(given, default=lambda o: getattr(o, "__qualname__", repr(o))))
