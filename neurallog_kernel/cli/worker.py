"""`neurallog worker`: a process that takes its share of the trainings of others."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.learning.serving import listen, serve
from neurallog_kernel.learning.sharing.secret import secret_of
from neurallog_kernel.session import Session


def worker(options: Namespace) -> None:
    """Wait at an address, and work for one training after the other."""
    secret = secret_of()
    with listen(options.address, secret) as listening:
        host, port, *_ = listening.getsockname()
        _say(f"listening at {f'[{host}]' if ':' in host else host}:{port}")
        while True:
            served = serve(listening, secret, _opened, _say)
            if served and options.once:
                return


def _opened(file: Path) -> Evaluator:
    return Session.open(file)._evaluator


def _say(text: str) -> None:
    print(text, flush=True)
