"""How long a static picture of a rule takes, and the explorer's first sight of a large program.

Figures, not tests. The large program is theory.pl and facts.pl in FOLDER/wordnet; FOLDER is by
default the value of NEURALLOG_DATA, else shared/data beside the repository.
"""

from __future__ import annotations

import os
import statistics
import sys
from pathlib import Path
from time import perf_counter, process_time

from neurallog_kernel import Session
from neurallog_magics.display.pictures import show

FIGURE_1 = """
target(X, Y) :- p0(X, Z), p1(X, Z), p2(Z, Y), p3(X, V), p4(U, Y), p5(Z), w.
p0(a, b). p1(a, b). p2(b, d). p3(a, v). p4(u, d). p5(b). 0.8::w.
"""
TIMES = 50
BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


def milliseconds(work) -> float:
    started = perf_counter()
    work()
    return (perf_counter() - started) * 1000


def static_pictures() -> None:
    session = Session()
    session.add(FIGURE_1)
    first = milliseconds(lambda: show(session, "target/2")._repr_mimebundle_())
    print(f"the first picture of a process (imports, fonts)   {first:8.1f} ms")
    for kind in ("rule", "tree", "network"):
        runs = [
            milliseconds(lambda k=kind: show(session, "target/2", k)._repr_mimebundle_())
            for _ in range(TIMES)
        ]
        runs.sort()
        middle, high = statistics.median(runs), runs[int(0.95 * TIMES)]
        busy = process_time()
        for _ in range(TIMES):
            show(session, "target/2", kind)._repr_mimebundle_()
        busy = (process_time() - busy) * 1000 / TIMES
        print(
            f"{kind:8} of Figure 1, median and 95 % of {TIMES}    {middle:8.1f} {high:8.1f} ms, "
            f"of the processor {busy:.1f} ms"
        )


def explorer(folder: Path) -> None:
    from neurallog_magics.widgets import explore

    session = Session()
    for name in ("facts.pl", "theory.pl"):
        session.load(folder / name)
    rules = len(session.rules())
    taken = milliseconds(lambda: explore(session))
    again = milliseconds(lambda: explore(session))
    print(f"explorer on {rules} rules, first and again          {taken:8.0f} {again:8.0f} ms")
    network = milliseconds(lambda: show(session)._repr_mimebundle_())
    print(f"type map of the same program                      {network:8.0f} ms")


if __name__ == "__main__":
    static_pictures()
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("NEURALLOG_DATA", BESIDE))
    if (folder / "wordnet" / "theory.pl").exists():
        explorer(folder / "wordnet")
    else:
        print(f"no large program: {folder.name}/wordnet has no theory.pl")
