"""Room for deep programs: rules that call rules a thousand times over."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from neurallog_kernel.errors import NeuralLogError

_FRAMES = 20_000  # of Python's stack; a call of a predicate takes about ten

P = ParamSpec("P")
T = TypeVar("T")


def deep(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function follow calls deeper than Python does by itself; past that, say what to do.

    Plans are built and evaluated by recursion, as programs are written. Python's own bound is meant
    for runaway functions, and a recursion of depth 120 would meet it.
    """

    @wraps(function)
    def with_room(*args: P.args, **kwargs: P.kwargs) -> T:
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(before, _FRAMES))
        try:
            return function(*args, **kwargs)
        except RecursionError:
            raise NeuralLogError(
                "the rules call each other too deeply to be followed",
                hint="a smaller recursion_depth, or fewer rules that only lead to the next one",
            ) from None
        finally:
            sys.setrecursionlimit(before)

    return with_room
