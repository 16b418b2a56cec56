"""What a session remembers, as one value behind one lock: a change is there whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from threading import RLock
from typing import Any, Concatenate, ParamSpec, TypeVar

from neurallog_kernel.engines.reading import SqlReader
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.executor import Executor
from neurallog_kernel.evaluate.settling import settle
from neurallog_kernel.functions import Registry
from neurallog_kernel.knowledge.learned import LEARNED, members_of
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.relations import Relations
from neurallog_kernel.knowledge.sources import SourceContents
from neurallog_kernel.knowledge.storage import Storage
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.knowledge.update import with_source
from neurallog_kernel.plan.planner import Planner

_KEPT_CHANGES = 50  # how far `undo` goes back
_KEPT_POINTS = 9  # earlier states that `diff` can compare with


@dataclass(frozen=True)
class Undo:
    """What a source was before a change, and where it stood; what had been learned, which a source
    can state otherwise; what the functions were, and the last training."""

    source: str
    contents: SourceContents | None
    learned: SourceContents | None
    order: tuple[str, ...]
    text: str | None
    registry: Registry
    history: Any


@dataclass(frozen=True, eq=False)
class State:
    """A session at one moment. Clocks, histories and trainers come from folders further down: they
    are named where they are read."""

    program: Program
    texts: Mapping[str, str] = field(default_factory=dict)  # so that later errors can show lines
    loading: Mapping[str, Any] = field(default_factory=dict)  # how long it took to add each source
    unnamed: int = 0
    changes: tuple[Undo, ...] = ()
    points: tuple[tuple[str, Program], ...] = ()  # earlier states, for `diff`
    history: Any = None  # of the last training
    trainer: Any = None  # for a training that goes on
    runs: tuple[Any, ...] = ()  # all trainings

    def changed(self, program: Program, label: str) -> State:
        """With another program; the one before can be compared with."""
        points = (*self.points[-_KEPT_POINTS:], (label, self.program))
        loading = {source: c for source, c in self.loading.items() if source in program.sources}
        return replace(self, program=program, points=points, loading=loading)

    def undoable(self, source: str) -> State:
        """With a note of what a source is now, for `undo`."""
        program, text = self.program, self.texts.get(source)
        contents, learned = program.sources.get(source), program.sources.get(LEARNED)
        order, registry = tuple(program.sources), program.registry
        undo = Undo(source, contents, learned, order, text, registry, self.history)
        return replace(self, changes=(*self.changes[-_KEPT_CHANGES:], undo))

    def with_text(self, source: str, text: str | None) -> State:
        """With the text of a source; None: it has none."""
        texts = {name: known for name, known in self.texts.items() if name != source}
        return replace(self, texts=texts if text is None else {**texts, source: text})


class LiveState:
    """The state of a session and what is kept beside it to answer sooner.

    The state is replaced by one assignment: whoever reads it, and whatever interrupts the writer,
    finds the session as it was before a change or as it is after it. What is kept beside it may be
    lost at any time.
    """

    def __init__(self, strict: bool = False) -> None:
        self.strict = strict
        self._lock = RLock()
        self._state = State(Program())
        self._symbols = SymbolTable()
        self._relations = Relations()
        self._planner = Planner()
        self._executor = Executor(self._storage())
        self._trainings: dict[int, Any] = {}  # at work, by thread
        self._member_evaluators: tuple[Program | None, tuple[Evaluator, ...]] = None, ()
        self._reader: SqlReader | None = None  # of the database that `attach` looks into

    @property
    def _program(self) -> Program:
        return self._state.program

    @property
    def _evaluator(self) -> Evaluator:
        """The program as it is now, with what plans and computes its answers."""
        if self._executor.storage.program is not self._state.program:
            self._executor = self._executor.bind(self._storage())
        settle(Evaluator(self._planner, self._executor))
        return Evaluator(self._planner, self._executor, self._members())

    def _members(self) -> tuple[Evaluator, ...]:
        """Those of an ensemble, made once for a program."""
        program = self._state.program
        if self._member_evaluators[0] is not program:
            own = Evaluator(self._planner, self._executor)
            made = (
                with_source(program, m, self._symbols, strict=False) for m in members_of(program)
            )
            self._member_evaluators = program, tuple(map(own.of, made))
        return self._member_evaluators[1]

    def _storage(self) -> Storage:
        return Storage(self._state.program, self._symbols, self._relations)

    @property
    def registry(self) -> Registry:
        """The functions that the program may name."""
        return self._state.program.registry

    @property
    def _texts(self) -> Mapping[str, str]:
        return self._state.texts

    def _own_values(self) -> dict[str, Any]:
        """What is saved of the session besides its program."""
        return {"strict": self.strict, "unnamed": self._state.unnamed}

    def _adopt(self, state: State) -> None:
        """Make a new state the session's, and forget what was kept for older programs."""
        before, self._state = self._state, state
        self._member_evaluators = None, ()
        state.program.registry.put_in_place(before.program.registry)
        self._executor = self._executor.bind(self._storage())
        self._relations.forget(state.program)
        if self._planner.forget(state.program):
            self._executor.forget()


H = TypeVar("H", bound=LiveState)
P = ParamSpec("P")
T = TypeVar("T")


def in_turn(method: Callable[Concatenate[H, P], T]) -> Callable[Concatenate[H, P], T]:
    """Let a method of a session run in one thread at a time; the others wait."""

    @wraps(method)
    def alone(self: H, *args: P.args, **kwargs: P.kwargs) -> T:
        with self._lock:
            return method(self, *args, **kwargs)

    return alone
