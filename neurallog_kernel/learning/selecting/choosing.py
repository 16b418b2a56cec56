"""Which way settings are chosen: those that are listed, or those that Optuna proposes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from neurallog_kernel.arguments import one_of
from neurallog_kernel.learning.selecting.optuna_search import OPTUNA, TRIES, check_space, search
from neurallog_kernel.learning.selecting.selection import Selection, select, settings_of
from neurallog_kernel.packages import needed


def chosen_settings(
    space: Any, tries: int | None, way: str | None, seed: int
) -> Callable[..., Selection]:
    """What runs the selection, after a look at all that it is given."""
    if way is None:
        settings = settings_of(space, tries, seed)
        return lambda evaluator, *given: select(evaluator, settings, *given)
    one_of(OPTUNA)("search", way)
    check_space(space)
    needed(OPTUNA, "select with search='optuna'", "search")
    return partial(_search, space, tries or TRIES)


def _search(space: Any, tries: int, evaluator: Any, *given: Any) -> Selection:
    return search(evaluator, space, tries, *given)
