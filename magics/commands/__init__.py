"""The `%neurallog` commands: each declared once, for its help, its completion and its run."""

from __future__ import annotations

from neurallog_magics.arguments import COMMANDS
from neurallog_magics.commands import asking, keeping, learning, loading, looking, profiling, why

__all__ = [
    "COMMANDS",
    "asking",
    "keeping",
    "learning",
    "loading",
    "looking",
    "overview",
    "profiling",
    "why",
]

_ORDER = (
    *("query", "status", "program", "rules", "functions"),
    *("explain", "sensitivity", "diff", "check", "profile"),
    *("train", "evaluate", "examples", "weights"),
    *("save", "open", "load", "export", "reset", "undo"),
    *("show", "xray", "explore", "traceback"),
)


def overview() -> str:
    """The commands, one a line."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name.ljust(width)}  {COMMANDS[name].summary}" for name in _ORDER]
    return "\n".join(
        [
            "%neurallog COMMAND [options]; %neurallog COMMAND --help says more.",
            *lines,
            "Also: %neurallog ?- p(a, Y).   %neurallog name << ?- p(a, Y).   %config NeuralLog",
        ]
    )
