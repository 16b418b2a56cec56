"""Files and folders that are put in their place whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from neurallog_kernel.errors import LoadError, NeuralLogError


@contextlib.contextmanager
def whole_file(path: str | Path) -> Iterator[IO[bytes]]:
    """A stream to a new file beside its place, which takes it in one step when all is on disk.

    If anything fails on the way, what was there before is still there and nothing else is. A link
    stays a link; what is no file (a pipe, /dev/stdout) is written to directly.
    """
    file = Path(os.path.realpath(path))
    if file.exists() and not file.is_file():
        with _opened(file) as stream:
            yield stream
        return
    own = _beside(file)
    try:
        with open(own, "xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(own, file)
        _sync(file.parent)
    except NeuralLogError:
        raise
    except OSError as error:
        raise _cannot(file, error) from error
    finally:
        with contextlib.suppress(OSError):
            own.unlink(missing_ok=True)


def _opened(file: Path) -> IO[bytes]:
    try:
        return open(file, "wb")
    except OSError as error:
        raise _cannot(file, error) from error


def write_text(path: str | Path, text: str) -> None:
    """Write a text file in UTF-8, whole or not at all."""
    with whole_file(path) as stream:
        stream.write(text.encode("utf-8"))


@contextlib.contextmanager
def whole_folder(path: str | Path, overwrite: bool = False) -> Iterator[Path]:
    """A new folder beside its place, which takes it when all is on disk.

    What stands there already is an error, unless `overwrite` says that a folder may go: it is moved
    aside, and comes back if the new one cannot take its place.
    """
    folder = Path(path)
    check_free(folder, overwrite)
    own = _beside(folder)
    try:
        own.mkdir()
        yield own
        _sync_below(own)
        _exchange(own, folder)
        _sync(folder.parent)
    except NeuralLogError:
        raise
    except OSError as error:
        raise _cannot(folder, error) from error
    finally:
        shutil.rmtree(own, ignore_errors=True)


def check_free(folder: Path, overwrite: bool) -> None:
    """Refuse a place that is taken, before any work is done for it."""
    if folder.is_dir():
        if not overwrite:
            hint = "choose another folder, or say overwrite=True (--force on the command line)"
            raise LoadError(f"{folder}: is there already", hint=hint)
    elif folder.exists() or folder.is_symlink():
        raise LoadError(f"{folder}: is there already, and is not a folder")


def _exchange(own: Path, folder: Path) -> None:
    if not folder.exists():
        os.replace(own, folder)
        return
    old = _beside(folder)
    os.replace(folder, old)
    try:
        os.replace(own, folder)
    except OSError:
        os.replace(old, folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")


def _sync_below(folder: Path) -> None:
    for path in folder.rglob("*"):
        _sync(path)


def _sync(path: Path) -> None:
    """Make a file, or the names in a folder, durable; folders cannot be opened everywhere."""
    with contextlib.suppress(OSError):
        number = os.open(path, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _cannot(path: Path, error: OSError) -> LoadError:
    return LoadError(f"{path}: {error.strerror or 'cannot be written'}")
