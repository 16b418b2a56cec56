"""NeuralLog in the notebook; installed as `neurallog_magics`.

`%load_ext neurallog_magics` gives `%%neurallog` cells, `%%examples` cells and the `%neurallog`
commands. All of them are thin shells over `neurallog_kernel.Session`, and `session()` is the very
session they use, so that a notebook may mix magics and Python freely.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from neurallog_kernel import __version__
from neurallog_magics.state import session

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = [
    "__version__",
    "load_ipython_extension",
    "session",
    "unload_ipython_extension",
]


def load_ipython_extension(shell: InteractiveShell) -> None:
    """What `%load_ext neurallog_magics` runs."""
    from neurallog_magics.extension import load

    load(shell)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """What `%unload_ext neurallog_magics` runs; the sessions are kept for the next `%load_ext`."""
    from neurallog_magics.extension import unload

    unload(shell)
