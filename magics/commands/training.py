"""The command that trains, with its live output."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from neurallog_kernel.commands import (
    CHECKPOINT,
    DEVICE,
    SHARED,
    TRAINING,
    Text,
    argument,
    explain_device,
    training_options,
)
from neurallog_magics.arguments import NOTEBOOK
from neurallog_magics.context import NotebookContext


@NOTEBOOK.command(
    "train",
    "Learn from the examples; interrupting keeps what was learned.",
    *TRAINING,
    *CHECKPOINT,
    DEVICE,
    argument("--examples", metavar="SET", help="the set to learn from (train)", completes="set"),
    argument(
        "--validation", metavar="SET", help="a set to look at after each epoch", completes="set"
    ),
    argument("--resume", action="store_true", help="go on where the last training stopped"),
    argument(
        "--tensorboard",
        metavar="DIR",
        help="write the curves for TensorBoard into this folder",
        completes="path",
        writes=True,
    ),
)
def train(context: NotebookContext, options: Namespace) -> Any:
    from neurallog_magics.training import run

    if options.explain_device:
        sets = {name: getattr(options, name) for name in ("examples", "validation")}
        given = {name: value for name, value in sets.items() if value}
        return Text(str(explain_device(context.session, options, **given)))
    chosen = training_options(options)
    for name in ("examples", "validation", "tensorboard"):
        if getattr(options, name):
            chosen[name] = getattr(options, name)
    if options.resume:
        chosen["resume"] = True
    return run(context, chosen)


_RUNS = SHARED.commands["runs"]


@NOTEBOOK.command("runs", _RUNS.summary, *_RUNS.arguments)
def runs(context: NotebookContext, options: Namespace) -> Any:
    if options.compare or options.back or not context.has_kernel or not len(context.session.runs):
        if options.back:
            owners = dict(context.live.owners)
            said = _RUNS(context, options)
            context.live.done(1, owners)
            return said
        return _RUNS(context, options)
    try:
        from neurallog_kernel.pictures.runs.widget import RunsView
    except ImportError:
        return _RUNS(context, options)
    live = context.live
    return RunsView(live.session, lambda: live.done(1, dict(live.owners)))
