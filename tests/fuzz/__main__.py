"""`python -m tests.fuzz`: look for inputs that hang, end in a raw error or give a wrong answer."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from time import monotonic

from tests.fuzz.failures import Failure, failure_of
from tests.fuzz.kinds import kinds
from tests.fuzz.running import Found, run_batch

_FIRST_BATCH, _LARGEST_BATCH = 500, 8000  # inputs of all kinds together, twice as many each time
_SECONDS = 60  # of processor time for one input


def main(words: list[str] | None = None) -> int:
    """0 if nothing failed."""
    options = _options(words)
    if options.again:
        return _again(options.again)
    found = Found()
    if options.inputs is not None:
        _run(options, options.inputs, found)
    else:
        end = monotonic() + 60 * options.minutes
        batch = _FIRST_BATCH
        while monotonic() < end:
            _run(options, batch, found)
            batch = min(2 * batch, _LARGEST_BATCH)
            print(_counts(found), file=sys.stderr)
            for (
                failure
            ) in found.failures.values():  # at once: a long run may be ended before its end
                failure.write(options.failures)
    return _report(found, options.failures)


def _options(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="how long (default: 10)")
    parser.add_argument("--inputs", type=int, help="so many inputs instead: the same in every run")
    parser.add_argument("--seed", type=int, default=0, help="other seeds give other inputs")
    parser.add_argument("--kind", choices=list(kinds()), help="only these inputs (default: all)")
    parser.add_argument(
        "--failures",
        type=Path,
        default=Path("fuzz-failures"),
        help="the folder they are written to",
    )
    parser.add_argument("--again", type=Path, metavar="FILE", help="run a written failure again")
    return parser.parse_args(words)


def _run(options: argparse.Namespace, inputs: int, found: Found) -> None:
    """So many inputs more, of each kind its share."""
    chosen = [kinds()[options.kind]] if options.kind else list(kinds().values())
    shares = sum(kind.share for kind in chosen)
    before = Counter(found.inputs)
    for kind in chosen:
        first = before[kind.name]
        number = max(1, round(inputs * kind.share / shares))
        run_batch(kind.name, options.seed, first, first + number, _SECONDS, found)


def _counts(found: Found) -> str:
    parts = (f"{number:,} {kind}" for kind, number in found.inputs.items())
    return f"{', '.join(parts)}: {found.counts.total():,} failures"


def _report(found: Found, folder: Path) -> int:
    print(_counts(found))
    for key, failure in found.failures.items():
        print(f"  {found.counts[key]:,} x {key[0]}: {failure.what}\n    {failure.write(folder)}")
    if found.failures:
        print("run one again with: python -m tests.fuzz --again FILE")
    return 1 if found.failures else 0


def _again(path: Path) -> int:
    failure = Failure.from_json(path.read_text(encoding="ascii"))
    now = failure_of(failure.given, failure.seed, failure.number)
    print(now.details if now else "nothing is wrong with it any more")
    return 1 if now else 0


if __name__ == "__main__":
    sys.exit(main())
