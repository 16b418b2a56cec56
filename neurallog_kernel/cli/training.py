"""`neurallog train`: the original's options and output files, readable this time."""

from __future__ import annotations

import re
from argparse import Namespace
from pathlib import Path
from typing import Any

from neurallog_kernel.cli.files import SETS, load_examples, open_files, write
from neurallog_kernel.cli.progress import ProgressLog
from neurallog_kernel.commands import explain_device, training_options
from neurallog_kernel.knowledge.changes import Change
from neurallog_kernel.learning.history import History
from neurallog_kernel.session import Session


def train(options: Namespace) -> int:
    """Load, train (or take a model's weights), then write and show what came out."""
    progress = ProgressLog(options.verbose, _log(options))
    session, changes = open_files(options, [*options.files, *options.program])
    for name in SETS:
        load_examples(session, getattr(options, name), name)
    for change in changes:
        for notice in change.notices if isinstance(change, Change) else (str(change),):
            progress.say(str(notice))
    if options.loadModel:
        session.load_weights(options.loadModel)
        progress.say(f"weights from {options.loadModel}")
    if options.explain_device:
        print(explain_device(session, options))
        return 0
    if options.train or not options.loadModel:
        history = _learn(session, options, progress)
        progress.say(repr(history), always=True)
        interrupted = history.interrupted
    else:
        history, interrupted = None, False
    _write(session, options, history, progress)
    _show(session, options)
    return 130 if interrupted else 0


def _log(options: Namespace) -> Path | None:
    if not options.logFile:
        return None
    path = Path(options.logFile)
    write(path, "")
    return path


def _learn(session: Session, options: Namespace, progress: ProgressLog) -> History:
    chosen: dict[str, Any] = {"seed": 0} | training_options(options)
    callbacks: list[Any] = [progress]
    progress.starting()
    history = session.train(callbacks=callbacks, tensorboard=options.tensorBoard or None, **chosen)
    for name, value in history.settings.items():
        progress.say(f"{name}: {value}")
    for note in history.notes:
        progress.say(note, always=True)
    return history


def _write(
    session: Session, options: Namespace, history: History | None, progress: ProgressLog
) -> None:
    folder = Path(options.outputPath) if options.outputPath else Path()
    if options.lastModel:
        path = folder / options.lastModel
        path.parent.mkdir(parents=True, exist_ok=True)
        session.save(path)
        progress.say(f"model: {path}")
    if options.lastProgram:
        write(folder / options.lastProgram, session.program())
        progress.say(f"program: {folder / options.lastProgram}")
    if options.lastInference is not None:
        _write_inferences(session, options, folder, options.lastInference, progress)
    best = history.settings.get("best model") if history is not None else None
    if best and not options.outputPath:
        progress.say(f"best model: not written as {best}..., since no folder is given with -o")
    elif best:
        write(folder / f"{best}program.pl", session.program())
        _write_inferences(session, options, folder, best, progress)
    if options.outputPath and history is not None:
        for name, values in history.logs.items():
            path = folder / f"metric_{_file_name(name)}.txt"
            write(path, "".join(f"{value!r}\n" for value in values))


def _write_inferences(
    session: Session, options: Namespace, folder: Path, prefix: str, progress: ProgressLog
) -> None:
    """A file for each set that was given, under the original's name for it: `..._set.pl`."""
    for name in _given(options):
        path = folder / f"{prefix}{name}_set.pl"
        write(path, session.inference(name))
        progress.say(f"inference: {path}")


def _given(options: Namespace) -> list[str]:
    return [name for name in SETS if getattr(options, name)]


def _file_name(name: str) -> str:
    """A metric's name as part of a file name.

    >>> _file_name("samebib/2 loss")
    'samebib_2_loss'
    """
    return re.sub(r"\W+", "_", name).strip("_")


def _show(session: Session, options: Namespace) -> None:
    for name in _given(options):
        if name != "train":
            print(f"{name}:\n{session.evaluate(name, ranks=False)}")
