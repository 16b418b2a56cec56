"""How much a packed file may unpack to: a small one that becomes huge is refused, not unpacked."""

from __future__ import annotations

import gzip
import io
import os
import stat
from typing import IO, Any

from neurallog_kernel.errors import LoadError

TIMES = 100  # text packs to a tenth or so, not to a thousandth
_ALWAYS = 64 << 20  # bytes that are no danger, however well they were packed


def most(packed: int, times: int | None) -> int | None:
    """The bytes that a file of `packed` bytes may unpack to, or None for any number.

    >>> most(10, 100), most(1 << 30, 100) == 100 << 30, most(10, None)
    (67108864, True, None)
    """
    return None if times is None else max(_ALWAYS, times * packed)


def too_much(name: object, allowed: int, how: str) -> LoadError:
    """The error of a file that unpacks to more."""
    return LoadError(
        f"{name}: it unpacks to more than {allowed >> 20:,} MB, far more than such files do",
        hint=f"it may be made to fill the memory; if you trust it, say {how}",
    )


def check_regular(file: IO[Any], name: object) -> int:
    """The size of an open file; what has none (a device, a pipe) is refused."""
    found = os.fstat(file.fileno())
    if not stat.S_ISREG(found.st_mode):
        raise LoadError(f"{name}: not a file")
    return found.st_size


class Unpacked(io.RawIOBase):
    """What a .gz file holds, up to a bound: its own word for its size is looked at first."""

    def __init__(self, file: IO[bytes], name: object, times: int | None) -> None:
        super().__init__()
        size = check_regular(file, name)
        self._allowed = most(size, times)
        self._name, self._read = name, 0
        announced = _announced(file, size)
        self._stream = gzip.GzipFile(fileobj=file)
        if self._allowed is not None and announced > self._allowed:
            self._walk()  # it says too much, or is cut off: better known before rows are made of it

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        content = self._stream.read(len(buffer))
        self._read += len(content)
        self._check(self._read)
        buffer[: len(content)] = content
        return len(content)

    def _walk(self) -> None:
        while content := self._stream.read(1 << 20):
            self._read += len(content)
            self._check(self._read)
        self._stream.seek(0)
        self._read = 0

    def _check(self, size: int) -> None:
        if self._allowed is not None and size > self._allowed:
            raise too_much(self._name, self._allowed, "unpacked=1000 (times its size), or None")


def _announced(file: IO[bytes], size: int) -> int:
    """What the end of a .gz file says of the size of its last part."""
    if size < 8:
        return 0
    file.seek(-4, os.SEEK_END)
    announced = int.from_bytes(file.read(4), "little")
    file.seek(0)
    return announced
