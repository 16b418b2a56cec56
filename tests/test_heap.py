"""Memory that is freed stays with the process: the steps of a training ask for none."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

# Each round makes and frees what a step of Cora does: some thirty arrays of a megabyte at once.
ROUNDS = """
import resource
import numpy as np
from neurallog_kernel.heap import keep_freed_memory

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

def one_round():
    arrays = [np.ones(1 << 20, np.uint8) for _ in range(30)]
    del arrays

if {keeping}:
    keep_freed_memory()
one_round()
before = faults()
for _ in range(10):
    one_round()
print(faults() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library of Linux does it")
def test_what_a_step_frees_the_next_one_gets_without_the_system():
    without, kept = (_faults(keeping) for keeping in (False, True))
    assert kept * 10 < without, (without, kept)


def _faults(keeping: bool) -> int:
    text = ROUNDS.format(keeping=keeping)
    result = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=True
    )
    return int(result.stdout)
