"""Count what the attacks break: each in a process of its own, with bounds on time and memory."""

from __future__ import annotations

import argparse
import os
import resource
import signal
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.attacks.corpus import Attack, attacks, outcome

_MEMORY = 6 << 30  # bytes of address space; TensorFlow alone takes two
_SECONDS = 60  # of processor time


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.attacks", description=__doc__)
    parser.add_argument("lines", nargs="*", type=int, help="only these (16, 17, 18, 22)")
    parser.add_argument("-k", default="", help="only attacks whose name holds this")
    parser.add_argument("-q", action="store_true", help="the counts only")
    options = parser.parse_args()
    tried: Counter[int] = Counter()
    broken: Counter[int] = Counter()
    for attack in attacks():
        if (options.lines and attack.line not in options.lines) or options.k not in attack.name:
            continue
        tried[attack.line] += 1
        found = alone(attack)
        if found:
            broken[attack.line] += 1
            if not options.q:
                print(f"{attack}: {found}", flush=True)
    for line in sorted(tried):
        print(f"line {line}: {tried[line]} inputs tried, {broken[line]} failures")
    print(f"all: {tried.total()} inputs tried, {broken.total()} failures")
    return 1 if broken.total() else 0


def alone(attack: Attack) -> str:
    """The outcome of an attack that can break no more than its own process."""
    with tempfile.TemporaryDirectory() as folder:
        end, start = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(end)
            _bounded(attack, Path(folder), start)
        os.close(start)
        with os.fdopen(end, "rb") as stream:
            said = stream.read().decode("utf-8", "replace")
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return said if code == 0 else f"the process ended with {_ending(code)}"


def _bounded(attack: Attack, folder: Path, start: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(null, stream)
    try:
        said = outcome(attack, folder)
    except BaseException as error:
        said = f"{type(error).__name__}: {str(error)[:100]!r}"
    os.write(start, said.encode("utf-8", "backslashreplace"))
    os._exit(0)


def _ending(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else str(code)


if __name__ == "__main__":
    sys.exit(main())
