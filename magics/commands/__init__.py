"""The commands of `%neurallog`: those of every front end, and those that only a notebook has."""

from __future__ import annotations

from neurallog_magics.arguments import Magic, line_magics
from neurallog_magics.commands import (
    databases,
    loading,
    persistence,
    pictures,
    probabilities,
    rules,
    training,
)

__all__ = [
    "COMMANDS",
    "Magic",
    "databases",
    "loading",
    "overview",
    "persistence",
    "pictures",
    "probabilities",
    "rules",
    "training",
]

_ORDER = (
    *("query", "status", "program", "rules", "functions"),
    *("explain", "sensitivity", "diff", "check", "profile"),
    *(
        "train",
        "cross_validate",
        "select",
        "evaluate",
        "calibrate",
        "reliability",
        "decode",
        "runs",
    ),
    *("examples", "weights", "learn_rules", "accept"),
    *("save", "open", "load", "connect", "attach", "export", "reset", "undo"),
    *("show", "xray", "explore", "exercise", "traceback"),
)
_declared = line_magics()
COMMANDS: dict[str, Magic] = {
    name: _declared[name] for name in (*_ORDER, *sorted(set(_declared) - set(_ORDER)))
}
"""By name, in the order of the overview; a command that it does not name comes last."""


def overview() -> str:
    """The commands, one per line."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name.ljust(width)}  {one.summary}" for name, one in COMMANDS.items()]
    return "\n".join(
        [
            "%neurallog COMMAND [options]; %neurallog COMMAND --help says more.",
            *lines,
            "Also: %neurallog ?- p(a, Y).   %neurallog name << ?- p(a, Y).   %config NeuralLog",
        ]
    )
