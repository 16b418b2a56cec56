"""A process that runs inputs in order; one that hangs is ended by the system."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import warnings
from dataclasses import asdict

from tests.fuzz.failures import failure_of, smaller
from tests.fuzz.kinds import make_input

MEMORY = 8 << 30  # bytes of address space; more is a failure, not the end of the machine


def work(kind: str, seed: int, first: int, last: int, seconds: int) -> None:
    """Run the inputs from `first` up to `last`, each with so many seconds of processor time."""
    warnings.simplefilter("error", RuntimeWarning)  # what NumPy would print to the user
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
    sys.stdin.close()
    os.fsync = lambda file: None  # no power fails here, and a disk's work is most of a model's time
    known: set[str] = set()

    def start() -> None:
        # the signal ends the process: no exception that the tested code could catch
        signal.setitimer(signal.ITIMER_PROF, seconds)

    for number in range(first, last):
        say({"at": number})
        given = make_input(kind, seed, number)
        start()
        failure = failure_of(given, seed, number)
        if failure is not None:
            if failure.what not in known:
                known.add(failure.what)
                say({"failed": asdict(failure)})
                failure = smaller(failure, starting=start)
            say({"failed": asdict(failure)})
    signal.setitimer(signal.ITIMER_PROF, 0)
    say({"at": last})


def say(message: dict) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    work(sys.argv[1], *map(int, sys.argv[2:]))
