"""Every run of the tests has a home of its own: nobody's settings count, and none need be writable.

It stands here so that the tests, the examples in docstrings and the notebooks all have it.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

OURS = "NEURALLOG_TEST_HOME"
"""Set for the processes that this one starts, so that they share the folder."""


def move_in() -> None:
    home = tempfile.mkdtemp(prefix="neurallog-home-")
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    settings = Path.home() / ".gitconfig"  # it may say that this clone is safe
    if os.access(settings, os.R_OK):
        os.environ.setdefault("GIT_CONFIG_GLOBAL", str(settings))
    for name in list(os.environ):
        if name.startswith(("IPYTHON", "JUPYTER_", "XDG_")) and name.endswith(("DIR", "_HOME")):
            del os.environ[name]
    os.environ |= {OURS: home, "HOME": home}


if OURS not in os.environ:
    move_in()
