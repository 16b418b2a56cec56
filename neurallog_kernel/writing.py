"""Files and folders that are put in their place whole or not at all."""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import re
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from neurallog_kernel.errors import LoadError, NeuralLogError
from neurallog_kernel.paths import path_of


@contextlib.contextmanager
def whole_file(path: str | Path) -> Iterator[IO[bytes]]:
    """A stream to a new file beside its place, which takes it in one step when all is on disk.

    If anything fails on the way, what was there before is still there and nothing else is. A link
    stays a link, and who may read a file that is replaced may read the new one; what is no file (a
    pipe, /dev/stdout) gets the whole at the end. What a process that was ended left here goes.
    """
    file = _real(path)
    if file.exists() and not file.is_file():
        content = io.BytesIO()  # what cannot be sought in is written from the beginning to the end
        yield content
        with _opened(file) as stream:
            stream.write(content.getvalue())
        return
    own = _beside(file)
    try:
        _remove_stale(file)
        with open(own, "xb") as stream, _used(stream.fileno()):
            _keep_mode(file, stream.fileno())
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
        _put_back(folder)
        _remove_stale(folder)
        own.mkdir()
        with _used_folder(own):
            yield own
            if folder.is_dir():
                shutil.copymode(folder, own)
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
    path_of(folder)
    if folder.is_dir():
        if not overwrite:
            hint = "choose another folder, or say overwrite=True (--force on the command line)"
            raise LoadError(f"{folder} exists already", hint=hint)
    elif folder.exists() or folder.is_symlink():
        raise LoadError(f"{folder} exists already, and is not a folder")


def _exchange(own: Path, folder: Path) -> None:
    if not folder.exists():
        os.replace(own, folder)
        return
    if _swapped(own, folder):
        return  # the old one is now at the place of ours, which goes
    old = _beside(folder, _OLD)
    os.replace(folder, old)
    try:
        os.replace(own, folder)
    except BaseException:
        os.replace(old, folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _swapped(one: Path, other: Path) -> bool:
    """Exchange two folders in one step, where the system can: then there is always one of them."""
    try:
        system = ctypes.CDLL(None, use_errno=True)
        first, second = os.fsencode(one), os.fsencode(other)
        if sys.platform == "linux":
            return system.renameat2(_HERE, first, _HERE, second, _EXCHANGE) == 0
        if sys.platform == "darwin":
            return system.renamex_np(first, second, _EXCHANGE) == 0
    except (OSError, AttributeError, TypeError):
        pass
    return False


_HERE = -100  # the system's name for the current folder
_EXCHANGE = 2
_PART, _OLD = "part", "old"
_LONGEST = 200  # bytes of a name that are kept; most systems have names of 255


def _put_back(folder: Path) -> None:
    """A folder that was moved aside by a process which ended before it put the new one there."""
    if not folder.exists():
        for old in _left(folder, _OLD)[-1:]:
            os.replace(old, folder)
    for old in _left(folder, _OLD):
        shutil.rmtree(old, ignore_errors=True)


def _left(path: Path, ending: str) -> list[Path]:
    """The files or folders beside a place that processes have left, or are still writing."""
    start, end = _stem(path), re.compile(rf"\.[0-9a-f]{{8}}\.{ending}")
    try:
        listed = os.listdir(path.parent)
    except PermissionError:  # a folder may be written to and not read
        return []
    names = (one for one in listed if one.startswith(start))
    found = [path.parent / one for one in names if end.fullmatch(one[len(start) :])]
    return sorted(found, key=lambda one: one.lstat().st_mtime)


def _remove_stale(path: Path) -> None:
    """Remove what a process that was ended has left; what is still being written is locked."""
    for part in _left(path, _PART):
        with contextlib.suppress(OSError):
            number = os.open(part, os.O_RDONLY)
            try:
                _lock(number)
                shutil.rmtree(part) if part.is_dir() else part.unlink()
            finally:
                os.close(number)


@contextlib.contextmanager
def _used(number: int) -> Iterator[None]:
    """Inside, another process sees that the file is being written."""
    with contextlib.suppress(OSError):  # not every file system has locks
        _lock(number)
    yield


@contextlib.contextmanager
def _used_folder(folder: Path) -> Iterator[None]:
    try:
        number = os.open(folder, os.O_RDONLY)
    except OSError:  # folders cannot be opened everywhere
        yield
        return
    try:
        with _used(number):
            yield
    finally:
        os.close(number)


def _lock(number: int) -> None:
    """Take the lock of an open file, or fail at once. Where there are no such locks (Windows), an
    open file cannot be removed."""
    try:
        import fcntl
    except ImportError:
        return
    fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _keep_mode(file: Path, number: int) -> None:
    """Give a new file the permissions, and if possible the owner, of the one it will replace."""
    try:
        old = file.stat()
    except OSError:
        return
    if hasattr(os, "fchmod"):
        with contextlib.suppress(OSError):
            os.fchown(number, old.st_uid, old.st_gid)
        os.fchmod(number, stat.S_IMODE(old.st_mode))


def _beside(path: Path, ending: str = _PART) -> Path:
    return path.with_name(f"{_stem(path)}.{secrets.token_hex(4)}.{ending}")


def _stem(path: Path) -> str:
    return "." + os.fsdecode(os.fsencode(path.name)[:_LONGEST])


def _real(path: str | Path) -> Path:
    return Path(os.path.realpath(path_of(path)))


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
