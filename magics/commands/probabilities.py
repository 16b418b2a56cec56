"""The command that makes probabilities, as an action that `undo` takes back."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from neurallog_kernel.commands import SHARED
from neurallog_magics.arguments import NOTEBOOK
from neurallog_magics.context import NotebookContext

_CALIBRATE = SHARED.commands["calibrate"]


@NOTEBOOK.command("calibrate", _CALIBRATE.summary, *_CALIBRATE.arguments)
def calibrate(context: NotebookContext, options: Namespace) -> Any:
    owners = dict(context.live.owners)
    result = _CALIBRATE(context, options)
    context.live.done(1, owners)
    return result
