"""What the commands of `python -m experiments` are told: the folder of the data, names of tasks."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[2] / "shared" / "data"


class Arguments(argparse.ArgumentParser):
    """A parser with `--data`, and with `names` where a command has tasks to choose from.

    >>> Arguments("ensembles", "Ten seeds.", ["yelp", "cora"]).parse_args(["cora"]).names
    ['cora']
    >>> Arguments("noise", "Draw anew.").parse_args(["--data", "there"]).data.name
    'there'
    """

    def __init__(
        self, command: str, description: str, tasks: Collection[str] = (), **more: Any
    ) -> None:
        prog = f"python -m experiments {command}".strip()
        super().__init__(prog=prog, description=description, **more)
        self._tasks = tasks
        if tasks:
            among = f"among {', '.join(tasks)} (default: all)"
            self.add_argument("names", nargs="*", metavar="NAME", help=among)
        self.add_argument("--data", type=Path, default=DATA, help="folder of the datasets")

    def chosen(self, words: Sequence[str]) -> argparse.Namespace:
        """The arguments; `names` are all tasks where none is named, and an unknown one ends it."""
        options = self.parse_args(words)
        if self._tasks:
            unknown = [name for name in options.names if name not in self._tasks]
            if unknown:
                self.error(f"unknown: {', '.join(unknown)}; there are {', '.join(self._tasks)}")
            options.names = options.names or list(self._tasks)
        return options
