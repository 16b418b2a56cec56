"""Who watches a run: told of its stages and of each node that is computed, while it happens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol, TypeVar

PLAN, GRAPHS, MATRICES, EVALUATE = "plan", "rule graphs", "facts to matrices", "evaluate"

T = TypeVar("T")


class Recorder(Protocol):
    """Takes note of what was made or computed, and gives it back."""

    def __call__(self, made: T, /) -> T: ...


class Observer(Protocol):
    """What planner, relations and executor tell; without an observer they tell nothing.

    Stages and nodes run inside each other: a node that tries all entities computes others.
    """

    def stage(self, name: str) -> AbstractContextManager[Recorder]:
        """A stage, from its beginning to its end."""
        ...

    def nodes(self, nodes: Sequence[Any]) -> AbstractContextManager[Recorder]:
        """The computation of an expression; of several, if one operation gives their sum."""
        ...

    def multiplied(self, vector: Any, matrices: Sequence[Any]) -> None:
        """The expression that is computed multiplies a vector by the facts of a relation."""
        ...

    def read(self, facts: int) -> None:
        """The expression that is computed reads so many facts."""
        ...


def _no_note(made: T, /) -> T:
    return made


_NOBODY: AbstractContextManager[Recorder] = nullcontext(_no_note)


def stage(observer: Observer | None, name: str) -> AbstractContextManager[Recorder]:
    """A stage of a run that may be observed."""
    return _NOBODY if observer is None else observer.stage(name)


def nodes(observer: Observer | None, computed: Sequence[Any]) -> AbstractContextManager[Recorder]:
    """Nodes of a run that may be observed."""
    return _NOBODY if observer is None else observer.nodes(computed)


TRAINING_VIEWS: list[Callable[[Any, bool], Any]] = []
"""Who shows trainings: given the session and whether it is resumed, a context with `callbacks`, and
`done`, which is told the history. A notebook registers its own."""
