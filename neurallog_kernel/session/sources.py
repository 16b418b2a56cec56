"""Sources of a session: text goes in, is replaced, is taken back; functions go the same way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from neurallog_kernel.arguments import a_text, a_weight
from neurallog_kernel.errors import LoadError, NeuralLogError, ParameterError, did_you_mean
from neurallog_kernel.functions import Function
from neurallog_kernel.knowledge.changes import Change
from neurallog_kernel.knowledge.learned import LEARNED
from neurallog_kernel.knowledge.update import with_functions, without_source
from neurallog_kernel.paths import path_of
from neurallog_kernel.session.edits import (
    Addition,
    with_addition,
    with_program,
    without_last_change,
)
from neurallog_kernel.session.reweighing import with_weights
from neurallog_kernel.state import LiveState, in_turn
from neurallog_kernel.tables.input_option import is_table
from neurallog_kernel.tables.loading import open_all
from neurallog_kernel.tables.mapping import TableMap

_SAVED = b"PK"  # how an archive begins


class SessionSources(LiveState):
    """The part of a session that changes its program."""

    @in_turn
    def add(
        self,
        text: str,
        source: str | None = None,
        set: str | None = None,
        tables: Sequence[tuple[Any, TableMap, str]] = (),
    ) -> Change:
        """Add clauses under a source name; a second add under that name replaces the first.

        Without a name, each call is a source of its own. With `set`, plain atoms are examples too,
        and all examples are of that set, until an `example_set(...)` in the text names another. A
        text with an error changes nothing. `tables` (each with its map and what
        messages call it) go in with the text, under the same name.
        """
        opened = open_all(tables)
        state = self._state
        if source is None:
            state = replace(state, unnamed=state.unnamed + 1)
            source = f"input-{state.unnamed}"
        addition = Addition(source, text, set, opened)
        state, change = with_addition(state, addition, self._symbols, self.strict)
        self._adopt(state)
        return change

    @in_turn
    def load(self, path: str | Path, set: str | None = None, source: str | None = None) -> Change:
        """Add a file of program text; with `set` its atoms are examples of that set."""
        file = path_of(path)
        try:
            text = file.read_text(encoding="utf-8-sig")  # some editors write a mark before it
        except OSError as error:
            reason = error.strerror or "cannot be read"
            raise LoadError(f"{file}: {reason}") from error
        except UnicodeDecodeError as error:
            raise _no_text(file, error) from error
        return self.add(text, source or str(file), set)

    @in_turn
    def remove(self, source: str) -> Change:
        """Take back what a source contributed."""
        if source not in self._program.sources:
            raise NeuralLogError(
                f"there is no source {source}", hint=did_you_mean(source, self._program.sources)
            )
        started = perf_counter()
        state = self._state
        program = without_source(state.program, source, self._symbols)
        old = state.program.sources[source]
        state, change = with_program(state, program, source, old, None, self._symbols, started)
        self._adopt(state.with_text(source, None))
        return change

    @in_turn
    def reweigh(self, weights: Mapping[str, float]) -> list[Change]:
        """Give facts and rules other weights, in the text of the source that states them.

        Each is named by its text. A fact that no text states as it is, because a table or a
        template made it or training learned it, gets its weight in the source `sliders`, after the
        others; for such a rule there is no place, and it is an error that changes nothing.

        >>> from neurallog_kernel import Session
        >>> s = Session()
        >>> print(s.add("p(a). q(X) :- p(X).", source="cell"))
        cell: +1 fact, +1 rule
        >>> print(*s.reweigh({"p(a)": 0.5, "q(X) :- p(X).": 2.0}))
        cell: +1 fact, -1 fact, +1 rule, -1 rule
        >>> s.query("q(a)").weight
        1.0
        """
        if not isinstance(weights, Mapping):
            raise ParameterError("weights must be a dictionary", hint='as in {"p(a)": 0.5}')
        for name, weight in weights.items():
            a_text("the name of a clause", name)
            a_weight(f"the weight of {name}", weight)
        state, changes = with_weights(self._state, weights, self._symbols, self.strict)
        self._adopt(state)
        return changes

    @in_turn
    def undo(self) -> Change:
        """Take back the last change: an `add`, a `load`, a `remove`, a `train`, weights that were
        loaded, a function that was registered."""
        if not self._state.changes:
            raise NeuralLogError("there is no change to take back")
        state, change = without_last_change(self._state, self._symbols)
        self._adopt(state)  # nothing that could be taken back
        return change

    @in_turn
    def register(
        self,
        name: str,
        function: Callable[..., np.ndarray],
        kind: str = "elementwise",
        formula: str = "",
        inputs: int = 1,
        tensorflow: Callable[..., Any] | None = None,
    ) -> Function:
        """Let programs use a Python function of NumPy arrays by name; `tensorflow` is the same for
        tensors, where it cannot be written for both with `keras.ops`.

        Rules that use the name are computed anew, whether they came before or after it. Another
        function under the name replaces the first; the same one again changes nothing.
        """
        state = self._state
        registry = self.registry.registered(name, function, kind, formula, inputs, tensorflow)
        if registry is not self.registry:
            try:
                program = with_functions(state.program, registry, self._symbols)
            except NeuralLogError as error:
                named = error.span.source if error.span else ""
                raise error.with_text(state.texts.get(named, "")) from None
            self._adopt(state.undoable(LEARNED).changed(program, f"registering {name}"))
        return registry[name]

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of the sources, in order."""
        return tuple(self._program.sources)

    @property
    def version(self) -> int:
        """A number that grows with every change of the program."""
        return self._program.version


def _no_text(file: Path, error: UnicodeDecodeError) -> LoadError:
    """What a file is that is no text: a saved session, a table in bytes, or in another encoding."""
    if error.object.startswith(_SAVED):
        hint = "open a saved session with Session.open(...), in a notebook with %neurallog open"
        return LoadError(f"{file}: an archive, not program text", hint=hint)
    if is_table(str(file)):
        hint = "load a table with load_table(...)"
        return LoadError(f"{file}: a table, not program text", hint=hint)
    what = f"{file}: not UTF-8 text at byte {error.start}"
    return LoadError(what, hint="save the file as UTF-8")
