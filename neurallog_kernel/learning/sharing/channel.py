"""Messages between processes: a table of plain values and arrays of numbers. Nothing is run."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from neurallog_kernel.errors import NeuralLogError, ParameterError
from neurallog_kernel.learning.sharing.secret import (
    SAME,
    SECONDS,
    WrongSecretError,
    prove_to_worker,
)

VERSION = 1
_LENGTHS = struct.Struct(">IQ")  # of the table and of all arrays
_LONGEST_TABLE = 1 << 24
_LARGEST = 1 << 36  # bytes of arrays in one message
_KINDS = ("<f4", "<f8", "<i8", "|u1")


class ChannelClosedError(Exception):
    """The other side is gone, or says what nobody of ours says."""


def address_of(text: str) -> tuple[str, int]:
    """A host and a port.

    >>> address_of(" 127.0.0.1:7700 "), address_of("[::1]:7700")
    (('127.0.0.1', 7700), ('::1', 7700))
    """
    host, _, port = text.strip().rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise ParameterError(
            f"{text.strip() or 'an empty text'} is not the address of a worker",
            hint="workers are written as host:port, with a comma between two",
        )
    return host.strip("[]"), int(port)


def _watched(connection: socket.socket) -> None:
    """Send at once, and notice a machine that is gone without a word."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3)):
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


class Channel:
    """One connection."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        connection.settimeout(None)
        if connection.family in (socket.AF_INET, socket.AF_INET6):
            _watched(connection)

    @classmethod
    def to(cls, address: str, secret: bytes) -> Channel:
        """Connect to a worker that has the same secret."""
        host, port = address_of(address)
        try:
            connection = socket.create_connection((host, port), SECONDS)
            try:
                prove_to_worker(connection, secret)
            except BaseException:
                connection.close()
                raise
            return cls(connection)
        except WrongSecretError:
            raise NeuralLogError(f"the worker {address} has another secret", hint=SAME) from None
        except OSError as error:
            reason = error.strerror or str(error)
            raise NeuralLogError(
                f"the worker {address} does not answer: {reason}",
                hint=f"start it there: neurallog worker {address}",
            ) from error

    def send(self, table: Mapping[str, Any], arrays: Sequence[np.ndarray] = ()) -> None:
        parts = [np.ascontiguousarray(array) for array in arrays]
        outlines = [[part.dtype.newbyteorder("<").str, list(part.shape)] for part in parts]
        head = json.dumps({**table, "arrays": outlines}).encode()
        little = [part.astype(part.dtype.newbyteorder("<"), copy=False) for part in parts]
        try:
            size = sum(part.nbytes for part in little)
            self._socket.sendall(_LENGTHS.pack(len(head), size) + head)
            for part in little:
                self._socket.sendall(part.tobytes())
        except OSError as error:
            raise ChannelClosedError(str(error)) from error

    def receive(self) -> tuple[dict[str, Any], list[np.ndarray]]:
        length, size = _LENGTHS.unpack(self._bytes(_LENGTHS.size))
        if length > _LONGEST_TABLE or size > _LARGEST:
            raise ChannelClosedError("a message of another program")
        try:
            table = json.loads(bytes(self._bytes(length)))
            outlines = table.pop("arrays")
        except (ValueError, AttributeError, KeyError, TypeError) as error:
            raise ChannelClosedError("a message of another program") from error
        arrays = [self._array(outline) for outline in outlines]
        if sum(array.nbytes for array in arrays) != size:
            raise ChannelClosedError("a message of another program")
        return table, arrays

    def _array(self, outline: Any) -> np.ndarray:
        try:
            kind, shape = str(outline[0]), tuple(map(int, outline[1]))
            size = int(np.prod(shape, dtype=object)) * np.dtype(kind).itemsize
        except (ValueError, TypeError, IndexError) as error:
            raise ChannelClosedError("a message of another program") from error
        if kind not in _KINDS or min(shape, default=0) < 0 or size > _LARGEST:
            raise ChannelClosedError("a message of another program")
        return np.frombuffer(self._bytes(size), dtype=kind).reshape(shape)

    def _bytes(self, size: int) -> bytearray:
        found = bytearray(size)
        view, filled = memoryview(found), 0
        try:
            while filled < size:
                got = self._socket.recv_into(view[filled:])
                if not got:
                    raise ChannelClosedError("the connection was closed")
                filled += got
        except OSError as error:
            raise ChannelClosedError(str(error)) from error
        return found

    def close(self) -> None:
        self._socket.close()
