"""The command that trains, with its live output."""

from __future__ import annotations

from argparse import Namespace

from neurallog_kernel.commands import CHECKPOINT, TRAINING, argument, training_options
from neurallog_magics.arguments import NOTEBOOK
from neurallog_magics.context import NotebookContext


@NOTEBOOK.command(
    "train",
    "Learn from the examples; interrupting keeps what was learned.",
    *TRAINING,
    *CHECKPOINT,
    argument("--resume", action="store_true", help="go on where the last training stopped"),
)
def train(context: NotebookContext, options: Namespace) -> None:
    from neurallog_magics.training import run

    chosen = training_options(options)
    if options.resume:
        chosen["resume"] = True
    return run(context, chosen)
