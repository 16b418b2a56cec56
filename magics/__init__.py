"""NeuralLog in the notebook; installed as `neurallog_magics`.

This folder will hold the `%%neurallog` cell magic, its completion and its displays, as thin
shells over `neurallog_kernel.Session`. None of it is written yet: there is no extension to load.
Until then a notebook uses `Session` directly, as the tutorials do.
"""

from neurallog_kernel import __version__

__all__ = ["__version__"]
