"""Files of a session: saved whole, opened again; the weights of one for another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from threading import get_ident
from typing import Any, Self

from neurallog_kernel.knowledge.learned import LEARNED
from neurallog_kernel.session.edits import uncalibrated
from neurallog_kernel.state import LiveState, in_turn
from neurallog_kernel.unpacking import TIMES


class SessionFiles(LiveState):
    """The part of a session that saves and opens."""

    @in_turn
    def save(self, path: str | Path) -> None:
        """Write the program, its learned weights and its trainings to one file (.nlz). In a
        callback of `train` they are those of that moment."""
        from neurallog_kernel.learning.runs import saved_runs
        from neurallog_kernel.learning.saving.checkpoint import save

        program, history = self._program, self._state.history
        training = self._trainings.get(get_ident())
        if training is not None:
            program, history = training.learned_in(program), training.trainer.history
        own = {**self._own_values(), "runs": saved_runs(self._state.runs)}
        save(path, program, self._symbols, history, own, self._texts)

    @classmethod
    def open(
        cls,
        path: str | Path,
        functions: Mapping[str, Any] | None = None,
        unpacked: int | None = TIMES,
        connect: Any = None,
    ) -> Self:
        """A saved session. Registered functions are Python, which is not saved: give those that
        the program uses again, as in `functions={"encoder": layer}`. A file that unpacks to more
        than `unpacked` times its size is refused; None takes any. Attached tables are looked for
        where they were; `connect` is an address or an open connection where they are now."""
        from neurallog_kernel.learning.saving.restore import open_saved

        session = cls()
        opened = open_saved(path, session._symbols, functions or {}, unpacked, connect)
        session._reader = opened.reader
        state = session._state.changed(opened.program, "opening")
        more = {"texts": dict(opened.texts), "history": opened.history, "unnamed": opened.unnamed}
        more["runs"] = opened.runs
        session._adopt(replace(state, **more))
        session.strict = opened.strict
        return session

    @in_turn
    def load_weights(
        self,
        path: str | Path,
        functions: Mapping[str, Any] | None = None,
        unpacked: int | None = TIMES,
    ) -> None:
        """Take the learned weights of a saved session into this program; see `open`."""
        from neurallog_kernel.learning.saving.restore import load_weights

        state = uncalibrated(self._state, self._symbols)
        program = load_weights(path, state.program, self._symbols, functions or {}, unpacked)
        self._adopt(state.undoable(LEARNED).changed(program, "loading weights"))
