"""Ten members of an ensemble against one training, and a shared training against one process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from statistics import median
from typing import Any

from benchmarks.measuring import Seconds, Turns, once
from benchmarks.rows import Measured, Row, Settings, share, subject, within
from benchmarks.subjects.epochs import DATA_SETS, warm_up
from neurallog_kernel import History, Session

# As the experiments train them: all in one batch with Adam.
OPTIONS: dict[str, dict[str, Any]] = {
    "cora": {"epochs": 40, "learning_rate": 0.05, "unlisted": "unknown"},
    "yelp": {"epochs": 20, "learning_rate": 0.03, "loss": "logistic"},
}
SAME: dict[str, Any] = {"optimizer": "adam", "batch_size": 1_000_000, "seed": 1}
# Named, since by itself one training of Cora takes NumPy and ten of them take TensorFlow.
BACKEND = {"backend": "numpy"}
MEMBERS = 10
BATCHES = {"workers-large-batch": 1_000_000, "workers-small-batch": 32}


def measure(name: str, settings: Settings, wanted: frozenset[str]) -> Measured:
    """From files to learned weights, for ten members and for one."""
    load = _loading(name, settings)
    options = {**SAME, **BACKEND, **OPTIONS[name]}
    warm_up()
    ten, one = [], []
    for _ in range(settings.rounds(5, 3)):
        ten.append(once(lambda: load().train(seeds=MEMBERS, **options)))
        one.append(once(lambda: load().train(**options)))
    yield f"ensemble-{name}", share(Turns(tuple(ten), tuple(one)), "both in NumPy")


def _loading(name: str, settings: Settings) -> Callable[[], Session]:
    data = next(one for one in DATA_SETS if one.name == name)
    return partial(data.load, settings.folder(name))


def shared(settings: Settings, wanted: frozenset[str]) -> Measured:
    """An epoch of two processes against one of one; both run on this machine."""
    load = _loading("cora", settings)
    words = [sys.executable, "-m", "neurallog_kernel.cli", "worker", "127.0.0.1:0"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1]
        for name, batch in BATCHES.items():
            options = {**SAME, **OPTIONS["cora"], "batch_size": batch, "backend": "tensorflow"}
            options["epochs"] = 6
            two, one = [], []
            for _ in range(settings.rounds(5, 3)):
                two.append(_epoch(load().train(workers=address, **options)))
                one.append(_epoch(load().train(**options)))
            yield name, share(Turns(tuple(two), tuple(one), "wall"), "wall clock")
    finally:
        process.kill()
        process.communicate()


def _epoch(history: History) -> Seconds:
    """A later epoch: the first ones compile."""
    lengths = [b - a for a, b in pairwise(history.logs["seconds"])][1:]
    return Seconds(median(lengths), median(lengths))


def _register() -> None:
    for name, title in (("cora", "Cora, the four targets"), ("yelp", "Yelp, fold 1")):
        row = Row(
            f"ensemble-{name}",
            f"ten seeds as one ensemble, {title}",
            "one training, the same settings",
            within(3),
        )
        subject(f"ensemble-{name}", [row])(partial(measure, name))
    rows = [
        Row(name, f"an epoch of two processes, Cora, batches of {size}", "one process")
        for name, size in (("workers-large-batch", "all"), ("workers-small-batch", "32"))
    ]
    subject("workers", rows)(shared)


_register()
