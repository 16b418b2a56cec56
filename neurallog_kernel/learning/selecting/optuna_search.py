"""Settings that Optuna proposes, each by what was measured of those before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from neurallog_kernel.errors import ParameterError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.interrupts import Interrupts
from neurallog_kernel.learning.figures.evaluation import Metrics
from neurallog_kernel.learning.selecting.cross_validation import (
    CrossValidation,
    FoldOptions,
    divided,
    fold_figures,
)
from neurallog_kernel.learning.selecting.selection import Choice, Selection, check_names
from neurallog_kernel.packages import needed

OPTUNA = "optuna"
TRIES = 20  # where the call does not say how many
_FIRST_FOLDS = 2  # before a setting may be dropped


def check_space(space: Any) -> None:
    """Lists of values, and ranges: `{"from": 0.001, "to": 0.3, "log": True}`."""
    if not isinstance(space, Mapping) or not space:
        raise ParameterError(
            "Optuna searches a table of values by option",
            hint='as in select({"learning_rate": {"from": 0.001, "to": 0.3, "log": True}}, '
            'search="optuna")',
        )
    for name, values in space.items():
        ends = _ends(name, values) if isinstance(values, Mapping) else values
        if not isinstance(ends, list | tuple) or not ends:
            raise ParameterError(
                f"{name} needs a list of values or a range to select from",
                hint=f'as in {{"{name}": [...]}} or {{"{name}": {{"from": 1, "to": 10}}}}',
            )
        for value in ends:
            check_names({name: value})


def _ends(name: str, values: Mapping[str, Any]) -> tuple[Any, Any]:
    low, high, log = values.get("from"), values.get("to"), values.get("log", False)
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in (low, high))
    known = set(values) <= {"from", "to", "log"} and isinstance(log, bool)
    if not numbers or not known or not low < high or (log and low <= 0):  # type: ignore[operator]
        raise ParameterError(
            f"the range of {name} must go from one number up to another"
            f"{', both above 0' if log else ''}",
            hint=f'as in {{"{name}": {{"from": 0.001, "to": 0.3, "log": True}}}}',
        )
    return low, high


def search(
    evaluator: Evaluator,
    space: Mapping[str, Any],
    tries: int,
    options: FoldOptions,
    training: Mapping[str, Any],
    halving: bool,
    interrupts: Interrupts,
    tell: Callable[[int, int], None] | None = None,
) -> Selection:
    """So many settings, one after the other. With `halving` one that is worse than half of those
    before is dropped after two folds. An interrupt keeps what was measured."""
    optuna = needed(OPTUNA, "select with search='optuna'", "search")
    splits = divided(evaluator, options, training)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.TPESampler(seed=options.seed)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    so_far: list[list[float]] = [[] for _ in splits]  # of each setting, after each fold
    sizes = [sum(len(e) for e in split.held) for split in splits]
    choices: list[Choice] = []
    interrupted = False
    for number in range(tries):
        trial = study.ask()
        settings = {name: _suggested(trial, name, values) for name, values in space.items()}
        measured: list[Metrics] = []
        try:
            for fold, split in enumerate(splits):
                chosen = {**training, **settings}
                measured.append(fold_figures(evaluator, split, chosen, interrupts))
                so_far[fold].append(_value(measured, options))
                if halving and fold + 1 >= _FIRST_FOLDS and _is_worse(so_far[fold]):
                    break
            if tell is not None:
                tell(number + 1, tries)
        except KeyboardInterrupt:
            if not measured and not choices:
                raise
            interrupted = True
        if measured:
            study.tell(trial, _value(measured, options))
            result = CrossValidation(options, measured, sizes[: len(measured)])
            choices.append(Choice(settings, result, len(measured) == len(splits)))
        if interrupted:
            break
    return Selection(options, choices, interrupted)


def _is_worse(values: list[float]) -> bool:
    """Whether the last is worse than half of those before.

    >>> _is_worse([0.5, 0.7, 0.6, 0.55]), _is_worse([0.5, 0.7, 0.6, 0.65])
    (True, False)
    """
    return len(values) > 1 and values[-1] < float(np.median(values[:-1]))


def _value(measured: list[Metrics], options: FoldOptions) -> float:
    found = options.sign * float(np.mean([fold[options.metric] for fold in measured]))
    return -1e9 if np.isnan(found) else found


def _suggested(trial: Any, name: str, values: Any) -> Any:
    """What Optuna proposes of an option; values may be anything, so it is told their places."""
    if not isinstance(values, Mapping):
        return values[trial.suggest_categorical(name, list(range(len(values))))]
    low, high, log = values["from"], values["to"], values.get("log", False)
    if isinstance(low, int) and isinstance(high, int):
        return trial.suggest_int(name, low, high, log=log)
    return trial.suggest_float(name, low, high, log=log)
