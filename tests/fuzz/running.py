"""Running inputs in processes of their own, and collecting what failed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.failures import Failure
from tests.fuzz.kinds import Input, make_input

ROOT = Path(__file__).parents[2]
WORKER = ["-m", "tests.fuzz.worker"]
_SILENCE = 600  # seconds, for one input or one attempt at a smaller one
_SAID = 3000  # characters of what a process that died said last


@dataclass
class Found:
    """How many inputs were run, and the failures: the smallest of each cause, and how many."""

    inputs: Counter[str] = field(default_factory=Counter)
    failures: dict[tuple[str, str], Failure] = field(default_factory=dict)
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, failure: Failure) -> None:
        key = (failure.given.kind, failure.what)
        known = self.failures.get(key)
        if known is None or known.number != failure.number:
            self.counts[key] += 1
        if known is None or len(failure.given.parts) < len(known.given.parts):
            self.failures[key] = failure


def run_batch(kind: str, seed: int, first: int, last: int, seconds: int, found: Found) -> None:
    """Run some inputs. A process that dies counts against its input; the next goes on after it."""
    while first < last:
        reached, died = _process(kind, seed, first, last, seconds, found)
        found.inputs[kind] += reached - first
        if died is None:
            return
        found.inputs[kind] += 1
        found.add(Failure(died[0], died[1], seed, reached, make_input(kind, seed, reached)))
        first = reached + 1


def _process(
    kind: str, seed: int, first: int, last: int, seconds: int, found: Found
) -> tuple[int, tuple[str, str] | None]:
    """The number of the input that was reached, and what the process died of."""
    words = [kind, *map(str, (seed, first, last, seconds))]
    process = subprocess.Popen(
        [sys.executable, *WORKER, *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    reached = first
    with process, _Watchdog(process) as watchdog:
        assert process.stdout is not None and process.stderr is not None
        for line in process.stdout:
            watchdog.calm()
            message = json.loads(line)
            reached = message.get("at", reached)
            if "failed" in message:
                failed = message["failed"]
                found.add(Failure(**{**failed, "given": Input(**failed["given"])}))
        said = process.stderr.read()
    if process.returncode == 0:
        return reached, None
    return reached, (_death(process.returncode, seconds), said[-_SAID:])


class _Watchdog:
    """Ends a process that says nothing for a very long time: it waits, for a lock that never opens,
    and uses no processor time that could run out."""

    def __init__(self, process: subprocess.Popen) -> None:
        self._process = process
        self._timer = threading.Timer(_SILENCE, process.kill)

    def __enter__(self) -> _Watchdog:
        self._timer.start()
        return self

    def calm(self) -> None:
        self._timer.cancel()
        self._timer = threading.Timer(_SILENCE, self._process.kill)
        self._timer.start()

    def __exit__(self, *error: object) -> None:
        self._timer.cancel()


def _death(code: int, seconds: int) -> str:
    if code == -signal.SIGPROF:
        return f"hang: more than {seconds} s of processor time"
    if code == -signal.SIGKILL:
        return f"hang: nothing done for {_SILENCE} s"
    if code < 0:
        return f"crash: {signal.Signals(-code).name}"
    return f"crash: the process ended with {code}"
