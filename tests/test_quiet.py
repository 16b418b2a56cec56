"""File descriptor 2 is one for the process: it speaks again after the last who silenced it."""

import os
import subprocess
import sys

import pytest

from neurallog_kernel.quiet import quiet_stderr

IN_TURNS = """
import os
from neurallog_kernel.quiet import quiet_stderr

first, second = quiet_stderr(), quiet_stderr()  # as two threads hold them
os.write(2, b"before ")
first.__enter__()
second.__enter__()
os.write(2, b"both ")
first.__exit__(None, None, None)
os.write(2, b"one ")
second.__exit__(None, None, None)
os.write(2, b"after")
"""


def _stderr(script: str, **options) -> str:
    return subprocess.run(
        [sys.executable, "-c", script], stderr=subprocess.PIPE, check=True, text=True, **options
    ).stderr


def test_one_that_ends_first_leaves_the_silence_to_the_other():
    assert _stderr(IN_TURNS) == "before after"


def test_an_error_inside_ends_the_silence():
    script = """
import os
from neurallog_kernel.quiet import quiet_stderr
try:
    with quiet_stderr():
        os.write(2, b"inside ")
        raise ValueError
except ValueError:
    os.write(2, b"after")
"""
    assert _stderr(script) == "after"


def test_a_process_without_stderr_has_nothing_to_silence():
    script = """
import os, sys
from neurallog_kernel.quiet import quiet_stderr
os.close(2)
sys.stderr = None
with quiet_stderr():
    pass
print("done")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "done\n")


def _is_silent() -> bool:
    with quiet_stderr():
        return os.path.samestat(os.fstat(2), os.stat(os.devnull))


def test_a_closed_stderr_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before, a picture could not be drawn, and stderr was never silenced again."""
    with open(os.devnull, "w", encoding="utf-8") as closed:
        pass
    with monkeypatch.context() as here:
        here.setattr(sys, "stderr", closed)
        assert _is_silent()
    assert _is_silent()


@pytest.mark.parametrize("place", ["dup", "open", "dup2", "close"])
def test_an_interrupt_at_the_beginning_leaves_stderr_as_it_was(
    monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    before = os.fstat(2)
    own = getattr(os, place)

    def interrupted(*given: object) -> None:
        monkeypatch.undo()
        own(*given)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, place, interrupted)
    with pytest.raises(KeyboardInterrupt), quiet_stderr():
        pass
    assert os.path.samestat(os.fstat(2), before)
    assert _is_silent()
    assert os.path.samestat(os.fstat(2), before)
