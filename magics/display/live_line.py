"""One output of a cell that is updated while something goes on."""

from __future__ import annotations

import time
from typing import Any

from IPython.display import display

from neurallog_kernel.commands import Note


class LiveLine:
    """What is told of long work, in one output that is updated a few times a second."""

    def __init__(self, live: bool, updates: float) -> None:
        self._live, self._every = live, 1 / updates
        self._handle: Any = None
        self._shown = time.monotonic()  # what is done at once needs no progress

    def __call__(self, progress: Any) -> None:
        if not self._live or time.monotonic() - self._shown < self._every:
            return
        self._shown = time.monotonic()
        note = Note(str(progress))
        if self._handle is None:
            self._handle = display(note, display_id=True)
        else:
            self._handle.update(note)

    def finish(self, note: Note) -> Note | None:
        """Put the result in the place of the progress; without one it is yet to be shown."""
        if self._handle is None:
            return note
        self._handle.update(note)
        return None
