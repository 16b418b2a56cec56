"""The live session: every front end goes through it. Sources in, answers out."""

from neurallog_kernel.session.session import Session

__all__ = ["Session"]
