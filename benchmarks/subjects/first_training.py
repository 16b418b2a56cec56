"""The first training of a fresh process, and tutorial 04 from a cold start to its last cell."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.measuring import Seconds, Turns, as_installed, median
from benchmarks.rows import Figure, Measured, Row, Settings, Target, faster, speed_up, subject

TENSORFLOW = "the same with TensorFlow"
TUTORIAL = Path(__file__).parents[2] / "tutorials" / "04_learning_weights.ipynb"
WORDS = "from a new kernel to a trained, drawn and explained program (tutorial 04)"
ROWS = (
    Row("first-training", "the first training of a fresh process", TENSORFLOW, Target(1, "s")),
    Row("first-training-ratio", "the first training of a fresh process", TENSORFLOW, faster(5)),
    Row("first-training-memory", "memory of that process", TENSORFLOW, Target(200, "MB")),
    Row("tutorial-04", WORDS, TENSORFLOW, faster(2)),
)
TRAINING = """
import sys, resource
from time import perf_counter, process_time
from neurallog_kernel import Session
session = Session()
session.add('''parent(ann, bob). parent(bob, cid). parent(cid, dan). learn(w).
near(X, Z) :- parent(X, Y), parent(Y, Z), w(two). near(X, Z) :- parent(X, Z), w(one).
example(near, ann, cid). example(near, bob, dan). 0.0::example(near, ann, bob).''')
started, busy = perf_counter(), process_time()
session.train(epochs=20, optimizer="adam", backend=sys.argv[1])
"""
NOTEBOOK = """
import json, os, sys, resource
from time import perf_counter, process_time
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config
config = Config()
config.HistoryManager.enabled = False
shell = InteractiveShell.instance(config=config)
os.chdir(os.path.dirname(sys.argv[2]))
cells = json.load(open(sys.argv[2]))["cells"]
started, busy = perf_counter(), process_time()
with capture_output():
    shell.run_cell("%load_ext neurallog_magics")
    if sys.argv[1] == "tensorflow":
        from neurallog_kernel.learning import backends
        backends.MOST_LABELS = -1  # no training is small
    for cell in cells:
        if cell["cell_type"] == "code":
            ran = shell.run_cell("".join(cell["source"]))
            if ran.result is not None:
                shell.display_formatter.format(ran.result)
"""
TOLD = """
seconds, busy = perf_counter() - started, process_time() - busy
print(seconds, busy, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


@subject("first-training", ROWS)
def measure(settings: Settings, wanted: frozenset[str]) -> Measured:
    rounds = settings.rounds(5, 2)
    trainings = {name: _runs(TRAINING, name, rounds) for name in ("numpy", "tensorflow")}
    ours, theirs = ([taken for taken, _ in trainings[name]] for name in trainings)
    seconds, other = median(ours, "wall"), median(theirs, "wall")
    yield "first-training", Figure(seconds, "s", seconds, other, rounds=rounds)
    yield "first-training-ratio", speed_up(Turns(tuple(ours), tuple(theirs)))
    used, others = (max(memory for _, memory in trainings[name]) for name in trainings)
    note = f"with TensorFlow {others:.0f} MB"
    yield "first-training-memory", Figure(used, "MB", rounds=rounds, note=note)
    if "tutorial-04" in wanted:
        runs = {name: _runs(NOTEBOOK, name, rounds) for name in ("numpy", "tensorflow")}
        mine, others = (tuple(taken for taken, _ in runs[name]) for name in runs)
        yield "tutorial-04", speed_up(Turns(mine, others))


def _runs(code: str, backend: str, rounds: int) -> list[tuple[Seconds, float]]:
    """The first one compiles the modules."""
    with as_installed() as environment:
        return [_in_new_process(code, backend, environment) for _ in range(rounds + 1)][1:]


def _in_new_process(code: str, backend: str, environment: dict[str, str]) -> tuple[Seconds, float]:
    """What it took, and the most memory in megabytes."""
    command = [sys.executable, "-c", code + TOLD, backend, str(TUTORIAL)]
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    wall, busy, memory = map(float, run.stdout.split()[-3:])
    return Seconds(wall, busy), memory
