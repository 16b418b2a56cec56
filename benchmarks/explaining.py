"""How long an explanation takes, in the WordNet session, in milliseconds.

python benchmarks/explaining.py [folder with facts.pl and theory.pl]
"""

from __future__ import annotations

import random
import statistics
import sys
from pathlib import Path
from time import perf_counter

from neurallog_kernel import Session

DATA = Path(__file__).parents[2] / "shared" / "data" / "wordnet"
ANSWERS = 40
REACH = 200.0  # milliseconds


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA
    if not (folder / "facts.pl").exists():
        print(f"skipped: there is no {folder / 'facts.pl'}")
        return
    session = Session()
    for name in ("facts.pl", "theory.pl"):
        session.load(folder / name, source=name)
    # weights as a training might leave them, so that every rule contributes
    theory = (folder / "theory.pl").read_text(encoding="utf-8")
    draw = random.Random(7)
    for name in ("w", "b"):
        used = sorted({part.split(")")[0] for part in theory.split(f" {name}(")[1:]})
        facts = " ".join(f"{draw.uniform(0.1, 1.0):.3f}::{name}({one})." for one in used)
        session.add(facts, source=f"weights {name}")
    targets = [
        s
        for s in session.inspect().signatures()
        if s[0].startswith("i_") and s[1] == 2 and not s[0].endswith("_sum")
    ]
    facts = [line.strip() for line in (folder / "facts.pl").open(encoding="utf-8") if "(" in line]
    pairs = [line for line in facts if not line.startswith("%")]
    times: dict[str, list[float]] = {"query": [], "explain": [], "sensitivity": []}
    for _ in range(ANSWERS):
        relation, rest = draw.choice(pairs).split("(", 1)
        question = f"i_{relation}({rest.rstrip('.')}"
        if (f"i_{relation}", 2) not in targets:
            continue
        for name, ask in (
            ("explain", session.explain),  # first: no query has prepared anything for it
            ("query", session.query),
            ("sensitivity", session.sensitivity),
        ):
            started = perf_counter()
            ask(question)
            times[name].append(1000 * (perf_counter() - started))
    print(f"WordNet, {len(facts):,} facts, {len(session.rules()):,} rules")
    for name, found in times.items():
        slow = sorted(found)[int(0.95 * (len(found) - 1))]
        print(
            f"{name:12} {statistics.median(found):8.1f} ms median, {slow:8.1f} ms for 19 of 20, "
            f"{max(found):8.1f} ms at most ({len(found)} answers)"
        )
    reached = max(times["explain"]) < REACH
    print(f"every explanation under {REACH:.0f} ms: {'yes' if reached else 'no'}")


if __name__ == "__main__":
    main()
