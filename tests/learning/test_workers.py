"""Shared training: the weights of one process, errors that say what to do, a killed worker."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.learning.serving import listen
from neurallog_kernel.learning.sharing.channel import Channel, ChannelClosedError
from neurallog_kernel.learning.sharing.secret import VARIABLE, secret_of

pytestmark = pytest.mark.usefixtures("eager")

OPTIONS: dict[str, Any] = {"epochs": 4, "batch_size": 8, "seed": 3, "shuffle": True}


class Worker:
    """`neurallog worker` as a process of its own, at a port that was free."""

    def __init__(self, secret: str = "") -> None:
        words = [sys.executable, "-m", "neurallog_kernel.cli", "worker", "127.0.0.1:0"]
        environment = os.environ | {VARIABLE: secret}
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment)

    @property
    def address(self) -> str:
        if not hasattr(self, "_address"):
            assert self.process.stdout is not None
            self._address = self.process.stdout.readline().split()[-1]
        return self._address

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="module")
def workers() -> Iterator[list[Worker]]:
    started = [Worker(), Worker(), Worker()]  # at the same time: each imports TensorFlow
    yield started
    for worker in started:
        worker.kill()


def session() -> Session:
    """Two targets, learned facts of one and two places, learned rules, a penalty."""
    drawn = np.random.default_rng(0)
    s = Session()
    s.add(
        "learn(w). learn(rel). learn_rules(q).\n"
        "p(X) :- has(X, F), w(F), tanh(X).\n"
        "q(X, Y) :- near(X, Z), near(Z, Y), tanh(Y). q(X, Y) :- rel(X, Y).\n"
        "rel(e1, e2). rel(e3, e4). set_parameter(regularizer, l2).",
        source="rules",
    )
    facts = [f"has(e{i}, f{drawn.integers(9)})." for i in range(30) for _ in range(2)]
    facts += [f"near(e{i}, e{drawn.integers(30)})." for i in range(30) for _ in range(2)]
    s.add("\n".join(dict.fromkeys(facts)), source="facts")
    labels = [f"{i % 2}::p(e{i})." for i in range(20)]
    labels += [f"{i % 3 % 2}::q(e{i}, e{(7 * i) % 30})." for i in range(1, 25)]
    s.add("\n".join(labels), source="train", set="train")
    return s


def weights(s: Session) -> dict[str, float]:
    found = s.weights().to_pandas()
    names = found.drop(columns="weight").itertuples(index=False)
    return {str(tuple(name)): w for name, w in zip(names, found["weight"], strict=True)}


@pytest.mark.parametrize(
    ("number", "options"),
    [
        (1, {"optimizer": "adam", "learning_rate": 0.05, "backend": "tensorflow"}),
        (2, {"optimizer": "adagrad", "learning_rate": 0.1, "average": 0.5}),
        (2, {"loss": "logistic", "hold_out": 0.25, "groups": "subject", "keep_best": True}),
    ],
)
def test_the_weights_are_those_of_one_process(
    workers: list[Worker], number: int, options: dict[str, Any]
) -> None:
    alone, shared = session(), session()
    first = alone.train(**OPTIONS, **options)
    named = ",".join(worker.address for worker in workers[:number])
    second = shared.train(**OPTIONS, **options, workers=named)
    assert second.settings["processes"] == number + 1
    assert second.logs["loss"] == pytest.approx(first.logs["loss"], abs=1e-5)
    assert weights(shared) == pytest.approx(weights(alone), abs=1e-5)


def test_entities_may_have_come_in_another_order(workers: list[Worker]) -> None:
    """A live session knows what was there before; a worker opens what is there now."""
    alone, shared = session(), session()
    for s in (alone, shared):
        text = s.program()
        s.add("near(e29, e17). has(e23, f8). p(e15).", source="before")
        s.add(text.replace("rel(e1, e2).", ""), source="twice")
        s.remove("before")
        s.remove("twice")
    alone.train(**OPTIONS)
    shared.train(**OPTIONS, workers=workers[0].address)
    assert weights(shared) == pytest.approx(weights(alone), abs=1e-5)


def test_a_killed_worker_ends_the_training_and_the_checkpoint_goes_on(
    workers: list[Worker], tmp_path: Path
) -> None:
    whole = session()
    whole.train(**OPTIONS)
    lost = workers.pop()
    file = tmp_path / "run.nlz"

    class Kill:
        def on_epoch(self, state: Any) -> None:
            if state.epoch == 2:
                lost.kill()

    s = session()
    before = s.program()
    both = f"{workers[0].address},{lost.address}"
    with pytest.raises(NeuralLogError, match=f"{lost.address} has ended") as told:
        s.train(**OPTIONS, workers=both, checkpoint=file, callbacks=[Kill()])
    assert f"goes on from {file}" in (told.value.hint or "")
    assert s.program() == before
    history = s.train(**OPTIONS, workers=workers[0].address, checkpoint=file)
    assert history.notes[0].startswith("continued after epoch 2")
    assert weights(s) == pytest.approx(weights(whole), abs=1e-5)


def test_an_interrupt_keeps_what_was_learned_and_the_worker_goes_on(workers: list[Worker]) -> None:
    class Stop:
        def on_epoch(self, state: Any) -> None:
            raise KeyboardInterrupt

    s = session()
    history = s.train(**OPTIONS, workers=workers[0].address, callbacks=[Stop()])
    assert history.interrupted
    assert history.epochs == 1
    assert s.train(**OPTIONS, workers=workers[0].address).epochs == 4


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"workers": "nobody"}, "is not the address of a worker"),
        ({"workers": "127.0.0.1:99999"}, "is not the address of a worker"),
        ({"workers": "127.0.0.1:7,127.0.0.1:7"}, "named twice"),
        ({"workers": ""}, "is not the address of a worker"),
        ({"workers": 7}, "workers must be"),
    ],
)
def test_what_is_no_address_is_told(options: dict[str, Any], said: str) -> None:
    with pytest.raises(NeuralLogError, match=said):
        session().train(**options)


def test_a_worker_that_does_not_answer_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(NeuralLogError, match="does not answer") as told:
        session().train(workers=address)
    assert told.value.hint == f"start it there: neurallog worker {address}"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"seeds": 2}, "seeds cannot go together"),
        ({"restarts": 2}, "restarts cannot go together"),
        ({"metrics": ["roc_auc"]}, "no process has all"),
        ({"loss": "dice"}, "of a whole batch"),
        ({"loss": lambda y, x: (y - x) ** 2}, "cannot be sent"),
    ],
)
def test_what_cannot_be_shared_is_told(
    workers: list[Worker], options: dict[str, Any], said: str
) -> None:
    s = session()
    before = s.program()
    with pytest.raises(NeuralLogError, match=said):
        s.train(**options, epochs=1, workers=workers[0].address)
    assert s.program() == before


def test_more_processes_than_inputs_are_told(workers: list[Worker]) -> None:
    s = Session()
    s.add("learn(w). p(X) :- has(X, F), w(F). has(a, f).")
    s.add("p(a).", set="train")
    with pytest.raises(NeuralLogError, match="too few inputs") as caught:
        s.train(epochs=1, workers=workers[0].address)
    assert caught.value.hint == "name fewer workers"  # whichever process found it
    assert "\n" not in caught.value.message


def test_no_code_is_sent(workers: list[Worker]) -> None:
    s = session()
    s.register("twice", lambda x: 2 * x)
    s.add("p(X) :- has(X, F), w(F), twice(X).")
    with pytest.raises(NeuralLogError, match="no code is sent"):
        s.train(epochs=1, workers=workers[0].address)


@pytest.mark.parametrize("sent", [b"GET / HTTP/1.1\r\n\r\n", b"\0" * 12, b"\0\0\0\2" + b"\0" * 8])
def test_another_program_is_no_partner(sent: bytes) -> None:
    one, other = socket.socketpair()
    with one, other:
        one.sendall(sent + b"{}")
        one.shutdown(socket.SHUT_WR)
        with pytest.raises(ChannelClosedError):
            Channel(other).receive()


# -- the secret -----------------------------------------------------------------------------------

SECRET = "correct horse battery staple"


@pytest.fixture(scope="module")
def guarded() -> Iterator[Worker]:
    worker = Worker(SECRET)
    yield worker
    worker.kill()


@pytest.mark.parametrize("own", ["", "incorrect horse battery staple"])
def test_a_worker_turns_another_secret_away(
    guarded: Worker, own: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, own)
    with pytest.raises(NeuralLogError, match="has another secret") as told:
        session().train(workers=guarded.address, epochs=1)
    assert VARIABLE in (told.value.hint or "")
    assert "horse" not in str(told.value)
    assert guarded.process.stdout is not None
    assert guarded.process.stdout.readline().endswith("it has another secret\n")


def test_the_right_secret_trains_and_is_kept_nowhere(
    guarded: Worker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(VARIABLE, SECRET)
    s = session()
    history = s.train(**OPTIONS, workers=guarded.address)
    s.save(tmp_path / "model.nlz")
    with zipfile.ZipFile(tmp_path / "model.nlz") as archive:
        kept = b"".join(archive.read(name) for name in archive.namelist())
    assert SECRET.encode() not in kept
    assert "horse" not in f"{history.settings}{history.notes}{s.runs}{s.program()}"


def test_a_stranger_gets_no_proof_and_nothing_is_read(guarded: Worker) -> None:
    host, port = guarded.address.split(":")
    with socket.create_connection((host, int(port))) as stranger:
        stranger.sendall(b"\0" * 64)  # a nonce and a guess
        told = b"".join(iter(lambda: stranger.recv(1024), b""))
    assert told.endswith(b"n") and len(told) == len(b"neurallog worker 2\n") + 32 + 1


def test_a_worker_that_does_not_prove_the_secret_gets_no_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(VARIABLE, SECRET)
    with socket.create_server(("127.0.0.1", 0)) as impostor:
        received: list[bytes] = []

        def pretend() -> None:
            connection, _ = impostor.accept()
            with connection:
                connection.sendall(b"neurallog worker 2\n" + b"\0" * 32)
                connection.recv(64, socket.MSG_WAITALL)
                connection.sendall(b"y" + b"\0" * 32)
                received.append(connection.recv(1))

        other = Thread(target=pretend)
        other.start()
        with pytest.raises(NeuralLogError, match="has another secret"):
            session().train(workers=f"127.0.0.1:{impostor.getsockname()[1]}")
        other.join()
    assert received == [b""]


@pytest.mark.parametrize("host", ["0.0.0.0", "10.1.2.3", "[::]", "some.example"])
def test_without_a_secret_a_worker_is_for_its_own_machine(host: str) -> None:
    with pytest.raises(NeuralLogError, match="has no secret") as told:
        listen(f"{host}:0", b"")
    assert "127.0.0.1" in (told.value.hint or "")


def test_a_short_secret_is_refused() -> None:
    with pytest.raises(NeuralLogError, match="at least 16") as told:
        secret_of({VARIABLE: "hunter2"})
    assert "hunter2" not in str(told.value)
