"""From `%load_ext neurallog_magics` to the first answer, in fresh processes."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.measuring import Seconds, Turns, as_installed, median
from benchmarks.rows import Figure, Measured, Row, Settings, Target, share, subject

PEER_NAME = "importing NumPy, pandas and SciPy"  # what any scientific notebook pays first
LINE = "`%load_ext` to first answer"
ROWS = (
    Row("first-answer", "`%load_ext` to the first answer", PEER_NAME, Target(1, "s"), LINE),
    Row("first-answer-ratio", "`%load_ext` to the first answer", PEER_NAME),
)
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


@subject("notebook", ROWS)
def measure(settings: Settings, wanted: frozenset[str]) -> Measured:
    ours, theirs, imported = [], [], False
    with as_installed() as environment:
        for number in range(settings.rounds(9, 3) + 1):
            mine, tensorflow = in_new_process(FIRST_ANSWER, environment)
            other, _ = in_new_process(PEER, environment)
            imported |= tensorflow
            if number:  # the first ones compile the modules
                ours.append(mine)
                theirs.append(other)
    note = "TensorFlow was imported" if imported else "TensorFlow not imported"
    seconds = median(ours, "wall")
    other_seconds = median(theirs, "wall")
    yield "first-answer", Figure(seconds, "s", seconds, other_seconds, rounds=len(ours), note=note)
    yield "first-answer-ratio", share(Turns(tuple(ours), tuple(theirs)), note)


def in_new_process(code: str, environment: dict[str, str]) -> tuple[Seconds, bool]:
    """What the code took in a new IPython, and whether TensorFlow was imported."""
    command = [sys.executable, "-c", SHELL.replace("{code}", code)]
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    seconds, busy, tensorflow = run.stdout.split()[-3:]
    return Seconds(float(seconds), float(busy)), tensorflow == "True"
