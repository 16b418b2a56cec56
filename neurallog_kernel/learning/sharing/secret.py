"""The secret that a training and its workers share: each proves that it has it, none sends it.

It comes from the environment alone. What is given to a call is saved with the session's runs, and
what is given to a command is seen by everybody who may list the processes of the machine.
"""

from __future__ import annotations

import hmac
import ipaddress
import os
import secrets
import socket

from neurallog_kernel.errors import NeuralLogError, ParameterError

VARIABLE = "NEURALLOG_SECRET"
SHORTEST = 16  # characters: who listens to the network may try short ones at leisure
SECONDS = 10.0  # for a connection to be made, and for a training to answer a worker
BUSY_SECONDS = 120.0  # for a worker to answer: it may be about to end another training
SAME = f"set {VARIABLE} to the same text where the worker is started and where the training is"

_GREETING = b"neurallog worker 2\n"
_NONCE, _PROOF = 32, 32  # bytes
_RIGHT, _WRONG = b"y", b"n"


class WrongSecretError(Exception):
    """The other side has another secret, or none."""


def secret_of(environment: os._Environ[str] | dict[str, str] = os.environ) -> bytes:
    """The secret of this process; nothing where none is set.

    >>> secret_of({}), secret_of({"NEURALLOG_SECRET": "0123456789abcdef"})
    (b'', b'0123456789abcdef')
    """
    text = environment.get(VARIABLE, "").strip()
    if text and len(text) < SHORTEST:
        raise ParameterError(
            f"{VARIABLE} has {len(text)} characters, and needs at least {SHORTEST}",
            hint='make one: python -c "import secrets; print(secrets.token_hex())"',
        )
    return text.encode()


def check_reach(host: str, secret: bytes) -> None:
    """Refuse to wait without a secret where other machines may come."""
    if secret or host == "localhost":
        return
    try:
        if ipaddress.ip_address(host).is_loopback:
            return
    except ValueError:
        pass  # a name: it may be that of any network
    raise NeuralLogError(
        f"other machines can reach {host}, and this worker has no secret",
        hint=f"{SAME}; without one a worker listens at 127.0.0.1 only",
    )


def prove_to_worker(connection: socket.socket, secret: bytes) -> None:
    """The side of the training: it shows that it has the secret, and asks the same."""
    connection.settimeout(BUSY_SECONDS)
    if _exactly(connection, len(_GREETING)) != _GREETING:
        raise ConnectionError("it is not a worker of this version of NeuralLog")
    theirs, own = _exactly(connection, _NONCE), secrets.token_bytes(_NONCE)
    connection.sendall(own + _proof(secret, b"training", theirs, own))
    if _exactly(connection, 1) != _RIGHT:
        raise WrongSecretError
    if not hmac.compare_digest(
        _exactly(connection, _PROOF), _proof(secret, b"worker", own, theirs)
    ):
        raise WrongSecretError


def prove_to_training(connection: socket.socket, secret: bytes) -> None:
    """The side of the worker: nothing is read of a training that does not have the secret."""
    connection.settimeout(SECONDS)
    own = secrets.token_bytes(_NONCE)
    connection.sendall(_GREETING + own)
    theirs, proof = _exactly(connection, _NONCE), _exactly(connection, _PROOF)
    if not hmac.compare_digest(proof, _proof(secret, b"training", own, theirs)):
        connection.sendall(_WRONG)
        raise WrongSecretError
    connection.sendall(_RIGHT + _proof(secret, b"worker", theirs, own))


def _proof(secret: bytes, who: bytes, first: bytes, second: bytes) -> bytes:
    return hmac.digest(secret, who + first + second, "sha256")


def _exactly(connection: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size:
        more = connection.recv(size - len(found))
        if not more:
            raise ConnectionError("the connection was closed")
        found += more
    return found
