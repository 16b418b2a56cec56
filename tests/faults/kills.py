"""Trainings that are killed and called again: they end with the weights of one that was not."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neurallog_kernel import Session
from neurallog_kernel.network.tensorflow import keras

PROGRAM = """
0.4::p(a, b). 0.9::p(b, c). 0.6::p(a, c). 0.3::u(b). 0.8::u(c). 0.5::u(a).
h(X, Y) :- p(X, Y), u(Y), w(one).
learn(p). learn(u). learn(w).
example(h, a, b). 0::example(h, a, c). example(h, b, c). 0.5::example(h, c, c).
"""
OPTIONS: dict[str, Any] = {"epochs": 6, "learning_rate": 0.1, "batch_size": 2, "seed": 1}
LONG = {**OPTIONS, "epochs": 150, "optimizer": "adam", "shuffle": True}


def session() -> Session:
    made = Session()
    made.add(PROGRAM)
    return made


def weights(s: Session) -> dict[str, float]:
    """What was learned, by fact."""
    return {
        f"{name}{fact}": weight
        for name, question in (("p", "p(X, Y)"), ("u", "u(X)"), ("w", "w(X)"))
        for fact, weight in s.query(question).weights.items()
    }


@dataclass
class Outcome:
    """How often a training was killed before it came to its end, and whether that was the same."""

    kills: int
    same: bool


class KillAt:
    """Ends the process as `kill -9` does, at a named moment: `epoch 2`, `batch 4`, `writing 3`."""

    def __init__(self, moment: str) -> None:
        self.kind, _, number = moment.partition(" ")
        self.left = int(number or 0)
        if self.kind == "writing":
            replace_file = os.replace

            def replacing(*arguments: Any) -> None:
                self.count("writing")
                replace_file(*arguments)

            os.replace = replacing  # type: ignore[assignment]

    def count(self, kind: str) -> None:
        if kind == self.kind:
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    def on_batch(self, state: Any) -> None:
        self.count("batch")

    def on_epoch(self, state: Any) -> None:
        self.count("epoch")


def main() -> None:
    """The child: train with a checkpoint, tell what was learned."""
    path, options, moment = json.loads(sys.argv[1])
    made = session()
    print("ready", flush=True)
    made.train(checkpoint=path, callbacks=[KillAt(moment)], **options)
    print(json.dumps(weights(made)), flush=True)


def child(folder: Path, options: dict[str, Any], moment: str = "") -> subprocess.Popen[str]:
    root = Path(__file__).parents[2]
    given = json.dumps([str(folder / "run.nlz"), options, moment])
    return subprocess.Popen(
        [sys.executable, "-m", "tests.faults.kills", given],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
    )


def killed_until_done(folder: Path, moments: list[str]) -> Outcome:
    """One training, killed at each of these moments in turn, and then left alone."""
    plain = session()
    plain.train(**OPTIONS)
    kills = 0
    for moment in [*moments, ""]:
        running = child(folder, OPTIONS, moment)
        told, errors = running.communicate()
        if running.returncode == -signal.SIGKILL:
            kills += 1
    if running.returncode:
        raise RuntimeError(errors)
    return Outcome(kills, json.loads(told.splitlines()[-1]) == weights(plain))


KILLS_EACH = 5  # of one training, before it is left alone


def killed_at_random(folder: Path, kills: int, seed: int) -> tuple[Outcome, int]:
    """Trainings that are killed at random moments, a few times each, and then resume and end; until
    so many kills have hit. How many came to an end, which all of them must.

    Each is a fork of this process, which has imported TensorFlow and used nothing of it.
    """
    keras()
    started = time.monotonic()
    expected = _wait(_fork(folder, {}), folder)
    longest = 1.5 * (time.monotonic() - started)
    draw, hit, own, ended, same = random.Random(seed), 0, 0, 0, True
    while hit < kills or own:
        number = _fork(folder, {"checkpoint": folder / "run.nlz"})
        if hit < kills and own < KILLS_EACH:
            time.sleep(draw.uniform(0, longest))
            os.kill(number, signal.SIGKILL)
        told = _wait(number, folder)
        if told is None:
            hit, own = hit + 1, own + 1
        else:
            ended, own = ended + 1, 0
            same = same and told == expected
            (folder / "run.nlz").unlink()
    return Outcome(hit, same and expected is not None), ended


def _fork(folder: Path, more: dict[str, Any]) -> int:
    number = os.fork()
    if number:
        return number
    made = session()
    made.train(**LONG, **more)
    (folder / "told.json").write_text(json.dumps(weights(made)), encoding="utf-8")
    os._exit(0)


def _wait(number: int, folder: Path) -> dict[str, float] | None:
    """What a fork has told; None if it was killed."""
    _, status = os.waitpid(number, 0)
    if os.WIFSIGNALED(status):
        return None
    if status:
        raise RuntimeError("a training failed")
    return json.loads((folder / "told.json").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
