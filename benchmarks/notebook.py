"""From `%load_ext neurallog_magics` to the first answer, in fresh processes.

Reach: under one second, TensorFlow not imported. The peer in the same run is what any scientific
notebook pays first: importing NumPy, SciPy's sparse matrices and pandas.
"""

from __future__ import annotations

import subprocess
import sys
from statistics import median

RUNS = 7
SHELL = """
from time import perf_counter, process_time
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config
config = Config()
config.HistoryManager.enabled = False
shell = InteractiveShell.instance(config=config)
from IPython.utils.capture import capture_output
with capture_output():
    started, busy = perf_counter(), process_time()
    {code}
    seconds, busy = perf_counter() - started, process_time() - busy
import sys
print(seconds, busy, "tensorflow" in sys.modules)
"""
FIRST_ANSWER = """shell.run_cell("%load_ext neurallog_magics")
    ran = shell.run_cell('''%%neurallog
parent(ann, bob). parent(bob, cid).
grandparent(X, Z) :- parent(X, Y), parent(Y, Z).
?- grandparent(ann, Who).''')
    assert ran.result.weights == {("cid",): 1.0}
    shell.display_formatter.format(ran.result)"""
PEER = """shell.run_cell("import numpy, pandas, scipy.sparse")"""


def measure(code: str) -> tuple[float, float, bool]:
    """Seconds, those of the processor, and whether TensorFlow was imported, in a new process."""
    script = SHELL.replace("{code}", code)
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    seconds, busy, tensorflow = run.stdout.split()[-3:]
    return float(seconds), float(busy), tensorflow == "True"


def main() -> None:
    ours, peers = [], []
    for _ in range(RUNS):  # interleaved, so that a busy machine is busy for both
        ours.append(measure(FIRST_ANSWER))
        peers.append(measure(PEER))
    clock, busy, tensorflow = (list(column) for column in zip(*ours, strict=True))
    peer_clock, peer_busy, _ = (list(column) for column in zip(*peers, strict=True))
    print(f"%load_ext to the first answer, median of {RUNS} (reach: under 1 s)")
    print(f"  clock {median(clock):.3f} s (best {min(clock):.3f}), processor {median(busy):.3f} s")
    print(f"  TensorFlow imported: {'yes' if any(tensorflow) else 'no'}")
    print("import numpy, pandas, scipy.sparse")
    print(f"  clock {median(peer_clock):.3f} s, processor {median(peer_busy):.3f} s")
    print(f"  ours / theirs, processor: {median(busy) / median(peer_busy):.2f}")


if __name__ == "__main__":
    main()
