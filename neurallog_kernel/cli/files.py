"""Files named on the command line: sessions in, outputs written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from neurallog_kernel.errors import LoadError, NeuralLogError
from neurallog_kernel.session import Change, Session
from neurallog_kernel.writing import write_text

MODEL = ".nlz"


def open_files(files: Sequence[str], strict: bool = False) -> tuple[Session, list[Change]]:
    """A session with all files in it, and what each added; a saved model comes first, whatever its
    place. Notices are those that hold when all files are there."""
    models = [file for file in files if file.endswith(MODEL)]
    if len(models) > 1:
        raise NeuralLogError(f"only one saved model can be opened, not {' and '.join(models)}")
    session = Session.open(models[0]) if models else Session()
    texts = [file for file in files if not file.endswith(MODEL)]
    changes = [session.load(file) for file in texts]
    session.strict = session.strict or strict
    for place, file in enumerate(texts):
        if changes[place].notices:  # perhaps because a later file was not there yet
            session.remove(file)
            changes[place] = replace(changes[place], notices=session.load(file).notices)
            session.undo()
            session.undo()  # back at its old place
    return session, changes


def load_examples(session: Session, files: Iterable[str], name: str) -> None:
    """Add files of examples as a set; a file may be in several sets."""
    for file in files:
        session.load(file, set=name, source=f"{file} ({name})")


def write(path: Path, text: str) -> None:
    """Write a text file, with its folder."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LoadError(f"{path}: {error.strerror or 'cannot be written'}") from error
    write_text(path, text)
