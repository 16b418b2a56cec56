"""How fast facts are parsed: the fast path against the pure grammar, in one run.

    python benchmarks/parsing.py [--data FOLDER] [--facts N]

The WordNet facts are looked for in FOLDER/wordnet/facts.pl; FOLDER is by default the value of
NEURALLOG_DATA, else shared/data beside the repository. Where there is no such file, one of the
same size is generated. With --facts, a generated file of N facts is parsed by the fast path too.
Times are of the processor, not of the clock: what else runs on the machine matters less.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from neurallog_kernel.language import FactRun, expand, parse
from neurallog_kernel.language.parser import parse_by_grammar

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
WORDNET_FACTS = 106_088
ROUNDS = 5


def main() -> None:
    options = _options()
    path = options.data / "wordnet" / "facts.pl"
    if path.is_file():
        name, text = "WordNet", path.read_text(encoding="utf-8")
    else:
        name, text = "generated", generated(WORDNET_FACTS)
    parse("p(a).")  # the grammar is built once a process, and not measured
    compare(name, text)
    if options.facts:
        large("generated", generated(options.facts), options.facts)


def compare(name: str, text: str) -> None:
    """The two ways in turn; the median of the fast one, one run of the slow one."""
    fast = [seconds(lambda: parse(text)) for _ in range(ROUNDS)]
    slow = seconds(lambda: parse_by_grammar(text))
    fast += [seconds(lambda: parse(text)) for _ in range(ROUNDS)]
    same = expand(parse(text)) == parse_by_grammar(text)
    count, median = count_of(text), statistics.median(fast)
    print(f"{name}, {count} facts")
    print(f"  fast path     {median:8.3f} s  {count / median:12,.0f} facts/s")
    print(f"  pure grammar  {slow:8.3f} s  {count / slow:12,.0f} facts/s")
    print(f"  ratio         {slow / median:8.1f}    same clauses: {same}")


def large(name: str, text: str, count: int) -> None:
    """The fast path alone, with the memory it took beyond what was there before."""
    before = peak_megabytes()
    took = seconds(lambda: parse(text))
    print(f"{name}, {count} facts, {len(text) / 1e6:.0f} MB of text")
    print(f"  fast path     {took:8.3f} s  {count / took:12,.0f} facts/s")
    print(f"  peak memory   {before:8.0f} MB before, {peak_megabytes():.0f} MB after")


def generated(count: int) -> str:
    """As many facts as asked for, of 18 predicates one after the other, like WordNet's."""
    draw = random.Random(7).randrange
    entities = max(10, count * 2 // 5)
    lines = []
    for fact in range(count):
        first, second = draw(entities), draw(entities)
        lines.append(f"relation_{18 * fact // count}(s{first:08}, s{second:08}).\n")
    return "".join(lines)


def count_of(text: str) -> int:
    return sum(len(one) if isinstance(one, FactRun) else 1 for one in parse(text))


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    folder = Path(os.environ.get("NEURALLOG_DATA", BESIDE))
    parser.add_argument("--data", type=Path, default=folder, help="the folder of the data sets")
    parser.add_argument("--facts", type=int, default=0, help="also parse so many generated facts")
    return parser.parse_args()


if __name__ == "__main__":
    main()
