"""What a command may use of the front end that runs it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

from neurallog_kernel.session import Session


class Context(Protocol):
    """A shell or a notebook, as a command sees it."""

    @property
    def session(self) -> Session:
        """The session that the command is about."""
        ...

    @property
    def name(self) -> str:
        """What the session is called; empty where there is only one."""
        ...

    @property
    def rows(self) -> int:
        """How many rows of a table are shown."""
        ...

    def relabel(self, text: str) -> str:
        """The text with sources named as a person names them (`cell [2]`)."""
        ...

    def show(self, result: Any) -> None:
        """Show a result before the last one, which is returned."""
        ...

    def progress(self) -> AbstractContextManager[Callable[[Any], None]]:
        """Inside, what is told of long work is shown in one place, which is updated."""
        ...
