"""The command line: `neurallog run | query | train | evaluate | draw | lab`."""

from neurallog_kernel.cli.main import main

__all__ = ["main"]
